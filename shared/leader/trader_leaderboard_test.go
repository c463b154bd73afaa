package leader

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// histories stand behind the ports that a grade takes: wallets that traded, and wallets that cannot be read.
type histories struct {
	mu      sync.Mutex
	of      map[chain.Address]*market.Activity
	pools   map[chain.Address][]market.Pool
	trouble map[chain.Address]func(context.Context) error
	asked   int
}

func newHistories() *histories {
	return &histories{
		of: make(map[chain.Address]*market.Activity), pools: make(map[chain.Address][]market.Pool), trouble: make(map[chain.Address]func(context.Context) error),
	}
}

func (h *histories) sources() market.Sources {
	return market.Sources{Activity: h, Prices: h, Pools: h, TokenSecurity: h}
}

func (h *histories) calls() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.asked
}

func (h *histories) Activity(ctx context.Context, _ *chain.Chain, wallet chain.Address) (*market.Activity, error) {
	h.mu.Lock()
	h.asked++
	trouble, found := h.trouble[wallet], h.of[wallet]
	h.mu.Unlock()
	if trouble != nil {
		if err := trouble(ctx); err != nil {
			return nil, err
		}
	}
	if found == nil {
		return &market.Activity{}, nil
	}
	return found, nil
}

func (h *histories) Prices(_ context.Context, on *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	var series []market.PriceSeries
	for _, r := range requests {
		if !on.IsQuote(r.Asset) {
			continue
		}
		one := market.PriceSeries{Asset: r.Asset}
		for _, at := range r.Times {
			one.Points = append(one.Points, market.PricePoint{Time: at, USD: 2_000})
		}
		slices.SortFunc(one.Points, func(a, b market.PricePoint) int { return a.Time.Compare(b.Time) })
		series = append(series, one)
	}
	return series, nil
}

func (h *histories) Pools(_ context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	found := make(map[chain.Address][]market.Pool)
	for _, token := range tokens {
		if pools := h.pools[token]; pools != nil {
			found[token] = pools
		}
	}
	return found, nil
}

func (h *histories) TokenSecurity(context.Context, *chain.Chain, []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	return nil, nil
}

// comparedWallet is a wallet of the tests.
func comparedWallet(n int) chain.Address { return chain.Address{0x11, byte(n)} }

// trader gives a wallet a past of so many closed positions, of which three in four gain so much and the others lose 15 %.
func (h *histories) trader(n, positions int, gain float64) {
	account, router := comparedWallet(n), chain.Address{0x77}
	activity := &market.Activity{Tokens: make(map[chain.Address]market.Token), Accounts: map[chain.Address]market.Account{
		router: {Address: router, Kind: market.DexAccount, Contract: true},
	}}
	native := func(units float64) uint256.Int { return *uint256.NewInt(uint64(units * 1e18)) }
	count := uint64(0)
	add := func(at time.Time, sender chain.Address, movements ...market.Movement) {
		count++
		tx := market.Transaction{Block: 1000 + count, Time: at, Sender: sender, Target: router, Movements: movements}
		binary.BigEndian.PutUint64(tx.Hash[:], count)
		copy(tx.Hash[8:], account[:])
		activity.Transactions = append(activity.Transactions, tx)
	}
	funder := chain.Address{0x99}
	start := now.Add(-time.Duration(positions+3) * 2 * 24 * time.Hour)
	add(start, funder, market.Movement{Token: chain.Native, Counterparty: funder, Amount: native(5), In: true, LogIndex: -1})
	for i := range positions {
		token, pool := chain.Address{0xcc, byte(i), byte(n)}, chain.Address{0xdd, byte(i), byte(n)}
		activity.Tokens[token] = market.Token{Address: token, Symbol: "T", Decimals: 18, Known: true, Holders: 900}
		activity.Accounts[pool] = market.Account{Address: pool, Kind: market.DexAccount, Contract: true}
		h.pools[token] = []market.Pool{{
			ID: pool.String(), Token: token, PriceUSD: 0.01, LiquidityUSD: 300_000, MarketCapUSD: math.NaN(), FullyDilutedUSD: math.NaN(), CreatedAt: now.AddDate(-1, 0, 0),
		}}
		result := gain
		if i%4 == 3 {
			result = -0.15
		}
		units := *new(uint256.Int).Mul(uint256.NewInt(uint64(1000+i)), uint256.NewInt(1e18))
		paid := 0.3 + 0.01*float64(i%7)
		opened := start.Add(time.Duration(i+1)*47*time.Hour + time.Duration(i*i%17)*time.Minute)
		add(opened, account, market.Movement{Token: chain.Native, Counterparty: router, Amount: native(paid), LogIndex: -1},
			market.Movement{Token: token, Counterparty: pool, Amount: units, In: true, LogIndex: 4})
		add(opened.Add(9*time.Hour+time.Duration(i*31%60)*time.Minute), account,
			market.Movement{Token: chain.Native, Counterparty: router, Amount: native(paid * (1 + result)), In: true, LogIndex: -1},
			market.Movement{Token: token, Counterparty: pool, Amount: units, LogIndex: 4})
	}
	h.of[account] = activity
}

// handler serves the comparison and trader-score.
func (h *histories) handler(t endpointtest.T) (http.Handler, *endpointtest.Fixture) {
	t.Helper()
	f := endpointtest.New(t)
	f.Service.Sources = h.sources()
	f.Service.Present = func() time.Time { return now }
	return endpoint.NewHandler(f.Service, traderLeaderboard(), wallet.TraderScore()), f
}

func compareBody(numbers ...int) string {
	all := make([]string, len(numbers))
	for i, n := range numbers {
		all[i] = `"` + comparedWallet(n).String() + `"`
	}
	return `{"chain":"base","wallets":[` + strings.Join(all, ",") + `]}`
}

func (h *histories) compare(t endpointtest.T, numbers ...int) (endpointtest.Answer, *endpointtest.Fixture) {
	t.Helper()
	handler, f := h.handler(t)
	return endpointtest.Call{Method: http.MethodPost, Path: "/v1/trader-leaderboard", Key: f.Key, Body: compareBody(numbers...)}.Do(t, handler), f
}

func readComparison(t *testing.T, answer endpointtest.Answer) TraderLeaderboard {
	t.Helper()
	if answer.Status != http.StatusOK || answer.Header.Get("X-Method-Version") == "" {
		t.Fatal(answer.Status, answer.Body)
	}
	var read TraderLeaderboard
	if err := json.Unmarshal([]byte(answer.Body), &read, json.RejectUnknownMembers(true)); err != nil {
		t.Fatal(err)
	}
	return read
}

// Wallets rank by their grades, the unrated in the middle, and every row says what the wallet's own page says.
func TestAComparisonRanksWhatThePagesSay(t *testing.T) {
	h := newHistories()
	h.trader(1, 30, -0.5)
	h.trader(2, 30, 0.6)
	h.trader(3, 2, 0.6)
	h.trader(4, 30, 0.05)
	answer, _ := h.compare(t, 1, 2, 3, 4, 5)
	read := readComparison(t, answer)
	if got := answer.Header.Get("X-Usage-Units"); got != "10" {
		t.Errorf("%s units", got)
	}
	if strings.Contains(answer.Body, "partial") || strings.Contains(answer.Body, "failed") || strings.Contains(answer.Body, `"error"`) {
		t.Error(answer.Body)
	}
	if read.Rows[0].Wallet != comparedWallet(2) || *read.Rows[0].Verdict != "mirror-worthy" || read.Rows[4].Wallet != comparedWallet(1) || *read.Rows[4].Score >= 50 {
		t.Errorf("%s", answer.Body)
	}
	for i, row := range read.Rows {
		if *row.Rank != i+1 || row.Reasons == nil {
			t.Errorf("%+v", row)
		}
		if unrated := row.Wallet == comparedWallet(3) || row.Wallet == comparedWallet(5); unrated != (row.Grade == nil) || unrated != (row.Score == nil) || unrated != (row.Subscores == nil) {
			t.Errorf("%+v", row)
		}
		handler, f := h.handler(t)
		page := endpointtest.Call{Method: http.MethodPost, Path: "/v1/trader-score", Key: f.Key, Body: `{"chain":"base","wallet":"` + row.Wallet.String() + `"}`}.Do(t, handler)
		if want := fmt.Sprintf(`{"rank":%d,"wallet":"%s",%s`, i+1, row.Wallet, page.Body[1:]); !strings.Contains(answer.Body, want) {
			t.Errorf("the page says %s\nthe comparison %s", page.Body, answer.Body)
		}
	}
	again, _ := h.compare(t, 5, 4, 3, 2, 1)
	if again.Body != answer.Body {
		t.Errorf("asked in another order: %s", again.Body)
	}
}

// A wallet that fails is a row with an error at the end, and takes no other with it.
func TestAWalletThatFailsHidesNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHistories()
		h.trader(2, 30, 0.6)
		h.trouble[comparedWallet(1)] = func(context.Context) error { return fmt.Errorf("%w: the explorer", market.ErrUnavailable) }
		h.trouble[comparedWallet(3)] = func(context.Context) error { panic("out of ink") }
		h.trouble[comparedWallet(4)] = func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		answer, f := h.compare(t, 1, 2, 3, 4, 5)
		read := readComparison(t, answer)
		if !read.Partial || !slices.Equal(read.Failed, []string{comparedWallet(1).String(), comparedWallet(3).String(), comparedWallet(4).String()}) || len(read.Rows) != 5 {
			t.Fatal(answer.Body)
		}
		if got := answer.Header.Get("X-Usage-Units"); got != "10" {
			t.Errorf("%s units", got)
		}
		for i, want := range []struct {
			wallet int
			code   string
		}{{2, ""}, {5, ""}, {1, "provider_unavailable"}, {3, "internal"}, {4, "provider_unavailable"}} {
			row := read.Rows[i]
			if row.Wallet != comparedWallet(want.wallet) || row.Error != want.code || (row.Rank == nil) != (want.code != "") || (row.Message == "") != (want.code == "") {
				t.Errorf("row %d: %+v", i, row)
			}
			if want.code != "" && (row.Verdict != nil || row.Score != nil || row.SampleSize != nil || row.Reasons == nil) {
				t.Errorf("row %d: %+v", i, row)
			}
		}
		// What hangs is given up while there is still time to answer: within 3.8 of the 4 seconds.
		if log := f.Log.String(); !strings.Contains(log, "T00:00:03.8Z") || !strings.Contains(log, "the explorer") || !strings.Contains(log, "panic: out of ink") || strings.Contains(answer.Body, "ink") {
			t.Error(log)
		}
		if got := f.Metrics.Total(endpoint.MetricSlotFailed); got != 3 {
			t.Errorf("%d failures were counted", got)
		}
	})
}

func TestAComparisonOfWhichEveryWalletFailsFails(t *testing.T) {
	h := newHistories()
	for n := range 3 {
		h.trouble[comparedWallet(n)] = func(context.Context) error { return fmt.Errorf("%w: the explorer", market.ErrUnavailable) }
	}
	handler, f := h.handler(t)
	call := endpointtest.Call{Method: http.MethodPost, Path: "/v1/trader-leaderboard", Key: f.Key, Body: compareBody(0, 1, 2)}
	endpointtest.CheckRefusal(t, call, call.Do(t, handler), http.StatusServiceUnavailable, "provider_unavailable")
	h.trouble[comparedWallet(0)] = func(context.Context) error { return errors.New("a bug") }
	call.Body = compareBody(0)
	endpointtest.CheckRefusal(t, call, call.Do(t, handler), http.StatusInternalServerError, "internal")
}

func TestAWalletIsComparedOnce(t *testing.T) {
	h := newHistories()
	handler, f := h.handler(t)
	upper := "0x" + strings.ToUpper(comparedWallet(1).String()[2:])
	for _, body := range []string{compareBody(1, 2, 1), strings.Replace(compareBody(2, 1, 3), comparedWallet(3).String(), upper, 1)} {
		call := endpointtest.Call{Method: http.MethodPost, Path: "/v1/trader-leaderboard", Key: f.Key, Body: body}
		problem := endpointtest.CheckRefusal(t, call, call.Do(t, handler), http.StatusBadRequest, "invalid_param")
		if problem.Parameter != "wallets" || !strings.Contains(problem.Message, comparedWallet(1).String()+" is there twice") {
			t.Errorf("%+v", problem)
		}
	}
	if h.calls() != 0 {
		t.Error("a provider was asked")
	}
	numbers := make([]int, maximumWallets)
	for i := range numbers {
		numbers[i] = i
	}
	if answer, _ := h.compare(t, numbers...); answer.Status != http.StatusOK || answer.Header.Get("X-Usage-Units") != "50" {
		t.Error(answer.Status, answer.Header)
	}
}

func TestTheOrderOfAComparison(t *testing.T) {
	row := func(n int, verdict string, score, confidence float64) LeaderboardRow {
		r := LeaderboardRow{Wallet: comparedWallet(n), Verdict: &verdict, Confidence: &confidence}
		if verdict != trader.Unrated {
			r.Score = &score
		}
		return r
	}
	want := []LeaderboardRow{
		row(9, trader.MirrorWorthy, 59, 0.6), row(1, trader.Watch, 65, 0.4), row(8, trader.Watch, 51, 0.9), row(2, trader.Watch, 51, 0.8),
		row(3, trader.Watch, 51, 0.8), row(4, trader.Watch, 50, 0.01), row(5, trader.Unrated, 0, 0.2), row(6, trader.Watch, 49.9, 0.9),
	}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, byScore)
	for i := range want {
		if got[i].Wallet != want[i].Wallet {
			t.Errorf("place %d: %s, want %s", i+1, got[i].Wallet, want[i].Wallet)
		}
	}
}

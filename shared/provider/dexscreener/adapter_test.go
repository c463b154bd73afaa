package dexscreener

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// service answers with a function of the path and remembers the paths.
type service struct {
	answer func(path string) (int, string)
	mu     sync.Mutex
	paths  []string
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.paths = append(s.paths, r.URL.Path)
	s.mu.Unlock()
	status, body := s.answer(r.URL.Path)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func adapter(answer func(path string) (int, string)) (*Adapter, *service, *int) {
	s, dropped := &service{answer: answer}, new(int)
	config := Defaults()
	config.PerMinute, config.Burst = 60_000, 1000
	return New(upstream.New(config, upstream.Shared{
		Transport: s, Clock: func() time.Time { return now }, Observe: func(c upstream.Call) {
			s.mu.Lock()
			defer s.mu.Unlock()
			*dropped += c.Dropped
		},
	})), s, dropped
}

func ethereum() *chain.Chain { c, _ := chain.Parse("eth"); return c }

func address(n int) (a chain.Address) { a[0], a[18], a[19] = 1, byte(n>>8), byte(n); return a }

const usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"

// row is a pair as the service writes it.
func row(base chain.Address, pool int, members string) string {
	return fmt.Sprintf(`{"chainId":"ethereum","dexId":"uniswap","url":"https://d.example/x","pairAddress":"%s","labels":["v3"],
		"baseToken":{"address":"%s","name":"A","symbol":"AAA"},"quoteToken":{"address":"%s","name":"USD Coin","symbol":"USDC"}%s}`,
		address(1000+pool).Checksum(), base.Checksum(), usdc, members)
}

func list(rows ...string) string { return "[" + strings.Join(rows, ",") + "]" }

const busy = `,"priceNative":"2701.3735","priceUsd":"2701.37","txns":{"m5":{"buys":5,"sells":3},"h1":{"buys":81,"sells":94},"h24":{"buys":6104,"sells":6834}},
	"volume":{"h24":17174868.85,"h1":150500.5,"m5":1053.34},"priceChange":{"h1":-0.05},"liquidity":{"usd":98107272.35,"base":8602.7839,"quote":74867938},
	"fdv":5528581517,"marketCap":5530815254,"pairCreatedAt":1620250931000,"info":{"imageUrl":"x"}`

func TestPoolsAreRead(t *testing.T) {
	weth := ethereum().WrappedNative.Address
	a, s, dropped := adapter(func(string) (int, string) {
		return 200, list(row(weth, 2, `,"liquidity":{"usd":50}`), row(weth, 1, busy), row(weth, 3, ``), row(weth, 1, busy))
	})
	got, err := a.Pools(t.Context(), ethereum(), []chain.Address{weth, chain.Native, weth})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.paths) != 1 || s.paths[0] != "/tokens/v1/ethereum/"+weth.String() {
		t.Fatal(s.paths)
	}
	pools := got[weth]
	if len(pools) != 3 || *dropped != 0 {
		t.Fatal(pools, *dropped)
	}
	quote, _ := chain.ParseAddress(usdc)
	want := market.Pool{
		ID: address(1001).String(), Token: weth, Quote: quote, QuoteSymbol: "USDC", Exchange: "uniswap", PriceUSD: 2701.37,
		LiquidityUSD: 98107272.35, VolumeUSD24h: 17174868.85, Trades24h: 12938, Buys24h: 6104, Sells24h: 6834,
		LastHour:     market.PoolFlow{VolumeUSD: 150500.5, Buys: 81, Sells: 94},
		MarketCapUSD: 5530815254, FullyDilutedUSD: 5528581517, Version: market.ConcentratedPool, CreatedAt: time.UnixMilli(1620250931000).UTC(),
	}
	if pools[0] != want {
		t.Errorf("got %+v\nwant %+v", pools[0], want)
	}
	if !math.IsNaN(pools[1].MarketCapUSD) || !math.IsNaN(pools[1].FullyDilutedUSD) || pools[1].LastHour != (market.PoolFlow{}) || pools[1].Buys24h != 0 {
		t.Errorf("%+v", pools[1])
	}
	if pools[1].LiquidityUSD != 50 || !math.IsNaN(pools[1].PriceUSD) || pools[1].Trades24h != 0 || !pools[1].CreatedAt.IsZero() {
		t.Errorf("%+v", pools[1])
	}
	if !math.IsNaN(pools[2].LiquidityUSD) {
		t.Errorf("%+v", pools[2])
	}
	native := got[chain.Native]
	if len(native) != 3 || native[0].Token != chain.Native || native[0].ID != want.ID || got[weth][0].Token != weth {
		t.Errorf("%+v", native)
	}
}

func TestOtherChainsQuotesAndBrokenRowsAreLeftOut(t *testing.T) {
	token := address(1)
	a, _, dropped := adapter(func(string) (int, string) {
		return 200, list(
			strings.Replace(row(token, 1, busy), `"ethereum"`, `"pulsechain"`, 1),
			row(address(9), 2, busy), // the token is the quote, or was not asked for
			row(token, 3, `,"priceUsd":"-1"`), row(token, 4, `,"priceUsd":"1e13"`), row(token, 5, `,"liquidity":{"usd":-5}`),
			row(token, 6, `,"volume":{"h24":-1}`), row(token, 7, `,"txns":{"h24":{"buys":-3,"sells":1}}`), row(token, 8, `,"txns":7`), row(token, 11, `,"txns":{"h1":{"buys":-3,"sells":1}}`), `null`, `5`,
			strings.Replace(row(token, 9, busy), address(1009).Checksum(), "somewhere", 1),
			row(token, 10, `,"priceUsd":"1","liquidity":null,"pairCreatedAt":9999999999999`))
	})
	got, err := a.Pools(t.Context(), ethereum(), []chain.Address{token})
	if err != nil || len(got[token]) != 1 || got[token][0].PriceUSD != 1 || !got[token][0].CreatedAt.IsZero() {
		t.Fatal(got, err)
	}
	if *dropped != 10 {
		t.Errorf("%d rows dropped", *dropped)
	}
}

// What is said of a token's worth may be nonsense without the pool being so.
func TestCapitalizationsThatCannotBeAreUnknown(t *testing.T) {
	for _, members := range []string{`,"fdv":553081525400000000000,"marketCap":0`, `,"fdv":"1e400","marketCap":-5`, `,"fdv":"NaN","marketCap":null`, ``} {
		a, _, dropped := adapter(func(string) (int, string) { return 200, list(row(address(1), 1, members)) })
		got, err := a.Pools(t.Context(), ethereum(), []chain.Address{address(1)})
		if err != nil || len(got[address(1)]) != 1 || *dropped != 0 {
			t.Fatal(members, got, err, *dropped)
		}
		if pool := got[address(1)][0]; !math.IsNaN(pool.FullyDilutedUSD) || !math.IsNaN(pool.MarketCapUSD) {
			t.Errorf("%s: %+v", members, pool)
		}
	}
}

func TestLiquidityIsBelievedAsFarAsItIsUsed(t *testing.T) {
	for name, test := range map[string]struct {
		members string
		want    float64
	}{
		"small and idle":           {`,"liquidity":{"usd":80000}`, 80_000},
		"huge and idle":            {`,"liquidity":{"usd":900000000}`, 100_000},
		"huge and hardly used":     {`,"liquidity":{"usd":900000000},"volume":{"h24":500},"txns":{"h24":{"buys":1,"sells":0}}`, 500_000},
		"volume without any trade": {`,"liquidity":{"usd":900000000},"volume":{"h24":5000000}`, 100_000},
		"deep and used":            {`,"liquidity":{"usd":900000},"volume":{"h24":5000},"txns":{"h24":{"buys":9,"sells":9}}`, 900_000},
	} {
		a, _, _ := adapter(func(string) (int, string) { return 200, list(row(address(1), 1, test.members)) })
		got, err := a.Pools(t.Context(), ethereum(), []chain.Address{address(1)})
		if err != nil || got[address(1)][0].LiquidityUSD != test.want {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestEmptyAnswersAreNoPools(t *testing.T) {
	for _, body := range []string{`[]`, `null`} {
		a, _, _ := adapter(func(string) (int, string) { return 200, body })
		if got, err := a.Pools(t.Context(), ethereum(), []chain.Address{address(1)}); err != nil || len(got) != 0 {
			t.Error(body, got, err)
		}
	}
	a, s, _ := adapter(nil)
	if got, err := a.Pools(t.Context(), ethereum(), nil); err != nil || len(got) != 0 || len(s.paths) != 0 {
		t.Error(got, err)
	}
}

func TestUnreadableAnswersAreUnavailable(t *testing.T) {
	for _, answer := range []struct {
		status int
		body   string
	}{{200, `{"schemaVersion":"1.0.0","pairs":null}`}, {404, `{}`}, {400, `bad`},
		{200, `[{"chainId":8,"baseToken":{"address":42},"priceUsd":{"value":"1"}},7]`}} {
		a, _, _ := adapter(func(string) (int, string) { return answer.status, answer.body })
		if got, err := a.Pools(t.Context(), ethereum(), []chain.Address{address(1)}); !errors.Is(err, market.ErrUnavailable) {
			t.Error(answer, got, err)
		}
	}
}

// The service cuts every answer at thirty rows and fills it with the pools of the first token.
func TestTokensLostInACutAnswerAreAskedAgain(t *testing.T) {
	a, s, _ := adapter(func(path string) (int, string) {
		var rows []string
		for _, text := range strings.Split(path[strings.LastIndex(path, "/")+1:], ",") {
			token, _ := chain.ParseAddress(text)
			pools := 1
			if token == address(0) {
				pools = 40
			}
			for pool := range pools {
				rows = append(rows, row(token, pool, busy))
			}
		}
		return 200, list(rows[:min(len(rows), 30)]...)
	})
	var tokens []chain.Address
	for n := range 65 {
		tokens = append(tokens, address(n))
	}
	got, err := a.Pools(t.Context(), ethereum(), tokens)
	if err != nil || len(got) != 65 {
		t.Fatal(len(got), err)
	}
	if len(s.paths) > 3+6+30 {
		t.Errorf("%d calls", len(s.paths))
	}
	if slices.ContainsFunc(s.paths, func(path string) bool { return strings.Count(path, "0x") > 30 }) {
		t.Error("more than thirty addresses in a call")
	}
}

func FuzzPools(f *testing.F) {
	token := address(1)
	f.Add([]byte(list(row(token, 1, busy), row(token, 2, ``))))
	f.Add([]byte(list(row(token, 1, `,"fdv":"1e400","marketCap":-5,"labels":["v2",7],"txns":{"h1":{"buys":1e14,"sells":1e15}}`))))
	f.Add([]byte(list(row(token, 1, `,"priceUsd":1e-320,"liquidity":{"usd":"1e400"},"volume":{"h24":-0.0}`), `[]`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		rows, err := upstream.JSON[upstream.Rows[pair]](&upstream.Response{Status: 200, Body: body})
		if err != nil {
			return
		}
		pools, dropped := poolsOf(rows.Good, "ethereum", []chain.Address{token}, now)
		if dropped < 0 || dropped > len(rows.Good) {
			t.Error(dropped)
		}
		for _, pool := range pools[token] {
			checkPool(t, pool)
		}
	})
}

func checkPool(t *testing.T, pool market.Pool) {
	for _, usd := range []float64{pool.MarketCapUSD, pool.FullyDilutedUSD} {
		if !(math.IsNaN(usd) || usd > 0 && usd <= upstream.MaximumUSD) {
			t.Errorf("%+v", pool)
		}
	}
	if pool.Buys24h < 0 || pool.Sells24h < 0 || pool.Buys24h+pool.Sells24h != pool.Trades24h || pool.Trades24h > math.MaxInt32 ||
		pool.LastHour.Buys < 0 || pool.LastHour.Sells < 0 || !(pool.LastHour.VolumeUSD >= 0 && pool.LastHour.VolumeUSD <= upstream.MaximumUSD) {
		t.Errorf("%+v", pool)
	}
	if !(math.IsNaN(pool.PriceUSD) || pool.PriceUSD > 0 && pool.PriceUSD <= upstream.MaximumPriceUSD) ||
		!(math.IsNaN(pool.LiquidityUSD) || pool.LiquidityUSD >= 0 && pool.LiquidityUSD <= upstream.MaximumUSD) ||
		!(pool.VolumeUSD24h >= 0 && pool.VolumeUSD24h <= upstream.MaximumUSD) || pool.Trades24h < 0 || pool.CreatedAt.After(now.Add(5*time.Minute)) {
		t.Errorf("%+v", pool)
	}
}

func TestTradesAreCountedWithinReason(t *testing.T) {
	a, _, _ := adapter(func(string) (int, string) {
		return 200, list(row(address(1), 1, `,"txns":{"h24":{"buys":1e14,"sells":1e15},"h1":{"buys":1e14,"sells":0}}`))
	})
	got, err := a.Pools(t.Context(), ethereum(), []chain.Address{address(1)})
	if err != nil {
		t.Fatal(err)
	}
	if pool := got[address(1)][0]; pool.Trades24h > math.MaxInt32 || pool.Buys24h != math.MaxInt32/2 || pool.LastHour.Buys != math.MaxInt32/2 || pool.LastHour.Sells != 0 {
		t.Errorf("%+v", pool)
	}
}

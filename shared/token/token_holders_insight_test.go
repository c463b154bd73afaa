package token

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// counted is a week of hourly counts of holders.
func counted(count func(hour int) int) []tokenfacts.Observation {
	var series []tokenfacts.Observation
	for h := range 7*24 + 1 {
		series = append(series, tokenfacts.Observation{At: flowNow.Add(time.Duration(h-7*24) * time.Hour), Holders: count(h), TopShare: math.NaN(), LiquidityUSD: math.NaN()})
	}
	return series
}

func TestTrendOfHolders(t *testing.T) {
	noise := rand.New(rand.NewPCG(1, 1))
	rising := counted(func(h int) int { return 1000 + 2*h + noise.IntN(20) })
	falling := counted(func(h int) int { return 1400 - 2*h + noise.IntN(20) })
	large := market.Holder{Account: market.Account{Address: person(1)}, Share: 0.04}
	topTrades := func(buy bool) []market.TokenTrade {
		return []market.TokenTrade{{Time: flowNow, Trader: person(1), Buy: buy, Amount: 20_000, ValueUSD: 100}}
	}
	for _, test := range []struct {
		name     string
		observed []tokenfacts.Observation
		trades   []market.TokenTrade
		want     string
		code     string
	}{
		{"growing", rising, nil, HoldersAccumulating, "ACCUM"},
		{"falling", falling, nil, HoldersBleeding, "BLEED"},
		{"flat", counted(func(int) int { return 1000 + noise.IntN(9) }), nil, HoldersStable, "STEADY"},
		{"a certain but tiny growth", counted(func(h int) int { return 1_000_000 + h }), nil, HoldersStable, "STEADY"},
		{"growing while the largest sell", rising, topTrades(false), HoldersStable, "CONFLICT"},
		{"growing while the largest buy", rising, topTrades(true), HoldersAccumulating, "TOP_FLOW"},
		{"falling while the largest buy", falling, topTrades(true), HoldersStable, "CONFLICT"},
		{"two counts", rising[len(rising)-2:], nil, HoldersUnknown, "SNAPSHOTS"},
		{"four counts in three hours", rising[len(rising)-4:], nil, HoldersUnknown, "SNAPSHOTS"},
		{"nobody counts", counted(func(int) int { return 0 }), nil, HoldersUnknown, "SNAPSHOTS"},
	} {
		f := &holderFacts{observed: test.observed, topShare: 0.3, top: []market.Holder{large}, supply: 1e6, pooled: true,
			trades: &market.TokenTrades{Trades: test.trades, Since: flowNow.Add(-time.Hour)}}
		got := assessHolders(f, flowNow)
		if got.Trend != test.want {
			t.Errorf("%s: %s, want %s: %v", test.name, got.Trend, test.want, reason.Codes(got.Reasons))
		}
		wantFlowReasons(t, got.Reasons, 2, test.code, "FEW_BUYERS")
	}
}

// A fitted growth of one part in a hundred a day over a week is 7.2 %.
func TestDriftByHand(t *testing.T) {
	var series []tokenfacts.Observation
	for day := range 8 {
		series = append(series, tokenfacts.Observation{At: flowNow.AddDate(0, 0, day-7), LiquidityUSD: 1000 * math.Pow(1.01, float64(day))})
	}
	d := driftOf(series, flowNow.AddDate(0, 0, -7), func(o tokenfacts.Observation) float64 { return o.LiquidityUSD })
	if !d.known || d.observations != 8 || math.Abs(d.change-(math.Pow(1.01, 7)-1)) > 1e-9 || d.direction(0.07) != 1 || d.direction(0.08) != 0 {
		t.Errorf("%+v", d)
	}
}

func TestWhatComesLaterChangesNoDrift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newScene()
		for i := range rapid.IntRange(0, 30).Draw(t, "n") {
			data, _ := tokenfacts.Observation{Holders: 100 + i, LiquidityUSD: 5}.Encode()
			s.kept["x"] = append(s.kept["x"], storeObservation(flowNow.Add(time.Duration(rapid.IntRange(-300, 100).Draw(t, "h"))*time.Hour), data))
		}
		got := upTo(s.kept["x"], tokenfacts.Observation{At: flowNow, Holders: 7})
		for _, o := range got[:len(got)-1] {
			if !o.At.Before(flowNow) {
				t.Fatalf("an observation of %s in an answer of %s", o.At, flowNow)
			}
		}
		if got[len(got)-1].Holders != 7 {
			t.Fatal("the current measurement is not the last")
		}
	})
}

func TestHoldersAreObservedOncePerHourAndReadAgain(t *testing.T) {
	s := newScene()
	s.holders = market.TokenHolders{Known: true, Count: 1200, Top: []market.Holder{{Account: market.Account{Address: person(1)}, Share: 0.25}}}
	for h := 1; h <= 48; h++ {
		s.observe(t, time.Duration(h)*time.Hour, 1200-5*h, 400_000)
	}
	first := s.askToken(t, "token-holders-insight")
	again := s.askToken(t, "token-holders-insight")
	if first != again {
		t.Errorf("asking changed the answer:\n%s\n%s", first, again)
	}
	var wire struct {
		Trend         string
		TopHoldersPct float64
		Reasons       []string
	}
	if err := json.Unmarshal([]byte(first), &wire); err != nil || wire.Trend != HoldersAccumulating || wire.TopHoldersPct != 25 {
		t.Errorf("%v %s", err, first)
	}
	kept := s.kept["eth"+flowToken.String()]
	if len(kept) != 49 {
		t.Fatalf("%d observations, want 49", len(kept))
	}
	last, err := tokenfacts.DecodeObservation(kept[48].At, kept[48].Data)
	if err != nil || last.Holders != 1200 || last.TopShare != 0.25 || last.LiquidityUSD != 400_000 || last.PriceUSD != 0.5 || !last.At.Equal(flowNow) {
		t.Errorf("%+v %v", last, err)
	}
}

func TestAStoreThatCannotWriteCostsNoAnswer(t *testing.T) {
	s := newScene()
	s.storeErr = errors.New("full")
	if got := s.askToken(t, "token-holders-insight"); !strings.HasPrefix(got, `{"trend":"unknown"`) {
		t.Error(got)
	}
	if len(s.kept) != 0 {
		t.Error("something was kept")
	}
}

func TestAStoreThatCannotReadIsUnavailable(t *testing.T) {
	s := newScene()
	s.unread = true
	for _, name := range []string{"token-holders-insight", "exit-risk"} {
		if answer := s.ask(t, name, `{"token":"`+flowToken.String()+`","chain":"eth"}`); answer.Status != http.StatusServiceUnavailable {
			t.Errorf("%s: %d %s", name, answer.Status, answer.Body)
		}
	}
}

func TestAnObservationOfAnotherVersionIsLeftOut(t *testing.T) {
	s := newScene()
	s.kept["eth"+flowToken.String()] = append(s.kept["eth"+flowToken.String()], storeObservation(flowNow.Add(-5*time.Hour), []byte(`{"v":99}`)))
	if got := s.askToken(t, "exit-risk"); !strings.Contains(got, "there is 1 measurement so far") {
		t.Error(got)
	}
}

// The label stands before the signs against it, so that no reader takes them for the verdict.
func TestOrganicBuyersWithASignOfMachines(t *testing.T) {
	f := &holderFacts{pooled: true}
	clean := Origin{Label: OriginOrganic, Buyers: 33, GapVariation: 1}
	signs := clean
	signs.Churned = 0.41
	for _, c := range []struct {
		origin Origin
		want   []string
	}{{clean, []string{"ORGANIC"}}, {signs, []string{"ORGANIC", "CHURN"}}} {
		if got := reason.Codes(reason.Top(f.originReasons(c.origin))); !slices.Equal(got, c.want) {
			t.Errorf("%v, want %v", got, c.want)
		}
	}
	if got := reason.Top(f.originReasons(signs))[0].Text; got != "33 accounts bought much as people do; the signs of machines are too weak to say otherwise." {
		t.Error(got)
	}
}

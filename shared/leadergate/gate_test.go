package leadergate_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/leadergate"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

const (
	hour = time.Hour
	day  = 24 * hour
)

var (
	now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	me  = chain.Address{0x11}
)

// bet is one entry: how much a copier nets, how far the price ran before it could buy, and how deep the pool is.
type bet struct {
	token     int
	ago       time.Duration
	net       float64
	runUp     float64
	liquidity float64
	// own is the wallet's own return.
	own float64
	// plateau is for how many hours, either way, the price stays at the copier's exit; 18 for none told.
	plateau int
}

func tokenNumber(n int) chain.Address { return chain.Address{0xaa, byte(n >> 8), byte(n)} }

// candles are flat at what the copier pays, but for the copier's exit and some hours around it, which a quarter of random entries meet
// too; those sell at a loss otherwise.
func candles(b bet) []market.Candle {
	const lead, length = 80, 80 + 168 + 80
	paid := 1 + b.runUp
	plateau := b.plateau
	if plateau == 0 {
		plateau = 18
	}
	exit := paid * (1 + b.net) / (1 - copysimulation.Haircut)
	first := now.Add(-b.ago).Truncate(hour).Add(-lead * hour)
	var list []market.Candle
	for i := range length {
		price := paid
		switch {
		case i >= lead+168-plateau && i <= lead+168+plateau:
			price = exit
		case i > lead+168-72:
			price = paid * 0.8
		}
		list = append(list, market.Candle{Time: first.Add(time.Duration(i) * hour), Open: price, High: price, Low: price, Close: price, VolumeUSD: 1})
	}
	return list
}

// factsOf makes the facts of a wallet that made these bets, one a token.
func factsOf(asOf time.Time, bets ...bet) leadergate.Facts {
	on, _ := chain.Parse("base")
	ledger := position.Ledger{Tokens: make(map[chain.Address]market.Token)}
	pools := make(map[chain.Address][]market.Pool)
	series := make(map[chain.Address]*copysimulation.Series)
	trade := func(b bet, at time.Time, side position.Side, usd float64) {
		n := len(ledger.Trades)
		ledger.Trades = append(ledger.Trades, position.Trade{
			Time: at, Block: uint64(at.Unix()), Tx: market.Hash{byte(n >> 8), byte(n), 1}, Token: tokenNumber(b.token), Side: side, Quantity: 100, ValueUSD: usd, Priced: true,
			Quote: on.WrappedNative.Address,
		})
	}
	for _, b := range bets {
		at := now.Add(-b.ago).Add(7 * time.Minute)
		if at.After(asOf) {
			continue
		}
		trade(b, at, position.Buy, 100)
		if sold := at.Add(2 * day); !sold.After(asOf) {
			trade(b, sold, position.Sell, 100*(1+b.own))
		}
		token := tokenNumber(b.token)
		ledger.Tokens[token] = market.Token{Address: token, Symbol: "T", Decimals: 18, Known: true}
		pools[token] = []market.Pool{{ID: "pool", Token: token, PriceUSD: 1 + b.runUp, LiquidityUSD: b.liquidity, MarketCapUSD: math.NaN(), FullyDilutedUSD: math.NaN()}}
		series[token] = copysimulation.NewSeries(candles(b), asOf)
	}
	slices.SortStableFunc(ledger.Trades, func(a, b position.Trade) int { return a.Time.Compare(b.Time) })
	record := &tradingrecord.Record{Chain: on, Wallet: me, Activity: &market.Activity{}, Pools: pools}
	record.Book = position.Build(&ledger, tradingrecord.Marks(position.Settle(&ledger, asOf).Open(), pools), asOf)
	record.Evidence = trader.FromBook(record.Book, trader.Inspect(me, record.Book, trader.Surroundings{}), 1)
	record.Measures = trader.Measure(record.Evidence)
	return leadergate.Facts{Record: &copyrecord.Record{Record: record, Series: series}, Discovery: found()}
}

func found() leadergate.Discovery {
	return leadergate.Discovery{Launches: 20, Rose: 6, Expected: 2.4, AdjustedP: 0.02, ConfirmedP: 0.1, Confirmed: true}
}

// good are fourteen entries of which a copier wins ten, on deep pools, bought before the price ran a tenth.
func good() []bet {
	var bets []bet
	for i := range 14 {
		b := bet{token: i, ago: time.Duration(15+3*i) * day, net: 0.5 + 0.01*float64(i), runUp: 0.1, liquidity: 200_000, own: 0.4 + 0.03*float64(i)}
		if i%4 == 3 {
			b.net, b.own = -0.3, -0.2
		}
		bets = append(bets, b)
	}
	return bets
}

func TestAGoodWalletPasses(t *testing.T) {
	gate := leadergate.Judge(factsOf(now, good()...), now)
	s := gate.Simulation
	if !gate.Mirrorable || len(gate.Failed) != 0 || s.Trades != 14 || s.Tokens != 14 || s.Wins != 11 || !s.Rated || gate.MedianGap != 3*day {
		t.Fatalf("%+v", gate)
	}
	// Of the 144 hours within three days of an entry, 36 sell at the copier's exit; the hour of the entry is not among them.
	wantNear(t, "base", s.BaseWinRate, 36.0/144*11/14)
	wantNear(t, "run-up", s.MedianRunUp, 0.1)
	wantNear(t, "impact", s.CopierImpact, 1_000.0/101_000)
	if len(gate.Reasons) != reason.Maximum {
		t.Errorf("%v", reason.Codes(gate.Reasons))
	}
	if want := "A copier entering at the hour close won 11 of 14; random entries in the same tokens won 20%. The middle result was 55%, from only 14 copies."; gate.Reasons[0].Text != want {
		t.Errorf("%q", gate.Reasons[0].Text)
	}
	// By hand: each token's random entries won a quarter, or none where the copier lost; eleven of fourteen on ten of chance.
	base := (10*0.245 + 11*0.25) / 24
	wantNear(t, "base forecast", gate.Forecast.BaseRate, base)
	wantNear(t, "forecast", gate.Forecast.Probability, (10*base+11)/24)
}

func wantNear(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) < 1e-9) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// each changes every bet.
func each(bets []bet, change func(i int, b *bet)) []bet {
	for i := range bets {
		change(i, &bets[i])
	}
	return bets
}

func TestEveryRuleGatesOut(t *testing.T) {
	for _, c := range []struct {
		name   string
		bets   []bet
		change func(*leadergate.Facts)
		failed []string
		says   string
	}{
		{"seven entries", good()[:7], nil, []string{leadergate.SampleRule}, "Gated out: 7 entries in 7 tokens could be simulated to the end, where 8 in 5 are needed."},
		{"four tokens", each(good()[:8], func(i int, b *bet) { b.token = i % 4; b.ago = time.Duration(15+12*i) * day }), nil, []string{leadergate.SampleRule}, "in 4 tokens"},
		{"found by chance", good(), func(f *leadergate.Facts) { f.Discovery.AdjustedP = 0.051 }, []string{leadergate.DiscoveryRule},
			"of 20 eligible launches bought early, 6 later rose, where chance alone would give 2.4 (adjusted p 0.051), and at most 0.05 is needed."},
		{"never tested", good(), func(f *leadergate.Facts) { f.Discovery = leadergate.Discovery{AdjustedP: math.NaN()} }, []string{leadergate.DiscoveryRule}, "not found among the first buyers"},
		{"not confirmed", good(), func(f *leadergate.Facts) { f.Discovery.Confirmed, f.Discovery.ConfirmedP = false, 0.4 }, []string{leadergate.DiscoveryRule}, "newer launches do not confirm it (p 0.4, where at most 0.2"},
		{"not confirmed yet", good(), func(f *leadergate.Facts) { f.Discovery.Confirmed, f.Discovery.ConfirmedP = false, math.NaN() }, []string{leadergate.DiscoveryRule}, "no newer launch confirms it yet"},
		{"copies that win no more often than chance", each(good(), func(i int, b *bet) {
			if i >= 3 {
				b.net = -0.1
			}
		}), nil, []string{leadergate.SimulationRule, leadergate.WithoutBest}, "won 3 of 14; random entries in the same tokens won"},
		{"no better than random entries that win too", each(good(), func(_ int, b *bet) { b.plateau = 72 }), nil, []string{leadergate.SimulationRule},
			"won 11 of 14; random entries in the same tokens won 79%; that is 53.8% sure to be better, where 90% is needed."},
		{"small gains and large losses", each(good(), func(_ int, b *bet) {
			if b.net > 0 {
				b.net = 0.12
			} else {
				b.net = -0.35
			}
		}), nil, []string{leadergate.SimulationRule}, "; its average gain is only "},
		{"one copy that carries the rest", each(good(), func(i int, b *bet) {
			b.net = -0.05
			if i%2 == 0 {
				b.net = 0.04
			}
			if i == 0 {
				b.net = 90
			}
		}), nil, []string{leadergate.SimulationRule, leadergate.WithoutBest}, "without the single best of 14 copies the simulated average is"},
		{"its own trading loses", each(good(), func(i int, b *bet) { b.own = -0.9 + 0.01*float64(i) }), nil, []string{leadergate.TraderRule}, "say to avoid it (grade F)"},
		{"wash trading", good(), func(f *leadergate.Facts) {
			f.Record.Evidence.Conduct.Wash = trader.Wash{Suspected: true, Signals: []trader.Signal{{Hard: true}, {}}}
		}, []string{leadergate.TraderRule}, "its trading shows 2 signs of being made for show"},
		{"a program", good(), func(f *leadergate.Facts) {
			f.Record.Evidence.Conduct.Automated = trader.Automation{Verdict: trader.AutomationLikely, Trades: 40}
		}, []string{leadergate.TraderRule}, "its 40 trades look like a program's"},
		{"an insider", good(), func(f *leadergate.Facts) {
			f.Record.Evidence.Conduct.Insider = trader.Insider{Suspected: true, Tokens: []chain.Address{tokenNumber(1)}}
		}, []string{leadergate.TraderRule}, "the creator's money of 1 token before others could buy"},
		{"a deployer", good(), func(f *leadergate.Facts) {
			f.Security = map[chain.Address]market.TokenSecurity{tokenNumber(1): {Creator: me, SellTax: math.NaN()}, tokenNumber(2): {SellTax: math.NaN()}}
		}, []string{leadergate.TraderRule}, "it deployed 1 token that it traded"},
		{"long gone", each(good(), func(_ int, b *bet) { b.ago += 250 * day }), nil, []string{leadergate.TraderRule}, "carry a confidence of 0."},
		{"too fast to follow", each(good(), func(_ int, b *bet) { b.runUp = 0.26 }), nil, []string{leadergate.CopyableRule}, "prices ran up 26.0% in the middle"},
		{"shallow pools", each(good(), func(_ int, b *bet) { b.liquidity = 60_000 }), nil, []string{leadergate.CopyableRule}, "costs 3.3% in price impact, at most 3%"},
		{"pools of unknown depth", each(good(), func(_ int, b *bet) { b.liquidity = math.NaN() }), nil, []string{leadergate.CopyableRule}, "known for 0 entries"},
		{"nothing at all", nil, func(f *leadergate.Facts) { f.Discovery = leadergate.Discovery{AdjustedP: math.NaN()} },
			[]string{leadergate.SampleRule, leadergate.DiscoveryRule, leadergate.TraderRule, leadergate.CopyableRule}, "it has 0 closed positions of its own, where 3 are needed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			facts := factsOf(now, c.bets...)
			if c.change != nil {
				c.change(&facts)
			}
			gate := leadergate.Judge(facts, now)
			if gate.Mirrorable || !slices.Equal(gate.Failed, c.failed) {
				t.Errorf("failed %v, want %v: %+v", gate.Failed, c.failed, gate.Simulation)
			}
			codes := reason.Codes(gate.Reasons)
			if len(codes) < len(c.failed) || !slices.Equal(codes[:len(c.failed)], c.failed) {
				t.Errorf("failures are not said first: %v", codes)
			}
			said := ""
			for _, r := range gate.Reasons {
				said += r.Text + "\n"
			}
			if !strings.Contains(said, c.says) {
				t.Errorf("%q is not said in\n%s", c.says, said)
			}
		})
	}
}

// At the very bounds a wallet passes.
func TestTheBoundsThemselvesPass(t *testing.T) {
	facts := factsOf(now, each(good(), func(_ int, b *bet) { b.runUp = 0.25; b.liquidity = 2 * 1_000 * 97.0001 / 3 })...)
	facts.Discovery.AdjustedP = 0.05
	if gate := leadergate.Judge(facts, now); !gate.Mirrorable {
		t.Errorf("%v: %v %+v", gate.Failed, gate.Reasons, gate.Simulation)
	}
}

// In the launches by which a wallet was found its results were known: they move the simulation, not the forecast.
func TestForecastLeavesHindsightOut(t *testing.T) {
	facts := factsOf(now, good()...)
	all := leadergate.Judge(facts, now).Forecast
	facts.Discovery.Tokens = map[chain.Address]bool{}
	for i := range 14 {
		if i%4 != 3 {
			facts.Discovery.Tokens[tokenNumber(i)] = true // every winner
		}
	}
	gate := leadergate.Judge(facts, now)
	base := 10 * 0.245 / 13
	wantNear(t, "base forecast", gate.Forecast.BaseRate, base)
	wantNear(t, "forecast", gate.Forecast.Probability, 10*base/13)
	if gate.Simulation.Wins != 11 || gate.Forecast.Probability >= all.Probability {
		t.Errorf("%+v, of all %+v", gate, all)
	}
	for i := range 14 {
		facts.Discovery.Tokens[tokenNumber(i)] = true
	}
	if f := leadergate.Judge(facts, now).Forecast; math.Abs(f.Probability-0.245) > 1e-12 || math.Abs(f.BaseRate-0.245) > 1e-12 {
		t.Errorf("without a result of its own the forecast is not that of any token: %+v", f)
	}
	if gate := leadergate.Judge(factsOf(now), now); !math.IsNaN(gate.Forecast.Probability) || !math.IsNaN(gate.Forecast.BaseRate) {
		t.Errorf("of nothing: %+v", gate.Forecast)
	}
}

// A copy that could not be sold leaves no trace of how deep its pool was.
func TestEmptiedPoolsTellNothingOfTheEntry(t *testing.T) {
	bets := good()
	for i := range 9 {
		bets[i].net, bets[i].liquidity = -1, 10
	}
	gate := leadergate.Judge(factsOf(now, bets...), now)
	wantNear(t, "impact", gate.Simulation.CopierImpact, 1_000.0/101_000)
}

// In an hour that is not over nobody knows what a copier pays.
func TestTheHourThatIsNotOver(t *testing.T) {
	bets := good()
	for i := range 30 {
		bets = append(bets, bet{token: 100 + i, ago: 30 * time.Minute, net: 1, runUp: 3, liquidity: 100})
	}
	at := now.Add(-time.Minute)
	gate := leadergate.Judge(factsOf(at, bets...), at)
	wantNear(t, "run-up", gate.Simulation.MedianRunUp, 0.1)
	wantNear(t, "impact", gate.Simulation.CopierImpact, 1_000.0/101_000)
}

// What lay in a pool moves with the root of the price.
func TestReservesAtTheEntry(t *testing.T) {
	facts := factsOf(now, good()...)
	for token, pools := range facts.Record.Pools {
		pools[0].PriceUSD *= 4
		facts.Record.Pools[token] = pools
	}
	wantNear(t, "impact", leadergate.Judge(facts, now).Simulation.CopierImpact, 1_000.0/51_000)
}

// A low share is drawn up toward that of all tokens, a high one stands: against neither does chance look like skill.
func TestBaseRate(t *testing.T) {
	for _, c := range []struct {
		shares []float64
		want   float64
	}{
		{nil, 0.245}, {[]float64{0}, 2.45 / 11}, {[]float64{0.1, 0.3}, 0.2 + 0.02/(2*0.2)}, {[]float64{0.1, 0.2}, (2.45 + 0.3) / 12}, {[]float64{0.3, 0.5}, 0.4 + 0.02/(2*0.4)}, {[]float64{1, 1}, 0.98}, {[]float64{0.9}, (2.45 + 0.9) / 11},
	} {
		wantNear(t, fmt.Sprint("base rate of ", c.shares), leadergate.BaseRate(c.shares), c.want)
	}
}

func drawBets(t *rapid.T) []bet {
	var bets []bet
	for i := range rapid.IntRange(0, 20).Draw(t, "bets") {
		bets = append(bets, bet{
			token: i, ago: time.Duration(rapid.IntRange(0, 90*24).Draw(t, "ago")) * hour, net: rapid.Float64Range(-0.95, 3).Draw(t, "net"),
			runUp: rapid.Float64Range(-0.2, 0.5).Draw(t, "run-up"), liquidity: rapid.SampledFrom([]float64{math.NaN(), 20_000, 80_000, 500_000}).Draw(t, "liquidity"),
			own: rapid.Float64Range(-1, 2).Draw(t, "own"),
		})
	}
	return bets
}

func TestSentencesAndLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		gate := leadergate.Judge(factsOf(now, drawBets(t)...), now)
		if gate.Mirrorable != (len(gate.Failed) == 0) || len(gate.Reasons) < 2 || len(gate.Reasons) > reason.Maximum || len(gate.Failed) > reason.Maximum {
			t.Fatalf("%+v", gate)
		}
		for i, code := range gate.Failed {
			if gate.Reasons[i].Code != code || !strings.HasPrefix(gate.Reasons[i].Text, "Gated out: ") {
				t.Fatalf("%s is not reason %d: %v", code, i, gate.Reasons)
			}
		}
		for _, r := range gate.Reasons {
			if strings.Contains(r.Text, "NaN") || strings.Contains(r.Text, "%!") || strings.Contains(r.Text, "unknown share") || strings.Contains(r.Text, "$") || !strings.HasSuffix(r.Text, ".") {
				t.Fatalf("%q", r.Text)
			}
		}
		for _, p := range []float64{gate.Forecast.Probability, gate.Forecast.BaseRate} {
			if !math.IsNaN(p) && !(p > 0 && p < 1) {
				t.Fatalf("%+v", gate.Forecast)
			}
		}
	})
}

// Judged as of an instant, what came later does not matter: bets made after it, and candles of hours that were not over.
func TestTheFutureDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bets := drawBets(t)
		asOf := now.Add(-time.Duration(rapid.IntRange(0, 60*24).Draw(t, "as of")) * hour)
		known := slices.DeleteFunc(slices.Clone(bets), func(b bet) bool { return now.Add(-b.ago).Add(7 * time.Minute).After(asOf) })
		got := fmt.Sprintf("%+v", leadergate.Judge(factsOf(asOf, bets...), asOf))
		if want := fmt.Sprintf("%+v", leadergate.Judge(factsOf(asOf, known...), asOf)); got != want {
			t.Fatalf("%s\n%s", got, want)
		}
		// The same record with a series that knows more says the same.
		facts := factsOf(asOf, bets...)
		for _, b := range bets {
			if _, read := facts.Record.Series[tokenNumber(b.token)]; read {
				facts.Record.Series[tokenNumber(b.token)] = copysimulation.NewSeries(candles(b), now.Add(day))
			}
		}
		if want := fmt.Sprintf("%+v", leadergate.Judge(facts, asOf)); got != want {
			t.Fatalf("with later candles:\n%s\n%s", got, want)
		}
	})
}

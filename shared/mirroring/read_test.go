package mirroring

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// readPerps reads the trades of some fills after an instant.
func readPerps(t rapid.TB, v *venue, since, at time.Time) *leaderFacts {
	t.Helper()
	facts, err := perpReader{v.sources()}.read(context.Background(), leaderWallet, since, at)
	if err != nil {
		t.Fatal(err)
	}
	return facts
}

func TestFillsOfOneOrderAreOneTrade(t *testing.T) {
	v := newVenue()
	fill := func(seconds float64, order int64, buy, maker bool, price, size, before float64) {
		v.fills = append(v.fills, market.PerpFill{
			Coin: "BTC", Time: start.Add(time.Duration(seconds * float64(time.Second))), Buy: buy, Maker: maker, Price: price, Size: size, Before: before,
			Order: order, Trade: int64(len(v.fills) + 1),
		})
	}
	fill(0, 1, true, false, 100, 3, 0)    // one order takes from the book in one instant
	fill(0, 1, true, false, 101, 1, 3)    //
	fill(10, 2, true, true, 99, 2, 4)     // and another rests in it
	fill(40, 2, true, true, 99, 2, 6)     //
	fill(70, 2, true, true, 98, 2, 8)     // into the next minute
	fill(80, 3, false, false, 110, 4, 10) // two fifths are closed, in two fills
	fill(80, 3, false, false, 112, 1, 6)  // of six, one
	fill(90, 4, false, false, 100, 9, 5)  // and turned around

	facts := readPerps(t, v, start.Add(-time.Second), start.Add(5*time.Minute))
	type short struct {
		leg         Leg
		side        Side
		price, size float64
		share       float64
		flat        bool
		at          float64
	}
	want := []short{
		{Open, Long, 100.25, 4, 401.0 / 2 / 10_000, false, 0},
		{Open, Long, 99, 4, 396.0 / 2 / 10_000, false, 40},
		{Open, Long, 98, 2, 196.0 / 2 / 10_000, false, 70},
		{Close, Long, 110.4, 5, 0.5, false, 80},
		{Close, Long, 100, 5, 1, true, 90},
		{Open, Short, 100, 4, 400.0 / 2 / 10_000, false, 90},
	}
	if len(facts.Trades) != len(want) {
		t.Fatalf("%d trades: %+v", len(facts.Trades), facts.Trades)
	}
	for i, trade := range facts.Trades {
		got := short{trade.Leg, trade.Side, trade.Price, trade.Quantity, trade.Share, trade.Flat, trade.At.Sub(start).Seconds()}
		if math.Abs(got.share-want[i].share) > 1e-12 || math.Abs(got.price-want[i].price) > 1e-12 {
			t.Errorf("trade %d: %+v, want %+v", i, got, want[i])
		}
		got.share, got.price = want[i].share, want[i].price
		if got != want[i] {
			t.Errorf("trade %d: %+v, want %+v", i, got, want[i])
		}
	}
	if facts.Trades[0].Leverage != 2 {
		t.Errorf("leverage %v", facts.Trades[0].Leverage)
	}

	// What rests in the book waits for its minute to be over.
	early := readPerps(t, v, start.Add(-time.Second), start.Add(50*time.Second))
	if len(early.Trades) != 1 || !early.Waiting {
		t.Errorf("%d trades within the minute, waiting: %t", len(early.Trades), early.Waiting)
	}
	if held := facts.heldAt(start.Add(85 * time.Second))["BTC"]; held.quantity != 5 {
		t.Errorf("held %v", held.quantity)
	}
}

// However a history is read, in whatever pages and from wherever on, the same trades have the same names.
func TestTradesKeepTheirNames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := newVenue()
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		at, before := start, 0.0
		for order := range int64(rapid.IntRange(1, 40).Draw(t, "orders")) {
			at = at.Add(time.Duration(random.IntN(50)) * time.Second)
			maker, buy := random.IntN(2) == 0, random.IntN(2) == 0
			for range 1 + random.IntN(3) {
				size := float64(1 + random.IntN(5))
				v.fills = append(v.fills, market.PerpFill{Coin: "BTC", Time: at, Buy: buy, Maker: maker, Price: 100, Size: size, Before: before, Order: order + 1})
				before += map[bool]float64{true: size, false: -size}[buy]
				if maker {
					at = at.Add(time.Duration(random.IntN(40)) * time.Second)
				}
			}
		}
		end := at.Add(time.Hour)
		all := make(map[string]LeaderTrade)
		for _, trade := range readPerps(t, v, start.Add(-time.Hour), end).Trades {
			if _, twice := all[trade.ID+string(trade.Leg)]; twice {
				t.Fatalf("%s twice", trade.ID)
			}
			all[trade.ID+string(trade.Leg)] = trade
		}
		seen := make(map[string]bool)
		from, through := start.Add(-time.Second), start
		for through.Before(end) {
			through = through.Add(time.Duration(1+random.IntN(90)) * time.Second)
			for _, trade := range readPerps(t, v, from, through).Trades {
				name := trade.ID + string(trade.Leg)
				known, found := all[name]
				if !found || known.Quantity != trade.Quantity || known.Flat != trade.Flat {
					t.Fatalf("read in parts: %+v; in one go: %+v", trade, known)
				}
				seen[name] = true
			}
			if random.IntN(3) == 0 {
				from = through.Add(-2 * time.Minute)
			}
		}
		if len(seen) != len(all) {
			t.Fatalf("%d of %d trades were seen", len(seen), len(all))
		}
	})
}

func TestWhatWasHandledIsNotHandledAgain(t *testing.T) {
	p := &progress{}
	if p.since(start) != start.Add(-firstLook) {
		t.Error(p.since(start))
	}
	trades := legs(10, start)
	p.handle(trades[:8], start.Add(time.Minute))
	late := slices.Concat(trades[:4], []LeaderTrade{{ID: "late", At: start.Add(-30 * time.Minute)}}, trades[4:])
	fresh := p.fresh(late)
	if len(fresh) != 3 || fresh[0].ID != "late" || fresh[1].ID != trades[8].ID {
		t.Errorf("%+v", fresh)
	}
	p.handle(fresh, start.Add(2*time.Hour))
	if len(p.Handled) != 0 || p.since(start.Add(2*time.Hour)) != start.Add(time.Hour) {
		t.Errorf("%d are remembered that nobody looks at again", len(p.Handled))
	}
	if got := p.since(start.Add(1000 * time.Hour)); got != start.Add(1000*time.Hour-longestLook) {
		t.Error(got)
	}
	many := legs(5000, start.Add(2*time.Hour))
	p.handle(many, start.Add(2*time.Hour+time.Minute))
	if len(p.Handled) != maximumHandled {
		t.Errorf("%d remembered", len(p.Handled))
	}
}

// forecast is a prediction venue with one wallet.
type forecast struct {
	activity  market.PredictionActivity
	positions market.PredictionPositions
	holdings  []market.Holding
}

func (f *forecast) PredictionActivity(context.Context, chain.Address) (*market.PredictionActivity, error) {
	return &f.activity, nil
}

func (f *forecast) PredictionPositions(context.Context, chain.Address) (*market.PredictionPositions, error) {
	return &f.positions, nil
}

func (f *forecast) Holdings(context.Context, *chain.Chain, chain.Address) ([]market.Holding, error) {
	return f.holdings, nil
}

func TestOutcomesBoughtAndSoldInOneTransactionAreOneTrade(t *testing.T) {
	on, _ := chain.Parse("polygon")
	usdc := on.Stables[0]
	stable := market.Holding{Token: market.Token{Address: usdc.Address, Decimals: 6, Known: true}, PriceUSD: 1}
	stable.Amount.SetUint64(900e6)
	condition := market.Hash{7}
	f := &forecast{holdings: []market.Holding{stable}}
	f.positions.Open = []market.PredictionPosition{{Asset: "11", Market: condition, Shares: 200, Price: 0.5}}
	trade := func(minute int, tx byte, buy bool, price, shares float64) {
		f.activity.Trades = append(f.activity.Trades, market.PredictionTrade{
			Time: start.Add(time.Duration(minute) * time.Minute), Market: condition, Asset: "11", Outcome: 1, Buy: buy, Price: price, Shares: shares, Transaction: market.Hash{tx},
		})
	}
	trade(0, 1, true, 0.40, 100)
	trade(0, 1, true, 0.50, 100)
	trade(5, 2, false, 0.60, 50)
	trade(5, 2, false, 0.60, 50)
	f.activity.Moves = []market.PredictionMove{{Time: start.Add(7 * time.Minute), Kind: market.Merge, Market: condition, Shares: 50}}
	trade(8, 3, false, 0.70, 25)
	trade(9, 4, false, 0.70, 25)
	reader := predictionReader{market.Sources{PredictionActivity: f, PredictionPositions: f, Holdings: f}, on}
	facts, err := reader.read(context.Background(), leaderWallet, start.Add(-time.Minute), start.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	if len(facts.Trades) != 4 {
		t.Fatalf("%+v", facts.Trades)
	}
	// 90 dollars of 900 in coins and 100 in shares; then half, half of what a merge left, and the rest.
	for i, want := range []struct {
		share float64
		flat  bool
		price float64
	}{{0.09, false, 0.45}, {0.5, false, 0.6}, {0.5, false, 0.7}, {1, true, 0.7}} {
		if got := facts.Trades[i]; math.Abs(got.Share-want.share) > 1e-9 || got.Flat != want.flat || math.Abs(got.Price-want.price) > 1e-9 || got.Asset.Outcome != 1 {
			t.Errorf("trade %d: %+v, want %+v", i, got, want)
		}
	}

	f.activity.Truncated = true
	facts, err = reader.read(context.Background(), leaderWallet, start.Add(-time.Minute), start.Add(time.Hour))
	if err != nil || !math.IsNaN(facts.Trades[1].Share) || facts.Trades[1].Flat {
		t.Errorf("of a history that is cut short a share of %v: %v", facts.Trades[1].Share, err)
	}
}

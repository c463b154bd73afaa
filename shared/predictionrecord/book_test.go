package predictionrecord

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// one is the only result of a story.
func one(t *testing.T, s *story) trader.Result {
	t.Helper()
	results, _ := reckon(recordOf(s), now).results()
	if len(results) != 1 {
		t.Fatalf("%d results", len(results))
	}
	return results[0]
}

func TestAccountsByHand(t *testing.T) {
	for _, c := range []struct {
		name      string
		story     *story
		cost, pnl float64
	}{
		{"bought and won", newStory().Market(1, "e", 0.4).Buy(1, 0, 100, 0.4, 10*day).Decide(1, day, 1), 40, 60},
		{"bought and lost", newStory().Market(1, "e", 0.4).Buy(1, 0, 100, 0.4, 10*day).Decide(1, day, 0), 40, -40},
		{"the other side won", newStory().Market(1, "e", 0.4).Buy(1, 1, 100, 0.6, 10*day).Decide(1, day, 0), 60, 40},
		{"called off", newStory().Market(1, "e", 0.4).Buy(1, 0, 100, 0.4, 10*day).Decide(1, day, 0.5), 40, 10},
		{"half sold, then lost", newStory().Market(1, "e", 0.4).Buy(1, 0, 100, 0.4, 10*day).Sell(1, 0, 50, 0.7, 5*day).Decide(1, day, 0), 40, -5},
		{"all sold, still open", newStory().Market(1, "e", 0.4).Buy(1, 0, 100, 0.4, 10*day).Sell(1, 0, 100, 0.45, 5*day), 40, 5},
		{
			"a redemption is not paid twice",
			newStory().Market(1, "e", 0.4).Buy(1, 0, 100, 0.4, 10*day).Decide(1, 2*day, 1).Move(market.Redemption, 1, 100, 100, day), 40, 60,
		},
		{
			"split, one side sold: the other cost a dollar less that",
			newStory().Market(1, "e", 0.4).Move(market.Split, 1, 100, 100, 10*day).Sell(1, 1, 100, 0.58, 9*day).Decide(1, day, 1), 42, 58,
		},
		{
			"bought both sides of unequal size and merged: a pair is a dollar",
			newStory().Market(1, "e", 0.4).Buy(1, 0, 300, 0.4, 10*day).Buy(1, 1, 100, 0.55, 9*day).Move(market.Merge, 1, 100, 100, 8*day).Decide(1, day, 1),
			175, 100 + 200 - 175,
		},
		{
			"against one candidate, converted into the other two of three and a dollar, both sold",
			newStory().Market(1, "e", 0.3).Market(2, "e", 0.3).Market(3, "e", 0.4).
				Buy(1, 1, 100, 0.7, 10*day).Buy(2, 1, 100, 0.7, 10*day).Move(market.Conversion, 1, 100, 100, 9*day).Sell(3, 0, 100, 0.45, 8*day).
				Decide(1, day, 0).Decide(2, day, 0).Decide(3, day, 1), 140, 200 + 45 - 100 - 140,
		},
		{"fees are part of what changed hands", withFee(newStory().Market(1, "e", 0.5).Buy(1, 0, 100, 0.5, 10*day), 51).Decide(1, day, 1), 51, 49},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := one(t, c.story)
			near(t, "cost", r.CostUSD, c.cost)
			near(t, "profit", r.PnLUSD, c.pnl)
			near(t, "return", r.Return, c.pnl/c.cost)
		})
	}
}

func withFee(s *story, usd float64) *story {
	s.Last().USD = usd
	return s
}

func TestMarketsOfAnEventAreOneDecision(t *testing.T) {
	s := newStory().Market(1, "match", 0.5).Market(2, "match", 0.2).Market(3, "other", 0.5)
	s.Buy(1, 0, 100, 0.5, 10*day).Buy(2, 0, 100, 0.2, 9*day).Buy(3, 0, 10, 0.5, 8*day)
	s.Decide(1, 2*day, 1).Decide(2, day, 0).Decide(3, day, 0)
	results, _ := reckon(recordOf(s), now).results()
	if len(results) != 2 {
		t.Fatalf("%d results", len(results))
	}
	near(t, "profit of the match", results[0].PnLUSD, 100-70)
	if !results[0].ClosedAt.Equal(now.Add(-day)) || !results[0].OpenedAt.Equal(now.Add(-10*day)) {
		t.Errorf("%v to %v", results[0].OpenedAt, results[0].ClosedAt)
	}
}

func TestWhatIsOpenIsMarkedApart(t *testing.T) {
	s := newStory().Market(1, "e", 0.7).Buy(1, 0, 100, 0.4, 10*day).Sell(1, 0, 50, 0.6, 5*day)
	b := reckon(recordOf(s), now)
	if results, _ := b.results(); len(results) != 0 || len(b.open) != 1 {
		t.Fatalf("%d results, %d open", len(results), len(b.open))
	}
	near(t, "cost", b.open[0].CostUSD, 20)
	near(t, "worth", b.open[0].RecoverableUSD, 35)
	// What it was worth before it was decided is not known afterwards, and its end was not known then.
	if b = reckon(recordOf(s.Decide(1, -day, 1)), now); len(b.open) != 0 {
		t.Errorf("%+v", b.open)
	}
}

func TestUnredeemedLosersCount(t *testing.T) {
	s := newStory().Bet(1, 0.5, true, 20*day).Bet(2, 0.5, false, 19*day).Bet(3, 0.5, false, 18*day)
	s.Move(market.Redemption, 1, 200, 200, 10*day)
	// Of the third market nothing is known but what the venue says of the shares that are still held.
	delete(s.Markets, condition(3))
	s.Positions.Open = []market.PredictionPosition{{
		Market: condition(3), Event: "event-3", Asset: outcome(3, 0), Against: outcome(3, 1), Shares: 200, BoughtShares: 200,
		AveragePrice: 0.5, Price: 0.005, Decided: true, EndsAt: now.Add(-15 * day),
	}}
	results, _ := reckon(recordOf(s), now).results()
	if len(results) != 3 {
		t.Fatalf("%d results", len(results))
	}
	for i, want := range []float64{1, -1, -1} {
		near(t, "return", results[i].Return, want)
	}
}

func TestArbitrageIsNoDecision(t *testing.T) {
	for name, s := range map[string]*story{
		"merged":   newStory().Market(1, "e", 0.5).Buy(1, 0, 100, 0.48, 9*day).Buy(1, 1, 100, 0.5, 9*day).Move(market.Merge, 1, 100, 100, 8*day),
		"held":     newStory().Market(1, "e", 0.5).Buy(1, 0, 100, 0.48, 9*day).Buy(1, 1, 100, 0.5, 9*day).Decide(1, day, 1),
		"split":    newStory().Market(1, "e", 0.5).Move(market.Split, 1, 100, 100, 9*day).Sell(1, 0, 100, 0.52, 8*day).Sell(1, 1, 100, 0.5, 8*day),
		"unsplit":  newStory().Market(1, "e", 0.5).Move(market.Split, 1, 100, 100, 9*day).Move(market.Merge, 1, 100, 100, 8*day).Buy(1, 0, 1, 0.5, day),
		"not sold": newStory().Market(1, "e", 0.5).Move(market.Split, 1, 100, 100, 9*day).Buy(1, 0, 1, 0.5, day).Decide(1, day, 0),
	} {
		b := reckon(recordOf(s), now)
		if results, _ := b.results(); len(results) != 0 {
			t.Errorf("%s: %+v", name, results)
		}
	}
	partly := newStory().Market(1, "e", 0.5).Buy(1, 0, 100, 0.48, 9*day).Buy(1, 1, 50, 0.5, 9*day).Decide(1, day, 1)
	near(t, "partly hedged", one(t, partly).PnLUSD, 100-73)
}

func TestSharesOfUnknownOrigin(t *testing.T) {
	sold := newStory().Market(1, "e", 0.5).Buy(1, 0, 10, 0.5, 9*day).Sell(1, 0, 100, 0.6, 8*day).Decide(1, day, 1)
	b := reckon(recordOf(sold), now)
	if results, _ := b.results(); len(results) != 0 || b.unknown != 1 || b.matchedUSD != 0 || b.proceedsUSD != 60 {
		t.Errorf("%d results, %d unknown, %v of %v matched", len(results), b.unknown, b.matchedUSD, b.proceedsUSD)
	}
	redeemed := newStory().Market(1, "e", 0.5).Buy(1, 0, 10, 0.5, 9*day).Decide(1, 2*day, 1).Move(market.Redemption, 1, 100, 100, day)
	b = reckon(recordOf(redeemed), now)
	if results, _ := b.results(); len(results) != 0 || b.unknown != 1 {
		t.Errorf("%d results, %d unknown", len(results), b.unknown)
	}
	// The venue's own accounts know better.
	sold.Positions.Closed = []market.PredictionPosition{{
		Market: condition(1), Event: "e", Asset: outcome(1, 0), BoughtShares: 100, AveragePrice: 0.5, RealizedUSD: 10, ClosedAt: now.Add(-8 * day),
	}}
	r := one(t, sold)
	near(t, "cost by the venue", r.CostUSD, 50)
	near(t, "profit by the venue", r.PnLUSD, 10)
}

func TestHistoryCutShort(t *testing.T) {
	s := newStory().Bet(1, 0.5, true, 20*day).Bet(2, 0.5, true, 19*day)
	s.Activity.Truncated, s.Activity.Since = true, now.Add(-20*day)
	s.Positions.Closed = []market.PredictionPosition{
		// More was bought of the first than the history shows; the second is all there; the third is older.
		{Market: condition(1), Event: "event-1", Asset: outcome(1, 0), BoughtShares: 400, AveragePrice: 0.75, RealizedUSD: 100, ClosedAt: now.Add(-19 * day)},
		{Market: condition(2), Event: "event-2", Asset: outcome(2, 0), BoughtShares: 200, AveragePrice: 0.5, RealizedUSD: 100, ClosedAt: now.Add(-18 * day)},
		{Market: condition(3), Event: "event-3", Asset: outcome(3, 0), BoughtShares: 100, AveragePrice: 0.5, RealizedUSD: -50, ClosedAt: now.Add(-50 * day)},
	}
	// A loser that was never redeemed, and one that is open.
	s.Positions.Open = []market.PredictionPosition{
		{Market: condition(4), Event: "event-4", Asset: outcome(4, 0), Shares: 100, BoughtShares: 100, AveragePrice: 0.2, Price: 0, Decided: true, EndsAt: now.Add(-40 * day)},
		{Market: condition(5), Event: "event-5", Asset: outcome(5, 0), Shares: 100, BoughtShares: 100, AveragePrice: 0.2, Price: 0.3, EndsAt: now.Add(40 * day)},
	}
	b := reckon(recordOf(s), now)
	results, _ := b.results()
	if len(results) != 4 || b.fromVenue != 3 || len(b.open) != 1 {
		t.Fatalf("%d results, %d from the venue, %d open", len(results), b.fromVenue, len(b.open))
	}
	for i, want := range []float64{100.0 / 300, 1, -1, -1} {
		near(t, "return", results[i].Return, want)
	}
	// When and at what price the first of them was entered is not known.
	if entries := b.decided(); len(entries) != 1 || entries[0].asset != outcome(2, 0) {
		t.Errorf("%+v", entries)
	}
	s.Activity.Truncated = false
	if b = reckon(recordOf(s), now); b.fromVenue != 0 {
		t.Error("a whole history needs no accounts of the venue")
	}
}

// Shares that were given, and only redeemed, are no result and no unknown.
func TestGiftsAreNoDecision(t *testing.T) {
	s := newStory().Market(1, "e", 0.5).Market(2, "e", 0.5).Move(market.Redemption, 1, 100, 100, day).Decide(1, 2*day, 1)
	s.Buy(2, 0, 10, 0.5, 9*day).Decide(2, 3*day, 1)
	r := one(t, s)
	near(t, "profit", r.PnLUSD, 5)
	if !r.OpenedAt.Equal(now.Add(-9 * day)) {
		t.Errorf("opened %v", r.OpenedAt)
	}
}

func TestTheFirstEntryOfAnEventIsItsDecision(t *testing.T) {
	s := newStory().Market(1, "e", 0.5).Market(2, "e", 0.5)
	s.Buy(1, 0, 100, 0.5, 9*day).Buy(1, 0, 100, 0.52, 9*day-10*time.Minute).Buy(1, 0, 900, 0.1, 9*day-11*time.Minute).Buy(2, 0, 900, 0.2, 8*day)
	s.Decide(1, day, 1).Decide(2, day, 0)
	entries := reckon(recordOf(s), now).decided()
	if len(entries) != 1 {
		t.Fatalf("%d entries", len(entries))
	}
	near(t, "price", entries[0].price, 0.51)
	near(t, "shares", entries[0].shares, 200)
	near(t, "payout", entries[0].payout, 1)

	split := newStory().Market(1, "e", 0.5).Move(market.Split, 1, 100, 100, 10*day).Sell(1, 1, 100, 0.58, 9*day).Decide(1, day, 1)
	entries = reckon(recordOf(split), now).decided()
	if len(entries) != 1 || entries[0].asset != outcome(1, 0) {
		t.Fatalf("%+v", entries)
	}
	near(t, "price out of a split", entries[0].price, 0.42)

	unseen := newStory().Market(1, "e", 0.5).Sell(1, 1, 100, 0.58, 10*day).Buy(1, 0, 100, 0.4, 9*day).Decide(1, day, 1)
	if entries = reckon(recordOf(unseen), now).decided(); len(entries) != 0 {
		t.Errorf("%+v", entries)
	}
}

func TestAccountKeepsAverageCost(t *testing.T) {
	var a Account
	a.Buy(10, 4)
	a.Buy(10, 6)
	a.Sell(5, 4)
	near(t, "profit", a.RealizedUSD, 1.5)
	near(t, "cost", a.CostUSD, 7.5)
	a.Sell(20, 10)
	near(t, "shares", a.Shares, -5)
	near(t, "cost", a.CostUSD, 0)
	a.Sell(1, 0.4)
	near(t, "profit", a.RealizedUSD, 1.5+0+0.4)
}

// What a wallet puts in and takes out does not depend on the order of markets, and dealing in pairs at a dollar changes nothing.
func TestPairsAtADollarChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		price, payout := rapid.Float64Range(0.05, 0.95).Draw(t, "price"), float64(rapid.IntRange(0, 2).Draw(t, "payout"))/2
		shares, pairs := rapid.Float64Range(30, 1000).Draw(t, "shares"), rapid.Float64Range(1, 1000).Draw(t, "pairs")
		plain := newStory().Market(1, "e", price).Buy(1, 0, shares, price, 9*day).Decide(1, day, payout)
		paired := newStory().Market(1, "e", price).Move(market.Split, 1, pairs, pairs, 10*day).Buy(1, 0, shares, price, 9*day).
			Move(market.Merge, 1, pairs, pairs, 8*day).Decide(1, day, payout)
		a, _ := reckon(recordOf(plain), now).results()
		b, _ := reckon(recordOf(paired), now).results()
		if len(a) != 1 || len(b) != 1 || math.Abs(a[0].PnLUSD-b[0].PnLUSD) > 1e-6 || math.Abs(a[0].CostUSD-b[0].CostUSD) > 1e-6 {
			t.Fatalf("%+v and %+v", a, b)
		}
	})
}

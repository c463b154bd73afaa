package perprecord_test

import (
	"math"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
)

var start = time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)

// ledger writes fills as the venue would: it follows positions and averages entries, in a way of its own.
type ledger struct {
	fills []market.PerpFill
	size  map[string]float64
	cost  map[string]float64
	at    time.Time
	order int64
}

func newLedger() *ledger {
	return &ledger{size: make(map[string]float64), cost: make(map[string]float64), at: start}
}

// trade adds a fill of a new order an hour after the last: a positive size buys. The fee is a thousandth of the value.
func (l *ledger) trade(coin string, size, price float64) *market.PerpFill {
	l.at = l.at.Add(time.Hour)
	l.order++
	f := market.PerpFill{
		Coin: coin, Time: l.at, Buy: size > 0, Price: price, Size: math.Abs(size), Before: l.size[coin], Order: l.order, Trade: l.order,
		FeeUSD: math.Abs(size) * price / 1000,
	}
	held := l.size[coin]
	switch {
	case held*size >= 0:
		l.cost[coin] += size * price
	case math.Abs(size) <= math.Abs(held):
		released := l.cost[coin] * -size / held
		f.ClosedPnLUSD = -size*price - released
		l.cost[coin] -= released
	default:
		f.ClosedPnLUSD = held*price - l.cost[coin]
		l.cost[coin] = (held + size) * price
	}
	l.size[coin] = held + size
	l.fills = append(l.fills, f)
	return &l.fills[len(l.fills)-1]
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-9*max(1, math.Abs(want)) {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

func TestAPositionFromFlatToFlat(t *testing.T) {
	l := newLedger()
	l.trade("BTC", 2, 100)  // 01:00
	l.trade("BTC", 2, 110)  // 02:00: 4 at 105, opened on average at 01:30
	l.trade("BTC", -1, 125) // 03:00: +20, held 1.5 h
	l.trade("BTC", -3, 95)  // 04:00: −30, held 2.5 h
	book := perprecord.Reconstruct(l.fills, nil)
	if len(book.Episodes) != 1 || len(book.Orders) != 2 {
		t.Fatalf("%+v", book)
	}
	e := book.Episodes[0]
	near(t, "profit", e.PnLUSD, -10)
	near(t, "fees", e.FeesUSD, .2+.22+.125+.285)
	near(t, "net", e.NetUSD(), -10.83)
	near(t, "peak", e.PeakCostUSD, 420)
	near(t, "hours held", e.Holding.Hours(), 2.25)
	if e.Side != margin.Long || !e.OpenedAt.Equal(start.Add(time.Hour)) || !e.ClosedAt.Equal(start.Add(4*time.Hour)) || e.Doubled || e.Liquidated {
		t.Errorf("%+v", e)
	}
	near(t, "funding", e.FundingUSD, math.NaN())
	near(t, "first order", book.Orders[0].NetUSD(), 20-.125)
	near(t, "second order", book.Orders[1].NetUSD(), -30-.285)
	if !book.Orders[0].Won() || book.Orders[1].Won() {
		t.Error("who won")
	}
	if book.Audit.Checked != 2 || book.Audit.Close != 2 || book.Audit.Near != 2 || book.KnownShare != 1 || book.Unknown != 0 {
		t.Errorf("%+v", book)
	}
}

func TestAFlipEndsOnePositionAndBeginsAnother(t *testing.T) {
	l := newLedger()
	l.trade("ETH", -10, 50)
	l.trade("ETH", 30, 40) // closes 10 for +100, opens 20; a third of the fee of 1.2 is the old one's
	l.trade("ETH", -20, 43)
	book := perprecord.Reconstruct(l.fills, nil)
	if len(book.Episodes) != 2 || len(book.Orders) != 2 {
		t.Fatalf("%+v", book)
	}
	short, long := book.Episodes[0], book.Episodes[1]
	near(t, "short", short.PnLUSD, 100)
	near(t, "short's fees", short.FeesUSD, .5+.4)
	near(t, "long", long.PnLUSD, 60)
	near(t, "long's fees", long.FeesUSD, .8+.86)
	near(t, "long's cost", long.PeakCostUSD, 800)
	near(t, "the order's fee", book.Orders[0].FeesUSD, .4)
	if short.FromFlip || !short.IntoFlip || !long.FromFlip || long.IntoFlip {
		t.Errorf("%+v", book.Episodes)
	}
	if short.Side != margin.Short || long.Side != margin.Long || !long.OpenedAt.Equal(short.ClosedAt) {
		t.Errorf("%+v", book.Episodes)
	}
	if book.Audit.Close != 2 {
		t.Errorf("%+v", book.Audit)
	}
}

func TestFillsOfOneDecisionAreOneOrder(t *testing.T) {
	l := newLedger()
	l.trade("BTC", 10, 100)
	for range 3 {
		f := l.trade("BTC", -1, 110)
		f.Order = 77
	}
	for range 3 { // slices of a schedule have orders of their own
		f := l.trade("BTC", -1, 90)
		f.TWAP = 5
	}
	for range 2 { // orders without a number stand for themselves
		f := l.trade("BTC", -1, 100)
		f.Order = 0
	}
	other := l.trade("ETH", 1, 10)
	other.Order = 77
	book := perprecord.Reconstruct(l.fills, nil)
	if len(book.Orders) != 4 {
		t.Fatalf("%d orders: %+v", len(book.Orders), book.Orders)
	}
	near(t, "three fills", book.Orders[0].PnLUSD, 30)
	near(t, "three slices", book.Orders[1].PnLUSD, -30)
	if len(book.Episodes) != 0 {
		t.Error("two coins are still open")
	}
}

func TestWhatBeganBeforeTheFillsIsUnknown(t *testing.T) {
	l := newLedger()
	l.size["BTC"], l.cost["BTC"] = 5, 500
	l.trade("BTC", -2, 120)
	l.trade("BTC", -3, 120) // flat from here on
	l.trade("BTC", 1, 100)
	l.trade("BTC", -1, 200)
	book := perprecord.Reconstruct(l.fills, nil)
	if len(book.Episodes) != 1 || len(book.Orders) != 3 || book.Unknown != 2 || book.Audit.Checked != 1 {
		t.Fatalf("%+v", book)
	}
	near(t, "episode", book.Episodes[0].PnLUSD, 100)
	near(t, "known share", book.KnownShare, 200./800)
	near(t, "an unknown order's profit is the venue's", book.Orders[0].PnLUSD, 40)
}

func TestAGapMakesThePositionUnknown(t *testing.T) {
	l := newLedger()
	l.trade("BTC", 1, 100)
	l.trade("BTC", 1, 100)
	l.trade("BTC", -2, 150)
	l.trade("ETH", 1, 10)
	l.trade("ETH", -1, 20)
	whole := perprecord.Reconstruct(l.fills, nil)
	cut := perprecord.Reconstruct(append(l.fills[:1:1], l.fills[2:]...), nil)
	if len(whole.Episodes) != 2 || len(cut.Episodes) != 1 || cut.Episodes[0].Coin != "ETH" || cut.Unknown != 1 {
		t.Errorf("%+v", cut)
	}
}

func TestRoundingIsNoPosition(t *testing.T) {
	l := newLedger()
	for range 3 {
		l.trade("BTC", 0.1, 100)
	}
	l.trade("BTC", -0.3, 110) // .1+.1+.1−.3 is not 0 in floating point
	l.trade("BTC", 0.3, 100)  // and the venue's next fill begins at about zero
	l.fills[4].Before = 0
	if book := perprecord.Reconstruct(l.fills, nil); len(book.Episodes) != 1 {
		t.Errorf("%+v", book.Episodes)
	}
}

// What is left of a position within a millionth of it is flat: closing it is no episode, and adding to it begins one.
func TestARemnantIsFlat(t *testing.T) {
	leave := func(left float64) *ledger {
		l := newLedger()
		l.trade("BTC", 100, 100)
		l.trade("BTC", left-100, 110)
		return l
	}
	l := leave(0.001)
	if book := perprecord.Reconstruct(l.fills, nil); len(book.Episodes) != 0 {
		t.Errorf("a hundred-thousandth is a position: %+v", book.Episodes)
	}
	l = leave(0.00005)
	l.trade("BTC", -l.size["BTC"], 120)
	book := perprecord.Reconstruct(l.fills, nil)
	if len(book.Episodes) != 1 || len(book.Orders) != 2 || book.Unknown != 0 || book.KnownShare != 1 || book.Audit.Checked != 1 {
		t.Errorf("%+v", book)
	}
	l = leave(0.00005)
	l.trade("BTC", 0.00015, 99) // on top of .00005 at 100: .0002 at 99.25
	l.trade("BTC", -l.size["BTC"], 120)
	book = perprecord.Reconstruct(l.fills, nil)
	if len(book.Episodes) != 2 || book.Audit.Close != 2 || book.Unknown != 0 || book.Episodes[1].Doubled || book.Episodes[1].FromFlip || !book.Episodes[1].FromRemnant {
		t.Fatalf("%+v", book)
	}
	near(t, "the next one's profit", book.Episodes[1].PnLUSD, 0.0002*(120-99.25))
	near(t, "its cost", book.Episodes[1].PeakCostUSD, 0.0002*99.25)
	l = leave(0.00005)
	l.trade("BTC", -3, 90) // turns what is nothing around
	l.trade("BTC", -l.size["BTC"], 80)
	book = perprecord.Reconstruct(l.fills, nil)
	if len(book.Episodes) != 2 || len(book.Orders) != 2 || book.Episodes[0].IntoFlip || book.Episodes[1].FromFlip || book.Episodes[1].FromRemnant || book.Episodes[1].Side != margin.Short {
		t.Errorf("%+v", book)
	}
	l = leave(0.00005)
	l.fills = append(l.fills, market.PerpFill{Coin: "BTC", Time: l.at, Price: 100, Size: 0.00002, Before: 0.00009, Order: 9})
	if book := perprecord.Reconstruct(l.fills, nil); book.Unknown != 1 {
		t.Errorf("fills are missing before a remnant that grew: %+v", book)
	}
	l = leave(0.00005)
	l.trade("BTC", 0.00015, 99)
	l.trade("BTC", -l.size["BTC"], 120)
	if book := perprecord.Reconstruct(l.fills[1:], nil); len(book.Episodes) != 0 || book.Unknown != 2 {
		t.Errorf("the entry of what is left of an unknown position is unknown: %+v", book)
	}
}

func TestLiquidationsAreLosses(t *testing.T) {
	l := newLedger()
	l.trade("BTC", 1, 100)
	l.trade("BTC", -1, 101).Forced = market.Liquidated
	l.trade("ETH", 1, 100)
	l.trade("ETH", -1, 101).Forced = market.AutoDeleveraged
	book := perprecord.Reconstruct(l.fills, nil)
	if book.Orders[0].Won() || !book.Orders[1].Won() || !book.Episodes[0].Liquidated || book.Episodes[1].Liquidated || len(book.LiquidatedAt) != 1 {
		t.Errorf("%+v", book)
	}
}

func TestDoublingALoser(t *testing.T) {
	for name, c := range map[string]struct {
		trades [][2]float64
		want   bool
	}{
		"doubled below":         {[][2]float64{{1, 100}, {1, 98}}, true},
		"doubled in parts":      {[][2]float64{{2, 100}, {1, 98}, {1, 95}}, true},
		"half as much":          {[][2]float64{{2, 100}, {1, 98}}, false},
		"doubled above":         {[][2]float64{{1, 100}, {5, 103}}, false},
		"hardly below":          {[][2]float64{{1, 100}, {5, 99.5}}, false},
		"a short one above":     {[][2]float64{{-1, 100}, {-1, 103}}, true},
		"a short one below":     {[][2]float64{{-1, 100}, {-1, 90}}, false},
		"bought back, not more": {[][2]float64{{-2, 100}, {1, 103}}, false},
	} {
		l := newLedger()
		size := 0.
		for _, trade := range c.trades {
			l.trade("BTC", trade[0], trade[1])
			size += trade[0]
		}
		l.trade("BTC", -size, 100)
		if book := perprecord.Reconstruct(l.fills, nil); len(book.Episodes) != 1 || book.Episodes[0].Doubled != c.want {
			t.Errorf("%s: %+v", name, book.Episodes)
		}
	}
}

func TestFundingOfAnEpisode(t *testing.T) {
	l := newLedger()
	l.trade("BTC", 1, 100)  // 01:00
	l.trade("ETH", 1, 100)  // 02:00
	l.trade("BTC", -1, 110) // 03:00
	l.trade("BTC", 1, 100)  // 04:00
	l.trade("BTC", -1, 110) // 05:00
	pay := func(hour int, coin string, usd float64) market.PerpPayment {
		return market.PerpPayment{Time: start.Add(time.Duration(hour) * time.Hour), Coin: coin, USD: usd, Rate: 0.0001}
	}
	read := &market.PerpFunding{Payments: []market.PerpPayment{
		pay(1, "BTC", -100), pay(2, "BTC", -1), pay(3, "BTC", -2), pay(3, "ETH", -50), pay(4, "BTC", -200), pay(5, "BTC", 7), pay(9, "BTC", 1000), pay(5, "BTC", math.NaN()),
	}}
	asOf := start.Add(6 * time.Hour)
	book := perprecord.Reconstruct(l.fills, perprecord.NewFunding(read, start, asOf))
	near(t, "first", book.Episodes[0].FundingUSD, -3)
	near(t, "second", book.Episodes[1].FundingUSD, 7)
	near(t, "net", book.Episodes[1].NetUSD(), 10-.21+7)
	late := perprecord.NewFunding(read, start.Add(90*time.Minute), asOf)
	book = perprecord.Reconstruct(l.fills, late)
	near(t, "began before payments were read", book.Episodes[0].FundingUSD, math.NaN())
	near(t, "without funding", book.Episodes[0].NetUSD(), 10-.21)
	near(t, "all", late.ReceivedUSD(), -1-2-50-200+7)
	near(t, "largest value", late.LargestValueUSD(), 200/.0001)
	read.Truncated, read.Until = true, start.Add(4*time.Hour)
	book = perprecord.Reconstruct(l.fills, perprecord.NewFunding(read, start, asOf))
	near(t, "ends after payments were read", book.Episodes[1].FundingUSD, math.NaN())
	near(t, "ends before", book.Episodes[0].FundingUSD, -3)
}

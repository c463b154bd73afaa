package perprecord_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// venue stands behind every port of a record. What is in broken fails.
type venue struct {
	mu       sync.Mutex
	fills    market.PerpFills
	account  market.PerpAccount
	builders map[string]market.PerpClearinghouse
	funding  market.PerpFunding
	ledger   market.PerpLedger
	markets  map[string][]market.PerpMarket
	broken   map[string]bool
	asked    map[string]int
}

func (v *venue) ask(what string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.asked == nil {
		v.asked = make(map[string]int)
	}
	v.asked[what]++
	if v.broken[what] {
		return fmt.Errorf("%s: %w", what, market.ErrUnavailable)
	}
	return nil
}

func (v *venue) PerpFills(context.Context, chain.Address) (*market.PerpFills, error) {
	return &v.fills, v.ask("fills")
}

func (v *venue) PerpAccount(_ context.Context, _ chain.Address, builders []string) (*market.PerpAccount, error) {
	account := v.account
	account.Clearinghouses = slices.Clone(account.Clearinghouses)
	for _, name := range builders {
		account.Clearinghouses = append(account.Clearinghouses, v.builders[name])
	}
	return &account, v.ask(fmt.Sprint("account", builders))
}

func (v *venue) PerpFunding(_ context.Context, _ chain.Address, since time.Time) (*market.PerpFunding, error) {
	return &v.funding, v.ask("funding since " + since.Format(time.RFC3339))
}

func (v *venue) PerpLedger(context.Context, chain.Address) (*market.PerpLedger, error) {
	return &v.ledger, v.ask("ledger")
}

func (v *venue) PerpMarkets(_ context.Context, exchange string) ([]market.PerpMarket, error) {
	return v.markets[exchange], v.ask("markets" + exchange)
}

func (v *venue) sources() market.Sources {
	return market.Sources{PerpFills: v, PerpAccounts: v, PerpFunding: v, PerpLedgers: v, PerpMarkets: v}
}

var (
	me   = chain.Address{0x11}
	asOf = time.Date(2026, 6, 1, 12, 30, 0, 0, time.UTC)
)

const fundingAsked = "funding since 2026-05-02T12:00:00Z"

// twoExchanges is an account with a position on the main exchange and one on a builder's.
func twoExchanges() *venue {
	l := newLedger()
	l.trade("BTC", 1, 100)
	l.trade("xyz:CL", -2, 70)
	l.trade("old:X", 1, 1)
	l.trade("old:X", -1, 2)
	l.at = asOf
	l.trade("BTC", 1, 120) // an hour after the instant
	tiers := []market.MarginTier{{MaximumLeverage: 20}}
	return &venue{
		fills: market.PerpFills{Fills: l.fills},
		account: market.PerpAccount{SpotDollars: math.NaN(), Clearinghouses: []market.PerpClearinghouse{{
			ValueUSD: 1000, Positions: []market.PerpPosition{{Coin: "BTC", Size: 1, EntryPrice: 100, ValueUSD: 120, UnrealizedUSD: 20}},
		}}},
		builders: map[string]market.PerpClearinghouse{"xyz": {
			Exchange: "xyz", ValueUSD: 50, Positions: []market.PerpPosition{{Coin: "xyz:CL", Size: -2, EntryPrice: 70, ValueUSD: 200, UnrealizedUSD: -60}},
		}, "old": {Exchange: "old"}},
		funding: market.PerpFunding{Payments: []market.PerpPayment{{Time: asOf.Add(-time.Hour), Coin: "BTC", USD: -5}, {Time: asOf.Add(time.Hour), Coin: "BTC", USD: -7}}},
		ledger:  market.PerpLedger{Transfers: []market.PerpTransfer{{Time: start.AddDate(0, 0, -3)}, {Time: asOf.Add(time.Minute)}}},
		markets: map[string][]market.PerpMarket{"": {{Coin: "BTC", Tiers: tiers}}, "xyz": {{Coin: "xyz:CL", Tiers: tiers}}},
	}
}

func TestARecordIsGatheredOnce(t *testing.T) {
	v := twoExchanges()
	session := market.NewSession(t.Context(), v.sources())
	r, err := perprecord.Of(t.Context(), session, me, asOf)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := perprecord.Of(t.Context(), session, me, asOf); again != r {
		t.Error("gathered twice")
	}
	want := map[string]int{"fills": 1, "account[]": 1, "account[old xyz]": 1, fundingAsked: 1, "ledger": 1, "markets": 1, "marketsxyz": 1}
	for what, n := range v.asked {
		if want[what] != n {
			t.Errorf("asked %d times for %s", n, what)
		}
	}
	if len(v.asked) != len(want) || len(r.Standing.Clearinghouses) != 3 || len(r.Markets) != 2 || r.MarketsUnread || !r.LedgerRead {
		t.Errorf("asked %v for %+v", v.asked, r)
	}
	if len(r.Fills.Fills) != 4 || len(r.Transfers) != 1 || r.Funding.ReceivedUSD() != -5 {
		t.Error("something later than the instant is in the record")
	}
	if first, known := r.FirstActivity(); !known || !first.Equal(start.AddDate(0, 0, -3)) {
		t.Error(first, known)
	}
	if len(v.fills.Fills) != 5 || len(v.ledger.Transfers) != 2 {
		t.Error("facts were changed")
	}
}

func TestWithoutFillsOrAccountThereIsNoRecord(t *testing.T) {
	for _, broken := range []string{"fills", "account[]", "account[old xyz]"} {
		v := twoExchanges()
		v.broken = map[string]bool{broken: true}
		if r, err := perprecord.Of(t.Context(), market.NewSession(t.Context(), v.sources()), me, asOf); !errors.Is(err, market.ErrUnavailable) || r != nil {
			t.Errorf("%s: %v, %v", broken, r, err)
		}
	}
}

func TestTheRecordSaysWhatIsMissing(t *testing.T) {
	for broken, missing := range map[string]func(*perprecord.Record) bool{
		fundingAsked: func(r *perprecord.Record) bool { return r.Funding == nil },
		"ledger":     func(r *perprecord.Record) bool { return !r.LedgerRead && len(r.Transfers) == 0 },
		"markets":    func(r *perprecord.Record) bool { return r.MarketsUnread && len(r.Markets) == 1 },
		"marketsxyz": func(r *perprecord.Record) bool { return r.MarketsUnread && len(r.Markets) == 1 },
	} {
		v := twoExchanges()
		v.broken = map[string]bool{broken: true}
		r, err := perprecord.Of(t.Context(), market.NewSession(t.Context(), v.sources()), me, asOf)
		if err != nil || !missing(r) {
			t.Errorf("%s: %+v, %v", broken, r, err)
		}
	}
}

func TestAnUnknownAccountIsEmpty(t *testing.T) {
	v := &venue{account: market.PerpAccount{Clearinghouses: []market.PerpClearinghouse{{}}}}
	r, err := perprecord.Of(t.Context(), market.NewSession(t.Context(), v.sources()), me, asOf)
	if err != nil {
		t.Fatal(err)
	}
	if first, known := r.FirstActivity(); !first.IsZero() || !known || len(r.Book.Orders) != 0 || r.Book.KnownShare != 1 {
		t.Errorf("%+v", r)
	}
	rating := trader.Rate(r.Evidence(), trader.Measure(r.Evidence()))
	if rating.Rated || rating.Verdict != "unrated" {
		t.Errorf("%+v", rating)
	}
}

func TestManyBuildersAreBounded(t *testing.T) {
	l := newLedger()
	for i := range 13 {
		l.trade(fmt.Sprintf("dex%02d:X", i), 1, 10)
	}
	v := &venue{fills: market.PerpFills{Fills: l.fills}, account: market.PerpAccount{Clearinghouses: []market.PerpClearinghouse{{}}}}
	r, err := perprecord.Of(t.Context(), market.NewSession(t.Context(), v.sources()), me, asOf)
	if err != nil || r.ExchangesLeftOut != 3 || v.asked["account[dex03 dex04 dex05 dex06 dex07 dex08 dex09 dex10 dex11 dex12]"] != 1 {
		t.Errorf("%v: %v", err, v.asked)
	}
}

func TestFirstActivityOfACutHistory(t *testing.T) {
	v := twoExchanges()
	v.fills.Truncated, v.fills.Since = true, start.Add(-time.Hour)
	v.broken = map[string]bool{"ledger": true}
	r, err := perprecord.Of(t.Context(), market.NewSession(t.Context(), v.sources()), me, asOf)
	if err != nil {
		t.Fatal(err)
	}
	if first, known := r.FirstActivity(); known || !first.Equal(start.Add(-time.Hour)) {
		t.Error(first, known)
	}
}

func TestLiquidationsAreEvents(t *testing.T) {
	l := newLedger()
	l.trade("BTC", 4, 100)
	l.trade("BTC", -1, 90).Forced = market.Liquidated // an hour later
	l.trade("BTC", -1, 89).Forced = market.Liquidated // and another: the same event
	l.at = l.at.Add(48 * time.Hour)
	last := l.trade("BTC", -1, 80)
	last.Forced = market.Liquidated
	v := &venue{fills: market.PerpFills{Fills: l.fills}, account: market.PerpAccount{Clearinghouses: []market.PerpClearinghouse{{}}}}
	v.ledger.Transfers = []market.PerpTransfer{
		{Time: start.AddDate(-1, 0, 0), Kind: market.LiquidationTransfer}, {Time: start.AddDate(-1, 0, 1), Kind: market.Deposit},
		{Time: last.Time.Add(time.Second), Kind: market.LiquidationTransfer},
	}
	r, err := perprecord.Of(t.Context(), market.NewSession(t.Context(), v.sources()), me, asOf)
	if err != nil {
		t.Fatal(err)
	}
	if count, at := r.Liquidations(); count != 3 || !at.Equal(last.Time.Add(time.Second)) {
		t.Error(count, at)
	}
}

func TestEvidence(t *testing.T) {
	v := twoExchanges()
	l := newLedger()
	l.trade("BTC", 1, 100)
	l.trade("BTC", -1, 110) // 10 less .21 on a margin of 20
	l.trade("ETH", -5, 40)
	l.trade("ETH", 5, 60) // −100 less .5 on a margin of 40: no follower loses more than that
	l.size["SOL"], l.cost["SOL"] = 1, 10
	l.trade("SOL", -1, 10)
	l.trade("xyz:CL", 1, 10)
	v.fills.Fills = l.fills
	r, err := perprecord.Of(t.Context(), market.NewSession(t.Context(), v.sources()), me, asOf)
	if err != nil {
		t.Fatal(err)
	}
	e := r.Evidence()
	if len(e.Results) != 2 || len(e.Open) != 2 || e.UnmatchedSells != 1 || !e.AsOf.Equal(asOf) {
		t.Fatalf("%+v", e)
	}
	near(t, "win", e.Results[0].Return, 9.79/20)
	near(t, "its cost", e.Results[0].CostUSD, 20)
	near(t, "loss", e.Results[1].Return, -1)
	near(t, "its profit", e.Results[1].PnLUSD, -100.5)
	near(t, "matched", e.MatchedShare, (110.+300)/420)
	near(t, "open winner", e.Open[0].RecoverableUSD, 40)
	near(t, "its margin", e.Open[0].CostUSD, 20)
	near(t, "open loser", e.Open[1].RecoverableUSD, 0)
	if e.Results[0].Cluster == e.Results[1].Cluster {
		t.Error("two coins are one cluster")
	}
}

// The venue rounds its average down to the step of a price, which a coin's sizes tell; more than that is another profit.
func TestTheVenueRoundsItsAverageDown(t *testing.T) {
	buy := func(before, size, price float64) market.PerpFill {
		return market.PerpFill{Coin: "WLD", Time: start, Buy: true, Price: price, Size: size, Before: before, Order: 1}
	}
	closing := market.PerpFill{Coin: "WLD", Time: start, Price: 0.5, Size: 3.3, Before: 3.3, Order: 2}
	fills := []market.PerpFill{buy(0, 1.1, 0.37754), buy(1.1, 2.2, 0.37755), closing} // on average 0.3775466…, in steps 0.37754
	for profit, near := range map[float64]bool{3.3 * (0.5 - 0.37754): true, 3.3 * (0.5 - (0.37754+2*0.37755)/3): true, 3.3 * (0.5 - 0.3776): false, 3.3 * (0.5 - 0.3774): false} {
		fills[2].ClosedPnLUSD = profit
		if audit := perprecord.Reconstruct(fills, nil).Audit; audit.Checked != 1 || (audit.Near == 1) != near || (audit.Worst < 1e-9) != near {
			t.Errorf("%v: %+v", profit, audit)
		}
	}
}

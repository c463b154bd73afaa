package perp

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// now is the instant that the tests' answers describe.
var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// stage is a venue with one account. It stands behind every port; what is in broken fails.
type stage struct {
	fills    market.PerpFills
	spot     float64
	houses   []market.PerpClearinghouse
	funding  market.PerpFunding
	ledger   market.PerpLedger
	markets  []market.PerpMarket
	broken   map[market.Port]bool
	order    int64
	exchange map[string][]market.PerpMarket
}

func newStage() *stage {
	s := &stage{spot: 0, houses: []market.PerpClearinghouse{{ValueUSD: 1000, CrossValueUSD: 1000}}}
	for _, coin := range []string{"BTC", "ETH", "SOL"} {
		s.markets = append(s.markets, market.PerpMarket{Coin: coin, Tiers: []market.MarginTier{{MaximumLeverage: 50}}})
	}
	s.ledger.Transfers = []market.PerpTransfer{{Time: now.Add(-200 * day), Kind: market.Deposit, USD: 1000}}
	return s
}

func (s *stage) fail(port market.Port) error {
	if s.broken[port] {
		return fmt.Errorf("%s: %w", port, market.ErrUnavailable)
	}
	return nil
}

func (s *stage) PerpFills(context.Context, chain.Address) (*market.PerpFills, error) {
	return &s.fills, s.fail(market.PerpFillFacts)
}

func (s *stage) PerpAccount(context.Context, chain.Address, []string) (*market.PerpAccount, error) {
	return &market.PerpAccount{Clearinghouses: s.houses, SpotDollars: s.spot}, s.fail(market.PerpAccountFacts)
}

func (s *stage) PerpFunding(context.Context, chain.Address, time.Time) (*market.PerpFunding, error) {
	return &s.funding, s.fail(market.PerpFundingFacts)
}

func (s *stage) PerpLedger(context.Context, chain.Address) (*market.PerpLedger, error) {
	return &s.ledger, s.fail(market.PerpLedgerFacts)
}

func (s *stage) PerpMarkets(_ context.Context, exchange string) ([]market.PerpMarket, error) {
	if exchange != "" {
		return s.exchange[exchange], nil
	}
	return s.markets, s.fail(market.PerpMarketFacts)
}

func (s *stage) sources() market.Sources {
	return market.Sources{PerpFills: s, PerpAccounts: s, PerpFunding: s, PerpLedgers: s, PerpMarkets: s}
}

// fill adds a fill of a new order.
func (s *stage) fill(f market.PerpFill) *market.PerpFill {
	s.order++
	f.Order, f.Trade = s.order, s.order
	s.fills.Fills = append(s.fills.Fills, f)
	slices.SortStableFunc(s.fills.Fills, func(a, b market.PerpFill) int { return a.Time.Compare(b.Time) })
	return &s.fills.Fills[slices.IndexFunc(s.fills.Fills, func(g market.PerpFill) bool { return g.Order == f.Order })]
}

// round adds a long position of 10 coins bought at 100, so long ago, and closed an hour later for a profit, before fees of 1 each.
func (s *stage) round(coin string, ago time.Duration, profit float64) *stage {
	at := now.Add(-ago)
	s.fill(market.PerpFill{Coin: coin, Time: at, Buy: true, Price: 100, Size: 10, FeeUSD: 1})
	s.fill(market.PerpFill{Coin: coin, Time: at.Add(time.Hour), Price: 100 + profit/10, Size: 10, Before: 10, ClosedPnLUSD: profit, FeeUSD: 1})
	return s
}

// rounds adds several, a day apart, the first of them so many days ago.
func (s *stage) rounds(days int, coin string, profits ...float64) *stage {
	for i, profit := range profits {
		s.round(coin, time.Duration(days-i)*day, profit)
	}
	return s
}

// holds adds an open position with margin of its own of a tenth of its value, and the venue's liquidation price by one formula.
func (s *stage) holds(coin string, value, returned float64) *market.PerpPosition {
	p := market.PerpPosition{
		Coin: coin, Size: value / 100, EntryPrice: 100, ValueUSD: math.Abs(value), ReturnOnEquity: returned, UnrealizedUSD: returned * math.Abs(value) / 10,
		MarginUsedUSD: math.Abs(value) / 10, Leverage: 10, MaximumLeverage: 50, Isolated: true, LiquidationPrice: 100 - 9/0.99, FundingUSD: math.NaN(),
	}
	if value < 0 {
		p.LiquidationPrice = 100 + 9/1.01
	}
	s.houses[0].Positions = append(s.houses[0].Positions, p)
	return &s.houses[0].Positions[len(s.houses[0].Positions)-1]
}

// record gathers the account's record at an instant.
func (s *stage) record(t interface{ Fatal(...any) }, at time.Time) *perprecord.Record {
	r, err := perprecord.Of(context.Background(), market.NewSession(context.Background(), s.sources()), chain.Address{0x11}, at)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// answer is the page's answer before it is encoded.
func (s *stage) answer(t interface{ Fatal(...any) }) PerpWalletAnswer {
	return assess(s.record(t, now), now)
}

const wallet = "0x52908400098527886e0f7030069857d2e4169ee7"

// get asks for the page as a partner does.
func (s *stage) get(t endpointtest.T) endpointtest.Answer {
	t.Helper()
	f := endpointtest.New(t)
	f.Service.Sources = s.sources()
	f.Service.Present = func() time.Time { return now }
	call := endpointtest.Call{Method: http.MethodPost, Path: "/v1/perp-wallet", Key: f.Key, Body: `{"wallet":"` + wallet + `"}`}
	return call.Do(t, endpoint.NewHandler(f.Service, PerpWallet()))
}

func find(reasons []reason.Reason, code string) (reason.Reason, bool) {
	i := slices.IndexFunc(reasons, func(r reason.Reason) bool { return r.Code == code })
	if i < 0 {
		return reason.Reason{}, false
	}
	return reasons[i], true
}

// wantText checks one reason's sentence.
func wantText(t *testing.T, answer PerpWalletAnswer, code, text string) {
	t.Helper()
	if got, found := find(answer.Reasons, code); !found || got.Text != text {
		t.Errorf("%s: %q, not %q; there are %v", code, got.Text, text, reason.Codes(answer.Reasons))
	}
}

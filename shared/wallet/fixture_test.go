package wallet

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// now is the instant that the tests' answers describe: a Monday at noon.
var now = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

func ethereum() *chain.Chain {
	on, _ := chain.Parse("eth")
	return on
}

// tokenNumber is a token of the tests, T1, T2 and so on.
func tokenNumber(n int) chain.Address { return chain.Address{0xaa, byte(n >> 8), byte(n)} }

// story builds a wallet's history step by step.
type story struct {
	ledger   position.Ledger
	pools    map[chain.Address][]market.Pool
	activity market.Activity
	block    uint64
}

var me = chain.Address{0x11}

func newStory() *story {
	return &story{ledger: position.Ledger{Tokens: make(map[chain.Address]market.Token)}, pools: make(map[chain.Address][]market.Pool)}
}

// trade adds a buy (positive USD) or a sell (negative USD) of token n, so many units, so long ago.
func (s *story) trade(n int, units, usd float64, ago time.Duration) *story {
	t := position.Trade{
		Time: now.Add(-ago), Token: tokenNumber(n), Side: position.Buy, Quantity: units, ValueUSD: math.Abs(usd), Priced: true,
		Quote: ethereum().WrappedNative.Address,
	}
	if usd < 0 {
		t.Side = position.Sell
	}
	s.ledger.Trades = append(s.ledger.Trades, t)
	s.ledger.Tokens[t.Token] = market.Token{Address: t.Token, Symbol: "T" + string(rune('0'+n%10)), Decimals: 18, Known: true}
	return s
}

// round adds a position that was bought so long ago, held for a while, and sold at a return.
func (s *story) round(n int, usd, roi float64, ago, held time.Duration) *story {
	return s.trade(n, 100, usd, ago).trade(n, 100, -usd*(1+roi), ago-held)
}

// launched gives token n a pool that was made so long ago, with this liquidity and price.
func (s *story) launched(n int, ago time.Duration, liquidity, price float64) *story {
	token := tokenNumber(n)
	s.pools[token] = []market.Pool{{
		ID: "pool", Token: token, PriceUSD: price, LiquidityUSD: liquidity, MarketCapUSD: math.NaN(), FullyDilutedUSD: math.NaN(), CreatedAt: now.Add(-ago),
	}}
	return s
}

// record makes the record of the story.
func (s *story) record() *tradingrecord.Record {
	slices.SortStableFunc(s.ledger.Trades, func(a, b position.Trade) int { return a.Time.Compare(b.Time) })
	for i := range s.ledger.Trades {
		t := &s.ledger.Trades[i]
		s.block++
		if t.Block == 0 {
			t.Block = s.block
		}
		t.Tx = market.Hash{byte(i >> 16), byte(i >> 8), byte(i), 1}
		s.activity.Transactions = append(s.activity.Transactions, market.Transaction{Hash: t.Tx, Time: t.Time, Sender: me, Target: chain.Address{0x77}})
	}
	r := &tradingrecord.Record{Chain: ethereum(), Wallet: me, Activity: &s.activity, Pools: s.pools, Launched: make(map[chain.Address]time.Time)}
	for token := range s.pools {
		r.Launched[token] = s.pools[token][0].CreatedAt
	}
	r.Book = position.Build(&s.ledger, tradingrecord.Marks(position.Settle(&s.ledger, now).Open(), s.pools), now)
	conduct := trader.Inspect(me, r.Book, trader.Surroundings{Launched: r.Launched})
	r.Evidence = trader.FromBook(r.Book, conduct, 1)
	r.Measures = trader.Measure(r.Evidence)
	return r
}

const (
	minute = time.Minute
	hour   = time.Hour
	day    = 24 * time.Hour
)

// has tells whether a reason of this code is among them.
func has(reasons []reason.Reason, code string) bool {
	return slices.ContainsFunc(reasons, func(r reason.Reason) bool { return r.Code == code })
}

// wantReasons checks what every answer's reasons must be: some, not too many, and sentences.
func wantReasons(t *testing.T, reasons []reason.Reason, minimum int, codes ...string) {
	t.Helper()
	if len(reasons) < minimum || len(reasons) > reason.Maximum {
		t.Errorf("%d reasons: %v", len(reasons), reason.Codes(reasons))
	}
	for _, r := range reasons {
		if r.Text == "" || r.Text[len(r.Text)-1] != '.' {
			t.Errorf("%s is no sentence: %q", r.Code, r.Text)
		}
	}
	for _, code := range codes {
		if !has(reasons, code) {
			t.Errorf("no reason %s in %v", code, reason.Codes(reasons))
		}
	}
}

package tradingrecord

import (
	"context"
	"math"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// Record is a wallet's trading on one chain as every answer about the trader sees it. It is shared and never changed.
type Record struct {
	Chain    *chain.Chain
	Wallet   chain.Address
	Activity *market.Activity
	Book     *position.Book
	// Pools are the current pools of the tokens traded, deepest first.
	Pools map[chain.Address][]market.Pool
	// Launched is when each token's first known pool was made.
	Launched map[chain.Address]time.Time
	Evidence trader.Evidence
	Measures trader.Measures
}

// Needs are the ports behind a record.
var Needs = []market.Port{market.ActivityFacts, market.PriceFacts, market.PoolFacts, market.TokenSecurityFacts}

// maximumPoolTokens bounds how many of a wallet's tokens are looked up, the latest traded first.
const maximumPoolTokens = 300

// deadChecks are how long ago, in days, the price of a seemingly dead token is looked at, to tell since when it has been dead.
var deadChecks = []int{7, 10, 14, 21, 30, 45, 60, 90}

// deadShare is the part of its cost below which a position counts as dead.
const deadShare = 0.05

// Of gathers a wallet's record at an instant through a session, once a session whoever asks, and once for all sessions that ask
// within moments. The error wraps market.ErrUnavailable when a provider failed; a wallet without any history has an empty record.
func Of(ctx context.Context, session *market.Session, on *chain.Chain, wallet chain.Address, asOf time.Time) (*Record, error) {
	key := recordKey{on.Slug, wallet, asOf.Unix()}
	return market.Remember(ctx, session, key, (*Record).bytes, func(ctx context.Context) (*Record, error) {
		return read(ctx, session.Sources, on, wallet, asOf)
	})
}

// recordKey names a record at an instant, in Unix seconds.
type recordKey struct {
	chain  chain.Slug
	wallet chain.Address
	asOf   int64
}

// bytes is roughly what a record takes besides the facts it shares.
func (r *Record) bytes() int {
	const record, trade, position, result = 2000, 300, 350, 150
	return record + len(r.Book.Ledger.Trades)*trade + len(r.Book.Positions)*position + len(r.Evidence.Results)*result
}

func read(ctx context.Context, sources market.Sources, on *chain.Chain, wallet chain.Address, asOf time.Time) (*Record, error) {
	activity, err := sources.Activity.Activity(ctx, on, wallet)
	if err != nil {
		return nil, err
	}
	activity = activity.Until(asOf)
	record := &Record{Chain: on, Wallet: wallet, Activity: activity}
	history := position.Read(on, wallet, activity)
	var prices []market.PriceSeries
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		if wanted := history.Wanted(); len(wanted) > 0 {
			prices, err = sources.Prices.Prices(groupCtx, on, wanted)
		}
		return err
	})
	group.Go(func() (err error) {
		if tokens := history.Handled(maximumPoolTokens); len(tokens) > 0 {
			record.Pools, err = sources.Pools.Pools(groupCtx, on, tokens)
		}
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	ledger := history.Ledger(position.NewPriceBook(prices, record.Pools))
	accounts := position.Settle(ledger, asOf)
	marks := Marks(accounts.Open(), record.Pools)
	record.Book = accounts.Book(marks)
	if doubtful := seeminglyDead(record.Book, asOf); len(doubtful) > 0 {
		if err := addPast(ctx, sources.Prices, on, doubtful, marks, asOf); err != nil {
			return nil, err
		}
		record.Book = accounts.Book(marks)
	}
	record.Launched = launches(record.Pools)
	security, err := suspectTokens(ctx, sources.TokenSecurity, on, record)
	if err != nil {
		return nil, err
	}
	conduct := trader.Inspect(wallet, record.Book, trader.Surroundings{
		Launched: record.Launched, LiquidityUSD: LiquidityUSD(record.Pools), Holders: holders(ledger.Tokens, record.Pools, security),
		Accounts: activity.Accounts, Creator: creators(security),
	})
	record.Evidence = trader.FromBook(record.Book, conduct, stats.Seed([]byte(on.Slug), wallet[:]))
	record.Measures = trader.Measure(record.Evidence)
	return record, nil
}

// Marks values tokens at their deepest pool. A token without any pool has no market.
func Marks(tokens []chain.Address, pools map[chain.Address][]market.Pool) map[chain.Address]position.Mark {
	marks := make(map[chain.Address]position.Mark, len(tokens))
	for _, token := range tokens {
		mark := position.Mark{PriceUSD: math.NaN(), SellTax: math.NaN()}
		if deepest := deepestOf(pools[token]); deepest != nil {
			mark.PriceUSD = deepest.PriceUSD
			if deepest.LiquidityUSD > 0 {
				mark.QuoteUSD = deepest.LiquidityUSD / 2
			}
		}
		marks[token] = mark
	}
	return marks
}

// DeepestPool is the first pool with a price; pools are sorted by depth.
func DeepestPool(pools []market.Pool) (market.Pool, bool) {
	if deepest := deepestOf(pools); deepest != nil {
		return *deepest, true
	}
	return market.Pool{}, false
}

func deepestOf(pools []market.Pool) *market.Pool {
	for i := range pools {
		if pools[i].PriceUSD > 0 {
			return &pools[i]
		}
	}
	if len(pools) > 0 {
		return &pools[0]
	}
	return nil
}

// seeminglyDead lists tokens of open positions that could not be sold for a twentieth of their cost now and that the wallet has
// left alone for a week.
func seeminglyDead(book *position.Book, asOf time.Time) []chain.Address {
	var worthless []chain.Address
	lastTraded := make(map[chain.Address]time.Time)
	for i := range book.Positions {
		p := &book.Positions[i]
		if p.RecoverableUSD < deadShare*p.CostUSD && (p.Status == position.Open || p.Ending == position.Dead) {
			if _, seen := lastTraded[p.Token]; !seen {
				lastTraded[p.Token] = time.Time{}
				worthless = append(worthless, p.Token)
			}
		}
	}
	if len(worthless) == 0 {
		return nil
	}
	for i := range book.Ledger.Trades {
		t := &book.Ledger.Trades[i]
		if _, asked := lastTraded[t.Token]; asked {
			lastTraded[t.Token] = t.Time
		}
	}
	return slices.DeleteFunc(worthless, func(token chain.Address) bool { return asOf.Sub(lastTraded[token]) < 7*24*time.Hour })
}

func addPast(ctx context.Context, prices market.PricePort, on *chain.Chain, tokens []chain.Address, marks map[chain.Address]position.Mark, asOf time.Time) error {
	times := make([]time.Time, len(deadChecks))
	for i, days := range deadChecks {
		times[len(times)-1-i] = asOf.Truncate(time.Hour).AddDate(0, 0, -days)
	}
	requests := make([]market.PriceRequest, len(tokens))
	for i, token := range tokens {
		requests[i] = market.PriceRequest{Asset: token, Times: times}
	}
	series, err := prices.Prices(ctx, on, requests)
	if err != nil {
		return err
	}
	for i := range series {
		mark := marks[series[i].Asset]
		mark.Past = series[i].Points
		marks[series[i].Asset] = mark
	}
	return nil
}

func launches(pools map[chain.Address][]market.Pool) map[chain.Address]time.Time {
	launched := make(map[chain.Address]time.Time, len(pools))
	for token, all := range pools {
		var first time.Time
		for i := range all {
			if created := all[i].CreatedAt; !created.IsZero() && (first.IsZero() || created.Before(first)) {
				first = created
			}
		}
		if !first.IsZero() {
			launched[token] = first
		}
	}
	return launched
}

// LiquidityUSD is what lies in each token's deepest pool, both sides; a token of which nothing is known is missing.
func LiquidityUSD(pools map[chain.Address][]market.Pool) map[chain.Address]float64 {
	depth := make(map[chain.Address]float64, len(pools))
	for token, all := range pools {
		if deepest := deepestOf(all); deepest != nil && deepest.LiquidityUSD > 0 {
			depth[token] = deepest.LiquidityUSD
		}
	}
	return depth
}

// livePoolUSD is the liquidity from which a token counts as having a market today.
const livePoolUSD = 1_000

// holders counts the holders of tokens that have a market today. Of a token that died, those who hold it now say nothing of how
// many traded it.
func holders(tokens map[chain.Address]market.Token, pools map[chain.Address][]market.Pool, security map[chain.Address]market.TokenSecurity) map[chain.Address]int {
	known := make(map[chain.Address]int, len(tokens))
	for address, token := range tokens {
		count := token.Holders
		if count == 0 {
			count = security[address].Holders
		}
		if deepest := deepestOf(pools[address]); count > 0 && deepest != nil && deepest.LiquidityUSD >= livePoolUSD {
			known[address] = count
		}
	}
	return known
}

const (
	// maximumSuspects bounds how many tokens are looked up for their creator or their holders, those entered last first.
	maximumSuspects = 20
	// favouriteTrades is how many trades of one token make its holders worth counting where the explorer does not count them.
	favouriteTrades = 10
)

// suspectTokens reads what is known of the tokens behind which the wallet itself may stand: those that it bought soon after launch
// with money somebody had just sent it, and those that it trades again and again without anybody having counted their holders.
// Nobody is asked about other wallets.
func suspectTokens(ctx context.Context, port market.TokenSecurityPort, on *chain.Chain, record *Record) (map[chain.Address]market.TokenSecurity, error) {
	trades := tradesOf(record.Book.Ledger)
	seen := make(map[chain.Address]bool)
	var tokens []chain.Address
	for i := len(record.Book.Positions) - 1; i >= 0 && len(tokens) < maximumSuspects; i-- {
		p := &record.Book.Positions[i]
		launched, known := record.Launched[p.Token]
		funded := p.Buys > 0 && known && p.OpenedAt.Sub(launched) <= trader.EarlyEntry && record.fundedBefore(p.OpenedAt)
		uncounted := record.Book.Ledger.Tokens[p.Token].Holders == 0 && trades()[p.Token] >= favouriteTrades
		if (funded || uncounted) && !seen[p.Token] {
			seen[p.Token] = true
			tokens = append(tokens, p.Token)
		}
	}
	if len(tokens) == 0 {
		return nil, nil
	}
	slices.SortFunc(tokens, chain.Address.Compare)
	return port.TokenSecurity(ctx, on, tokens)
}

// tradesOf counts the trades of each token, once somebody asks.
func tradesOf(ledger *position.Ledger) func() map[chain.Address]int {
	return sync.OnceValue(func() map[chain.Address]int {
		trades := make(map[chain.Address]int, len(ledger.Tokens))
		for i := range ledger.Trades {
			trades[ledger.Trades[i].Token]++
		}
		return trades
	})
}

func creators(security map[chain.Address]market.TokenSecurity) map[chain.Address]chain.Address {
	known := make(map[chain.Address]chain.Address, len(security))
	for token, found := range security {
		if !found.Creator.IsZero() {
			known[token] = found.Creator
		}
	}
	return known
}

// fundedBefore tells whether a person sent the wallet money within the funding window before an instant.
func (r *Record) fundedBefore(at time.Time) bool {
	for i := range r.Book.Ledger.Transfers {
		t := &r.Book.Ledger.Transfers[i]
		if t.In && t.Origin == position.TransferUnknown && t.ValueUSD > 0 && !t.Time.After(at) && at.Sub(t.Time) <= trader.FundingWindow {
			return true
		}
	}
	return false
}

// RecentTrades are the trades of the last so many days before the record's instant.
func (r *Record) RecentTrades(days int) []position.Trade {
	trades := r.Book.Ledger.Trades
	from := r.Book.AsOf.AddDate(0, 0, -days)
	start := sort.Search(len(trades), func(i int) bool { return trades[i].Time.After(from) })
	return trades[start:]
}

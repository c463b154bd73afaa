package polymarket

import (
	"context"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	activityPath = "/activity"
	tradesPath   = "/trades"
	// maximumShares bounds the shares of one row: a dollar makes one share, and no market holds as many dollars.
	maximumShares = 1e12
	// mostOffPrice and mostOffUSD bound how far what a trade cost may be from its price times its shares, for each share and besides:
	// fees take at most a few cents a share, and sums are rounded.
	mostOffPrice, mostOffUSD = 0.1, 0.01
)

// moveKinds are the types of activity, next to trades, that change what a wallet has within its markets. Deposits and withdrawals,
// tips, referral rewards and the exchange of old contracts' shares for new ones change nothing there.
var moveKinds = map[string]market.PredictionMoveKind{
	"SPLIT": market.Split, "MERGE": market.Merge, "REDEEM": market.Redemption, "CONVERSION": market.Conversion,
	"REWARD": market.Reward, "YIELD": market.Reward, "MAKER_REBATE": market.Reward, "TAKER_REBATE": market.Reward,
}

// PredictionActivity reads all that a wallet ever did, up to 10,000 rows, the latest. A trade that is missing in the list of those whose
// order crossed is one whose order was resting.
func (a *Adapter) PredictionActivity(ctx context.Context, wallet chain.Address) (*market.PredictionActivity, error) {
	all := history{a.data, activityPath, url.Values{"sortBy": {"TIMESTAMP"}, "sortDirection": {"DESC"}}, wallet, wholeReach}
	crossed := history{a.data, tradesPath, url.Values{"takerOnly": {"true"}}, wallet, wholeReach}
	var done, taken stretch
	calls, callsContext := parallel.WithContext(ctx)
	calls.Go(func() (err error) {
		done, err = all.read(callsContext)
		return err
	})
	calls.Go(func() (err error) {
		taken, err = crossed.read(callsContext)
		return err
	})
	if err := calls.Wait(); err != nil {
		return nil, err
	}
	activity := &market.PredictionActivity{Truncated: done.truncated, Since: done.since}
	for _, row := range slices.Backward(done.entries) {
		kind, moves := moveKinds[strings.ToUpper(string(row.Type))]
		switch {
		case strings.EqualFold(string(row.Type), "TRADE"):
			if trade, ok := row.trade(); ok {
				activity.Trades = append(activity.Trades, trade)
			} else {
				done.dropped++
			}
		case moves:
			if move, ok := row.move(kind); ok {
				activity.Moves = append(activity.Moves, move)
			} else {
				done.dropped++
			}
		}
	}
	taken.dropped += assignRoles(activity.Trades, taken, a.data.Now())
	a.data.Drop(activityPath, done.dropped)
	a.data.Drop(tradesPath, taken.dropped)
	return activity, nil
}

// trade checks a trade. One that cost something else than its price times its shares says two things, of which one is wrong.
func (row *entry) trade() (market.PredictionTrade, bool) {
	condition, ok1 := readHash(row.Condition)
	asset, ok2 := readAsset(row.Asset)
	buy, ok3 := readSide(row.Side)
	price, ok4 := within(row.Price, 0, 1)
	shares, ok5 := within(row.Size, 0, maximumShares)
	transaction, ok6 := row.transaction()
	if !ok1 || !ok2 || !ok3 || !ok4 || !ok5 || !ok6 || price == 0 || price == 1 || shares == 0 {
		return market.PredictionTrade{}, false
	}
	usd, ok := row.USD.OrMissing(upstream.Number.USD)
	if math.IsNaN(usd) {
		usd = price * shares
	}
	if !ok || math.Abs(usd-price*shares) > mostOffPrice*shares+mostOffUSD {
		return market.PredictionTrade{}, false
	}
	return market.PredictionTrade{
		Time: row.at, Market: condition, Event: name(row.EventSlug, row.Slug), Asset: asset, Outcome: readOutcome(row.Outcome),
		Buy: buy, Price: price, Shares: shares, USD: usd, Transaction: transaction,
	}, true
}

// move checks a move. Rewards need no market; of a redemption the shares are often missing, and what it paid may be nothing.
func (row *entry) move(kind market.PredictionMoveKind) (market.PredictionMove, bool) {
	condition, ok := readHash(row.Condition)
	if !ok && (kind != market.Reward || row.Condition != "") {
		return market.PredictionMove{}, false
	}
	transaction, ok1 := row.transaction()
	shares, ok2 := row.Size.OrMissing(func(n upstream.Number) (float64, bool) { return within(n, 0, maximumShares) })
	usd, ok3 := row.USD.OrMissing(upstream.Number.USD)
	return market.PredictionMove{
		Time: row.at, Kind: kind, Market: condition, Event: name(row.EventSlug, row.Slug), Shares: shares, USD: usd, Transaction: transaction,
	}, ok1 && ok2 && ok3
}

// transaction is zero where the row names none.
func (row *entry) transaction() (market.Hash, bool) {
	if row.Transaction == "" {
		return market.Hash{}, true
	}
	return readHash(row.Transaction)
}

func readSide(side upstream.Text) (buy, ok bool) {
	switch strings.ToUpper(string(side)) {
	case "BUY":
		return true, true
	case "SELL":
		return false, true
	}
	return false, false
}

// unsettled is how long one list of trades may lack what the other has already: they are read, and perhaps kept, apart.
const unsettled = time.Minute

// place is where the orders of one wallet met others: there it was either the one whose order crossed or the other.
type place struct {
	transaction market.Hash
	asset       string
	buy         bool
}

type fill struct {
	place
	shares float64
}

// assignRoles tells takers' trades from makers' by the list of the trades in which the wallet's order crossed, each of which accounts
// for one trade. A trade stays without a role where that list does not reach, where it is too young to be in both lists, and where
// the list names its place with other numbers of shares. It returns how many rows of the list cannot be read.
func assignRoles(trades []market.PredictionTrade, crossed stretch, now time.Time) (dropped int) {
	left, places, unclear := make(map[fill]int), make(map[place]int), make(map[market.Hash]bool)
	for i := range crossed.entries {
		row := &crossed.entries[i]
		transaction, ok := readHash(row.Transaction)
		if !ok {
			dropped++
			continue
		}
		asset, ok1 := readAsset(row.Asset)
		buy, ok2 := readSide(row.Side)
		shares, ok3 := row.Size.Float()
		if !ok1 || !ok2 || !ok3 {
			dropped++
			unclear[transaction] = true
			continue
		}
		at := place{transaction, asset, buy}
		left[fill{at, shares}]++
		places[at]++
	}
	for i := range trades {
		trade := &trades[i]
		at := place{trade.Transaction, trade.Asset, trade.Buy}
		if of := (fill{at, trade.Shares}); left[of] > 0 {
			trade.Role = market.Taker
			left[of]--
			places[at]--
		}
	}
	for i := range trades {
		trade := &trades[i]
		switch {
		case trade.Role != market.UnknownRole, trade.Transaction == market.Hash{}, unclear[trade.Transaction]:
		case places[place{trade.Transaction, trade.Asset, trade.Buy}] > 0, now.Sub(trade.Time) < unsettled:
		case crossed.truncated && !trade.Time.After(crossed.since):
		default:
			trade.Role = market.Maker
		}
	}
	return dropped
}

package perprecord

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
)

// Record is an account on the venue as every answer about it sees it. It is shared and never changed.
type Record struct {
	Account chain.Address
	AsOf    time.Time
	// Fills are those up to AsOf.
	Fills *market.PerpFills
	Book  *Book
	// Standing is how the account stood when it was read. ExchangesLeftOut counts builders' exchanges that it traded on and that
	// were not read for want of room.
	Standing         *market.PerpAccount
	ExchangesLeftOut int
	// Funding is nil when it could not be read.
	Funding *Funding
	// Transfers are those up to AsOf; LedgerRead is false when they could not be read, LedgerTruncated true when later ones exist.
	Transfers                   []market.PerpTransfer
	LedgerRead, LedgerTruncated bool
	// Markets are the contracts of the exchanges that were read, by coin. MarketsUnread is true when an exchange on which the
	// account has a position is missing.
	Markets       map[string]market.PerpMarket
	MarketsUnread bool
}

// Needs are the ports behind a record. Without the first two there is none; without an answer of the others it says so.
var Needs = []market.Port{
	market.PerpFillFacts, market.PerpAccountFacts, market.PerpFundingFacts, market.PerpLedgerFacts, market.PerpMarketFacts,
}

// FundingDays is how far back funding payments are read.
const FundingDays = 30

// maximumExchanges bounds how many builders' exchanges are read, those traded on last first.
const maximumExchanges = 10

// recordKey names a record at an instant, in Unix seconds.
type recordKey struct {
	account chain.Address
	asOf    int64
}

// Of gathers an account's record at an instant through a session, once a session whoever asks, and once for all sessions that ask
// within moments. The error wraps market.ErrUnavailable when the fills or the account could not be read; an account that the venue
// does not know has an empty record.
func Of(ctx context.Context, session *market.Session, account chain.Address, asOf time.Time) (*Record, error) {
	key := recordKey{account, asOf.Unix()}
	return market.Remember(ctx, session, key, (*Record).bytes, func(ctx context.Context) (*Record, error) {
		return read(ctx, session.Sources, account, asOf)
	})
}

// bytes is roughly what a record takes besides the facts it shares.
func (r *Record) bytes() int {
	const record, order, episode, payment = 2000, 80, 140, 120
	bytes := record + len(r.Book.Orders)*order + len(r.Book.Episodes)*episode
	if r.Funding != nil {
		bytes += len(r.Funding.payments) * payment
	}
	return bytes
}

// read asks for all that the account alone names side by side, and for what its fills and positions name after that.
func read(ctx context.Context, sources market.Sources, account chain.Address, asOf time.Time) (*Record, error) {
	r := &Record{Account: account, AsOf: asOf, Markets: make(map[string]market.PerpMarket)}
	since := asOf.AddDate(0, 0, -FundingDays).Truncate(time.Hour)
	var all *market.PerpFills
	var funding *market.PerpFunding
	var ledger *market.PerpLedger
	var main []market.PerpMarket
	var mainErr error
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() (err error) { all, err = sources.PerpFills.PerpFills(groupCtx, account); return err })
	group.Go(func() (err error) {
		r.Standing, err = sources.PerpAccounts.PerpAccount(groupCtx, account, nil)
		return err
	})
	// What is optional leaves its place empty when it fails, and no error.
	group.Go(func() error {
		if read, err := sources.PerpFunding.PerpFunding(groupCtx, account, since); err == nil {
			funding = read
		}
		return nil
	})
	group.Go(func() error {
		if read, err := sources.PerpLedgers.PerpLedger(groupCtx, account); err == nil {
			ledger = read
		}
		return nil
	})
	group.Go(func() error { main, mainErr = sources.PerpMarkets.PerpMarkets(groupCtx, ""); return nil })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	r.Fills = until(all, asOf)
	if funding != nil {
		r.Funding = NewFunding(funding, since, asOf)
	}
	if ledger != nil {
		r.LedgerRead, r.LedgerTruncated = true, ledger.Truncated
		end := len(ledger.Transfers)
		for end > 0 && ledger.Transfers[end-1].Time.After(asOf) {
			end--
		}
		r.Transfers = ledger.Transfers[:end:end]
	}
	if err := r.readBuilders(ctx, sources); err != nil {
		return nil, err
	}
	if mainErr == nil {
		r.addMarkets(main)
	}
	if err := r.readMarkets(ctx, sources.PerpMarkets, mainErr); err != nil {
		return nil, err
	}
	r.Book = Reconstruct(r.Fills.Fills, r.Funding)
	return r, nil
}

// until is the fills up to and including an instant. It shares everything with the original.
func until(fills *market.PerpFills, asOf time.Time) *market.PerpFills {
	end := len(fills.Fills)
	for end > 0 && fills.Fills[end-1].Time.After(asOf) {
		end--
	}
	cut := *fills
	cut.Fills = fills.Fills[:end:end]
	return &cut
}

// readBuilders reads the account again where its fills name exchanges besides the main one.
func (r *Record) readBuilders(ctx context.Context, sources market.Sources) error {
	var builders []string
	seen := map[string]bool{"": true}
	for i := len(r.Fills.Fills) - 1; i >= 0; i-- {
		if exchange := exchangeOf(r.Fills.Fills[i].Coin); !seen[exchange] {
			seen[exchange] = true
			builders = append(builders, exchange)
		}
	}
	if len(builders) == 0 {
		return nil
	}
	if len(builders) > maximumExchanges {
		r.ExchangesLeftOut = len(builders) - maximumExchanges
		builders = builders[:maximumExchanges]
	}
	slices.Sort(builders)
	standing, err := sources.PerpAccounts.PerpAccount(ctx, r.Account, builders)
	if err != nil {
		return fmt.Errorf("exchanges of builders: %w", err)
	}
	r.Standing = standing
	return nil
}

// readMarkets reads the contracts of the builders' exchanges that the account has positions on.
func (r *Record) readMarkets(ctx context.Context, port market.PerpMarketPort, mainErr error) error {
	group := parallel.NewGroup()
	found := make([][]market.PerpMarket, len(r.Standing.Clearinghouses))
	unread := make([]bool, len(r.Standing.Clearinghouses))
	for i, house := range r.Standing.Clearinghouses {
		switch {
		case len(house.Positions) == 0:
		case house.Exchange == "":
			unread[i] = mainErr != nil
		default:
			group.Go(func() error {
				read, err := port.PerpMarkets(ctx, house.Exchange)
				if unread[i] = err != nil; err == nil {
					found[i] = read
				}
				return nil
			})
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err // what was asked for in vain is not what the venue refused
	}
	for i := range found {
		r.addMarkets(found[i])
		r.MarketsUnread = r.MarketsUnread || unread[i]
	}
	return nil
}

func (r *Record) addMarkets(found []market.PerpMarket) {
	for _, m := range found {
		r.Markets[m.Coin] = m
	}
}

// exchangeOf is the builder's exchange that a coin is traded on; empty for the venue's main one.
func exchangeOf(coin string) string {
	exchange, _, of := strings.Cut(coin, ":")
	if !of {
		return ""
	}
	return exchange
}

// FirstActivity is the time of the first fill, of whatever kind, or transfer that is known; zero when there is none. Known is false when older ones
// may exist: the fills are cut short and the ledger, which begins where the account does, has nothing.
func (r *Record) FirstActivity() (first time.Time, known bool) {
	if len(r.Transfers) > 0 {
		first = r.Transfers[0].Time
	}
	for _, seen := range []time.Time{r.Book.First, r.Fills.FirstOther, r.Fills.Since} {
		if !seen.IsZero() && !seen.After(r.AsOf) && (first.IsZero() || seen.Before(first)) {
			first = seen
		}
	}
	return first, len(r.Transfers) > 0 || !r.Fills.Truncated
}

// liquidationPause separates liquidations: what the venue closes within it is one event.
const liquidationPause = time.Hour

// Liquidations counts how often the account was liquidated, as its fills and its ledger tell, and gives the last time; what
// follows within an hour belongs to the same event.
func (r *Record) Liquidations() (count int, last time.Time) {
	times := slices.Clone(r.Book.LiquidatedAt)
	for _, t := range r.Transfers {
		if t.Kind == market.LiquidationTransfer {
			times = append(times, t.Time)
		}
	}
	slices.SortFunc(times, time.Time.Compare)
	for _, at := range times {
		if count == 0 || at.Sub(last) > liquidationPause {
			count++
		}
		last = at
	}
	return count, last
}

package trader

import (
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
)

const (
	// insiderLaunches is how many launches a wallet must have been supplied before.
	insiderLaunches = 2
	// thinHolders is the number of holders below which a token has no market of its own.
	thinHolders = 20
	// controllingLiquidity is the part of a token's liquidity from which its provider makes the price.
	controllingLiquidity = 0.2
	// EarlyEntry is how soon after a token's launch a buy is early, FundingWindow how long before it money counts as sent for it.
	EarlyEntry    = 48 * time.Hour
	FundingWindow = 72 * time.Hour
	// launchSlack is how far apart the creation of a pool and its first liquidity may lie.
	launchSlack = 10 * time.Minute
)

// Inspect looks at how a spot wallet trades: for wash trading, for supply received before launches, for automation. What the
// surroundings do not tell is not held against the wallet. Nothing after the book's instant counts.
func Inspect(wallet chain.Address, book *position.Book, s Surroundings) Conduct {
	view := newView(wallet, book, s)
	conduct := Conduct{Automated: automation(view.trades)}
	if len(view.trades) > 0 {
		conduct.SameBlockShare = float64(view.sameBlock) / float64(len(view.trades))
		if conduct.SameBlockShare >= 0.2 && len(view.trades) >= automationMinimum {
			conduct.Automated.Verdict = AutomationLikely
		}
	}
	supplied := view.suppliedBeforeLaunch()
	conduct.Insider.Tokens = sortedAddresses(append(view.fundedByCreator(), supplied...))
	conduct.Insider.Suspected = len(conduct.Insider.Tokens) >= insiderLaunches
	conduct.Wash = view.wash(supplied)
	return conduct
}

// view is the wallet's history as far as it may be seen.
type view struct {
	wallet    chain.Address
	book      *position.Book
	s         Surroundings
	trades    []position.Trade
	transfers []position.Transfer
	// byToken are indices of trades, by token in the order of first trades.
	byToken [][]int
	// withPerson tells of each trade whether its counterparty is a person.
	withPerson []bool
	// volume is the traded value in USD, of priced trades.
	volume    float64
	sameBlock int
}

func newView(wallet chain.Address, book *position.Book, s Surroundings) *view {
	v := &view{wallet: wallet, book: book, s: s}
	if book == nil || book.Ledger == nil {
		v.book = &position.Book{}
		return v
	}
	v.trades, v.transfers = book.Ledger.Trades, book.Ledger.Transfers
	if !book.AsOf.IsZero() {
		for len(v.trades) > 0 && v.trades[len(v.trades)-1].Time.After(book.AsOf) {
			v.trades = v.trades[:len(v.trades)-1]
		}
		for len(v.transfers) > 0 && v.transfers[len(v.transfers)-1].Time.After(book.AsOf) {
			v.transfers = v.transfers[:len(v.transfers)-1]
		}
	}
	v.withPerson = make([]bool, len(v.trades))
	// tokens are the numbers of the trades' tokens, lengths how many trades each of those has.
	number, tokens := make(map[chain.Address]int, len(book.Ledger.Tokens)), make([]int, len(v.trades))
	var lengths []int
	for i := range v.trades {
		t := &v.trades[i]
		if t.Priced {
			v.volume += t.ValueUSD
		}
		if t.SameBlock {
			v.sameBlock++
		}
		at, known := number[t.Token]
		if !known {
			at = len(lengths)
			number[t.Token] = at
			lengths = append(lengths, 0)
		}
		tokens[i] = at
		lengths[at]++
	}
	v.byToken = make([][]int, len(lengths))
	all, begin := make([]int, len(v.trades)), 0
	for at, length := range lengths {
		v.byToken[at] = all[begin : begin : begin+length]
		begin += length
	}
	for i, at := range tokens {
		of := v.byToken[at]
		// Most trades of a token are with the same pool.
		if last := len(of) - 1; last >= 0 && v.trades[of[last]].Counterparty == v.trades[i].Counterparty {
			v.withPerson[i] = v.withPerson[of[last]]
		} else {
			v.withPerson[i] = v.person(v.trades[i].Counterparty)
		}
		v.byToken[at] = append(of, i)
	}
	return v
}

// person tells whether an account is known to be somebody's own, no contract and no service.
func (v *view) person(account chain.Address) bool {
	known, found := v.s.Accounts[account]
	return found && !known.Contract && known.Kind == market.UnknownAccount
}

// suppliedBeforeLaunch lists tokens that reached the wallet without being traded before their first pool existed, and that it
// sold later. A token that the wallet itself traded earlier had a market before, so its launch is not known.
func (v *view) suppliedBeforeLaunch() []chain.Address {
	if len(v.s.Launched) == 0 {
		return nil
	}
	received := make(map[chain.Address]bool)
	for i := range v.transfers {
		t := &v.transfers[i]
		launched, known := v.s.Launched[t.Token]
		if known && !launched.IsZero() && t.In && t.Origin != position.ExchangeTransfer && t.Time.Before(launched) {
			received[t.Token] = true
		}
	}
	var tokens []chain.Address
	for _, indices := range v.byToken {
		first := &v.trades[indices[0]]
		if !received[first.Token] || first.Time.Before(v.s.Launched[first.Token]) {
			continue
		}
		for _, i := range indices {
			if v.trades[i].Side == position.Sell {
				tokens = append(tokens, first.Token)
				break
			}
		}
	}
	return sortedAddresses(tokens)
}

// fundedByCreator lists tokens that the wallet bought soon after launch with money that their creator had sent it shortly before.
func (v *view) fundedByCreator() []chain.Address {
	if len(v.s.Creator) == 0 {
		return nil
	}
	var tokens []chain.Address
	for _, indices := range v.byToken {
		first := &v.trades[indices[0]]
		creator, known := v.s.Creator[first.Token]
		launched := v.s.Launched[first.Token]
		if !known || creator == v.wallet || first.Side != position.Buy || launched.IsZero() || first.Time.Sub(launched) > EarlyEntry {
			continue
		}
		for i := range v.transfers {
			t := &v.transfers[i]
			if t.In && t.Counterparty == creator && t.ValueUSD > 0 && !t.Time.After(first.Time) && first.Time.Sub(t.Time) <= FundingWindow {
				tokens = append(tokens, first.Token)
				break
			}
		}
	}
	return tokens
}

// controlled lists tokens whose market the wallet itself made: it added liquidity when the first pool was created, or what it
// added is at least a fifth of today's.
func (v *view) controlled() []chain.Address {
	type provision struct {
		token chain.Address
		at    time.Time
	}
	var tokens []chain.Address
	added := make(map[chain.Address]float64)
	for start := 0; start < len(v.transfers); {
		end := start + 1
		for end < len(v.transfers) && v.transfers[end].Tx == v.transfers[start].Tx {
			end++
		}
		// Liquidity is added by sending a token and something of known worth away in one transaction.
		worth := 0.0
		var given []provision
		for i := start; i < end; i++ {
			t := &v.transfers[i]
			switch {
			case t.In:
			case t.ValueUSD > 0:
				worth += t.ValueUSD
			default:
				given = append(given, provision{t.Token, t.Time})
			}
		}
		if worth > 0 && len(given) == 1 {
			token := given[0].token
			added[token] += 2 * worth
			launched, known := v.s.Launched[token]
			atLaunch := known && !launched.IsZero() && given[0].at.Sub(launched).Abs() <= launchSlack
			liquidity := v.s.LiquidityUSD[token]
			if atLaunch || (liquidity > 0 && added[token] >= controllingLiquidity*liquidity) {
				tokens = append(tokens, token)
			}
		}
		start = end
	}
	return sortedAddresses(tokens)
}

func sortedAddresses(addresses []chain.Address) []chain.Address {
	slices.SortFunc(addresses, chain.Address.Compare)
	return slices.Compact(addresses)
}

func containsAddress(sorted []chain.Address, address chain.Address) bool {
	_, found := slices.BinarySearchFunc(sorted, address, chain.Address.Compare)
	return found
}

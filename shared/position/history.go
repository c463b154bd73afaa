package position

import (
	"cmp"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// History is a wallet's transactions, read as what each changed. It is not changed any more once it is read.
type History struct {
	*reader
	// changes are what the transactions did, in their order.
	changes []change
}

// change is what a transaction did: its shape, and its legs from first up to end. A failed one did nothing.
type change struct {
	what shape
	flow
	first, end int
}

// Read nets and classifies a wallet's transactions.
func Read(on *chain.Chain, wallet chain.Address, activity *market.Activity) *History {
	h := &History{reader: newReader(on, wallet, activity), changes: make([]change, len(activity.Transactions))}
	for i := range activity.Transactions {
		tx, c := &activity.Transactions[i], &h.changes[i]
		h.stamp = i + 1
		h.handle(tx)
		if tx.Failed {
			continue
		}
		c.first = len(h.all)
		h.net(tx)
		c.what, c.flow = h.classify(tx)
		for j := range h.legs {
			h.legs[j].origin = h.originOf(&h.legs[j])
		}
		c.end = len(h.all)
	}
	return h
}

// Wanted lists the prices that Ledger will ask for: of quote assets wherever they moved against a token or alone, of the native coin
// wherever gas counts, and of tokens that were swapped for each other or several at once. Times are whole minutes, each once, in order;
// assets are in the order of their addresses.
func (h *History) Wanted() []market.PriceRequest {
	times := make([][]time.Time, len(h.assets))
	times[nativePlace] = make([]time.Time, 0, len(h.changes))
	want := func(asset int, minute time.Time) {
		if list := times[asset]; len(list) == 0 || !list[len(list)-1].Equal(minute) {
			times[asset] = append(list, minute)
		}
	}
	for i := range h.changes {
		tx, c := &h.activity.Transactions[i], &h.changes[i]
		minute := tx.Time.Truncate(time.Minute)
		switch c.what {
		case nothing:
			if tx.Failed && !tx.GasFee.IsZero() {
				want(nativePlace, minute)
			}
			continue
		case treasury, forged:
			continue
		case trade:
			want(nativePlace, minute)
		}
		for j := c.first; j < c.end; j++ {
			if l := &h.all[j]; l.quote || c.what == trade && c.needsTokenPrices() {
				want(l.asset, minute)
			}
		}
	}
	var requests []market.PriceRequest
	for asset, list := range times {
		if len(list) > 0 {
			slices.SortFunc(list, time.Time.Compare)
			list = slices.CompactFunc(list, time.Time.Equal)
			requests = append(requests, market.PriceRequest{Asset: h.assets[asset].address, Times: list})
		}
	}
	slices.SortFunc(requests, func(a, b market.PriceRequest) int { return a.Asset.Compare(b.Asset) })
	return requests
}

// Handled lists the tokens outside the quote set that the wallet itself did something with, at most so many, the latest first: tokens
// that left it, or moved in a transaction that it sent. What merely arrived from strangers is not among them. The list is in the order of
// addresses.
func (h *History) Handled(most int) []chain.Address {
	var places []int
	for i := range h.assets {
		if a := &h.assets[i]; a.handledIn > 0 && !a.quote {
			places = append(places, i)
		}
	}
	if len(places) > most {
		slices.SortFunc(places, func(i, j int) int {
			a, b := &h.assets[i], &h.assets[j]
			return cmp.Or(cmp.Compare(b.handledIn, a.handledIn), cmp.Compare(a.handledAt, b.handledAt))
		})
		places = places[:most]
	}
	tokens := make([]chain.Address, len(places))
	for i, place := range places {
		tokens[i] = h.assets[place].address
	}
	slices.SortFunc(tokens, chain.Address.Compare)
	return tokens
}

package position

import (
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// placesPerTransaction leaves room in Trade.Order for the position within the transaction.
const placesPerTransaction = 1 << 20

// minimumLiquidityUSD is how deep a token's pool must be before its price may value a trade.
const minimumLiquidityUSD = 1000

// Prices are what Reconstruct values with. The native coin is asked for by chain.Native.
type Prices interface {
	// At is an asset's USD price at a time; the second result is false when there is none to be trusted.
	At(asset chain.Address, at time.Time) (usd float64, ok bool)
	// Liquidity is the token's current pool liquidity in USD, NaN when unknown.
	Liquidity(token chain.Address) float64
}

// Reconstruct reads a wallet's transactions as trades and transfers.
//
// Every transaction is netted first, so that routes, refunds and wrapping disappear. What went out in quote assets and came
// in as a token is a buy, the other way round a sell; one token for another is a sell and a buy of the same value; one quote
// asset for another is counted and left out. A trade is worth what its quote leg was worth in that minute. Without a quote
// leg the deeper token's price values both sides, if any pool holds at least 1,000 USD; else the trade is unpriced.
// Lending, staking, bridging and providing liquidity are transfers that keep the cost. Unsolicited spam is counted and
// dropped. A stablecoin without a price counts as one dollar; gas without a price as nothing.
func Reconstruct(on *chain.Chain, wallet chain.Address, activity *market.Activity, prices Prices) *Ledger {
	w := &writer{
		reader: newReader(on, wallet, activity),
		prices: prices,
		ledger: &Ledger{
			Trades:    make([]Trade, 0, len(activity.Transactions)),
			Truncated: activity.Truncated,
			Since:     activity.Since,
		},
	}
	var block, index uint64
	for i := range activity.Transactions {
		tx := &activity.Transactions[i]
		if i > 0 && tx.Block == block {
			index++
		} else {
			block, index = tx.Block, 0
		}
		if tx.Index >= 0 {
			index = uint64(tx.Index)
		}
		w.write(tx, index)
	}
	w.dropSpam()
	w.describeTokens()
	return w.ledger
}

// writer turns classified transactions into the rows of a ledger.
type writer struct {
	*reader
	prices Prices
	ledger *Ledger
	// doubtful are indices of transfers that are spam unless the wallet traded the token.
	doubtful []int
	sides    [2]side
	// order is the next row's Order.
	order uint64
}

func (w *writer) write(tx *market.Transaction, index uint64) {
	if tx.Sender == w.wallet {
		w.ledger.Transactions++
	}
	if tx.Failed {
		w.waste(tx)
		return
	}
	w.order = index * placesPerTransaction
	w.net(tx)
	what, f := w.classify(tx)
	switch what {
	case treasury:
		w.ledger.Treasury++
	case trade:
		w.writeTrades(tx, f)
	case forged:
		w.ledger.SpamDropped += len(w.legs)
	case transfers, claim, selfTransfers:
		for i := range w.legs {
			w.writeTransfer(tx, &w.legs[i], what)
		}
	}
}

func (w *writer) waste(tx *market.Transaction) {
	if tx.Sender != w.wallet && tx.GasFee.IsZero() {
		return
	}
	w.ledger.FailedTransactions++
	w.ledger.WastedGasUSD += w.gasUSD(tx)
}

// gasUSD is what the wallet paid for gas, zero when somebody else paid.
func (w *writer) gasUSD(tx *market.Transaction) float64 {
	if tx.GasFee.IsZero() {
		return 0
	}
	native := &w.assets[nativePlace]
	price, priced := w.price(native, tx.Time)
	usd := float(&tx.GasFee) / native.scale * price
	if !priced || !(usd <= maximumUSD) {
		return 0
	}
	return usd
}

// price asks for an asset's price in the minute of at.
func (w *writer) price(a *asset, at time.Time) (float64, bool) {
	minute := at.Unix() / 60
	if a.minute == minute && a.price != 0 {
		return a.price, a.priced
	}
	start := at.Truncate(time.Minute)
	usd, ok := w.prices.At(a.address, start)
	if !ok && a.address == chain.Native {
		usd, ok = w.prices.At(w.on.WrappedNative.Address, start)
	}
	ok = ok && usd > 0 && !math.IsInf(usd, 0)
	if !ok {
		usd = math.NaN()
		if a.stable {
			usd, ok = 1, true
		}
	}
	a.minute, a.price, a.priced = minute, usd, ok
	return usd, ok
}

func (w *writer) writeTransfer(tx *market.Transaction, l *leg, what shape) {
	a := &w.assets[l.asset]
	in := l.quantity > 0
	transfer := Transfer{
		Time: tx.Time, Block: tx.Block, Order: w.order, Tx: tx.Hash, Token: a.address,
		Quantity: math.Abs(l.quantity), In: in, Counterparty: l.counterparty,
	}
	w.order++
	switch {
	case what == selfTransfers:
		transfer.Origin = TransferKnown
	default:
		transfer.Origin = w.origin(l)
	}
	if a.quote {
		if usd, priced := w.price(a, tx.Time); priced && transfer.Quantity*usd <= maximumUSD {
			transfer.ValueUSD = transfer.Quantity * usd
		}
	} else if tx.Sender != w.wallet && l.kind == market.UnknownAccount &&
		transfer.Origin != TransferKnown && (in || a.suspicious) {
		w.doubtful = append(w.doubtful, len(w.ledger.Transfers))
	}
	w.ledger.Transfers = append(w.ledger.Transfers, transfer)
}

// dropSpam removes doubtful transfers of tokens that lure or have no market, unless the wallet traded the token.
func (w *writer) dropSpam() {
	rows := w.ledger.Transfers
	kept, next := 0, 0
	for i := range rows {
		if next < len(w.doubtful) && w.doubtful[next] == i {
			next++
			if a := &w.assets[w.place(&rows[i].Token)]; !a.traded && (a.suspicious || !(w.prices.Liquidity(a.address) > 0)) {
				w.ledger.SpamDropped++
				continue
			}
		}
		rows[kept] = rows[i]
		kept++
	}
	w.ledger.Transfers = rows[:kept]
}

// describeTokens names every token in the ledger.
func (w *writer) describeTokens() {
	used := make([]bool, len(w.assets))
	for i := range w.ledger.Transfers {
		used[w.places[w.ledger.Transfers[i].Token]] = true
	}
	w.ledger.Tokens = make(map[chain.Address]market.Token, len(w.assets))
	for i := range w.assets {
		if w.assets[i].traded || used[i] {
			w.ledger.Tokens[w.assets[i].address] = w.assets[i].token
		}
	}
}

// Wanted lists the prices Reconstruct will ask for: of quote assets wherever they moved against a token or alone, of the
// native coin wherever gas counts, and of tokens that were swapped for each other or several at once. Times are whole
// minutes, each once, in order; assets are in the order of their addresses.
func Wanted(on *chain.Chain, wallet chain.Address, activity *market.Activity) []market.PriceRequest {
	r := newReader(on, wallet, activity)
	var times [][]time.Time
	want := func(at int, when time.Time) {
		for len(times) <= at {
			times = append(times, nil)
		}
		when = when.Truncate(time.Minute)
		if list := times[at]; len(list) == 0 || !list[len(list)-1].Equal(when) {
			times[at] = append(list, when)
		}
	}
	for i := range activity.Transactions {
		tx := &activity.Transactions[i]
		if tx.Failed {
			if !tx.GasFee.IsZero() {
				want(nativePlace, tx.Time)
			}
			continue
		}
		r.net(tx)
		what, f := r.classify(tx)
		switch what {
		case nothing, treasury, forged:
			continue
		case trade:
			want(nativePlace, tx.Time)
		}
		for i := range r.legs {
			if at := r.legs[i].asset; r.assets[at].quote || what == trade && f.needsTokenPrices() {
				want(at, tx.Time)
			}
		}
	}
	var requests []market.PriceRequest
	for at, list := range times {
		if len(list) > 0 {
			slices.SortFunc(list, time.Time.Compare)
			list = slices.CompactFunc(list, time.Time.Equal)
			requests = append(requests, market.PriceRequest{Asset: r.assets[at].address, Times: list})
		}
	}
	slices.SortFunc(requests, func(a, b market.PriceRequest) int { return a.Asset.Compare(b.Asset) })
	return requests
}

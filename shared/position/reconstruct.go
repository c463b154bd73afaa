package position

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// placesPerTransaction leaves room in Trade.Order for the position within the transaction.
const placesPerTransaction = 1 << 20

// minimumLiquidityUSD is how deep a token's pool must be before its price may value a trade.
const minimumLiquidityUSD = 1000

// Prices are what a history's trades are valued with. The native coin is asked for by chain.Native.
type Prices interface {
	// At is an asset's USD price at a time; the second result is false when there is none to be trusted.
	At(asset chain.Address, at time.Time) (usd float64, ok bool)
	// Liquidity is the token's current pool liquidity in USD, NaN when unknown.
	Liquidity(token chain.Address) float64
}

// Ledger makes trades and transfers of the transactions.
//
// Every transaction is netted first, so that routes, refunds and wrapping disappear. What went out in quote assets and came
// in as a token is a buy, the other way round a sell; one token for another is a sell and a buy of the same value; one quote
// asset for another is counted and left out. A trade is worth what its quote leg was worth in that minute. Without a quote
// leg the deeper token's price values both sides, if any pool holds at least 1,000 USD; else the trade is unpriced.
// Lending, staking, bridging and providing liquidity are transfers that keep the cost. Unsolicited spam is counted and
// dropped. A stablecoin without a price counts as one dollar; gas without a price as nothing.
func (h *History) Ledger(prices Prices) *Ledger {
	w := &writer{
		History: h,
		prices:  prices,
		states:  make([]assetState, len(h.assets)),
		ledger: &Ledger{
			Trades:    make([]Trade, 0, len(h.activity.Transactions)),
			Truncated: h.activity.Truncated,
			Since:     h.activity.Since,
		},
	}
	var block, index uint64
	for i := range h.activity.Transactions {
		tx := &h.activity.Transactions[i]
		if i > 0 && tx.Block == block {
			index++
		} else {
			block, index = tx.Block, 0
		}
		if tx.Index >= 0 {
			index = uint64(tx.Index)
		}
		w.order = index * placesPerTransaction
		w.write(tx, &h.changes[i])
	}
	w.dropSpam()
	w.describeTokens()
	return w.ledger
}

// writer turns classified transactions into the rows of a ledger.
type writer struct {
	*History
	prices Prices
	ledger *Ledger
	// states are those of the assets, by place.
	states []assetState
	// legs are those of the current transaction.
	legs []leg
	// doubtful are transfers that are spam unless the wallet traded the token.
	doubtful []doubtfulTransfer
	sides    [2]side
	// order is the next row's Order.
	order uint64
}

// assetState is what a writer knows of an asset so far.
type assetState struct {
	traded bool
	// transfers counts the asset's transfers in the ledger.
	transfers int

	// minute, price and priced remember the last price that was asked for.
	minute int64
	price  float64
	priced bool

	// block is that of the last trade, firstTrade the first in it.
	block        uint64
	firstTrade   int
	bought, sold bool
}

// doubtfulTransfer names a transfer by its place in the ledger, and its asset.
type doubtfulTransfer struct{ row, asset int }

func (w *writer) write(tx *market.Transaction, c *change) {
	if same(&tx.Sender, &w.wallet) {
		w.ledger.Transactions++
	}
	if tx.Failed {
		w.waste(tx)
		return
	}
	w.legs = w.all[c.first:c.end]
	switch c.what {
	case treasury:
		w.ledger.Treasury++
	case trade:
		w.writeTrades(tx, c.flow)
	case forged:
		w.ledger.SpamDropped += len(w.legs)
	case transfers, claim, selfTransfers:
		for i := range w.legs {
			w.writeTransfer(tx, &w.legs[i], c.what)
		}
	}
}

func (w *writer) waste(tx *market.Transaction) {
	if tx.GasFee.IsZero() && !same(&tx.Sender, &w.wallet) {
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
	price, priced := w.price(nativePlace, tx.Time)
	usd := float(&tx.GasFee) / w.assets[nativePlace].scale * price
	if !priced || !(usd <= maximumUSD) {
		return 0
	}
	return usd
}

// price asks for an asset's price in the minute of a time.
func (w *writer) price(asset int, at time.Time) (float64, bool) {
	state := &w.states[asset]
	minute := at.Unix() / 60
	if state.minute == minute && state.price != 0 {
		return state.price, state.priced
	}
	a := &w.assets[asset]
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
	state.minute, state.price, state.priced = minute, usd, ok
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
	if transfer.Origin = l.origin; what == selfTransfers {
		transfer.Origin = TransferKnown
	}
	if a.quote {
		if usd, priced := w.price(l.asset, tx.Time); priced && transfer.Quantity*usd <= maximumUSD {
			transfer.ValueUSD = transfer.Quantity * usd
		}
	} else if l.kind == market.UnknownAccount && !same(&tx.Sender, &w.wallet) &&
		transfer.Origin != TransferKnown && (in || a.suspicious) {
		w.doubtful = append(w.doubtful, doubtfulTransfer{len(w.ledger.Transfers), l.asset})
	}
	w.states[l.asset].transfers++
	w.ledger.Transfers = append(w.ledger.Transfers, transfer)
}

// dropSpam removes doubtful transfers of tokens that lure or have no market, unless the wallet traded the token.
func (w *writer) dropSpam() {
	if len(w.doubtful) == 0 {
		return
	}
	rows, doubtful := w.ledger.Transfers, w.doubtful
	kept := doubtful[0].row
	for i := kept; i < len(rows); i++ {
		if len(doubtful) > 0 && doubtful[0].row == i {
			asset := doubtful[0].asset
			doubtful = doubtful[1:]
			if a, state := &w.assets[asset], &w.states[asset]; !state.traded && (a.suspicious || !(w.prices.Liquidity(a.address) > 0)) {
				state.transfers--
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
	w.ledger.Tokens = make(map[chain.Address]market.Token, len(w.assets))
	for i := range w.assets {
		if w.states[i].traded || w.states[i].transfers > 0 {
			w.ledger.Tokens[w.assets[i].address] = w.assets[i].token
		}
	}
}

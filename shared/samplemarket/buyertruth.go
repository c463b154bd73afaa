package samplemarket

// BuyerTruth tells by whom a token was bought lately. Each account counts once.
type BuyerTruth struct {
	All int
	// Skilled have a planted edge, Proven are those of them that have closed recordLength positions. Carried hold for weeks what they
	// picked at random, and rise with the market.
	Skilled, Proven, Carried int
}

const (
	// latestBuyers is how many of a token's latest buyers are told.
	latestBuyers = 12
	// leastPurchase is in USD: whoever spends less is not counted.
	leastPurchase = 10
	// recordLength is how many closed positions make a record.
	recordLength = 30
	// carriedHold is in hours.
	carriedHold = 14 * 24
)

// latestBuyersOf goes back over a token's main pool from now. A buyer is who signed, as anybody sees it.
func (w *world) latestBuyersOf(t *token) BuyerTruth {
	var truth BuyerTruth
	seen := map[int32]bool{}
	p := &w.pools[t.pool]
	for i := len(p.swaps) - 1; i >= 0 && w.now-w.swapTime(p.swaps[i]) <= daySeconds && truth.All < latestBuyers; i-- {
		s := &w.swaps[p.swaps[i]]
		signer := w.txs[s.transaction].from
		if s.tokenOut <= 0 || s.usd < leastPurchase || seen[signer] || signer == t.creator {
			continue
		}
		seen[signer] = true
		truth.All++
		id, known := w.byEntity[signer]
		if !known {
			continue
		}
		me := &w.wallets[id]
		switch {
		case me.plan.skilled:
			truth.Skilled++
			if me.record.closed >= recordLength {
				truth.Proven++
			}
		case me.plan.holdLow >= carriedHold && !me.plan.wash:
			truth.Carried++
		}
	}
	return truth
}

package holdings

import (
	"cmp"
	"math"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// holding is what a wallet has of one asset. The native coin and its wrapped form are one asset, named chain.Native.
type holding struct {
	asset chain.Address
	token market.Token
	// amount is raw, of all rows together.
	amount market.Amount
	// listedUSD is the explorer's price, NaN for none.
	listedUSD float64
}

// mergeHoldings makes one holding of all rows of an asset, in the order of their addresses. Rows without an amount are left out.
// What the chain's own assets are called and how they are scaled is taken from the chain, not from whoever lists them.
func mergeHoldings(on *chain.Chain, rows []market.Holding) []holding {
	own := make(map[chain.Address]chain.Asset)
	for _, quote := range on.Quotes() {
		own[quote.Address] = quote
	}
	single := make([]holding, 0, len(rows))
	for i := range rows {
		row := &rows[i]
		if row.Amount.IsZero() {
			continue
		}
		h := holding{asset: row.Token.Address, token: row.Token, amount: row.Amount, listedUSD: orNaN(row.PriceUSD)}
		switch quote, found := own[h.asset]; {
		case h.asset == chain.Native || h.asset == on.WrappedNative.Address:
			h.asset, h.token = chain.Native, market.NativeToken(on)
		case found:
			h.token = market.Token{Address: quote.Address, Symbol: quote.Symbol, Name: quote.Symbol, Decimals: quote.Decimals, Known: true}
		}
		single = append(single, h)
	}
	slices.SortFunc(single, func(a, b holding) int {
		return cmp.Or(a.asset.Compare(b.asset), cmp.Compare(a.token.Decimals, b.token.Decimals),
			cmp.Compare(a.token.Symbol, b.token.Symbol), cmp.Compare(a.token.Name, b.token.Name), a.amount.Cmp(&b.amount))
	})
	merged := single[:0]
	for i := range single {
		if n := len(merged); n > 0 && merged[n-1].asset == single[i].asset {
			merged[n-1].add(&single[i])
			continue
		}
		merged = append(merged, single[i])
	}
	return merged
}

// add puts another row of the same asset to a holding. Of several prices the lowest counts. A row with other decimals cannot be
// of the same contract and adds nothing.
func (h *holding) add(row *holding) {
	h.token.Spam = h.token.Spam || row.token.Spam
	h.token.Known = h.token.Known && row.token.Known
	if math.IsNaN(h.listedUSD) || row.listedUSD < h.listedUSD {
		h.listedUSD = row.listedUSD
	}
	if row.token.Decimals != h.token.Decimals {
		return
	}
	if _, overflow := h.amount.AddOverflow(&h.amount, &row.amount); overflow {
		h.amount.SetAllOne()
	}
}

// units is the amount in whole tokens.
func (h *holding) units() float64 { return market.Units(&h.amount, h.token.Decimals) }

// advertises tells a token whose name asks to visit a site.
func (h *holding) advertises() bool {
	return display.LooksLikeLink(h.token.Symbol) || display.LooksLikeLink(h.token.Name)
}

// maximumPriced bounds how many tokens are looked up besides the chain's own assets: wallets are sent tokens by the thousand.
const maximumPriced = 240

// candidates are the holdings that may be worth something: the chain's own assets, then those that the explorer prices highest, then
// those with the most holders. left counts those beyond the limit.
func candidates(on *chain.Chain, all []holding) (own, others []*holding, left int) {
	for i := range all {
		switch h := &all[i]; {
		case on.IsQuote(h.asset):
			own = append(own, h)
		case h.token.Known && !h.token.Spam:
			others = append(others, h)
		}
	}
	listed := func(h *holding) float64 {
		if usd := h.units() * h.listedUSD; isPositive(usd) {
			return usd
		}
		return 0
	}
	slices.SortStableFunc(others, func(a, b *holding) int {
		return cmp.Or(cmp.Compare(listed(b), listed(a)), cmp.Compare(b.token.Holders, a.token.Holders))
	})
	if left = len(others) - maximumPriced; left > 0 {
		return own, others[:maximumPriced], left
	}
	return own, others, 0
}

// isPositive tells a number that can be a price or an amount of money.
func isPositive(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// orNaN is NaN for what cannot be a price.
func orNaN(price float64) float64 {
	if isPositive(price) {
		return price
	}
	return math.NaN()
}

package samplemarket

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// token is a traded token: its plan, and where it stands.
type token struct {
	asset       int32
	entity      int32
	kind        tokenKind
	regime      regime
	path        *pricePath
	stream      seeded.Stream
	creator     int32
	created     int32
	listed      int32 // when its first pool got liquidity
	listPrice   float64
	pool        int32 // the deepest pool, -1 before listing
	pools       []int32
	crowd       []int32 // background traders of this token (wallet ids)
	buyTax      int64   // percent
	sellTax     int64
	ruggedAt    int32 // 0 for not yet
	owner       int32 // contract owner; 0 (the zero address) when renounced
	openSource  bool
	mintable    bool
	proxy       bool
	pausable    bool
	blacklists  bool
	slippageMod bool
	contract    string // whose code it runs
	traits      traits
	census      []int32 // how many held it at the end of each day since it was made
	tipped      int32   // who was paid to buy it early (wallet id), 0 for nobody
	bots        []int32 // the accounts of a bundled launch
	botSize     int64   // what each of their trades is worth, in the quote asset
	distributor int32
	category    string
}

// priceUSD is what one coin costs at the token's main pool now, 0 without liquidity.
func (w *world) priceUSD(t *token) float64 {
	if t.pool < 0 {
		return 0
	}
	return w.poolPriceUSD(&w.pools[t.pool])
}

// poolPriceUSD is the price of a pool's token in USD now.
func (w *world) poolPriceUSD(p *pool) float64 {
	if p.tokenReserve == 0 || p.quoteReserve == 0 {
		return 0
	}
	return w.assets[p.quote].coins(p.quoteReserve) / w.assets[p.token].coins(p.tokenReserve) * w.quoteUSD(p.quote, w.now)
}

// quoteUSD is the USD price of a quote asset at a time.
func (w *world) quoteUSD(assetID int32, at int32) float64 {
	a := &w.assets[assetID]
	switch a.kind {
	case assetNative, assetWrapped:
		return w.nativeUSD.at(at)
	case assetStaked:
		return w.nativeUSD.at(at) * stakedRatio(at)
	case assetStable:
		wobble := seeded.Mix(uint64(assetID)<<40 + uint64(max(at, 0)/hourSeconds))
		return 1 + (float64(wobble%1001)-500)*6e-7
	}
	return 0
}

// stakedRatio is what a staking receipt is worth in native coin: it earns about 3 % a year.
func stakedRatio(at int32) float64 { return 1.19 * math.Exp(0.03*float64(at)/(365*86400)) }

// target is the USD price the token's regime calls for at a time.
func (t *token) target(at int32) float64 {
	return t.listPrice * t.path.at(at-t.listed)
}

// foresight is the logarithmic return the regime holds for a holding from one time to another. A rug counts as a total loss.
func (t *token) foresight(from, to int32) float64 {
	if r := t.regime.ruggedAt; r > 0 && to >= t.listed+int32(r)*hourSeconds {
		return -5
	}
	if t.kind == kindHoneypot {
		return -5
	}
	return t.path.logAt(to-t.listed) - t.path.logAt(from-t.listed)
}

// liquidityUSD is the value of the quote side of the token's main pool.
func (w *world) liquidityUSD(t *token) float64 {
	if t.pool < 0 {
		return 0
	}
	p := &w.pools[t.pool]
	return w.assets[p.quote].coins(p.quoteReserve) * w.quoteUSD(p.quote, w.now)
}

// circulating is the supply that is neither burned nor, for tokens whose project tells it, vested.
func (w *world) circulating(assetID int32) int64 {
	a := &w.assets[assetID]
	units := a.supply - w.balance(w.burn, assetID)
	if a.token >= 0 && w.tokens[a.token].category != "memecoin" {
		units -= w.balance(w.teamLock, assetID)
	}
	return units
}

func (t *token) ageHours(at int32) int { return int(at-t.listed) / hourSeconds }

package samplemarket

import "math"

type poolVersion uint8

const (
	poolV2 poolVersion = iota
	poolV3
	poolV4
)

// pool is a constant-product market of one token against one quote asset. Version 3 and 4 pools keep their liquidity over the full
// range, where the curve is the same.
type pool struct {
	version      poolVersion
	entity       int32 // the pair or pool contract; the shared manager for version 4
	id           [32]byte
	token, quote int32 // assets
	tokenReserve int64
	quoteReserve int64
	feeHundredth int64 // fee in hundredths of a basis point: 3000 is 0.3 %
	created      int32
	owner        int32 // who supplied the liquidity
	receipt      int32 // the liquidity token's asset, -1 for versions 3 and 4
	lock         liquidityLock
	lockedUntil  int32 // when a lock ends
	drainedAt    int32 // 0 while it has liquidity
	swaps        []int32
	tokenID      int32 // index into world.tokens, -1 for a pool of two quote assets
}

type liquidityLock uint8

const (
	liquidityOpen liquidityLock = iota // its owner can withdraw it any time
	liquidityBurned
	liquidityLocked // a lock keeps it until a time
)

// out is what a pool pays for an input of one side, after its fee.
func (p *pool) out(input int64, sellToken bool) int64 {
	reserveIn, reserveOut := p.quoteReserve, p.tokenReserve
	if sellToken {
		reserveIn, reserveOut = reserveOut, reserveIn
	}
	charged := input - (input/1_000_000*p.feeHundredth + (input%1_000_000*p.feeHundredth+999_999)/1_000_000)
	if charged <= 0 || reserveIn <= 0 || reserveOut <= 0 {
		return 0
	}
	return mulDiv(charged, reserveOut, reserveIn+charged)
}

// quoteToReach is the quote that must be paid in (or, negative, taken out) to move the price by a factor.
func (p *pool) quoteToReach(factor float64) float64 {
	return float64(p.quoteReserve) * (math.Sqrt(factor) - 1)
}

// tokensToReach is the amount of the token that must be sold to move the price by a factor below one.
func (p *pool) tokensToReach(factor float64) float64 {
	return float64(p.tokenReserve) * (1/math.Sqrt(factor) - 1)
}

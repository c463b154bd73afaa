package evmrpc

import (
	"math"

	"github.com/holiman/uint256"
)

// The first topics of what pools tell besides swaps: Keccak-256 of the signatures.
var (
	syncTopic            = mustWord("0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1")
	velodromeSyncTopic   = mustWord("0xcf2aa50876cdfbb541206f89af0ee78d44a2abf8d328e37fa4917f982149848a")
	mintV2Topic          = mustWord("0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f")
	burnV2Topic          = mustWord("0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496")
	velodromeBurnTopic   = mustWord("0x5d624aa9c148153ab3446c1b154f660ee7701e549fe9b62dab7171b1c80e6fa2")
	mintV3Topic          = mustWord("0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde")
	burnV3Topic          = mustWord("0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c")
	collectTopic         = mustWord("0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0")
	collectProtocolTopic = mustWord("0x596b573906218d3411850b26a6b437d6c4522fdb43d2d2386263f86d50b8b151")
	flashTopic           = mustWord("0xbdbdb71d7860376ba52b25a5028beea23581364a40522f6bcfb86bb1f2dca633")
	modifyLiquidityTopic = mustWord("0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec")
)

// poolTopics are what is read of a pool of each version.
var poolTopics = map[string][]Word{
	"v2": {uniswapV2SwapTopic, velodromeSwapTopic, syncTopic, velodromeSyncTopic, mintV2Topic, burnV2Topic, velodromeBurnTopic},
	"v3": {uniswapV3SwapTopic, pancakeV3SwapTopic, mintV3Topic, burnV3Topic, collectTopic, collectProtocolTopic, flashTopic},
	"v4": {uniswapV4SwapTopic, uniswapV4InitializeTopic, modifyLiquidityTopic},
}

// paidWords tells, for the events that have amounts of both tokens beside each other, how many topics and words they have and which
// word is the amount of token 0.
var paidWords = map[Word]struct{ topics, words, first int }{
	syncTopic:            {1, 2, 0},
	velodromeSyncTopic:   {1, 2, 0},
	mintV2Topic:          {2, 2, 0},
	burnV2Topic:          {3, 2, 0},
	velodromeBurnTopic:   {3, 2, 0},
	mintV3Topic:          {4, 4, 2},
	burnV3Topic:          {4, 3, 1},
	collectTopic:         {4, 3, 1},
	collectProtocolTopic: {3, 2, 0},
	flashTopic:           {3, 4, 2},
}

// amounts reads the amounts of token 0 and token 1 of an event in paidWords.
func (l *Log) amounts() (amount0, amount1 *uint256.Int, ok bool) {
	shape, known := paidWords[l.Topics[0]]
	if !known || len(l.Topics) != shape.topics || len(l.Data) != 32*shape.words {
		return nil, nil, false
	}
	return l.word(shape.first), l.word(shape.first + 1), true
}

// twoTo96 is the scale of square roots of prices.
const twoTo96 = 1 << 96

// maximumTick is the largest price step of concentrated liquidity, up and down (TickMath of Uniswap v3-core and v4-core).
const maximumTick = 887272

// rangeChange is a change of liquidity L within a range of prices, in the terms of Uniswap v4's ModifyLiquidity.
type rangeChange struct {
	lower, upper int64
	liquidity    float64 // negative when taken out
}

func parseRangeChange(log *Log) (change rangeChange, ok bool) {
	if len(log.Topics) != 3 || len(log.Data) != 4*32 {
		return rangeChange{}, false
	}
	lower, ok1 := smallSigned(log.word(0))
	upper, ok2 := smallSigned(log.word(1))
	if !ok1 || !ok2 || lower >= upper || lower < -maximumTick || upper > maximumTick {
		return rangeChange{}, false
	}
	added, removed := split(log.word(2))
	return rangeChange{lower, upper, added.Float64() - removed.Float64()}, true
}

func smallSigned(word *uint256.Int) (int64, bool) {
	positive, negative := split(word)
	if !positive.IsUint64() || !negative.IsUint64() || positive.Uint64() > math.MaxInt32 || negative.Uint64() > math.MaxInt32 {
		return 0, false
	}
	return int64(positive.Uint64()) - int64(negative.Uint64()), true
}

// amounts are the raw amounts of token 0 and token 1 that such liquidity is worth at a price, given as its square root: with Pa and
// Pb the ends of the range and P the price brought within it, L (1/√P - 1/√Pb) and L (√P - √Pa) (Uniswap v3 white paper, 2021, 6.4).
// They are NaN when no price is known.
func (c *rangeChange) amounts(root float64) (amount0, amount1 float64) {
	if !(root > 0) || math.IsInf(root, 1) {
		return math.NaN(), math.NaN()
	}
	lower, upper := math.Pow(1.0001, float64(c.lower)/2), math.Pow(1.0001, float64(c.upper)/2)
	root = min(max(root, lower), upper)
	return c.liquidity * (1/root - 1/upper), c.liquidity * (root - lower)
}

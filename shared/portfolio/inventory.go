package portfolio

import (
	"cmp"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/holdings"
)

// inventory is a wallet's holdings, sorted out. Holdings is the sum of the other counts and of the picked positions.
type inventory struct {
	// picked are the positions that are assessed, the largest first: at most depth, and none below dustShare of the largest depth
	// together.
	picked []holdings.Position
	// counted are all positions but dust, the largest first, whatever the depth: none below dustShare of the usualDepth largest together.
	counted []holdings.Position
	// dust, beyond: priced, but too small or not among the largest. spam, unpriced: left out without a value.
	holdings, dust, spam, unpriced, beyond int
	// totalUSD is the value of all priced holdings, pickedUSD that of the picked, beyondUSD that of those beyond the depth, countedUSD that
	// of the counted.
	totalUSD, pickedUSD, beyondUSD, countedUSD float64
}

// dustShare is the part of the value below which a position does not count.
const dustShare = 0.01

// leastUSD is the value from which there is a portfolio to assess.
const leastUSD = 10

// pick chooses what is assessed of the priced positions.
func (v *inventory) pick(priced []holdings.Position, depth int) {
	slices.SortFunc(priced, func(a, b holdings.Position) int { return cmp.Or(cmp.Compare(b.USD, a.USD), a.Asset.Compare(b.Asset)) })
	for i := range priced {
		v.totalUSD += priced[i].USD
	}
	if v.totalUSD < leastUSD {
		v.dust = len(priced)
		return
	}
	v.counted = withoutDust(priced, usualDepth)
	v.countedUSD = valueOf(v.counted)
	worthwhile := withoutDust(priced, depth)
	v.dust = len(priced) - len(worthwhile)
	v.picked = worthwhile[:min(depth, len(worthwhile))]
	v.pickedUSD = valueOf(v.picked)
	beyond := worthwhile[len(v.picked):]
	v.beyond, v.beyondUSD = len(beyond), valueOf(beyond)
}

// withoutDust leaves out positions below dustShare of the largest depth together.
func withoutDust(priced []holdings.Position, depth int) []holdings.Position {
	least, n := dustShare*valueOf(priced[:min(depth, len(priced))]), len(priced)
	for n > 0 && priced[n-1].USD < least {
		n--
	}
	return priced[:n]
}

func valueOf(positions []holdings.Position) float64 {
	usd := 0.0
	for i := range positions {
		usd += positions[i].USD
	}
	return usd
}

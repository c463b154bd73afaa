package hyperliquid

import (
	"math"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// chainUp puts the fills of one coin and one instant into the order in which each begins with the position that the one before it left,
// where there is such an order; where fills are missing there is none, and they stay as they are. Fills are in time order, and stay so.
func chainUp(fills []market.PerpFill) {
	// standing is each coin's position after the instants before, on the grid of key; at first there is none.
	standing := make(map[string]float64)
	for begin := 0; begin < len(fills); {
		end := begin + 1
		for end < len(fills) && fills[end].Time.Equal(fills[begin].Time) {
			end++
		}
		instant := fills[begin:end]
		if len(instant) > 1 {
			orderInstant(instant, standing)
		}
		for i := range instant {
			standing[instant[i].Coin] = after(instant[i])
		}
		begin = end
	}
}

// orderInstant orders the fills of one instant, coin by coin: each coin keeps its places among the others.
func orderInstant(instant []market.PerpFill, standing map[string]float64) {
	places := make(map[string][]int)
	for i := range instant {
		places[instant[i].Coin] = append(places[instant[i].Coin], i)
	}
	for coin, at := range places {
		if len(at) < 2 {
			continue
		}
		fills := make([]market.PerpFill, len(at))
		for i, place := range at {
			fills[i] = instant[place]
		}
		if ordered := trail(fills, standing[coin]); ordered != nil {
			for i, place := range at {
				instant[place] = ordered[i]
			}
		}
	}
}

// after is the position that a fill left, on the grid of key.
func after(f market.PerpFill) float64 {
	if f.Buy {
		return key(f.Before + f.Size)
	}
	return key(f.Before - f.Size)
}

// key is a position on a grid finer than any contract's least size, so that sums of floats compare.
func key(position float64) float64 { return math.Round(position*1e6) + 0 }

// trail orders fills so that each begins where the one before it ended: positions are the nodes of a graph and fills its edges, and the
// order is a trail through all of them, which the algorithm of Hierholzer finds in linear time. It begins with the position that is known
// to have stood, on the grid of key, if it can. Of several fills from one position the earlier row goes first, so that an order which is a
// trail already stays. Nil means that there is no such order.
func trail(fills []market.PerpFill, standing float64) []market.PerpFill {
	begin, ok := beginning(fills, standing)
	if !ok {
		return nil
	}
	leaving := make(map[float64][]int, len(fills))
	for i := len(fills) - 1; i >= 0; i-- {
		leaving[key(fills[i].Before)] = append(leaving[key(fills[i].Before)], i)
	}
	type step struct {
		node float64
		edge int
	}
	ordered := make([]market.PerpFill, 0, len(fills))
	for stack := []step{{begin, -1}}; len(stack) > 0; {
		top := stack[len(stack)-1]
		if edges := leaving[top.node]; len(edges) > 0 {
			edge := edges[len(edges)-1]
			leaving[top.node] = edges[:len(edges)-1]
			stack = append(stack, step{after(fills[edge]), edge})
			continue
		}
		stack = stack[:len(stack)-1]
		if top.edge >= 0 {
			ordered = append(ordered, fills[top.edge])
		}
	}
	if len(ordered) != len(fills) {
		return nil
	}
	slices.Reverse(ordered)
	return ordered
}

// beginning is the position with which a trail through all fills has to begin: the one that is left once more than it is reached. Where
// all are left as often as they are reached, it is the one that stood, or else the first fill's. False where there can be no trail.
func beginning(fills []market.PerpFill, standing float64) (float64, bool) {
	surplus := make(map[float64]int, len(fills)+1)
	for _, f := range fills {
		surplus[key(f.Before)]++
		surplus[after(f)]--
	}
	begin, begins, ends := key(fills[0].Before), 0, 0
	for node, n := range surplus {
		switch {
		case n == 1:
			begin, begins = node, begins+1
		case n == -1:
			ends++
		case n != 0:
			return 0, false
		}
	}
	if begins > 1 || ends > 1 {
		return 0, false
	}
	if _, passed := surplus[standing]; begins == 0 && passed {
		begin = standing
	}
	return begin, true
}

package margin

import (
	"math"
	"slices"
)

// StressMove is the smallest move of all prices together, as a signed fraction of them, at which the equity behind positions that
// share it falls to what they must maintain: -0.12 when a fall of 12 % of every coin does it, 0.3 when only a rise does and it
// takes 30 %. Of a fall and a rise that do it alike, it is the fall. It is 0 where the equity is at or below the maintenance
// already, and NaN where no move does it, without positions, and for input that is no number.
//
// The equity less the maintenance is a concave function of the move, linear between the moves at which a position changes its
// tier, so that there is at most one such move each way.
func StressMove(equityUSD float64, positions []Position) float64 {
	if len(positions) == 0 || !finite(equityUSD) {
		return math.NaN()
	}
	var moves []float64
	for _, p := range positions {
		if !p.valid() {
			return math.NaN()
		}
		for _, t := range p.Schedule.tiers[1:] {
			moves = append(moves, t.fromUSD/p.ValueUSD()-1)
		}
	}
	slices.Sort(moves)
	spare := func(move float64) float64 { return spareUSD(equityUSD, positions, move) }
	if spare(0) <= 0 {
		return 0
	}
	rising, _ := slices.BinarySearch(moves, 0)
	up := crossing(0, moves[rising:], spare, math.Inf(1))
	falls := slices.Clone(moves[:rising])
	slices.Reverse(falls)
	down := crossing(0, falls, spare, -1)
	if !(math.Abs(down) <= math.Abs(up)) && !math.IsNaN(up) {
		return up
	}
	return down
}

// spareUSD is the equity less the maintenance after a move.
func spareUSD(equityUSD float64, positions []Position, move float64) float64 {
	spare := equityUSD
	for _, p := range positions {
		value := p.ValueUSD()
		spare += SideOf(p.Size).sign()*value*move - p.Schedule.Maintenance(value*(1+move))
	}
	return spare
}

// crossing walks from a move over the bends to the last move, and finds where the piecewise linear spare, above zero at first,
// falls to zero. Without such a move it is NaN.
func crossing(from float64, bends []float64, spare func(float64) float64, last float64) float64 {
	left := spare(from)
	for _, bend := range bends {
		right := spare(bend)
		if right <= 0 {
			return from + (bend-from)*left/(left-right)
		}
		from, left = bend, right
	}
	end := last
	if math.IsInf(last, 0) {
		end = from + 1 // beyond the last bend the line goes on for ever
	}
	right := spare(end)
	if right >= left || !math.IsInf(last, 0) && right >= 0 {
		return math.NaN()
	}
	return from + (end-from)*left/(left-right)
}

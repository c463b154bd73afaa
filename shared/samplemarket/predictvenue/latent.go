package predictvenue

import (
	"math"
	"sort"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// latent is the hidden motion that decides an event: a Brownian motion of variance one from the opening to the end, most of it on a
// regular grid, the rest in jumps when news breaks and when the outcome is known.
type latent struct {
	open, ends   int32
	step         int32
	grid         []float64 // the sum of the steps so far
	stepVariance float64
	news         []news // by time; the last one is the outcome itself
}

type news struct {
	at             int32
	jump, variance float64
}

// newLatent draws a motion with some breaking news and a last jump of the given share of all variance.
func newLatent(s seeded.Stream, open, ends int32, breaking int, last float64) latent {
	l := latent{open: open, ends: ends}
	l.step = max((ends-open)/240, 600)
	steps := int((ends - open) / l.step)
	l.news = make([]news, 0, breaking+1)
	left := 1.0
	add := func(at int32, variance float64) {
		l.news = append(l.news, news{at: at, variance: variance, jump: math.Sqrt(variance) * s.NormFloat64()})
		left -= variance
	}
	for range breaking {
		add(open+int32(s.Between(0.1, 0.85)*float64(ends-open)), s.Between(0.03, 0.09))
	}
	sort.Slice(l.news, func(i, j int) bool { return l.news[i].at < l.news[j].at })
	add(ends, last)
	l.stepVariance = left / float64(steps)
	deviation, sum := math.Sqrt(l.stepVariance), 0.0
	l.grid = make([]float64, steps+1)
	for i := 1; i <= steps; i++ {
		sum += deviation * s.NormFloat64()
		l.grid[i] = sum
	}
	return l
}

// at is where the motion is, and the variance that is still to come.
func (l *latent) at(t int32) (level, remaining float64) {
	i := min(max(int((t-l.open)/l.step), 0), len(l.grid)-1)
	level, remaining = l.grid[i], 1-float64(i)*l.stepVariance
	for n := range l.news {
		if l.news[n].at > t {
			return level, max(remaining, 1e-9)
		}
		level += l.news[n].jump
		remaining -= l.news[n].variance
	}
	return level, 0
}

// ahead is the first time at which a share of the variance that is still to come at t has happened, and at most the last second
// before the outcome is known.
func (l *latent) ahead(t int32, share float64) int32 {
	_, now := l.at(t)
	return t + int32(sort.Search(int(max(l.ends-1-t, 0)), func(n int) bool {
		_, remaining := l.at(t + int32(n))
		return remaining <= now*(1-share)
	}))
}

// within is the probability that the motion ends above low and up to high. It is a difference of normal distribution functions.
func within(low, high, level, remaining float64) float64 {
	if remaining <= 0 {
		if level > low && level <= high {
			return 1
		}
		return 0
	}
	scale := 1 / math.Sqrt(2*remaining)
	return 0.5 * (math.Erfc((low-level)*scale) - math.Erfc((high-level)*scale))
}

// quantile is the standard normal quantile.
func quantile(p float64) float64 { return math.Sqrt2 * math.Erfinv(2*p-1) }

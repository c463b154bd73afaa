package stats

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/bits"
	"math/rand/v2"
)

// Seed makes a seed of an identity, such as the bytes of a wallet's address, so that its random draws are its own and always the
// same. Where one part ends matters: ("ab", "c") and ("a", "bc") differ.
func Seed(parts ...[]byte) uint64 {
	h := fnv.New64a()
	var length [8]byte
	for _, part := range parts {
		binary.LittleEndian.PutUint64(length[:], uint64(len(part)))
		h.Write(length[:])
		h.Write(part)
	}
	return h.Sum64()
}

// bootstrapStream is the second half of every generator's seed: an arbitrary constant (the golden ratio's bits).
const bootstrapStream = 0x9e3779b97f4a7c15

// randomSource is the generator of all draws (O'Neill 2014, with the DXSM output of Go's standard library).
type randomSource = rand.PCG

func generator(seed uint64) *randomSource { return rand.NewPCG(seed, bootstrapStream) }

// roundingResidue is the share of the sum of squares below which a resample's spread is rounding error.
const roundingResidue = 1e-12

// drawn is what one draw adds to a resample: distance from the sample's mean, and that squared, of one value or of two.
type drawn struct{ deviation, square float64 }

// pairsUpTo is the sample size up to which values are drawn two at a time from a table of all ordered pairs, which is the same as
// drawing them one by one and takes half the draws.
const pairsUpTo = 100

// resampler draws samples with replacement from one sample and sums them up.
type resampler struct {
	n      int
	values []drawn
	pairs  []drawn
}

func newResampler(x []float64, centre float64) *resampler {
	n := len(x)
	r := &resampler{n: n}
	if n <= pairsUpTo {
		table := make([]drawn, n+n*n)
		r.values, r.pairs = table[:n], table[n:]
	} else {
		r.values = make([]drawn, n)
	}
	for i, v := range x {
		d := v - centre
		r.values[i] = drawn{d, float64(d * d)}
	}
	if n <= pairsUpTo {
		for i, a := range r.values {
			row := r.pairs[i*n : (i+1)*n]
			for j, b := range r.values {
				row[j] = drawn{a.deviation + b.deviation, a.square + b.square}
			}
		}
	}
	return r
}

// sums draws n values and gives the sums of their deviations and squares.
func (r *resampler) sums(source *randomSource) (sum, squares float64) {
	if r.pairs == nil {
		return sumDraws(r.values, r.n, source)
	}
	sum, squares = sumDraws(r.pairs, r.n/2, source)
	if r.n%2 == 1 {
		i, _ := bits.Mul64(source.Uint64(), uint64(r.n))
		sum += r.values[i].deviation
		squares += r.values[i].square
	}
	return sum, squares
}

// tripleIndexUpTo is the table size up to which one 64-bit random word gives three indices.
const tripleIndexUpTo = 1 << 14

// sumDraws adds up entries of a table drawn uniformly with replacement.
//
// Multiplying a random word by the table's size moves an index into the high word of the product and leaves fresh randomness in the
// low one, so that one word yields three indices (Brackett-Rozinsky & Lemire 2025). No entry's probability is off by more than
// 2^-22 of itself.
func sumDraws(table []drawn, draws int, source *randomSource) (sum, squares float64) {
	n := uint64(len(table))
	var s0, s1, s2, q0, q1, q2 float64
	if len(table) <= tripleIndexUpTo {
		for ; draws >= 3; draws -= 3 {
			i0, w := bits.Mul64(source.Uint64(), n)
			i1, w := bits.Mul64(w, n)
			i2, _ := bits.Mul64(w, n)
			a, b, c := &table[i0], &table[i1], &table[i2]
			s0, q0 = s0+a.deviation, q0+a.square
			s1, q1 = s1+b.deviation, q1+b.square
			s2, q2 = s2+c.deviation, q2+c.square
		}
	}
	for ; draws > 0; draws-- {
		i, _ := bits.Mul64(source.Uint64(), n)
		s0, q0 = s0+table[i].deviation, q0+table[i].square
	}
	return s0 + (s1 + s2), q0 + (q1 + q2)
}

// studentised is the bootstrap-t statistic of one resample: how many of its own standard errors its mean lies above the sample's.
func studentised(sum, squares, n float64) float64 {
	spread := squares - float64(sum*sum)/n
	// A resample without spread says only on which side of the mean it lies. Rounding leaves a residue of its spread.
	if spread <= roundingResidue*squares {
		switch {
		case sum > 0:
			return math.Inf(1)
		case sum < 0:
			return math.Inf(-1)
		}
		return 0
	}
	return sum / math.Sqrt(spread*n/(n-1))
}

// BootstrapTLowerBound is a one-sided lower confidence bound of the mean, at a level such as 0.80, by the studentised bootstrap (Efron
// & Tibshirani 1993, section 12.5), which corrects for the skew that makes the normal bound wrong. With fewer than two values
// nothing is known: -Inf. The bound of a tiny sample can lie far below every value, or at -Inf; callers who know the least
// possible mean should cut it there. Equal values give that value. rounds must be positive and level between 0 and 1, exclusive.
//
// Samples of at least 50 values, if not too skewed, do not draw at all: what the draws converge to is then known in closed form to a
// part of their own noise (see studentisedQuantile).
func BootstrapTLowerBound(x []float64, level float64, rounds int, seed uint64) float64 {
	if !(level > 0 && level < 1) || rounds < 1 {
		return math.NaN()
	}
	m := Describe(x)
	switch {
	case math.IsNaN(m.Mean) || math.IsNaN(m.SD):
		return math.NaN()
	case m.N < 2:
		return math.Inf(-1)
	case m.SD == 0:
		return m.Mean
	}
	quantile, known := studentisedQuantile(x, m, level)
	if !known {
		quantile = bootstrapTQuantile(x, m, level, rounds, seed)
	}
	return m.Mean - float64(quantile*m.SD/math.Sqrt(float64(m.N)))
}

// bootstrapTQuantile is the level quantile of the studentised mean over resamples.
func bootstrapTQuantile(x []float64, m Moments, level float64, rounds int, seed uint64) float64 {
	r := newResampler(x, m.Mean)
	source := generator(seed)
	statistics := make([]float64, rounds)
	for i := range statistics {
		sum, squares := r.sums(source)
		statistics[i] = studentised(sum, squares, float64(m.N))
	}
	return selectNth(statistics, orderStatistic(level, rounds))
}

// orderStatistic is the index, from 0, of the order statistic that stands for a quantile among that many draws: the
// ceil((draws+1)*level)-th smallest.
func orderStatistic(level float64, draws int) int {
	// The small allowance keeps 0.95*(19+1) at 19 although the product is rounded.
	return min(max(int(math.Ceil(float64(draws+1)*level-1e-9))-1, 0), draws-1)
}

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

// drawn is one value that a resample may draw: its distance from the sample's mean, and that squared.
type drawn struct{ deviation, square float64 }

// resampler draws samples with replacement from one sample and sums them up.
type resampler struct {
	n      int
	values []drawn
	// small holds the values of a sample of at most 256 once more, where an index of one byte needs no bounds check.
	small [256]drawn
}

func newResampler(x []float64, centre float64) *resampler {
	r := &resampler{n: len(x)}
	r.values = r.small[:0]
	for _, v := range x {
		d := v - centre
		r.values = append(r.values, drawn{d, float64(d * d)})
	}
	return r
}

// sums draws n values and gives the sums of their deviations and squares.
//
// Each 64-bit random word yields five indices up to 256 values, three up to 16,384 and one above: multiplying by n moves an index
// into the high word and leaves fresh randomness in the low one (Brackett-Rozinsky & Lemire 2025). No index is off its
// probability 1/n by more than 2^-22 of it.
func (r *resampler) sums(source *randomSource) (sum, squares float64) {
	n := uint64(r.n)
	left := r.n
	var s0, s1, q0, q1 float64
	if r.n <= len(r.small) {
		table := &r.small
		for ; left >= 5; left -= 5 {
			i0, w := bits.Mul64(source.Uint64(), n)
			i1, w := bits.Mul64(w, n)
			i2, w := bits.Mul64(w, n)
			i3, w := bits.Mul64(w, n)
			i4, _ := bits.Mul64(w, n)
			a, b, c, d, e := &table[uint8(i0)], &table[uint8(i1)], &table[uint8(i2)], &table[uint8(i3)], &table[uint8(i4)]
			s0 += a.deviation + b.deviation
			q0 += a.square + b.square
			s1 += (c.deviation + d.deviation) + e.deviation
			q1 += (c.square + d.square) + e.square
		}
	} else {
		table := r.values
		for ; left >= 3 && r.n <= 1<<14; left -= 3 {
			i0, w := bits.Mul64(source.Uint64(), n)
			i1, w := bits.Mul64(w, n)
			i2, _ := bits.Mul64(w, n)
			a, b, c := &table[i0], &table[i1], &table[i2]
			s0 += a.deviation + b.deviation
			q0 += a.square + b.square
			s1 += c.deviation
			q1 += c.square
		}
	}
	for ; left > 0; left-- {
		i, _ := bits.Mul64(source.Uint64(), n)
		s0 += r.values[i].deviation
		q0 += r.values[i].square
	}
	return s0 + s1, q0 + q1
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
// nothing is known: -Inf. The bound of a tiny sample can lie far below every value; callers who know the least possible mean
// should cut it there. Equal values give that value. rounds must be positive and level between 0 and 1, exclusive.
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
	return m.Mean - float64(bootstrapTQuantile(x, m, level, rounds, seed)*m.SD/math.Sqrt(float64(m.N)))
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

// Package seeded is the sample market's randomness: streams of numbers that depend on nothing but a key, so that the same seed makes
// the same world and what one part of it draws never shifts what another draws.
//
// It is for simulations. Nothing that must not be guessed comes from here.
package seeded

import (
	"math"
	"math/rand/v2"
)

// Mix is the finaliser of SplitMix64 (Steele, Lea & Flood 2014): a bijection that scatters its input.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// MixAll folds several values into one.
func MixAll(values ...uint64) uint64 {
	var state uint64
	for _, value := range values {
		state = Mix(state ^ value)
	}
	return state
}

// HashText folds a text into 64 bits (FNV-1a).
func HashText(text string) uint64 {
	state := uint64(14695981039346656037)
	for i := 0; i < len(text); i++ {
		state = (state ^ uint64(text[i])) * 1099511628211
	}
	return state
}

// Stream is one entity's own source of randomness.
type Stream struct {
	*rand.Rand
}

// NewStream starts the stream of a key.
func NewStream(key uint64) Stream { return Stream{rand.New(rand.NewPCG(key, Mix(key)))} }

// Between is uniform over [low, high).
func (s Stream) Between(low, high float64) float64 { return low + (high-low)*s.Float64() }

// Spread is log-uniform over [low, high), both above zero.
func (s Stream) Spread(low, high float64) float64 {
	return low * math.Exp(s.Float64()*math.Log(high/low))
}

// Around is lognormal with the given median.
func (s Stream) Around(median, sigma float64) float64 {
	return median * math.Exp(sigma*s.NormFloat64())
}

// Wait is exponential with the given mean, at least one.
func (s Stream) Wait(mean float64) int32 {
	return int32(math.Max(1, math.Min(s.ExpFloat64()*mean, mean*8)))
}

// Chance is true with probability p.
func (s Stream) Chance(p float64) bool { return s.Float64() < p }

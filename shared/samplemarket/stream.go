package samplemarket

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
)

// mix is the finaliser of SplitMix64 (Steele, Lea & Flood 2014): a bijection that scatters its input.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9
	x = (x ^ (x >> 27)) * 0x94d049bb133111eb
	return x ^ (x >> 31)
}

// mixAll folds several values into one.
func mixAll(values ...uint64) uint64 {
	var state uint64
	for _, value := range values {
		state = mix(state ^ value)
	}
	return state
}

// hashText folds a text into 64 bits (FNV-1a).
func hashText(text string) uint64 {
	state := uint64(14695981039346656037)
	for i := 0; i < len(text); i++ {
		state = (state ^ uint64(text[i])) * 1099511628211
	}
	return state
}

// stream is one entity's own source of randomness: what one entity draws never shifts what another draws.
type stream struct {
	*rand.Rand
}

func newStream(key uint64) stream { return stream{rand.New(rand.NewPCG(key, mix(key)))} }

// between is uniform over [low, high).
func (s stream) between(low, high float64) float64 { return low + (high-low)*s.Float64() }

// spread is log-uniform over [low, high), both above zero.
func (s stream) spread(low, high float64) float64 {
	return low * math.Exp(s.Float64()*math.Log(high/low))
}

// around is lognormal with the given median.
func (s stream) around(median, sigma float64) float64 {
	return median * math.Exp(sigma*s.NormFloat64())
}

// wait is exponential with the given mean, at least one.
func (s stream) wait(mean float64) int32 {
	return int32(math.Max(1, math.Min(s.ExpFloat64()*mean, mean*8)))
}

func (s stream) chance(p float64) bool { return s.Float64() < p }

// address is an account or contract.
type address [20]byte

func derivedAddress(key uint64) address {
	var a address
	binary.BigEndian.PutUint64(a[0:], mixAll(key, 1))
	binary.BigEndian.PutUint64(a[8:], mixAll(key, 2))
	binary.BigEndian.PutUint32(a[16:], uint32(mixAll(key, 3)))
	return a
}

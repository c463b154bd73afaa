package samplemarket

import "encoding/binary"

func hash32(a, b, c, d uint64) [32]byte {
	var h [32]byte
	binary.BigEndian.PutUint64(h[0:], a)
	binary.BigEndian.PutUint64(h[8:], b)
	binary.BigEndian.PutUint64(h[16:], c)
	binary.BigEndian.PutUint64(h[24:], d)
	return h
}

func firstWord(h [32]byte) uint64 { return binary.BigEndian.Uint64(h[:8]) }

// unmix is the inverse of mix.
func unmix(x uint64) uint64 {
	x = x ^ (x >> 31) ^ (x >> 62)
	x *= 0x319642b2d24d8ec3
	x = x ^ (x >> 27) ^ (x >> 54)
	x *= 0x96de1b173f119089
	x = x ^ (x >> 30) ^ (x >> 60)
	return x - 0x9e3779b97f4a7c15
}

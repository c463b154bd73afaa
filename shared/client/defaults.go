package client

import (
	"crypto/rand"
	"encoding/binary"
	"io"
	"time"
)

// What is used where nothing else is given: the computer's clock and its randomness.

func clockOr(clock func() time.Time) func() time.Time {
	if clock == nil {
		return time.Now
	}
	return clock
}

func randomOr(random io.Reader) io.Reader {
	if random == nil {
		return rand.Reader
	}
	return random
}

// fraction reads a number in [0, 1).
func fraction(random io.Reader) (float64, error) {
	var bits [8]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return 0, err
	}
	return float64(binary.BigEndian.Uint64(bits[:])>>11) / (1 << 53), nil
}

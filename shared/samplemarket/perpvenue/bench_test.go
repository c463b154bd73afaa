package perpvenue

import (
	"testing"
	"time"
)

// BenchmarkNew makes a venue with 200 days of history.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		New(Config{Seed: 1, Start: testStart}).Advance(testStart.Add(200 * 24 * time.Hour))
	}
}

// BenchmarkEverybody plays every account through those days.
func BenchmarkEverybody(b *testing.B) {
	for b.Loop() {
		v := New(Config{Seed: 1, Start: testStart})
		v.Advance(testStart.Add(200 * 24 * time.Hour))
		v.Truth()
	}
}

package editions_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/internal/editions"
)

var epoch = time.Date(2026, 3, 14, 15, 9, 26, 535_897_932, time.UTC)

func TestGone(t *testing.T) {
	const life = store.EditionLife
	for _, c := range []struct {
		after []time.Duration
		want  int
	}{
		{nil, 0},
		{[]time.Duration{0}, 0},
		// The one before the current had its place until now, however long that was.
		{[]time.Duration{0, 1}, 0},
		{[]time.Duration{0, 100 * life}, 0},
		// The first lost its place at 1: a nanosecond decides.
		{[]time.Duration{0, 1, life}, 0},
		{[]time.Duration{0, 1, life + 1}, 1},
		{[]time.Duration{0, 1, 2, 3, life + 2}, 2},
		{[]time.Duration{0, 1, 2, 3, 9 * life}, 3},
	} {
		var times []time.Time
		for _, after := range c.after {
			times = append(times, epoch.Add(after))
		}
		if got := editions.Gone(times); got != c.want {
			t.Errorf("editions at %v: %d are gone, want %d", c.after, got, c.want)
		}
	}
}

// TestGoneStaysGone: forgetting what is gone changes nothing for the others, and a newer edition brings nothing back.
func TestGoneStaysGone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := []time.Time{epoch}
		for range rapid.IntRange(0, 12).Draw(t, "editions") {
			passed := time.Duration(rapid.Int64Range(1, int64(2*store.EditionLife)).Draw(t, "passed"))
			times = append(times, times[len(times)-1].Add(passed))
		}
		gone := editions.Gone(times)
		if again := editions.Gone(times[gone:]); again != 0 {
			t.Fatalf("of %v %d are gone, and then %d more", times, gone, again)
		}
		if before := editions.Gone(times[:len(times)-1]); before > gone {
			t.Fatalf("of %v %d were gone, now %d", times, before, gone)
		}
	})
}

package webhook

import (
	"testing"
	"time"
)

// Ten attempts are made, the last 75 h 35 min and 5 s after the first, a tenth more or less.
func TestAttemptsFollowTheirSchedule(t *testing.T) {
	middle := []time.Duration{
		0, 30 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	if len(steps()) != len(middle) {
		t.Fatalf("%d attempts", len(steps()))
	}
	var all time.Duration
	for made, step := range steps() {
		all += step
		if made == 0 {
			continue
		}
		if got := nextAttempt(made, 0.5); got != middle[made] {
			t.Errorf("after %d: %v, want %v", made, got, middle[made])
		}
		if made >= 2 {
			if least, most := nextAttempt(made, 0), nextAttempt(made, 0.999999); least != step*9/10 || most <= step*1099/1000 || most > step*11/10 {
				t.Errorf("after %d: %v to %v", made, least, most)
			}
		}
	}
	if want := 75*time.Hour + 35*time.Minute + 5*time.Second; all != want {
		t.Errorf("the last is after %v, want %v", all, want)
	}
	// Nobody else tries what is being tried.
	for made := 1; made <= 10; made++ {
		if got := nextAttempt(made, 0); got <= sendTimeout+5*time.Second {
			t.Errorf("after %d: %v", made, got)
		}
	}
}

package accuracy

import "testing"

// The full simulation belongs to the accuracy report. Few records are enough to see intervals that are far too narrow, and evidence that
// chance makes strong again and again.
func TestTrackRecordsAreHonest(t *testing.T) {
	for _, c := range []struct {
		name      string
		measure   func() (float64, error)
		low, high float64
	}{
		{"coverage of the hit rate", func() (float64, error) { return trackWorld{tokens: 20, chance: 0.4}.hitRateHeld(80) }, 0.88, 1},
		{"coverage of the gate's value", func() (float64, error) { return trackWorld{tokens: 20, chance: 0.4, control: 0.3}.gateValueHeld(16) }, 0.75, 1},
		{"strong by chance", func() (float64, error) { return trackWorld{tokens: 30, chance: 0.25}.share(16, everStrong) }, 0, 0.13},
		{"strong with an edge", func() (float64, error) {
			return trackWorld{tokens: 60, chance: 0.5}.share(8, everStrongAgainstTwoThirds)
		}, 0.7, 1},
	} {
		if got, err := c.measure(); err != nil || got < c.low || got > c.high {
			t.Errorf("%s is %v (%v), want %v to %v", c.name, got, err, c.low, c.high)
		}
	}
}

package predictionrecord

import (
	"math"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/predictionrecord/predictiontest"
)

// now is the instant that the tests' answers describe.
var now = predictiontest.Now

type story = predictiontest.Story

var (
	newStory  = predictiontest.New
	condition = predictiontest.Condition
	outcome   = predictiontest.Outcome
)

// recordOf is a story's record, with all its facts.
func recordOf(s *story) *Record {
	s.Ordered()
	return &Record{Wallet: predictiontest.Wallet, Activity: s.Activity, Positions: s.Positions, Markets: s.Markets, Prices: s.Prices}
}

func near(t *testing.T, name string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%s = %.12g, want %.12g", name, got, want)
	}
}

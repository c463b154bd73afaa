package accuracy

import "testing"

func TestTheTreesMeetAGoalWithinTheirUncertainty(t *testing.T) {
	for _, c := range []struct {
		auc, high float64
		pass      bool
	}{{0.9891, 0.993, true}, {0.9887, 0.993, true}, {0.97, 0.98, false}} {
		if row := treeRow(forecastQuality{n: 1000, auc: c.auc, low: 0.9, high: c.high}); row.Pass != c.pass {
			t.Errorf("%+v", row)
		}
	}
}

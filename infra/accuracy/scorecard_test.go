package accuracy

import (
	"strings"
	"testing"
)

func TestTheTreesMeetTheirGoalByTheFigureAlone(t *testing.T) {
	for _, c := range []struct {
		auc, high  float64
		pass, open bool
	}{{0.9891, 0.993, true, false}, {0.9887, 0.993, false, true}, {0.97, 0.98, false, false}} {
		row := treeRow(forecastQuality{n: 1000, auc: c.auc, low: 0.9, high: c.high})
		if row.Pass != c.pass || strings.Contains(row.Measured, "covers the goal") != c.open {
			t.Errorf("%+v", row)
		}
	}
}

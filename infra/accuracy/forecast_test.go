package accuracy

import (
	"math"
	"testing"
)

func TestForecastsAreRatedByHand(t *testing.T) {
	// Pairs of a case and a non-case: .9 and .4 beat .1 and .4 by 1 + 1 + 1 + 1/2 of 4.
	q := rateForecasts([]float64{0.9, 0.4, 0.1, 0.4}, []bool{true, true, false, false})
	near := func(name string, got, want float64) {
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	near("AUC", q.auc, 3.5/4)
	near("Brier", q.brier, (0.01+0.36+0.01+0.16)/4)
	near("skill", q.skill, 1-0.135/0.25)
	near("calibration", q.calibrationError, (0.1+0.2+0.1)/4)
}

func TestTreesAreReadAndGiveProbabilities(t *testing.T) {
	trees, err := readBoosted()
	if err != nil {
		t.Fatal(err)
	}
	if len(trees.Trees) < 100 || len(trees.Columns) != 18 || trees.Start == 0 || trees.Rate == 0 {
		t.Fatalf("%d trees of %d columns", len(trees.Trees), len(trees.Columns))
	}
	if p := trees.probability(make([]float64, 18)); !(p > 0 && p < 1) {
		t.Error(p)
	}
}

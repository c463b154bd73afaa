package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"
)

// The examples of Newcombe (1998), table II, method 10, as printed.
func TestNewcombesExamples(t *testing.T) {
	for _, c := range []struct {
		k1, n1, k2, n2 int
		want           string
	}{
		{56, 70, 48, 80, "0.0524 0.3339"},
		{9, 10, 3, 10, "0.1705 0.8090"},
		{6, 7, 2, 7, "0.0582 0.8062"},
		{5, 56, 0, 29, "-0.0381 0.1926"},
		{0, 10, 0, 20, "-0.1611 0.2775"},
		{0, 10, 0, 10, "-0.2775 0.2775"},
		{10, 10, 0, 20, "0.6791 1.0000"},
		{10, 10, 0, 10, "0.6075 1.0000"},
	} {
		low, high := Newcombe(c.k1, c.n1, c.k2, c.n2, 1.959963984540054)
		if got := fmt.Sprintf("%.4f %.4f", low, high); got != c.want {
			t.Errorf("%d/%d - %d/%d: %s, want %s", c.k1, c.n1, c.k2, c.n2, got, c.want)
		}
	}
	if low, high := Newcombe(0, 0, 0, 0, 1.96); low != -1 || high != 1 {
		t.Errorf("of nothing: %v %v", low, high)
	}
	if low, high := Newcombe(10, 10, 0, 0, 1.96); !(low < 0) || high != 1 {
		t.Errorf("against nothing: %v %v", low, high)
	}
	for _, bad := range [][4]int{{-1, 1, 0, 1}, {2, 1, 0, 1}, {0, 1, -1, 1}, {0, 1, 2, 1}} {
		if low, high := Newcombe(bad[0], bad[1], bad[2], bad[3], 1.96); !math.IsNaN(low) || !math.IsNaN(high) {
			t.Errorf("%v gives %v %v", bad, low, high)
		}
	}
	if low, high := NewcombeRates(0.5, 0, 0.5, 1, 1.96); !math.IsNaN(low) || !math.IsNaN(high) {
		t.Errorf("%v %v", low, high)
	}
}

func TestNewcombeMirrorsAndHoldsTheDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n1, n2 := rapid.IntRange(1, 60).Draw(t, "n1"), rapid.IntRange(1, 60).Draw(t, "n2")
		k1, k2 := rapid.IntRange(0, n1).Draw(t, "k1"), rapid.IntRange(0, n2).Draw(t, "k2")
		low, high := Newcombe(k1, n1, k2, n2, 1.96)
		difference := float64(k1)/float64(n1) - float64(k2)/float64(n2)
		if !(low <= difference && difference <= high) || low < -1-1e-12 || high > 1+1e-12 {
			t.Fatalf("%v in %v %v", difference, low, high)
		}
		mirroredLow, mirroredHigh := Newcombe(k2, n2, k1, n1, 1.96)
		if math.Abs(mirroredHigh+low) > 1e-12 || math.Abs(mirroredLow+high) > 1e-12 {
			t.Fatalf("mirrored: %v %v, not %v %v", -mirroredHigh, -mirroredLow, low, high)
		}
	})
}

func TestClusteredSize(t *testing.T) {
	for _, c := range []struct {
		name    string
		values  []float64
		cluster []int
		want    float64
	}{
		{"nothing", nil, nil, 0},
		{"one each", []float64{0, 1, 1, 0}, []int{1, 2, 3, 4}, 4},
		{"all in one", []float64{0, 1, 1, 0}, []int{1, 1, 1, 1}, 1},
		{"all alike", []float64{1, 1, 1, 1}, []int{1, 1, 2, 2}, 2},
		{"all alike, unequal", []float64{1, 1, 1, 1}, []int{1, 1, 1, 2}, 16.0 / 10},
	} {
		if got := ClusteredSize(c.values, c.cluster); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	// Twelve clusters of four, half of whose values are one and the same, by hand: the deviations of a cluster's values from 1/2 add up
	// to 1 or -1, so that between clusters there is 12*12/11, where 48 independent values would have 48*(12/47). t(47) = 2.01174,
	// t(11) = 2.20099 (from tables).
	var values []float64
	var cluster []int
	for c := range 12 {
		odd := float64(c % 2)
		values = append(values, odd, odd, 0, 1)
		cluster = append(cluster, c, c, c, c)
	}
	want := 48 * (48 * 12.0 / 47) / (12 * 12.0 / 11) * (2.0117405 / 2.2009852) * (2.0117405 / 2.2009852)
	if got := ClusteredSize(values, cluster); math.Abs(got-want) > 1e-5 {
		t.Errorf("half alike: %v, want %v", got, want)
	}
	for _, bad := range []float64{ClusteredSize([]float64{1}, nil), ClusteredSize([]float64{math.NaN(), 1}, []int{1, 2})} {
		if !math.IsNaN(bad) {
			t.Error(bad)
		}
	}
}

// Against every possible order the score is the same, and for outcomes of one probability that of TestMartingale.
func TestMartingaleOfGains(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p0 := rapid.Float64Range(0.05, 0.95).Draw(t, "p0")
		outcomes := rapid.SliceOfN(rapid.Bool(), 0, 60).Draw(t, "outcomes")
		gains := make([]float64, len(outcomes))
		for i, won := range outcomes {
			gains[i] = -1
			if won {
				gains[i] = 1/p0 - 1
			}
		}
		want := TestMartingale(outcomes, p0)
		if got := TestMartingaleGains(gains); math.Abs(got-want) > 1e-9*max(1, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
	if got := TestMartingaleGains(nil); got != 1 {
		t.Error(got)
	}
	for _, bad := range []float64{-1.1, math.NaN(), math.Inf(1)} {
		if got := TestMartingaleGains([]float64{bad}); !math.IsNaN(got) {
			t.Errorf("%v gives %v", bad, got)
		}
	}
	// A hundred misses and a huge gain neither vanish nor overflow: on their own the misses leave the smallest of bets, next to nothing.
	long := make([]float64, 101)
	for i := range 100 {
		long[i] = -1
	}
	long[100] = 1e300
	if got := TestMartingaleGains(long); !(got > 1e290 && got <= 1e300) {
		t.Errorf("a huge gain: %v", got)
	}
	if got := TestMartingaleGains(make([]float64, 5)); math.Abs(got-1) > 1e-12 {
		t.Errorf("no gain, no loss: %v", got)
	}
}

func TestClusterBootstrapDifference(t *testing.T) {
	if _, _, known := ClusterBootstrapDifference([]float64{1, 0, 1}, []bool{false, false, true}, []int{1, 2, 3}, 0.95, 99, 1); known {
		t.Error("one cluster on a side says nothing")
	}
	if _, _, known := ClusterBootstrapDifference([]float64{1, 1, 1, 0}, []bool{false, false, true, true}, []int{1, 2, 3, 4}, 0.95, 99, 1); known {
		t.Error("a side without spread says nothing")
	}
	if _, _, known := ClusterBootstrapDifference(nil, nil, nil, 0.95, 99, 1); known {
		t.Error("nothing says nothing")
	}
	if low, _, _ := ClusterBootstrapDifference([]float64{1}, nil, nil, 0.95, 99, 1); !math.IsNaN(low) {
		t.Error(low)
	}
	// Sides that share their clusters' luck differ by exactly a half everywhere but in one cluster: the interval is narrow, however
	// much the clusters themselves differ.
	random := rand.New(rand.NewPCG(1, 2))
	var values []float64
	var second []bool
	var cluster []int
	for c := range 40 {
		luck := 10 * random.NormFloat64()
		values = append(values, luck+0.5+0.01*random.NormFloat64(), luck)
		second = append(second, false, true)
		cluster = append(cluster, c, c)
	}
	low, high, known := ClusterBootstrapDifference(values, second, cluster, 0.95, 999, 3)
	if !known || !(low < 0.5 && 0.5 < high) || high-low > 0.02 {
		t.Errorf("%v to %v, %v", low, high, known)
	}
	if l, h, _ := ClusterBootstrapDifference(values, second, cluster, 0.95, 999, 3); l != low || h != high {
		t.Error("the same seed gives another interval")
	}
}

package main

import (
	"slices"
	"strings"
	"testing"
	"time"
)

func TestQuantilesAreValuesThatWereMeasured(t *testing.T) {
	var hundred []int64
	for i := range int64(100) {
		hundred = append(hundred, 100-i)
	}
	for _, c := range []struct {
		values []int64
		part   float64
		want   int64
	}{
		{[]int64{7}, 0.5, 7}, {[]int64{7}, 0.9, 7}, {[]int64{3, 1, 2}, 0.5, 2}, {[]int64{4, 1, 3, 2}, 0.5, 2},
		{[]int64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 0.9, 9}, {hundred, 0.5, 50}, {hundred, 0.9, 90}, {hundred, 0, 1}, {hundred, 1, 100},
	} {
		before := slices.Clone(c.values)
		if got := quantile(c.values, c.part); got != c.want || !slices.Equal(before, c.values) {
			t.Errorf("%.1f of %v: %d, want %d", c.part, before, got, c.want)
		}
	}
}

func TestFunctionsOverTwiceTheFloorAreMarked(t *testing.T) {
	of := func(ready ...time.Duration) *coldTimes {
		return &coldTimes{size: 6_300_000, ready: ready, answered: ready, memory: []int64{8_000_000}}
	}
	ms := time.Millisecond
	var text strings.Builder
	over := table(&text, []string{"twice", "slow", "fast"}, map[string]*coldTimes{
		floorName: of(4*ms, 2*ms, 9*ms), "twice": of(8*ms, 1*ms, 50*ms), "slow": of(9*ms, 9*ms, 1*ms), "fast": of(2*ms, 2*ms, 90*ms),
	})
	if over != 1 {
		t.Errorf("%d over", over)
	}
	var lines [][]string
	for line := range strings.Lines(text.String()) {
		lines = append(lines, strings.Fields(line))
	}
	for i, want := range []string{
		1: "floor 6.3 4.00 9.00 1.00 4.00 9.00 1.00 8.0", 2: "twice 6.3 8.00 50.00 2.00 8.00 50.00 2.00 8.0",
		3: "slow 6.3 9.00 9.00 2.25 9.00 9.00 2.25 8.0 over", 4: "fast 6.3 2.00 90.00 0.50 2.00 90.00 0.50 8.0",
		5: "3 starts each, the floor beside each; 1 functions take more than 2 floors to be ready",
	} {
		if want != "" && strings.Join(lines[i], " ") != want {
			t.Errorf("line %d: %q, want %q", i, lines[i], want)
		}
	}
}

// Starts of a function that is this test's binary are measured; what there is not is named.
func TestColdStartsAreMeasured(t *testing.T) {
	times := &coldTimes{}
	options := startOptions(t)
	for range 2 {
		if err := times.start(t.Context(), options, []byte(`{"rawPath":"/v1/nothing","requestContext":{"http":{"method":"GET"}}}`)); err != nil {
			t.Fatal(err)
		}
	}
	if len(times.ready) != 2 || len(times.answered) != 2 || times.ready[1] <= 0 || times.answered[1] <= times.ready[1] {
		t.Errorf("measured %+v", times)
	}
}

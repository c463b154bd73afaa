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
	of := func(refusal time.Duration, ready ...time.Duration) *coldTimes {
		return &coldTimes{size: 6_300_000, ready: ready, refusing: []time.Duration{refusal}, answered: ready, memory: []int64{8_000_000}}
	}
	ms := time.Millisecond
	var text strings.Builder
	over := table(&text, []string{"twice", "slow", "fast", "late"}, map[string]*coldTimes{
		floorName: of(5*ms, 4*ms, 2*ms, 9*ms), "twice": of(10*ms, 8*ms, 1*ms, 50*ms), "slow": of(5*ms, 9*ms, 9*ms, 1*ms), "fast": of(5*ms, 2*ms, 2*ms, 90*ms),
		"late": of(11*ms, 4*ms),
	})
	if over != 2 {
		t.Errorf("%d over", over)
	}
	var lines [][]string
	for line := range strings.Lines(text.String()) {
		lines = append(lines, strings.Fields(line))
	}
	for i, want := range []string{
		1: "floor 6.3 4.00 9.00 1.00 5.00 5.00 1.00 8.0", 2: "twice 6.3 8.00 50.00 2.00 10.00 10.00 2.00 8.00 50.00 8.0",
		3: "slow 6.3 9.00 9.00 2.25 5.00 5.00 1.00 9.00 9.00 8.0 over", 4: "fast 6.3 2.00 90.00 0.50 5.00 5.00 1.00 2.00 90.00 8.0",
		5: "late 6.3 4.00 4.00 1.00 11.00 11.00 2.20 4.00 4.00 8.0 over",
		6: "1 starts each for either event, the floor beside each; 2 functions take more than 2 floors until they are ready or have refused",
	} {
		if want != "" && strings.Join(lines[i], " ") != want {
			t.Errorf("line %d: %q, want %q", i, lines[i], want)
		}
	}
}

// Starts of a function that is this test's binary are measured, by the event that it was given.
func TestColdStartsAreMeasured(t *testing.T) {
	times := &coldTimes{}
	options := startOptions(t)
	for _, refused := range []bool{true, false, true} {
		if err := times.start(t.Context(), options, []byte(`{"rawPath":"/v1/nothing","requestContext":{"http":{"method":"GET"}}}`), refused); err != nil {
			t.Fatal(err)
		}
	}
	if len(times.ready) != 3 || len(times.refusing) != 2 || len(times.answered) != 1 || times.ready[1] <= 0 || times.answered[0] <= times.ready[1] {
		t.Errorf("measured %+v", times)
	}
}

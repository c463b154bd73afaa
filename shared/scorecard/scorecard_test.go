package scorecard

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func unknown() Facts {
	n := math.NaN()
	return Facts{n, n, n, n, n, n, n, n, n, n}
}

func (f *Facts) set(name string, x float64) {
	switch name {
	case "lockedLiquidity":
		f.LockedLiquidity = x
	case "creatorLiquidity":
		f.CreatorLiquidity = x
	case "providerDeviation":
		f.ProviderDeviation = x
	case "creatorShare":
		f.CreatorShare = x
	case "buysPerSell":
		f.BuysPerSell = x
	case "creatorTokens":
		f.CreatorTokens = x
	case "removalsPerWeek":
		f.RemovalsPerWeek = x
	case "additionsPerWeek":
		f.AdditionsPerWeek = x
	case "additionShare":
		f.AdditionShare = x
	case "additionPeriod":
		f.AdditionPeriod = x
	}
}

func TestTheScriptsOwnNumbersComeOut(t *testing.T) {
	body, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Values  map[string]float64 `json:"values"`
		LogOdds float64            `json:"logOdds"`
	}
	if err := json.Unmarshal(body, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 100 {
		t.Fatalf("%d cases", len(cases))
	}
	seen := map[int]bool{}
	for i, c := range cases {
		facts := unknown()
		for name, x := range c.Values {
			facts.set(name, x)
		}
		got := Weigh(facts)
		if math.Abs(got.LogLikelihoodRatio-c.LogOdds) > 1e-9 {
			t.Errorf("case %d: %v, want %v", i, got.LogLikelihoodRatio, c.LogOdds)
		}
		seen[len(got.Groups)] = true
	}
	for groups := 1; groups <= 5; groups++ {
		if !seen[groups] {
			t.Errorf("no case with %d groups", groups)
		}
	}
}

func TestEverySetOfLiveFactsHasARegressionOfItsOwn(t *testing.T) {
	d := fitted()
	for i := range d.Models {
		for name, weights := range d.Models[i].Weights {
			at := slices.IndexFunc(d.Features, func(f feature) bool { return f.Name == name })
			if at < 0 || len(weights) != len(d.Features[at].Edges)+1 {
				t.Errorf("%v: %s has %d weights", d.Models[i].Groups, name, len(weights))
			}
		}
	}
	for mask := range 16 {
		facts := unknown()
		want := 0
		for bit, names := range [][]string{{"lockedLiquidity", "creatorLiquidity"}, {"providerDeviation"}, {"creatorShare"}, {"buysPerSell"}} {
			if mask>>bit&1 == 1 {
				want++
				for _, name := range names {
					facts.set(name, 1)
				}
			}
		}
		if got := Weigh(facts); len(got.Groups) != want || (want == 0) != (got.LogLikelihoodRatio == 0) {
			t.Errorf("mask %b: %+v", mask, got)
		}
	}
}

func TestHistoryAloneAndHalfAGroupSayNothing(t *testing.T) {
	facts := unknown()
	facts.CreatorTokens, facts.RemovalsPerWeek, facts.AdditionsPerWeek, facts.AdditionShare, facts.AdditionPeriod = 9, 0, 1, 0.1, 0
	facts.LockedLiquidity = 1
	if got := Weigh(facts); got.LogLikelihoodRatio != 0 || len(got.Groups) != 0 {
		t.Errorf("%+v", got)
	}
}

func TestAWorseFactIsNeverWeighedLighter(t *testing.T) {
	worse := map[string]float64{
		"lockedLiquidity": -1, "creatorLiquidity": 1, "creatorShare": 1, "buysPerSell": 1, "creatorTokens": 1, "removalsPerWeek": -1,
	}
	rapid.Check(t, func(t *rapid.T) {
		facts := unknown()
		for _, f := range fitted().Features {
			if rapid.Bool().Draw(t, f.Name+" known") {
				facts.set(f.Name, rapid.Float64Range(-1, 30).Draw(t, f.Name))
			}
		}
		before := Weigh(facts)
		name := rapid.SampledFrom([]string{
			"lockedLiquidity", "creatorLiquidity", "creatorShare", "buysPerSell", "creatorTokens", "removalsPerWeek",
		}).Draw(t, "worse")
		if math.IsNaN(facts.value(name)) {
			return
		}
		facts.set(name, facts.value(name)+worse[name]*rapid.Float64Range(0, 30).Draw(t, "by"))
		if after := Weigh(facts); after.LogLikelihoodRatio < before.LogLikelihoodRatio-1e-12 {
			t.Fatalf("worse %s: %v after %v", name, after, before)
		}
	})
}

func TestOddsFallWithAge(t *testing.T) {
	for _, c := range []struct{ younger, older float64 }{{1, 2}, {2, 30}, {30, 240}} {
		a, b := AgeLogOdds(time.Duration(c.younger*24)*time.Hour), AgeLogOdds(time.Duration(c.older*24)*time.Hour)
		if b >= a {
			t.Errorf("%v days %v, %v days %v", c.younger, a, c.older, b)
		}
	}
	for i, age := range fitted().AgeDays {
		if got := AgeLogOdds(time.Duration(age * 24 * float64(time.Hour))); math.Abs(got-fitted().AgeLogOdds[i]) > 1e-9 {
			t.Errorf("%v days %v", age, got)
		}
		if i > 0 {
			between := math.Sqrt(age * fitted().AgeDays[i-1])
			middle := (fitted().AgeLogOdds[i] + fitted().AgeLogOdds[i-1]) / 2
			if got := AgeLogOdds(time.Duration(between * 24 * float64(time.Hour))); math.Abs(got-middle) > 1e-9 {
				t.Errorf("%v days %v, halfway in the logarithm is %v", between, got, middle)
			}
		}
	}
	if AgeLogOdds(-time.Hour) != 0 || AgeLogOdds(24*time.Hour) != 0 || AgeLogOdds(1<<62) != AgeLogOdds(240*24*time.Hour) {
		t.Error("beyond what was watched nothing changes")
	}
}

package copytrade

import (
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// grades from the best to the worst, the unknown one by what it allows.
var grades = []string{"A", "B", "C", "", "D", "F"}

// wide draws a number from low to high, small ones as often as large ones.
func wide(t *rapid.T, low, high float64, name string) float64 {
	return math.Exp(rapid.Float64Range(math.Log(low), math.Log(high)).Draw(t, name))
}

// anyTerms draws terms as a request may have them, before anything is assumed.
func anyTerms(t *rapid.T) *perpTerms {
	maybe := func(low, high float64, name string) float64 {
		if rapid.Bool().Draw(t, "has "+name) {
			return wide(t, low, high, name)
		}
		return math.NaN()
	}
	p := &perpTerms{
		side: rapid.SampledFrom([]margin.Side{margin.Long, margin.Short}).Draw(t, "side"), leverage: wide(t, 0.05, 200, "leverage"),
		fundingHourly: rapid.Float64Range(-1, 1).Draw(t, "sign") * wide(t, 1e-6, 0.04, "rate"),
		entryPrice:    maybe(50, 200, "entry"), markPrice: wide(t, 50, 200, "mark"), liquidation: math.NaN(),
		venueMaximum: figure{maybe(1, 200, "maximum"), fromRequest}, maintenance: figure{maybe(0.0001, 0.5, "rate"), fromRequest},
		volatility: figure{maybe(0.001, 3, "volatility"), fromRequest}, holdTime: figure{maybe(0.25, 720, "hours"), fromRequest},
		grade: rapid.SampledFrom(grades).Draw(t, "grade"), allocation: maybe(0.01, 1e9, "allocation"), coin: true, listed: true,
		crowding: rapid.Float64Range(0, 1).Draw(t, "crowding"), contracts: 30, dayVolume: maybe(1, 1e9, "volume"), openInterest: maybe(1, 1e9, "interest"),
	}
	if rapid.Bool().Draw(t, "has liquidation") {
		p.liquidation = p.markPrice * (1 - sign(p.side)*rapid.Float64Range(-0.01, 0.99).Draw(t, "liquidation"))
	}
	if p.maintenance.value*p.leverage >= 1 || p.maintenance.value*p.venueMaximum.value >= 1 {
		p.maintenance.value = 0.999 * min(1/p.leverage, 0.5)
		p.venueMaximum.value = math.NaN()
	}
	return p
}

// worsening makes terms worse in one way, by a drawn amount.
var worsening = []struct {
	name   string
	change func(*rapid.T, *perpTerms)
}{
	{"volatility", func(t *rapid.T, p *perpTerms) {
		p.volatility.value = min(3, p.volatility.value*wide(t, 1, 10, "times"))
	}},
	{"leverage", func(t *rapid.T, p *perpTerms) {
		worst := 200.0
		if rate := p.maintenance.value; !math.IsNaN(rate) {
			worst = min(worst, 0.999/rate)
		}
		p.leverage = max(p.leverage, min(worst, p.leverage*wide(t, 1, 10, "times")))
	}},
	{"funding", func(t *rapid.T, p *perpTerms) {
		p.fundingHourly += sign(p.side) * rapid.Float64Range(0, 0.01).Draw(t, "more")
	}},
	{"holding time", func(t *rapid.T, p *perpTerms) { p.holdTime.value = min(720, p.holdTime.value*wide(t, 1, 10, "times")) }},
	{"maintenance rate", func(t *rapid.T, p *perpTerms) {
		worst := 0.999 * min(1/p.leverage, 0.5)
		if !math.IsNaN(p.venueMaximum.value) {
			worst = min(worst, 0.999/p.venueMaximum.value)
		}
		p.maintenance.value = max(p.maintenance.value, min(worst, p.maintenance.value*wide(t, 1, 10, "times")))
	}},
	{"grade", func(t *rapid.T, p *perpTerms) {
		p.grade = grades[rapid.IntRange(slices.Index(grades, p.grade), len(grades)-1).Draw(t, "worse grade")]
	}},
	{"maximum", func(t *rapid.T, p *perpTerms) {
		p.venueMaximum.value = max(1, p.venueMaximum.value/wide(t, 1, 10, "times"))
	}},
	{"a nearer liquidation", func(t *rapid.T, p *perpTerms) {
		p.liquidation += rapid.Float64Range(0, 1).Draw(t, "nearer") * (p.markPrice - p.liquidation)
	}},
	{"a better entry", func(t *rapid.T, p *perpTerms) {
		p.entryPrice *= 1 - sign(p.side)*rapid.Float64Range(0, 0.5).Draw(t, "better")
	}},
}

// Nothing that makes a trade worse makes a copy larger, its leverage higher, or turns a no into a yes.
func TestWorseTermsNeverAllowMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		better := anyTerms(t)
		worse := *better
		way := rapid.SampledFrom(worsening).Draw(t, "way")
		way.change(t, &worse)
		better.assume()
		worse.assume()
		a, b := assessPerp(better, now), assessPerp(&worse, now)
		if b.SizeFactor > a.SizeFactor || b.MaxLeverage > a.MaxLeverage || b.Copy && !a.Copy {
			t.Fatalf("worse %s: %+v of %+v allows more than %+v of %+v", way.name, b, worse, a, better)
		}
	})
}

// The highest leverage keeps within the chance that is accepted, and the next one does not or is not to be had.
func TestMaximumLeverageIsTheHighestBearable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyTerms(t)
		p.assume()
		d := rule(p)
		touch := func(leverage int) float64 {
			distance := margin.FollowerDistance(p.side, float64(leverage), p.maintenance.value)
			return margin.TouchProbability(p.side, distance, p.volatility.value, p.holdTime.value/24, 1.3)
		}
		if paid := sign(p.side) * p.fundingHourly * 24; (d.maximum == 0) != (paid > 0.03) {
			t.Fatalf("%d at funding of %v", d.maximum, paid)
		}
		if d.maximum == 0 {
			return
		}
		if d.maximum > 1 && touch(d.maximum) > 0.05 {
			t.Fatalf("%v at %d", touch(d.maximum), d.maximum)
		}
		if next := d.maximum + 1; float64(next) <= min(p.venueMaximum.value, 20) && touch(next) <= 0.05 {
			t.Fatalf("%v at %d, one above", touch(next), next)
		}
		if d.maximum < 1 || float64(d.maximum) > max(1, min(p.venueMaximum.value, 20)) {
			t.Fatalf("%d of %v", d.maximum, p.venueMaximum.value)
		}
	})
}

func TestEveryAnswerIsInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyTerms(t)
		p.assume()
		a := assessPerp(p, now)
		if steps := a.SizeFactor * 20; steps != math.Round(steps) || a.SizeFactor < 0 || a.SizeFactor > 1 || a.Copy != (a.SizeFactor > 0) {
			t.Fatalf("size %v, copy %v", a.SizeFactor, a.Copy)
		}
		if (a.LiqDistancePct == nil) != (a.MaxLeverage == 0) || (a.TouchProbability == nil) != (a.MaxLeverage == 0) || a.FundingCostDaily == nil {
			t.Fatalf("%+v", a)
		}
		if a.LiqDistancePct != nil && (!(*a.LiqDistancePct > 0) || *a.LiqDistancePct > 100 || !(*a.TouchProbability >= 0) || *a.TouchProbability > 1) {
			t.Fatalf("%v %v", *a.LiqDistancePct, *a.TouchProbability)
		}
		if a.AllocationUSD != nil && !(*a.AllocationUSD <= p.allocation*a.SizeFactor*(1+1e-9)+1e-7) {
			t.Fatalf("%v of %v at %v", *a.AllocationUSD, p.allocation, a.SizeFactor)
		}
		if len(a.Reasons) < 2 || len(a.Reasons) > reason.Maximum || len(reason.Codes(a.Reasons)) != len(slices.Compact(slices.Sorted(slices.Values(reason.Codes(a.Reasons))))) {
			t.Fatalf("%v", reason.Codes(a.Reasons))
		}
		for _, r := range a.Reasons {
			if r.Text[len(r.Text)-1] != '.' || amount.MatchString(r.Text) || banned.MatchString(r.Text) {
				t.Fatalf("%s: %s", r.Code, r.Text)
			}
		}
	})
}

// The same holds of what partners send and get, whatever they leave out.
func TestWorseRequestsNeverAllowMore(t *testing.T) {
	handler := newVenue().handler()
	worsened := map[string]float64{"leverage": 1, "fundingRateHourly": 0, "maintenanceMarginRate": 1, "dailyVolPct": 1, "holdHours": 1, "maxLeverage": -1}
	rapid.Check(t, func(t *rapid.T) {
		sent := map[string]any{"side": "long", "leverage": wide(t, 0.1, 60, "leverage"), "fundingRateHourly": rapid.Float64Range(-0.0005, 0.0005).Draw(t, "funding")}
		give := func(name string, draw func() any) {
			if rapid.Bool().Draw(t, "has "+name) {
				sent[name] = draw()
			}
		}
		number := func(low, high float64) func() any { return func() any { return wide(t, low, high, "number") } }
		give("side", func() any { return "short" })
		give("maintenanceMarginRate", number(0.001, 0.02))
		give("maxLeverage", number(1, 40))
		give("dailyVolPct", number(0.1, 30))
		give("holdHours", number(0.25, 240))
		give("allocationUsd", number(1, 1e8))
		give("coin", func() any { return rapid.SampledFrom([]string{"BTC", "DOGE", "THIN", "xyz:CL"}).Draw(t, "coin") })
		give("leaderGrade", func() any { return rapid.SampledFrom([]string{"A", "B", "C", "D", "F"}).Draw(t, "grade") })
		if rapid.Bool().Draw(t, "has prices") {
			sent["markPrice"], sent["entryPrice"] = 100, wide(t, 90, 111, "entry")
		}
		before, accepted := try(t, handler, sent)
		if !accepted {
			return
		}
		way := rapid.SampledFrom(slices.Sorted(maps.Keys(worsened))).Draw(t, "way")
		given, has := sent[way].(float64)
		if !has {
			return
		}
		times := wide(t, 1, 5, "times")
		if way == "fundingRateHourly" {
			more := times / 10_000
			if sent["side"] == "short" {
				more = -more
			}
			sent[way] = given + more
		} else {
			sent[way] = given * math.Pow(times, worsened[way])
		}
		after, accepted := try(t, handler, sent)
		if accepted && (after.SizeFactor > before.SizeFactor || after.MaxLeverage > before.MaxLeverage || after.Copy && !before.Copy) {
			t.Fatalf("%v: %+v allows more than %+v", sent, after, before)
		}
		sent["leaderGrade"] = "F"
		if none, accepted := try(t, handler, sent); accepted && (none.Copy || none.SizeFactor != 0) {
			t.Fatalf("%v: an F is copied: %+v", sent, none)
		}
	})
}

// try posts a request that is answered or refused for what it says.
func try(t *rapid.T, handler http.Handler, sent map[string]any) (decision, bool) {
	var pairs []any
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		pairs = append(pairs, name, sent[name])
	}
	text := body(t, pairs...)
	answer := post(t, handler, text)
	if answer.Status == http.StatusBadRequest && answer.Problem(t).Error == "invalid_param" {
		return decision{}, false
	}
	if answer.Status != http.StatusOK {
		t.Fatalf("%s: %d %s", text, answer.Status, answer.Body)
	}
	var d decision
	if err := json.Unmarshal([]byte(answer.Body), &d); err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	return d, true
}

package copytrade

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// sizingOf is a moderate follower's of a leader of grade A with these copies, a day apart.
func sizingOf(nets ...float64) sizing {
	s := sizing{
		profile: moderate, rating: trader.Rating{Rated: true, Grade: "A", Verdict: trader.MirrorWorthy}, independence: 1, withoutBest: 1,
		investableUSD: 10_000, asOf: now,
	}
	for i, net := range nets {
		s.copies = append(s.copies, copyResult{now.AddDate(0, 0, -8-i), net})
	}
	return s
}

func (d *sized) limit(name string) float64 {
	for _, l := range d.limits {
		if l.name == name {
			return l.at
		}
	}
	return math.Inf(1)
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 || math.IsNaN(a) && math.IsNaN(b) }

// The Kelly fraction is that of the copies and one total loss: (+1, +1, 0, -1) is maximal where 2/(1+f) = 1/(1-f), at 1/3. Six gains of
// all that was put in against one loss: 6/7-1/7. Their mean is 5/7, its squared standard error (6*(2/7)^2+(12/7)^2)/6/7.
func TestKelly(t *testing.T) {
	d := size(sizingOf(1, 1, 0))
	if !near(math.Round(d.kelly*1e6)/1e6, 0.333333) {
		t.Errorf("%v", d.kelly)
	}
	six := sizingOf(1, 1, 1, 1, 1, 1)
	mean, squared := 5./7, (6*4./49+144./49)/6/7
	want := 0.25 * mean * mean / (mean*mean + squared) * 5 / 7
	d = size(six)
	if math.Abs(d.kelly-5./7) > 1e-9 || math.Abs(d.limit(limitKelly)-want) > 1e-9 {
		t.Errorf("%v of %v, want %v", d.limit(limitKelly), d.kelly, want)
	}
	// In one token alone, six gains are worth 6/(1+5*0.3) of as many, so that the squared error is that much larger.
	six.independence = 1 / 2.5
	if d, want := size(six), 0.25*mean*mean/(mean*mean+2.5*squared)*5/7; math.Abs(d.limit(limitKelly)-want) > 1e-9 {
		t.Errorf("%v in one token, want %v", d.limit(limitKelly), want)
	}
	if d := size(sizingOf(0.5, -0.4, 0.5, -0.4)); d.capital != 0 || d.kelly != 0 {
		t.Errorf("a total loss outweighs %v", d)
	}
}

// Six results of 0.9, a third of the money in each, within 90 days: sqrt(6*0.09*365/90), and 0.15 over that. In a year alone: sqrt(6*0.09).
func TestVolatility(t *testing.T) {
	s := sizingOf(0.9, 0.9, 0.9, -0.9, 0.9, 0.9)
	for _, c := range []struct {
		days int
		want float64
	}{{0, math.Sqrt(0.54 * 365 / 90)}, {100, math.Sqrt(0.54)}, {400, math.Sqrt(0.54 / 3)}, {1100, 0}} {
		for i := range s.copies {
			s.copies[i].at = now.AddDate(0, 0, -8-i-c.days)
		}
		d := size(s)
		if math.Abs(d.volatility-c.want) > 1e-9 || math.Abs(d.limit(limitVolatility)-min(1, 0.15/c.want)) > 1e-9 {
			t.Errorf("%d days ago: %v, limit %v, want %v", c.days, d.volatility, d.limit(limitVolatility), c.want)
		}
	}
}

func TestLimitsOfWhoTheLeaderIs(t *testing.T) {
	gains := slices.Repeat([]float64{0.05}, 200) // a Kelly fraction far above any limit, and hardly any swings
	for i := range 60 {
		gains[i] = 0.4
	}
	for _, c := range []struct {
		name   string
		change func(*sizing)
		want   float64
		by     string
	}{
		{"A", func(*sizing) {}, 0.10, limitMaximum},
		{"B", func(s *sizing) { s.rating.Grade = "B" }, 0.06, limitGrade},
		{"C", func(s *sizing) { s.rating.Grade, s.rating.Verdict = "C", trader.Watch }, 0.02, limitGrade},
		{"D", func(s *sizing) { s.rating.Grade, s.rating.Verdict = "D", trader.Watch }, 0, limitGrade},
		{"F", func(s *sizing) { s.rating.Grade, s.rating.Verdict = "F", trader.Avoid }, 0, limitGrade},
		{"to be avoided", func(s *sizing) { s.rating.Verdict = trader.Avoid }, 0, limitGrade},
		{"unrated", func(s *sizing) { s.rating = trader.Rating{Verdict: trader.Unrated} }, 0.01, limitTrial},
		{"unrated and few copies", func(s *sizing) { s.rating = trader.Rating{Verdict: trader.Unrated}; s.copies = s.copies[:2] }, 0.01, limitTrial},
		{"few copies", func(s *sizing) { s.copies = s.copies[:2] }, 0.01, limitTrial},
		{"few gains", func(s *sizing) { s.copies = append(s.copies[:2:2], copyResult{now, 0}) }, 0, limitKelly},
		{"one lucky copy", func(s *sizing) { s.withoutBest = 0 }, 0.01, limitTrial},
		{"nothing known without the best", func(s *sizing) { s.withoutBest = math.NaN() }, 0.10, limitMaximum},
		{"stopped", func(s *sizing) { s.stopped = true }, 0, limitMaximum},
		{"conservative", func(s *sizing) { s.profile = conservative }, 0.05, limitMaximum},
		{"aggressive", func(s *sizing) { s.profile = aggressive }, 0.10, limitMaximum},
		{"aggressive C", func(s *sizing) { s.profile, s.rating.Grade = aggressive, "C" }, 0.02, limitGrade},
		{"a conservative trial", func(s *sizing) { s.profile, s.withoutBest = conservative, 0 }, 0.005, limitTrial},
		{"other copies", func(s *sizing) { s.committedUSD = 2_500 }, 0.05, limitTogether},
		{"many other copies", func(s *sizing) { s.committedUSD = 2_980 }, 0, limitTogether},
		{"too many other copies", func(s *sizing) { s.committedUSD = 9_000 }, 0, limitTogether},
		{"money of unknown worth", func(s *sizing) { s.investableUSD, s.committedUSD = math.NaN(), 9_000 }, 0.10, limitMaximum},
		{"no money", func(s *sizing) { s.investableUSD = 0 }, 0.10, limitMaximum},
	} {
		s := sizingOf(gains...)
		for i := range s.copies {
			s.copies[i].at = now.AddDate(0, 0, -8-5*i)
		}
		c.change(&s)
		if d := size(s); !near(d.capital, c.want) || d.binding.name != c.by {
			t.Errorf("%s: %v by %s, want %v by %s", c.name, d.capital, d.binding.name, c.want, c.by)
		}
	}
}

func TestTheSmallestPlan(t *testing.T) {
	s := sizingOf(1, 1, 1, 1, 1, 1)
	s.investableUSD = 10_000
	for committed, want := range map[float64]float64{2_975: 0.0025, 2_975.01: 0, 2_974: 0.0026} {
		s.committedUSD = committed
		if d := size(s); !near(d.capital, want) {
			t.Errorf("%v committed: %v, want %v", committed, d.capital, want)
		}
	}
}

func drawSizing(t *rapid.T) sizing {
	net := rapid.Custom(func(t *rapid.T) float64 {
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0:
			return -1
		case 1:
			return rapid.Float64Range(1, 50).Draw(t, "moon")
		}
		return rapid.Float64Range(-1, 1).Draw(t, "net")
	})
	s := sizingOf(rapid.SliceOfN(net, 0, 60).Draw(t, "nets")...)
	for i := range s.copies {
		s.copies[i].at = now.Add(-time.Duration(rapid.IntRange(0, 5*365*24).Draw(t, "hours")) * time.Hour)
	}
	s.profile = rapid.SampledFrom([]string{conservative, moderate, aggressive}).Draw(t, "profile")
	if rapid.IntRange(0, 5).Draw(t, "rated") == 0 {
		s.rating = trader.Rating{Verdict: trader.Unrated}
	} else {
		s.rating.Grade = rapid.SampledFrom([]string{"A", "B", "C", "D", "F"}).Draw(t, "grade")
	}
	s.independence = rapid.Float64Range(0.05, 1).Draw(t, "independence")
	s.withoutBest = meanWithoutBest(s.copies)
	s.investableUSD = rapid.SampledFrom([]float64{math.NaN(), 0, 1, 1234.5, 1e9}).Draw(t, "investable")
	s.committedUSD = rapid.SampledFrom([]float64{0, 1, 300, 1e8}).Draw(t, "committed")
	return s
}

func meanWithoutBest(copies []copyResult) float64 {
	if len(copies) < 2 {
		return math.NaN()
	}
	sum, best := 0.0, math.Inf(-1)
	for _, c := range copies {
		sum += c.net
		best = max(best, c.net)
	}
	return (sum - best) / float64(len(copies)-1)
}

var gradesDown = []string{"A", "B", "C", "D", "F"}

func TestPropertiesOfSizes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSizing(t)
		d := size(s)
		if !(d.capital >= 0 && d.capital <= mostCapital+1e-12) || d.capital > 0 && d.capital < leastCapital {
			t.Fatalf("%v", d.capital)
		}
		for _, l := range d.limits {
			if l.at < 0 || math.IsInf(l.at, 0) || d.capital > l.at+1e-9 {
				t.Fatalf("%v is above %v", d.capital, l)
			}
		}
		if s.rating.Rated && d.capital > planCaps[s.rating.Grade]+1e-12 || !s.rating.Rated && d.capital > trialCapital+1e-12 {
			t.Fatalf("%v for %s", d.capital, s.rating.Grade)
		}
		if s.investableUSD > 0 && d.capital*s.investableUSD+s.committedUSD > mostTogether*s.investableUSD+1e-6 && d.capital > 0 {
			t.Fatalf("%v of %v beside %v", d.capital, s.investableUSD, s.committedUSD)
		}
		worse := s
		worse.copies = append(slices.Clone(s.copies), copyResult{
			now.Add(-time.Duration(rapid.IntRange(0, 5*365*24).Draw(t, "loss ago")) * time.Hour), -rapid.Float64Range(0, 1).Draw(t, "loss"),
		})
		worse.withoutBest = meanWithoutBest(worse.copies)
		if after := size(worse); after.capital > d.capital {
			t.Fatalf("a loss took the size from %v to %v", d.capital, after.capital)
		}
		if s.rating.Rated {
			better := s
			better.rating.Grade = gradesDown[max(0, slices.Index(gradesDown, s.rating.Grade)-1)]
			if after := size(better); after.capital < d.capital {
				t.Fatalf("a better grade took the size from %v to %v", d.capital, after.capital)
			}
		}
		before := 0.0
		for _, profile := range []string{conservative, moderate, aggressive} {
			s.profile = profile
			if d := size(s); d.capital < before {
				t.Fatalf("%s: %v, less than %v", profile, d.capital, before)
			} else {
				before = d.capital
			}
		}
	})
}

// Whoever plans one copy after the other never puts more than 30 % at stake.
func TestPlansTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		investable := rapid.Float64Range(10, 1e7).Draw(t, "investable")
		together := 0.0
		for range 12 {
			s := sizingOf(1, 1, 1, 1, 1, 1, 1, 1, 0.5)
			s.profile = rapid.SampledFrom([]string{conservative, moderate, aggressive}).Draw(t, "profile")
			s.investableUSD, s.committedUSD = investable, together
			together += downTo(2, size(s).capital*investable)
		}
		if together > mostTogether*investable*(1+1e-12) { // a sum of floating-point numbers
			t.Fatalf("%v of %v", together, investable)
		}
		if together < 0.2*investable {
			t.Fatalf("only %v of %v", together, investable)
		}
	})
}

func TestDownToTwoDigits(t *testing.T) {
	for of, want := range map[float64]float64{
		1234: 1200, 1299.99: 1200, 99.9: 99, 9.96: 9.9, 10: 10, 0.0567: 0.056, 0: 0, -5: 0, 1e9: 1e9, 0.1: 0.1, 0.3: 0.3, 700: 700, 1.1: 1.1,
		math.Inf(1): 0,
	} {
		if got := downTo(2, of); got != want {
			t.Errorf("%v: %v, want %v", of, got, want)
		}
	}
	if downTo(2, math.NaN()) != 0 {
		t.Error("what is no number has no digits")
	}
}

// (+1, +1, -1): mean 1/3, squared standard error (4/3)/3. A tiny loss lengthens the record, and lowers its error by more than its mean.
func TestALossMakesNothingMoreCertain(t *testing.T) {
	two := []float64{1, 1}
	if got := certainty(two, 1); math.Abs(got-0.2) > 1e-12 {
		t.Errorf("%v, want 0.2", got)
	}
	if got := certainty(append(two, -0.001), 1); got > 0.2 {
		t.Errorf("%v with a further loss", got)
	}
	if got := certainty(append(two, 1), 1); got <= 0.2 {
		t.Errorf("%v with a further gain", got)
	}
}

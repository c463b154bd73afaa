package display_test

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
)

// below is the largest number under x.
func below(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }

func TestSizeBandsMeetExactly(t *testing.T) {
	lowest := []struct {
		usd       float64
		under, at string
	}{
		{10, "dust", "micro"}, {100, "micro", "small"}, {1_000, "small", "medium"}, {10_000, "medium", "large"}, {100_000, "large", "whale"},
	}
	for _, edge := range lowest {
		if got := display.SizeBand(below(edge.usd)); got != edge.under {
			t.Errorf("just below %v: %q, want %q", edge.usd, got, edge.under)
		}
		if got := display.SizeBand(edge.usd); got != edge.at {
			t.Errorf("at %v: %q, want %q", edge.usd, got, edge.at)
		}
	}
	for usd, want := range map[float64]string{0: "dust", -5_000: "dust", math.Inf(-1): "dust", math.Inf(1): "whale", math.MaxFloat64: "whale"} {
		if got := display.SizeBand(usd); got != want {
			t.Errorf("%v: %q, want %q", usd, got, want)
		}
	}
	if got := display.SizeBand(math.NaN()); got != "" {
		t.Errorf("NaN: %q", got)
	}
}

func TestAccountBandsMeetExactly(t *testing.T) {
	lowest := []struct {
		usd       float64
		under, at string
	}{
		{1_000, "under-1k", "1k-10k"}, {10_000, "1k-10k", "10k-100k"}, {100_000, "10k-100k", "100k-1m"}, {1_000_000, "100k-1m", "over-1m"},
	}
	for _, edge := range lowest {
		if got := display.AccountBand(below(edge.usd)); got != edge.under {
			t.Errorf("just below %v: %q, want %q", edge.usd, got, edge.under)
		}
		if got := display.AccountBand(edge.usd); got != edge.at {
			t.Errorf("at %v: %q, want %q", edge.usd, got, edge.at)
		}
	}
	if display.AccountBand(0) != "under-1k" || display.AccountBand(-1) != "under-1k" || display.AccountBand(math.Inf(1)) != "over-1m" || display.AccountBand(math.NaN()) != "" {
		t.Error("the ends are wrong")
	}
}

func TestRoundingOfHalvesSignsAndTheImmeasurable(t *testing.T) {
	for _, c := range []struct {
		x        float64
		decimals int
		want     float64
	}{
		{0.5, 0, 1}, {-0.5, 0, -1}, {1.5, 0, 2}, {2.5, 0, 3}, {-2.5, 0, -3}, // away from zero, not to even
		{0.125, 2, 0.13}, {-0.125, 2, -0.13}, {0.0625, 3, 0.063}, {12.25, 1, 12.3},
		{0.49999999999999994, 0, 0}, {-0.4, 0, 0}, {-0.0004, 3, 0},
		{1e300, 2, 1e300}, {math.MaxFloat64, 3, math.MaxFloat64}, {-math.MaxFloat64, 1, -math.MaxFloat64},
		{math.SmallestNonzeroFloat64, 3, 0}, {math.Copysign(0, -1), 2, 0},
	} {
		got := display.Round(c.x, c.decimals)
		if got != c.want || math.Signbit(got) != (c.want < 0) {
			t.Errorf("Round(%v, %d) = %v, want %v", c.x, c.decimals, got, c.want)
		}
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if !math.IsNaN(display.Round(x, 2)) {
			t.Errorf("Round(%v) is a number", x)
		}
		if display.Percent(x) != nil || display.Score(x) != nil || display.Probability(x) != nil {
			t.Errorf("%v is shown", x)
		}
	}
	if display.Percent(math.MaxFloat64) != nil {
		t.Error("a percentage beyond all numbers is shown")
	}
	for name, c := range map[string]struct {
		got  *float64
		want float64
	}{
		"percent":              {display.Percent(0.12345678), 12.35},
		"percent half":         {display.Percent(0.0003125), 0.03},
		"percent loss":         {display.Percent(-0.5), -50},
		"percent nearly none":  {display.Percent(-1e-9), 0},
		"score":                {display.Score(71.25), 71.3},
		"score full":           {display.Score(99.96), 100},
		"probability":          {display.Probability(0.8125), 0.813},
		"probability certain":  {display.Probability(0.99951), 1},
		"probability negative": {display.Probability(math.Copysign(0, -1)), 0},
	} {
		if c.got == nil || *c.got != c.want || math.Signbit(*c.got) != (c.want < 0) {
			t.Errorf("%s: %v, want %v", name, c.got, c.want)
		}
	}
}

// The reference rounds the decimal text of the number, as a person would.
func TestRoundAgreesWithDecimalArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		decimals := rapid.IntRange(0, 4).Draw(t, "decimals")
		x := rapid.Float64Range(-1e6, 1e6).Draw(t, "x")
		got := display.Round(x, decimals)
		text := strconv.FormatFloat(got, 'f', -1, 64)
		if _, fraction, _ := strings.Cut(text, "."); len(fraction) > decimals {
			t.Fatalf("Round(%v, %d) = %s has too many decimals", x, decimals, text)
		}
		exact, _ := new(big.Rat).SetString(strconv.FormatFloat(x, 'f', -1, 64))
		rounded, _ := new(big.Rat).SetString(text)
		distance := new(big.Rat).Sub(exact, rounded)
		half := new(big.Rat).SetFrac64(1, 2)
		for range decimals {
			half.Quo(half, big.NewRat(10, 1))
		}
		// Multiplying by a power of ten may move a number by one part in 2^52.
		slack := new(big.Rat).Mul(new(big.Rat).Abs(exact), big.NewRat(1, 1<<52))
		if distance.Abs(distance).Cmp(half.Add(half, slack)) > 0 {
			t.Fatalf("Round(%v, %d) = %s", x, decimals, text)
		}
		if display.Round(-x, decimals) != -got {
			t.Fatalf("Round(%v, %d) does not mirror Round(%v, %d)", -x, decimals, x, decimals)
		}
		if display.Round(got, decimals) != got {
			t.Fatalf("rounding %v again moves it", got)
		}
	})
}

func TestPercentText(t *testing.T) {
	for _, c := range []struct {
		fraction float64
		want     string
	}{
		{0, "0%"}, {math.Copysign(0, -1), "0%"}, {0.43, "43%"}, {0.435, "44%"}, {-0.435, "-44%"}, {1, "100%"}, {12.5, "1250%"},
		{0.01, "1%"}, {-0.01, "-1%"}, {0.0099, "1%"}, {0.004, "0.4%"}, {-0.004, "-0.4%"}, {0.0025, "0.3%"}, {0.0001, "0%"}, {-0.0001, "0%"},
		{math.NaN(), "an unknown share"}, {math.Inf(1), "an unknown share"}, {math.Inf(-1), "an unknown share"}, {1e308, "an unknown share"},
	} {
		if got := display.PercentText(c.fraction); got != c.want {
			t.Errorf("PercentText(%v) = %q, want %q", c.fraction, got, c.want)
		}
	}
}

func TestDurationText(t *testing.T) {
	const day = 24 * time.Hour
	for _, c := range []struct {
		duration time.Duration
		want     string
	}{
		{-time.Hour, "under a minute"}, {0, "under a minute"}, {time.Minute - 1, "under a minute"},
		{time.Minute, "1 minute"}, {2*time.Minute - 1, "1 minute"}, {40 * time.Minute, "40 minutes"}, {2*time.Hour - 1, "119 minutes"},
		{2 * time.Hour, "2 hours"}, {5*time.Hour + 59*time.Minute, "5 hours"}, {48*time.Hour - 1, "47 hours"},
		{48 * time.Hour, "2 days"}, {12*day + 23*time.Hour, "12 days"}, {400 * day, "400 days"},
	} {
		if got := display.DurationText(c.duration); got != c.want {
			t.Errorf("DurationText(%v) = %q, want %q", c.duration, got, c.want)
		}
	}
}

func TestCountsHaveTheirPlural(t *testing.T) {
	for noun, plural := range map[string]string{
		"trade": "trades", "entry": "entries", "copy": "copies", "day": "days", "buy": "buys", "key": "keys", "toy": "toys",
		"loss": "losses", "box": "boxes", "match": "matches", "finish": "finishes", "open approval": "open approvals", "open position": "open positions",
	} {
		for _, n := range []int{0, 2, 11, 21, 101, -3} {
			if got, want := display.Count(n, noun), fmt.Sprintf("%d %s", n, plural); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		if got, want := display.Count(1, noun), "1 "+noun; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := display.Count(2, "y"); got != "2 ies" {
		t.Errorf("%q", got)
	}
}

func TestMinutesAgoAreWholeAndNeverNegative(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for ago, want := range map[time.Duration]int{
		0: 0, time.Minute - 1: 0, time.Minute: 1, 90 * time.Second: 1, 61 * time.Minute: 61, -time.Second: 0, -5 * time.Hour: 0,
	} {
		if got := display.MinutesAgo(now.Add(-ago), now); got != want {
			t.Errorf("%v ago: %d, want %d", ago, got, want)
		}
	}
	if got := display.MinutesAgo(time.Time{}, now); got <= 0 {
		t.Errorf("since the beginning of time: %d", got)
	}
}

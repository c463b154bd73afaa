package token

import (
	"math"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/priceaction"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

var chartStart = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// wave is a price that swings for n hours, with so many hours between trades.
func wave(n, step int, amplitude float64) chartFacts {
	var hours []market.Candle
	before := 1.0
	for i := 0; i < n; i++ {
		c := math.Exp(amplitude * math.Sin(float64(i)/9) * (1 + math.Sin(float64(i)/200)))
		hours = append(hours, market.Candle{
			Time: chartStart.Add(time.Duration(i*step) * time.Hour), Open: before, Close: c,
			High: max(before, c) * (1 + amplitude/50), Low: min(before, c) / (1 + amplitude/50), VolumeUSD: 12345.67 + float64(i%7),
		})
		before = c
	}
	return chartFacts{Chart: &tokenfacts.Chart{Pool: market.Pool{ID: "0x01"}, Hours: hours}}
}

func readAt(f chartFacts) time.Time { return f.Hours[len(f.Hours)-1].Time.Add(time.Hour) }

var dollars = regexp.MustCompile(`\$\d|12345|NaN|Inf|%!`)

func checkReasons(t *testing.T, reasons []reason.Reason, least int) {
	t.Helper()
	if len(reasons) < least || len(reasons) > reason.Maximum {
		t.Errorf("%d reasons: %v", len(reasons), reason.Codes(reasons))
	}
	for _, r := range reasons {
		if r.Text == "" || dollars.MatchString(r.Text) {
			t.Errorf("%s: %q", r.Code, r.Text)
		}
	}
}

func TestPriceActionAnswers(t *testing.T) {
	full := wave(2000, 1, 0.2)
	answer := assessPriceAction(full, readAt(full))
	if !answer.Available || answer.Trend == nil || answer.Structure == nil || answer.Breakout == nil || answer.Volatility == nil || answer.DistanceFromHighPct == nil || *answer.BarMinutes != 60 {
		t.Errorf("%+v", answer)
	}
	checkReasons(t, answer.Reasons, 2)

	no := because("NO_POOL", 1, "No pool.")
	thin, fresh, stale := wave(47, 2, 0.2), wave(20, 1, 0.2), wave(100, 1, 0.2)
	for code, c := range map[string]struct {
		facts chartFacts
		asOf  time.Time
	}{
		"NO_POOL":   {chartFacts{Chart: &tokenfacts.Chart{}, missing: &no}, chartStart},
		"NO_TRADES": {chartFacts{Chart: &tokenfacts.Chart{Pool: full.Pool}}, chartStart},
		"THIN":      {thin, readAt(thin)},
		"TOO_NEW":   {fresh, readAt(fresh)},
		"STALE":     {stale, readAt(stale).Add(72 * time.Hour)},
	} {
		got := assessPriceAction(c.facts, c.asOf)
		if got.Available || got.Trend != nil || got.Structure != nil || got.Breakout != nil || got.Volatility != nil || got.DistanceFromHighPct != nil || got.BarMinutes != nil {
			t.Errorf("%s: %+v", code, got)
		}
		if codes := reason.Codes(got.Reasons); !slices.Equal(codes, []string{code}) {
			t.Errorf("%s: %v", code, codes)
		}
		checkReasons(t, got.Reasons, 1)
	}
}

func TestInflectionAlwaysSaysThatItTellsNoDirection(t *testing.T) {
	no := because("NO_POOL", 1, "No pool.")
	full, sparse, thin, still := wave(2000, 1, 0.2), wave(500, 6, 0.2), wave(300, 1, 0.2), wave(800, 1, 0)
	for first, c := range map[string]struct {
		facts chartFacts
		later time.Duration
		known bool
	}{
		"WIDE": {chartFacts{Chart: &tokenfacts.Chart{Pool: full.Pool, Hours: full.Hours[:1500]}}, 0, true}, "SQUEEZE": {chartFacts{Chart: &tokenfacts.Chart{Pool: full.Pool, Hours: full.Hours[:900]}}, 0, true}, "USUAL": {sparse, 0, true},
		"THIN": {thin, 0, false}, "STILL": {still, 0, false}, "STALE": {full, 72 * time.Hour, false},
		"NO_POOL": {chartFacts{Chart: &tokenfacts.Chart{}, missing: &no}, 0, false},
	} {
		asOf := chartStart
		if len(c.facts.Hours) > 0 {
			asOf = readAt(c.facts).Add(c.later)
		}
		got := assessInflection(c.facts, asOf)
		codes := reason.Codes(got.Reasons)
		if (got.State != priceaction.InsufficientData) != c.known || (got.MoveProbability != nil) != c.known || (got.BaseRate != nil) != c.known {
			t.Errorf("%s: %+v", first, got)
		}
		if !slices.Contains(codes, "NO_DIRECTION") {
			t.Errorf("%s: no word on direction: %v", first, codes)
		}
		if codes[0] != first {
			t.Errorf("%s: %v (%s)", first, codes, got.Reasons[0].Text)
		}
		checkReasons(t, got.Reasons, 2)
	}
}

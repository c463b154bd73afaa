package token

import (
	"context"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// TokenIntelAnswer is a token's profile: is it safe, is it moving, is this a good moment to enter.
type TokenIntelAnswer struct {
	// Verdict sums up risk, momentum and entry. One of favourable, neutral, caution, avoid or unknown.
	Verdict string `json:"verdict"`
	// Risk is what token-risk says.
	Risk IntelRisk `json:"risk"`
	// Momentum is how the price has moved.
	Momentum IntelMomentum `json:"momentum"`
	// Entry is whether this is a good moment to enter.
	Entry IntelEntry `json:"entry"`
	// Activity is how busily the token is traded.
	Activity IntelActivity `json:"activity"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// IntelRisk is the verdict of token-risk.
type IntelRisk struct {
	// Risk is the verdict of token-risk. One of low, medium, high, critical or unknown.
	Risk string `json:"risk"`
	// Score is 0 to 100, the higher the riskier; null when unknown.
	Score *float64 `json:"score"`
	// Flags say what was found and what could not be checked, the weightiest first.
	Flags []string `json:"flags"`
}

// IntelMomentum is how the price has moved. Everything is null where there is too little trading to chart.
type IntelMomentum struct {
	// Trend is the direction of the price. One of up, sideways or down; null when unmeasured.
	Trend *string `json:"trend"`
	// Return1hPct is the return of the last hour.
	Return1hPct *float64 `json:"return1hPct"`
	// Return24hPct is the return of the last day.
	Return24hPct *float64 `json:"return24hPct"`
	// Return7dPct is the return of the last week.
	Return7dPct *float64 `json:"return7dPct"`
	// ZScore24h is the last day's return in standard deviations of the token's own returns.
	ZScore24h *float64 `json:"zScore24h"`
	// VolumeZScore is the last day's volume in standard deviations of the token's own volumes.
	VolumeZScore *float64 `json:"volumeZScore"`
}

// IntelEntry is whether this is a good moment to enter.
type IntelEntry struct {
	// Quality says how good the moment is. One of good, fair, extended, poor or unknown.
	Quality string `json:"quality"`
	// RangePosition is where the price stands in the last 20 hours' range: 0 at the bottom, 1 at the top.
	RangePosition *float64 `json:"rangePosition"`
	// AboveAverageATR is the distance from the last day's volume-weighted price in average true ranges.
	AboveAverageATR *float64 `json:"aboveAverageAtr"`
	// Extended is true where that distance is above three.
	Extended *bool `json:"extended"`
	// Impact is what a small position costs on entering: below 1 %, below 3 %, or more. One of low, moderate or high; null when
	// unknown.
	Impact *string `json:"impact"`
}

// IntelActivity is how busily the token is traded.
type IntelActivity struct {
	// Level compares the last day's volume with a typical day's: below half, below twice, below five times, or more. One of quiet,
	// normal, busy or surging; null when unknown.
	Level *string `json:"level"`
	// TradesPerHour is the mean over the last day.
	TradesPerHour *float64 `json:"tradesPerHour"`
	// LastHourTrades counts the trades of the last hour.
	LastHourTrades *int `json:"lastHourTrades"`
	// BuyShare is the part of the last day's trades that were buys, 0 to 1; null without trades.
	BuyShare *float64 `json:"buyShare"`
}

// intelFacts is what a profile is made of.
type intelFacts struct {
	Risk        *tokenrisk.Assessment
	PriceAction TokenPriceActionAnswer
	Momentum    momentum
}

func (p page) tokenIntel() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "token-intel", Units: 3, Graded: true, Refuses: []string{"not_a_token"},
		Summary:    "A token's profile: is it safe, is it moving, is this a good moment to enter.",
		Parameters: parameters, Needs: append(tokenrisk.Needs[:len(tokenrisk.Needs):len(tokenrisk.Needs)], market.CandleFacts),
	}, p.gatherIntel, assessIntel)
}

func (p page) gatherIntel(ctx context.Context, r *endpoint.Request) (*intelFacts, error) {
	risk, err := p.risk(ctx, r)
	if err != nil {
		return nil, refusal(err)
	}
	facts := intelFacts{Risk: risk}
	group, ctx := parallel.WithContext(ctx)
	group.Go(func() (err error) { facts.PriceAction, err = p.priceAction(ctx, r); return err })
	group.Go(func() (err error) { facts.Momentum, err = momentumOf(ctx, r); return err })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return &facts, nil
}

// The impact of entering a small position, as parts of the price.
const (
	moderateImpact = 0.01
	highImpact     = 0.03
)

func assessIntel(f *intelFacts, _ time.Time) TokenIntelAnswer {
	m := &f.Momentum
	answer := TokenIntelAnswer{
		Risk: IntelRisk{Risk: f.Risk.Verdict, Score: display.Score(f.Risk.Score), Flags: flagTexts(f.Risk)},
		Momentum: IntelMomentum{
			Trend: f.PriceAction.Trend, Return1hPct: display.Percent(m.return1h), Return24hPct: display.Percent(m.return24h),
			Return7dPct: display.Percent(m.return7d), ZScore24h: rounded(m.z24h), VolumeZScore: rounded(m.volumeZ),
		},
		Entry:    entryOf(m),
		Activity: activityOf(m),
	}
	if f.trap() {
		answer.Entry.Quality = "poor"
	}
	answer.Verdict = intelVerdict(f.Risk.Verdict, word(f.PriceAction.Trend), answer.Entry.Quality)
	answer.Reasons = intelReasons(f, &answer)
	return answer
}

// trap tells whether the risk is such that no moment to enter is a good one.
func (f *intelFacts) trap() bool {
	return f.Risk.Verdict == tokenrisk.Critical || f.Risk.Verdict == tokenrisk.High
}

// intelVerdict weighs risk before everything else: what may be a trap is avoided, what could not be checked is not praised.
func intelVerdict(risk, trend, entry string) string {
	switch {
	case risk == tokenrisk.Critical || risk == tokenrisk.High:
		return "avoid"
	case risk == tokenrisk.Unknown:
		return "unknown"
	case risk == tokenrisk.Medium || entry == "poor" || entry == "extended" || trend == "down":
		return "caution"
	case risk == tokenrisk.Low && trend == "up" && (entry == "good" || entry == "fair"):
		return "favourable"
	}
	return "neutral"
}

// entryOf judges the moment: extended ahead of the day's average; poor where entering alone costs much; good with room to the top of
// the range and little impact; fair otherwise.
func entryOf(m *momentum) IntelEntry {
	entry := IntelEntry{Quality: "unknown", RangePosition: display.Probability(m.rangePosition), AboveAverageATR: rounded(m.aboveVWAP)}
	if !math.IsNaN(m.aboveVWAP) {
		extended := m.extended()
		entry.Extended = &extended
	}
	if !math.IsNaN(m.impact) {
		band := "low"
		switch {
		case m.impact >= highImpact:
			band = "high"
		case m.impact >= moderateImpact:
			band = "moderate"
		}
		entry.Impact = &band
	}
	switch {
	case m.extended():
		entry.Quality = "extended"
	case m.impact >= highImpact:
		entry.Quality = "poor"
	case math.IsNaN(m.rangePosition) || math.IsNaN(m.impact) || math.IsNaN(m.aboveVWAP):
	case m.rangePosition <= 0.7 && m.impact < moderateImpact && m.aboveVWAP <= 1:
		entry.Quality = "good"
	default:
		entry.Quality = "fair"
	}
	return entry
}

func activityOf(m *momentum) IntelActivity {
	var activity IntelActivity
	if !math.IsNaN(m.volumeRatio) {
		level := "surging"
		switch {
		case m.volumeRatio < 0.5:
			level = "quiet"
		case m.volumeRatio < 2:
			level = "normal"
		case m.volumeRatio < 5:
			level = "busy"
		}
		activity.Level = &level
	}
	if trades := m.buys + m.sells; !math.IsNaN(m.impact) {
		perHour, lastHour := display.Round(float64(trades)/24, 1), m.lastHour
		activity.TradesPerHour, activity.LastHourTrades = &perHour, &lastHour
		if trades > 0 {
			activity.BuyShare = display.Probability(float64(m.buys) / float64(trades))
		}
	}
	return activity
}

func intelReasons(f *intelFacts, answer *TokenIntelAnswer) []reason.Reason {
	var reasons []reason.Reason
	for i, flag := range f.Risk.Flags {
		if i == 2 {
			break
		}
		flag.Weight = 3 - float64(i)
		reasons = append(reasons, flag)
	}
	if len(reasons) == 0 {
		reasons = append(reasons, because("RISK", 3, "The risk of a scam is %s.", f.Risk.Verdict))
	}
	m := &f.Momentum
	if math.IsNaN(m.return24h) {
		reasons = append(reasons, because("NO_CHART", 1.5, "There is too little trading to measure momentum: %d hours with trades are needed.", minimumHours))
	} else {
		reasons = append(reasons, because("MOMENTUM", 1.5, "%s", dayText(m)))
	}
	switch quality := answer.Entry.Quality; {
	case f.trap():
		reasons = append(reasons, because("TRAP", 1.4, "No moment is a good one to enter while the risk is %s.", f.Risk.Verdict))
	case quality == "extended":
		reasons = append(reasons, because("EXTENDED", 1.4, "The price is %.1f average ranges above its day's average: late to enter.", m.aboveVWAP))
	case quality == "poor":
		reasons = append(reasons, because("IMPACT", 1.4, "Entering even a small position moves the price by about %s.", display.PercentText(m.impact)))
	case quality == "good" || quality == "fair":
		reasons = append(reasons, because("ENTRY", 0.5, "The price stands at %s of its last %d hours' range.", display.PercentText(m.rangePosition), rangeHours))
	}
	return reason.Top(reasons)
}

// dayText tells the last day's move and whether it was unusual.
func dayText(m *momentum) string {
	move := display.PercentText(math.Abs(m.return24h))
	text := "The price rose " + move + " in a day"
	switch {
	case move == display.PercentText(0):
		return "The price is about where it was a day ago."
	case m.return24h < 0:
		text = "The price fell " + move + " in a day"
	}
	switch {
	case math.IsNaN(m.z24h):
		return text + "."
	case math.Abs(m.z24h) > 1:
		return text + ", more than it usually moves."
	}
	return text + ", no more than it usually moves."
}

// flagTexts are a risk's flags as plain strings.
func flagTexts(risk *tokenrisk.Assessment) []string {
	texts := make([]string, len(risk.Flags))
	for i := range risk.Flags {
		texts[i] = risk.Flags[i].Text
	}
	return texts
}

// rounded is a number with two decimals, nil when unmeasured.
func rounded(x float64) *float64 {
	if x = display.Round(x, 2); math.IsNaN(x) {
		return nil
	}
	return &x
}

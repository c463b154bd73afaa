package token

import (
	"context"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/priceaction"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// TokenPriceActionAnswer is the structure of the price. Everything is null when it is not available: too new or too thinly traded to
// chart.
type TokenPriceActionAnswer struct {
	// Available is false for a token that is too new or too thinly traded to chart.
	Available bool `json:"available"`
	// Trend is the direction of the price. One of up, sideways or down; null when unmeasured.
	Trend *string `json:"trend"`
	// Structure is the pattern of the swings. One of higher-highs, lower-lows, range, expanding, breaking-out or breaking-down; null
	// when unmeasured.
	Structure *string `json:"structure"`
	// Breakout says whether the price left its range. One of up, down, failed or none; null when unmeasured.
	Breakout *string `json:"breakout"`
	// Volatility compares the price's swings with their own history. One of calm, normal, elevated or extreme; null when unmeasured.
	Volatility *string `json:"volatility"`
	// DistanceFromHighPct is zero or below: how far the price is from its highest close since launch or in 90 days, in percent.
	DistanceFromHighPct *float64 `json:"distanceFromHighPct"`
	// HoursSinceHigh is how long before the latest trade that close was.
	HoursSinceHigh *float64 `json:"hoursSinceHigh"`
	// Swings are the latest confirmed turning points of the price, at most 12, the oldest first; none where it has not turned, or is not
	// available.
	Swings []PriceSwing `json:"swings"`
	// Range is what a breakout is read against: the 20 bars before the one that broke out, or before the latest. Null with too few bars.
	Range *PriceRange `json:"range"`
	// BarMinutes is the length of the bars that were read.
	BarMinutes *int `json:"barMinutes"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// PriceSwing is a confirmed turning point of the price.
type PriceSwing struct {
	// Kind says what turned. One of high or low.
	Kind string `json:"kind"`
	// HoursAgo is when, in hours before the answer.
	HoursAgo *float64 `json:"hoursAgo"`
	// FromHighPct is where, in percent of the highest close, from it: below zero for lower ones. Above zero is a price within a bar that
	// closed lower.
	FromHighPct *float64 `json:"fromHighPct"`
}

// PriceRange is between the highest and the lowest price of some bars, in percent of the highest close, from it.
type PriceRange struct {
	// TopFromHighPct is the upper end.
	TopFromHighPct *float64 `json:"topFromHighPct"`
	// BottomFromHighPct is the lower end.
	BottomFromHighPct *float64 `json:"bottomFromHighPct"`
}

func (p page) tokenPriceAction() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "token-price-action", Units: 1, Graded: true,
		Summary:    "Reads the structure of a token's price: trend, swings, breakout, volatility and the distance from its high.",
		Parameters: parameters, Needs: chartNeeds,
	}, p.priceAction, asItIs)
}

func (p page) priceAction(ctx context.Context, r *endpoint.Request) (TokenPriceActionAnswer, error) {
	return once(ctx, r, 0, func(ctx context.Context) (TokenPriceActionAnswer, error) {
		facts, err := gatherChart(ctx, r)
		if err != nil {
			return TokenPriceActionAnswer{}, err
		}
		return assessPriceAction(facts, r.AsOf), nil
	})
}

func assessPriceAction(facts chartFacts, asOf time.Time) TokenPriceActionAnswer {
	if facts.missing != nil {
		return TokenPriceActionAnswer{Swings: []PriceSwing{}, Reasons: []reason.Reason{*facts.missing}}
	}
	read := priceaction.Read(facts.Hours, asOf)
	if !read.Available {
		return TokenPriceActionAnswer{Swings: []PriceSwing{}, Reasons: []reason.Reason{whyNoChart(read)}}
	}
	minutes := int(read.BarSize / time.Minute)
	return TokenPriceActionAnswer{
		Available: true, Trend: known(read.Trend), Structure: known(read.Structure), Breakout: known(read.Breakout),
		Volatility: known(read.Volatility), DistanceFromHighPct: display.Percent(read.FromHigh), HoursSinceHigh: hours(read.SinceHigh),
		Swings: swings(read), Range: channel(read), BarMinutes: &minutes,
		Reasons: reason.Top(priceActionReasons(read, facts.Truncated)),
	}
}

func hours(d time.Duration) *float64 { return display.Score(d.Hours()) }

func swings(read priceaction.Reading) []PriceSwing {
	shown := make([]PriceSwing, len(read.Swings))
	for i, s := range read.Swings {
		shown[i] = PriceSwing{Kind: "low", HoursAgo: hours(s.Ago), FromHighPct: display.Percent(s.Level)}
		if s.High {
			shown[i].Kind = "high"
		}
	}
	return shown
}

func channel(read priceaction.Reading) *PriceRange {
	if math.IsNaN(read.ChannelTop) {
		return nil
	}
	return &PriceRange{TopFromHighPct: display.Percent(read.ChannelTop), BottomFromHighPct: display.Percent(read.ChannelBottom)}
}

// known is nil for a word that could not be measured.
func known(word string) *string {
	if word == "" {
		return nil
	}
	return &word
}

func whyNoChart(read priceaction.Reading) reason.Reason {
	switch {
	case read.LiquidHours == 0:
		return because("NO_TRADES", 1, "No trade of this token is known within the last 90 days, so there is nothing to chart.")
	case read.Stale:
		return because("STALE", 1, "The token has not traded for more than %d hours, so its chart no longer describes its price.", int(priceaction.StaleAfter.Hours()))
	case read.Age < priceaction.MinimumAge:
		return because("TOO_NEW", 1, "The token has traded for less than %d hours; that is too new to chart.", int(priceaction.MinimumAge.Hours()))
	}
	return because("THIN", 1, "The token traded in %s; at least %d are needed to chart it.", display.Count(read.LiquidHours, "hour"), priceaction.MinimumHours)
}

var structureReasons = map[string]string{
	priceaction.HigherHighs: "Last two highs and lows are rising.",
	priceaction.LowerLows:   "Last two highs and lows are falling.",
	priceaction.Range:       "The last two highs and lows point in no common direction.",
	priceaction.Expanding:   "The last high is higher and the last low lower than the one before: swings are widening.",
}

func priceActionReasons(read priceaction.Reading, truncated bool) []reason.Reason {
	var reasons []reason.Reason
	bars := barText(read.BarSize)
	switch read.Breakout {
	case priceaction.Up, priceaction.Down, priceaction.Failed:
		reasons = append(reasons, breakoutReason(read))
	}
	if text, found := structureReasons[read.Structure]; found {
		reasons = append(reasons, because("STRUCT", 0.9, "%s", text))
	} else if read.Structure == "" {
		reasons = append(reasons, because("STRUCT_UNKNOWN", 0.6, "The price has not turned often enough in %d %s bars to compare its highs and lows.", read.Bars, bars))
	}
	switch read.Trend {
	case priceaction.Up:
		reasons = append(reasons, because("TREND", 0.8, "The price rises over 50 %s bars and stands above both of its averages; the trend is %s.", bars, strengthText(read)))
	case priceaction.Down:
		reasons = append(reasons, because("TREND", 0.8, "The price falls over 50 %s bars and stands below both of its averages; the trend is %s.", bars, strengthText(read)))
	case priceaction.Sideways:
		reasons = append(reasons, because("TREND", 0.5, "Over 50 %s bars the price shows no trend that chance would not explain as well.", bars))
	default:
		reasons = append(reasons, because("TREND_UNKNOWN", 0.5, "%d %s bars are too few to tell a trend; 50 are needed.", read.Bars, bars))
	}
	if read.FromHigh < 0 {
		since := "since its first known trade"
		if read.Age > 89*hoursPerDay*time.Hour {
			since = "in 90 days"
		}
		if truncated {
			since = "in the history that could be read"
		}
		reasons = append(reasons, because("FROM_HIGH", 0.4+min(0.5, -read.FromHigh/2), "The price is %s below its highest close %s, which was %s earlier.",
			display.PercentText(-read.FromHigh), since, display.DurationText(read.SinceHigh)))
	} else {
		reasons = append(reasons, because("FROM_HIGH", 0.7, "The price stands at its highest close of the %s read.", display.DurationText(read.Age)))
	}
	if !math.IsNaN(read.VolatilityRank) {
		reasons = append(reasons, because("VOL_PCTL", 0.45, "Volatility is %s by the measure of all tokens; it is at or above %s of this token's own values over %s.",
			read.Volatility, display.PercentText(read.VolatilityRank), display.Count(max(1, read.VolatilityDays), "day")))
	}
	return reasons
}

const hoursPerDay = 24

func breakoutReason(read priceaction.Reading) reason.Reason {
	switch read.Breakout {
	case priceaction.Up:
		return because("BREAKOUT", 1, "Closed above its 20-bar high on %.1f times usual volume.", read.BreakoutVolume)
	case priceaction.Down:
		return because("BREAKOUT", 1, "Closed below its 20-bar low on %.1f times usual volume.", read.BreakoutVolume)
	}
	return because("BREAKOUT_FAILED", 0.85, "Closed beyond its 20-bar range on %.1f times usual volume and came back inside within three bars.", read.BreakoutVolume)
}

func strengthText(read priceaction.Reading) string {
	if read.Strength == "" {
		return "of unknown strength"
	}
	return read.Strength
}

func barText(size time.Duration) string {
	switch size {
	case time.Hour:
		return "one-hour"
	case 4 * time.Hour:
		return "four-hour"
	}
	return "one-day"
}

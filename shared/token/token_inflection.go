package token

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/priceaction"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// TokenInflectionAnswer tells whether the price range has become unusually tight. It says nothing about direction.
type TokenInflectionAnswer struct {
	// State says how tight the price range is. One of coiled, coiling, expanding, neutral or insufficient-data.
	State string `json:"state"`
	// MoveProbability is that of a move of three times the usual range within a day, 0 to 1.
	MoveProbability *float64 `json:"moveProbability"`
	// BaseRate is how often that happens to all tokens, 0 to 1.
	BaseRate *float64 `json:"baseRate"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

func (p page) tokenInflection() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "token-inflection", Units: 2, Graded: true,
		Summary:    "Tells whether a token's price range has become unusually tight, and how likely a large move is. It says nothing about direction.",
		Parameters: parameters, Needs: chartNeeds,
	}, p.inflection, asItIs)
}

func (p page) inflection(ctx context.Context, r *endpoint.Request) (TokenInflectionAnswer, error) {
	return once(ctx, r, 0, func(ctx context.Context) (TokenInflectionAnswer, error) {
		facts, err := gatherChart(ctx, r)
		if err != nil {
			return TokenInflectionAnswer{}, err
		}
		return assessInflection(facts, r.AsOf), nil
	})
}

func assessInflection(facts chartFacts, asOf time.Time) TokenInflectionAnswer {
	noDirection := because("NO_DIRECTION", 0.9, "This says nothing about direction.")
	if facts.missing != nil {
		return TokenInflectionAnswer{State: priceaction.InsufficientData, Reasons: []reason.Reason{*facts.missing, noDirection}}
	}
	read := priceaction.ReadInflection(facts.Hours, asOf)
	if read.State == priceaction.InsufficientData {
		return TokenInflectionAnswer{State: read.State, Reasons: []reason.Reason{whyNoInflection(read), noDirection}}
	}
	base := priceaction.BaseRate
	return TokenInflectionAnswer{
		State: read.State, MoveProbability: display.Probability(read.Probability), BaseRate: display.Probability(base),
		Reasons: reason.Top(append(inflectionReasons(read), noDirection)),
	}
}

func whyNoInflection(read priceaction.Inflection) reason.Reason {
	switch {
	case read.Still:
		return because("STILL", 1, "The price hardly moves at all, so there is no range to compare.")
	case read.Bars < priceaction.InflectionMinimum:
		return because("THIN", 1, "%s of four hours with trades are known; %d are needed.", display.Count(read.Bars, "bar"), priceaction.InflectionMinimum)
	}
	return because("STALE", 1, "The token has not traded within the last day.")
}

func inflectionReasons(read priceaction.Inflection) []reason.Reason {
	days := display.Count(max(1, read.Days), "day")
	odds := "a move of 3 times its usual range within a day followed " + display.PercentText(read.Probability) +
		" of such setups against " + display.PercentText(priceaction.BaseRate) + " normally."
	var reasons []reason.Reason
	switch read.State {
	case priceaction.Coiled, priceaction.Coiling:
		reasons = append(reasons, because("SQUEEZE", 1, "Price range is tighter than %s of the last %s; %s", display.PercentText(1-read.Percentile), days, odds))
	case priceaction.Widening:
		reasons = append(reasons, because("WIDE", 1, "The price range is at least as wide as in %s of the last %s; %s", display.PercentText(read.Percentile), days, odds))
	default:
		reasons = append(reasons, because("USUAL", 1, "The price range is at least as wide as in %s of the last %s, neither tight nor wide; %s", display.PercentText(read.Percentile), days, odds))
	}
	switch {
	case read.VolumeRatio <= 0.5:
		reasons = append(reasons, because("VOLUME", 0.4, "Volume of the last day is %s of its usual level.", display.PercentText(read.VolumeRatio)))
	case read.VolumeRatio >= 1.5:
		reasons = append(reasons, because("VOLUME", 0.5, "Volume of the last day is %.1f times its usual level.", read.VolumeRatio))
	}
	if read.Activity < 0.8 {
		reasons = append(reasons, because("SPARSE", 0.6, "Only %s of the four-hour bars had trades, which makes a large move within a day less likely.", display.PercentText(read.Activity)))
	}
	return reasons
}

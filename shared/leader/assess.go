package leader

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
	"github.com/mirrorworthy/mirrorworthy/shared/predictionrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// assess grades a leader as of an instant, with what its page would say then. Early buyers go through the gate, and what it expects of
// them is written down.
func (g *grader) assess(ctx context.Context, leader *store.Leader, asOf time.Time) (*Graded, error) {
	address, err := chain.ParseAddress(leader.Address)
	if err != nil {
		return nil, err
	}
	session := market.NewSession(ctx, g.sources)
	switch leader.Group.Kind {
	case Spot:
		on, known := chain.Parse(leader.Group.Place)
		if !known {
			return nil, fmt.Errorf("a chain called %q", leader.Group.Place)
		}
		return g.assessSpot(ctx, session, leader, on, address, asOf)
	case Perp:
		record, err := perprecord.Of(ctx, session, address, asOf)
		if err != nil {
			return nil, err
		}
		return assessPerp(record, asOf), nil
	case Prediction:
		record, err := predictionrecord.Of(ctx, session, address, asOf)
		if err != nil {
			return nil, err
		}
		return assessPrediction(record, asOf), nil
	}
	return nil, fmt.Errorf("a leader of kind %q", leader.Group.Kind)
}

func (g *grader) assessSpot(ctx context.Context, session *market.Session, leader *store.Leader, on *chain.Chain, address chain.Address, asOf time.Time) (*Graded, error) {
	record, err := tradingrecord.Of(ctx, session, on, address, asOf)
	if err != nil {
		return nil, err
	}
	graded := &Graded{
		AsOf: asOf, Score: wallet.ScoreOf(record, asOf), Chance: chanceOf(record.Measures), HoldStyle: wallet.HoldStyleOf(record),
	}
	for i := range record.Book.Positions {
		if p := &record.Book.Positions[i]; p.Buys > 0 && p.OpenedAt.After(graded.LastEntryAt) {
			graded.LastEntryAt = p.OpenedAt
		}
	}
	if _, early := findingBy(leader, EarlyBuyer); early {
		graded.Assessment, err = g.judgeEarlyBuyer(ctx, session, leader, on, address, asOf)
	}
	return graded, err
}

// assessPerp grades an account on the perpetuals venue by its closed positions.
func assessPerp(record *perprecord.Record, asOf time.Time) *Graded {
	evidence := record.Evidence()
	measures := trader.Measure(evidence)
	rating := trader.Rate(evidence, measures)
	graded := &Graded{
		AsOf: asOf, Score: wallet.ScoreOfRating(rating, nil), Chance: chanceOf(measures), HoldStyle: trader.HoldStyle(evidence.Results),
		Assessment: &Assessment{Mirrorable: rating.Verdict == trader.MirrorWorthy, Evidence: venueOnly, Reasons: rating.Reasons},
	}
	if rating.Rated {
		graded.Assessment.Evidence = closedTrades
	}
	for _, fill := range slices.Backward(record.Fills.Fills) {
		if opens(fill) {
			graded.LastEntryAt = fill.Time
			break
		}
	}
	return graded
}

// opens tells whether a fill opened a position, added to one or turned one around.
func opens(fill market.PerpFill) bool {
	after := fill.Before - fill.Size
	if fill.Buy {
		after = fill.Before + fill.Size
	}
	return math.Abs(after) > math.Abs(fill.Before) || after*fill.Before < 0
}

// assessPrediction grades a wallet on the prediction market as its page does.
func assessPrediction(record *predictionrecord.Record, asOf time.Time) *Graded {
	a := predictionrecord.Assess(record, asOf)
	graded := &Graded{
		AsOf: asOf, Chance: finite(a.ChanceProbability),
		Score: wallet.TraderScoreAnswer{
			Grade: gradeOrNull(a.Grade), Verdict: a.Verdict, Score: display.Score(a.Score), Confidence: display.Probability(a.Confidence),
			SampleSize: a.SampleSize, Reasons: a.Reasons,
		},
		Assessment: &Assessment{Mirrorable: a.Mirrorable, Evidence: venueOnly, Reasons: a.Reasons},
	}
	if a.Grade != "" {
		graded.Assessment.Evidence = closedTrades
	} else {
		graded.Chance = nil // too thin to be named, and so no attempt at it
	}
	for _, trade := range slices.Backward(record.Activity.Trades) {
		if trade.Buy && !trade.Time.After(asOf) {
			graded.LastEntryAt = trade.Time
			break
		}
	}
	return graded
}

// chanceOf is the probability of luck that claims of skill rest on, nil when unrated.
func chanceOf(m trader.Measures) *float64 {
	const rated = 3
	if m.N < rated {
		return nil
	}
	return finite(1 - m.PSRStarStrict)
}

// finite is nil for what is no number.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

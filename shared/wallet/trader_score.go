package wallet

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// TraderScoreAnswer grades a trader. Grade, score and subscores are null when unrated, which is unknown, not bad.
type TraderScoreAnswer struct {
	// Grade is the one-glance answer. One of A, B, C, D or F; null when unrated.
	Grade *string `json:"grade"`
	// Verdict says whether the trader is worth mirroring. One of mirror-worthy, watch, avoid or unrated; the last means fewer than
	// three closed positions.
	Verdict string `json:"verdict"`
	// Score is 0 to 100, for ordering and deltas; null when unrated.
	Score *float64 `json:"score"`
	// Subscores are what the score is made of; null when unrated.
	Subscores *Subscores `json:"subscores"`
	// Confidence is how much history backs the score, 0 to 1. Below about 0.5 the grade is to be softened.
	Confidence *float64 `json:"confidence"`
	// SampleSize counts closed positions with a known result.
	SampleSize int `json:"sampleSize"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// Subscores are the three parts of a score, each 0 to 100.
type Subscores struct {
	// WinRate is 0 to 100.
	WinRate *float64 `json:"winRate"`
	// Profitability is 0 to 100.
	Profitability *float64 `json:"profitability"`
	// Consistency is 0 to 100.
	Consistency *float64 `json:"consistency"`
}

// TraderScore declares trader-score.
func TraderScore() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "trader-score", Units: 2, Graded: true,
		Summary:    "Grades a wallet's trading: is this trader worth mirroring?",
		Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain},
		Needs:      tradingrecord.Needs,
	}, gatherRecord, ScoreOf)
}

// ScoreOf grades the trader of a record, whoever asks: the boards say of a wallet what its page says.
func ScoreOf(record *tradingrecord.Record, asOf time.Time) TraderScoreAnswer {
	return ScoreOfRating(trader.Rate(record.Evidence, record.Measures), coverageReasons(record, asOf))
}

// ScoreOfRating is a rating as it is shown, with what else there is to say of the record behind it.
func ScoreOfRating(rating trader.Rating, more []reason.Reason) TraderScoreAnswer {
	answer := TraderScoreAnswer{
		Verdict: rating.Verdict, Confidence: display.Probability(rating.Confidence), SampleSize: rating.SampleSize,
		Reasons: reason.Top(append(rating.Reasons, more...)),
	}
	if rating.Rated {
		answer.Grade = &rating.Grade
		answer.Score = display.Score(rating.Score)
		answer.Subscores = &Subscores{
			WinRate:       display.Score(rating.Subscores.WinRate),
			Profitability: display.Score(rating.Subscores.Profitability),
			Consistency:   display.Score(rating.Subscores.Consistency),
		}
	}
	return answer
}

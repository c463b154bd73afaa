package wallet

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// WalletPnLQualityAnswer says whether results look earned: skill, luck (which means not distinguishable from chance),
// wash-suspected, or unrated.
type WalletPnLQualityAnswer struct {
	// Verdict says whether results look earned. One of skill, luck, wash-suspected or unrated; luck means not distinguishable from
	// chance.
	Verdict string `json:"verdict"`
	// EffectiveTrades counts closed positions, repeated bets on one token for less than one each.
	EffectiveTrades *float64 `json:"effectiveTrades"`
	// TopTradeSharePct is the largest gain's part of all gains; null without a gain.
	TopTradeSharePct *float64 `json:"topTradeSharePct"`
	// WithoutBestPct is the mean return without the best position; null with fewer than two.
	WithoutBestPct *float64 `json:"withoutBestPct"`
	// TimingP is the chance that random entry hours in the same tokens would have done as well, 0 to 1; null when unmeasured.
	TimingP *float64 `json:"timingP"`
	// Reasons are one to five sentences, the weightiest first.
	Reasons []reason.Reason `json:"reasons"`
}

// WalletPnLQuality declares wallet-pnl-quality.
func WalletPnLQuality() endpoint.Endpoint {
	return endpoint.Single(endpoint.Declaration{
		Name: "wallet-pnl-quality", Units: 1, Graded: true,
		Summary:    "Says whether a wallet's results look like skill, luck, or wash trading.",
		Parameters: []endpoint.Parameter{endpoint.Wallet, endpoint.Chain},
		Needs:      copyrecord.Needs,
	}, gatherCopies, assessWalletPnLQuality)
}

func assessWalletPnLQuality(record *copyrecord.Record, asOf time.Time) WalletPnLQualityAnswer {
	simulation := record.Simulate(nil, asOf)
	var timing *float64
	if p := simulation.TimingP(record.Evidence.Seed); !math.IsNaN(p) {
		timing = &p
	}
	quality := trader.JudgeQuality(record.Evidence, record.Measures, timing)
	m := record.Measures
	answer := WalletPnLQualityAnswer{
		Verdict: quality.Verdict, EffectiveTrades: pointerTo(display.Round(m.EffectiveN, 1)),
		TopTradeSharePct: display.Percent(m.TopTradeShare), WithoutBestPct: display.Percent(m.LeaveBestOutMean),
		Reasons: reason.Top(append(quality.Reasons, pricesCoverageReasons(record, asOf)...)),
	}
	if timing != nil {
		answer.TimingP = display.Probability(*timing)
	}
	return answer
}

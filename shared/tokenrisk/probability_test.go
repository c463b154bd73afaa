package tokenrisk

import (
	"math"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/bytecode"
	"github.com/mirrorworthy/mirrorworthy/shared/scorecard"
)

// What a token has in common with traps that closed within days weighs less once it has been traded for a month, and no less before.
func TestATokenThatLivedOnIsNotTakenForOneThatIsAboutToEnd(t *testing.T) {
	worst := func(age time.Duration) float64 {
		f := &Facts{Code: bytecode.Report{TrapProbability: 0.999}}
		m := measured{aged: true, age: age, facts: scorecard.Facts{
			LockedLiquidity: 0, CreatorLiquidity: 1, CreatorShare: 0.6, BuysPerSell: 30,
			ProviderDeviation: math.NaN(), CreatorTokens: math.NaN(), RemovalsPerWeek: math.NaN(), AdditionsPerWeek: math.NaN(),
		}}
		return probability(f, m, ordinary).scam
	}
	old := 60 * 24 * time.Hour
	want := 1 / (1 + math.Exp(-(survivorLimit + scorecard.AgeLogOdds(old))))
	if got := worst(old); math.Abs(got-want) > 1e-12 {
		t.Errorf("after 60 days %v, want %v", got, want)
	}
	if young := worst(settled - time.Hour); young < 0.8 {
		t.Errorf("just before it is settled: %v", young)
	}
}

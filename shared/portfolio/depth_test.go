package portfolio

import (
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// Of what is assessed a depth chooses the part; how the value is spread it does not change, and sentences say which value they are of.
func TestASmallDepthMakesNothingLookConcentrated(t *testing.T) {
	// 400 of 1000 in cash; of the 600 others 200, 160, 120, 80 and 40, whose squares are 88,000: 360,000/88,000 is 4.09 equal ones.
	all := []planted{
		dollars(400), token("TRAP", 200, tokenrisk.Critical, 90), token("B", 160, tokenrisk.Low, 10), token("C", 120, tokenrisk.Low, 10),
		token("D", 80, tokenrisk.Low, 10), token("E", 40, tokenrisk.Low, 10),
	}
	for _, depth := range []int{1, 2, 50} {
		answer := assessPortfolio(portfolioOf(depth, all...), time.Time{})
		if value(answer.EffectivePositions) != 4.1 || value(answer.CashSharePct) != 40.0 || value(answer.Concentration) != diversified {
			t.Errorf("depth %d: %v equal positions, %v cash, %v", depth, value(answer.EffectivePositions), value(answer.CashSharePct), value(answer.Concentration))
		}
	}
	answer := assessPortfolio(portfolioOf(2, all...), time.Time{})
	for code, want := range map[string]string{
		"RISKY":        "33% of the value assessed is in 1 token rated high or critical; watch starts at 10% and exposed at 25%.",
		"WORST":        "TRAP contributes 90% of the total risk with 33% of the value assessed.",
		"CONC":         "Stablecoins, 40% of the value, aside, TRAP is 33% of the rest; concentrated starts at 40%, all-in at 80%.",
		"BEYOND_DEPTH": "Only the 2 largest holdings are assessed; 4 holdings beyond have 40% of the value.",
	} {
		if got := sentence(answer.Reasons, code); got != want {
			t.Errorf("%s: %q, want %q", code, got, want)
		}
	}
	if want := "with 33% of the value assessed in tokens rated high or critical, spread like 4.1 equal positions."; !strings.HasSuffix(answer.Summary, want) {
		t.Errorf("%q", answer.Summary)
	}
	one := assessPortfolio(portfolioOf(1, all...), time.Time{})
	if got, want := sentence(one.Reasons, "BEYOND_DEPTH"), "Only the largest holding is assessed; 5 holdings beyond have 60% of the value."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func sentence(reasons []reason.Reason, code string) string {
	for _, r := range reasons {
		if r.Code == code {
			return r.Text
		}
	}
	return ""
}

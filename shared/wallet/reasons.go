package wallet

import (
	"fmt"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// coverageWeight puts what was not read behind what was found, and before small print.
const coverageWeight = 0.05

// coverageReasons says how much of the wallet's history lies behind an answer, where it is not all of it.
func coverageReasons(r *tradingrecord.Record, asOf time.Time) []reason.Reason {
	if !r.Book.Ledger.Truncated {
		return nil
	}
	return []reason.Reason{{
		Code: "TRUNCATED", Weight: coverageWeight,
		Text: fmt.Sprintf("Only the last %s of this wallet's history were read; what it did before is not in this answer.",
			display.DurationText(asOf.Sub(r.Book.Ledger.Since))),
	}}
}

// pricesCoverageReasons says, besides what a trading record's do, how many tokens' prices were left out. That a provider withheld some is
// said first: the next answer may differ. That only the latest tokens are read is the same every time.
func pricesCoverageReasons(r *copyrecord.Record, asOf time.Time) []reason.Reason {
	reasons := coverageReasons(r.Record, asOf)
	if r.Unreached > 0 {
		reasons = append(reasons, because("UNREACHED", 10,
			"Prices of %s were not looked up this time; what depends on them is left out.", display.Count(r.Unreached, "token")))
	}
	if r.Beyond > 0 {
		reasons = append(reasons, because("BEYOND", 0.3,
			"Price histories are read for the %d tokens bought last; where they matter, %s bought earlier %s left out.",
			copyrecord.MaximumTokens, display.Count(r.Beyond, "token"), isOrAre(r.Beyond)))
	}
	return reasons
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// because makes a reason of a template and its numbers.
func because(code string, weight float64, template string, values ...any) reason.Reason {
	return reason.Reason{Code: code, Weight: weight, Text: fmt.Sprintf(template, values...)}
}

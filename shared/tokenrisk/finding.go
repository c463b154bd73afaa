package tokenrisk

import (
	"fmt"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// Floors of the score, by what a finding means for a holder.
const (
	floorCertain  = 98 // a loss that was seen in a test
	floorCritical = 90
	floorHigh     = 60
	floorMedium   = 30
	floorNotLow   = 20
	floorNone     = 0
)

// Weights of what makes no verdict worse. What could not be checked comes after every finding that does; of a well-known coin it matters
// less than that it is one.
const (
	weightIssuer    = 16
	weightUnchecked = 15
)

// judgement gathers what is found.
type judgement struct {
	floor              float64
	findings, unlooked []reason.Reason
	unchecked          []string
}

// find records a finding and the least score it allows. Findings of equal weight keep their order.
func (j *judgement) find(floor float64, code, template string, values ...any) {
	j.floor = max(j.floor, floor)
	j.findings = append(j.findings, reason.Reason{Code: code, Weight: floor, Text: fmt.Sprintf(template, values...)})
}

// inform records what is worth knowing and is no reason for a worse verdict.
func (j *judgement) inform(weight float64, code, text string) {
	j.findings = append(j.findings, reason.Reason{Code: code, Weight: weight, Text: text})
}

// miss records a layer that could not be checked.
func (j *judgement) miss(layer, code, text string) {
	j.unchecked = append(j.unchecked, layer)
	j.unlooked = append(j.unlooked, reason.Reason{Code: code, Weight: weightUnchecked, Text: text})
}

// flags are all findings, weightiest first, and what could not be checked, which never falls to the limit.
func (j *judgement) flags() []reason.Reason {
	flags := append([]reason.Reason{}, j.findings...)
	byWeight(flags)
	flags = flags[:min(len(flags), MaximumFlags-len(j.unlooked))]
	flags = append(flags, j.unlooked...)
	byWeight(flags)
	return flags
}

func byWeight(flags []reason.Reason) {
	slices.SortStableFunc(flags, func(a, b reason.Reason) int {
		switch {
		case a.Weight > b.Weight:
			return -1
		case a.Weight < b.Weight:
			return 1
		}
		return 0
	})
}

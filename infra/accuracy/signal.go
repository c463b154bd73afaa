package accuracy

import (
	"fmt"

	"github.com/mirrorworthy/mirrorworthy/shared/token"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// SignalSafety counts, over the whole product of what a signal is made of, the buys that must not be.
func SignalSafety() []Row {
	inputs, violations := 0, 0
	for in := range token.EverySignalInput() {
		inputs++
		signal := in.Decide().Signal
		buys := signal == token.SignalBuy || signal == token.SignalAccumulate
		if buys && (in.Risk != tokenrisk.Low && in.Risk != tokenrisk.Medium || in.ExitRisk == "extreme") {
			violations++
		}
	}
	return []Row{{
		Name: "signals: BUY or ACCUMULATE beside a high, critical or unknown risk or an extreme exit risk", Goal: "none",
		Measured: fmt.Sprintf("%d of %d inputs, which are all", violations, inputs), Pass: inputs > 0 && violations == 0,
	}}
}

package client_test

import (
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
)

func TestCostsHaveTheirLabels(t *testing.T) {
	for cost, want := range map[string]string{"none": "no gas", "gas": "network fee", "gas-sponsored": "network fee (may be covered)", "": "network fee", "new": "network fee"} {
		if got := client.CostLabel(cost); got != want {
			t.Errorf("%s: %s, want %s", cost, got, want)
		}
	}
}

func TestStepsAreExplainedInTheServicesWordsOrInGeneralOnes(t *testing.T) {
	said := client.Step{Kind: client.StepSignMessage, Title: "a", What: "b", Why: "c", Safety: "d", Cost: "none", WalletShows: "e"}
	if got := client.ExplainStep(said); got != (client.Explanation{Title: "a", What: "b", Why: "c", Safety: "d", Cost: "no gas", WalletShows: "e"}) {
		t.Errorf("%+v", got)
	}
	titles := make(map[string]bool)
	for _, kind := range []string{client.StepSignMessage, client.StepSignTypedData, client.StepSendTransaction, "scan_eye"} {
		got := client.ExplainStep(client.Step{Kind: kind})
		if got.Title == "" || got.What == "" || got.Why == "" || got.WalletShows == "" || titles[got.Title] || got.Cost != "network fee" ||
			got.Safety != "The service gave no safety statement for this step. Go on only if what your wallet shows is what you want." {
			t.Errorf("%s: %+v", kind, got)
		}
		titles[got.Title] = true
		// One word of the service leaves the others general.
		if part := client.ExplainStep(client.Step{Kind: kind, Why: "c"}); part.Why != "c" || part.What != got.What {
			t.Errorf("%s: %+v", kind, part)
		}
	}
}

package reason_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

func TestTheWeightiestComeFirstAndEqualsKeepTheirOrder(t *testing.T) {
	given := []reason.Reason{{Code: "B", Weight: 0.5}, {Code: "C", Weight: 0.5}, {Code: "A", Weight: 1}, {Code: "F"}, {Code: "D", Weight: 0.5}, {Code: "G", Weight: -1}, {Code: "E", Weight: 0.1}}
	before := slices.Clone(given)
	if got := reason.Codes(reason.Top(given)); !slices.Equal(got, []string{"A", "B", "C", "D", "E"}) {
		t.Error(got)
	}
	if !slices.Equal(given, before) {
		t.Error("the given reasons were moved")
	}
}

func TestTopIsNeverNilNorShared(t *testing.T) {
	for _, given := range [][]reason.Reason{nil, {}} {
		if top := reason.Top(given); top == nil || len(top) != 0 {
			t.Errorf("%#v", top)
		}
	}
	given := []reason.Reason{{Code: "A"}}
	reason.Top(given)[0].Code = "B"
	if given[0].Code != "A" {
		t.Error("the answer shares the given slice")
	}
	if codes := reason.Codes(nil); codes == nil || len(codes) != 0 {
		t.Errorf("%#v", codes)
	}
}

func TestAnImmeasurableWeightComesLast(t *testing.T) {
	top := reason.Top([]reason.Reason{{Code: "NAN", Weight: math.NaN()}, {Code: "LOW", Weight: math.Inf(-1)}, {Code: "HIGH", Weight: math.Inf(1)}})
	if got := reason.Codes(top); !slices.Equal(got, []string{"HIGH", "LOW", "NAN"}) {
		t.Error(got)
	}
}

func TestTopProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		weights := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0.1, 0.5, 0.5, 1, -1}), 0, 40).Draw(t, "weights")
		given := make([]reason.Reason, len(weights))
		for i, weight := range weights {
			given[i] = reason.Reason{Code: string(rune('a' + i)), Weight: weight}
		}
		top := reason.Top(given)
		if len(top) != min(len(given), reason.Maximum) {
			t.Fatalf("%d of %d", len(top), len(given))
		}
		for i := 1; i < len(top); i++ {
			if top[i].Weight > top[i-1].Weight || top[i].Weight == top[i-1].Weight && top[i].Code < top[i-1].Code {
				t.Fatalf("%v", top)
			}
		}
		for _, left := range given {
			if len(top) > 0 && !slices.Contains(top, left) && left.Weight > top[len(top)-1].Weight {
				t.Fatalf("%v is left out of %v", left, top)
			}
		}
	})
}

func TestAReasonEncodesAsItsSentence(t *testing.T) {
	answer := struct {
		Reasons []reason.Reason `json:"reasons"`
	}{reason.Top([]reason.Reason{{Code: "WIN_RATE_CI", Text: "Won 12 of 20, which means 39% to 78%.", Weight: 2}, {Code: "QUOTED", Text: `A "quoted" word.`}})}
	text, err := json.Marshal(answer)
	if want := `{"reasons":["Won 12 of 20, which means 39% to 78%.","A \"quoted\" word."]}`; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
	answer.Reasons = reason.Top(nil)
	if text, err := json.Marshal(answer); err != nil || string(text) != `{"reasons":[]}` {
		t.Errorf("%s, %v", text, err)
	}
	if strings.Contains(string(text), "WIN_RATE_CI") {
		t.Error("the code is shown")
	}
}

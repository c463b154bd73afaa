package accuracy

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/prediction"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/predictvenue"
)

// predictionAnswer is what was answered about a prediction wallet.
type predictionAnswer struct {
	Active          bool     `json:"active"`
	Mirrorable      bool     `json:"mirrorable"`
	Grade           *string  `json:"grade"`
	Verdict         string   `json:"verdict"`
	SampleSize      int      `json:"sampleSize"`
	Execution       string   `json:"execution"`
	Entries         string   `json:"entries"`
	Consistency     string   `json:"consistency"`
	Diversification string   `json:"diversification"`
	Cadence         string   `json:"cadence"`
	Activity        string   `json:"activity"`
	WinRate         *float64 `json:"winRate"`
	Truncated       bool     `json:"truncated"`
	Reasons         []string `json:"reasons"`
	text            []byte
}

// washSentence matches the sentences about wash trading.
var washSentence = regexp.MustCompile(`of its volume (was traded with|went round|is buying and selling)`)

// saysWash tells whether a reason is about trades of somebody with himself or his own.
func (a *predictionAnswer) saysWash() bool {
	return slices.ContainsFunc(a.Reasons, washSentence.MatchString)
}

// predictionCase is a wallet's answer and what was planted.
type predictionCase struct {
	truth predictvenue.WalletTruth
	predictionAnswer
}

// SamplePredictions asks about every wallet of a sample market's prediction venue and compares the answers with what was planted and what
// became of it.
func SamplePredictions(seed uint64) ([]Row, error) {
	sample, service, err := venueMarket(seed)
	if err != nil {
		return nil, err
	}
	var all []predictionCase
	var bodies []string
	for _, t := range sample.PredictionTruth() {
		all = append(all, predictionCase{truth: t})
		bodies = append(bodies, `{"wallet":"`+t.Address+`"}`)
	}
	err = askEach(service, prediction.PredictionWallet(), bodies, func(i int, answer []byte) error {
		all[i].text = answer
		return json.Unmarshal(answer, &all[i].predictionAnswer)
	})
	if err != nil {
		return nil, err
	}
	return append(predictionWordRows(all), predictionJudgementRows(all)...), nil
}

// The goals of the answers about prediction wallets.
const (
	predictionWords      = 0.95
	washFound, washRight = 0.95, 0.95
	falseMirrorable      = 0.05
	eventsApart          = 0.10
	trueMirrorable       = 0.50
	// eventsToProve is how many events it takes for an edge of a few cents to show.
	eventsToProve  = 30
	gradableEvents = 10
)

const predictions = "sample predictions: "

// predictionWordRows measure the signals of active wallets against the truth where it is decided.
func predictionWordRows(all []predictionCase) []Row {
	signals := []struct {
		name           string
		planted, found func(*predictionCase) string
	}{
		{"execution", func(c *predictionCase) string { return c.truth.Execution }, func(c *predictionCase) string { return c.Execution }},
		{"entries", func(c *predictionCase) string { return c.truth.Entries }, func(c *predictionCase) string { return c.Entries }},
		{"diversification", func(c *predictionCase) string { return c.truth.Diversification }, func(c *predictionCase) string { return c.Diversification }},
		{"cadence", func(c *predictionCase) string { return c.truth.Cadence }, func(c *predictionCase) string { return c.Cadence }},
		{"activity", func(c *predictionCase) string { return c.truth.Activity }, func(c *predictionCase) string { return c.Activity }},
	}
	rows := make([]Row, 0, len(signals))
	for _, s := range signals {
		var right cases
		for i := range all {
			if c := &all[i]; c.Active && s.planted(c) != "" {
				right.count(s.found(c) == s.planted(c), c.apart("%s for %s", s.found(c), s.planted(c)))
			}
		}
		rows = append(rows, right.from(predictionWords, predictions+s.name))
	}
	return rows
}

// apart describes how an answer differs from the truth.
func (c *predictionCase) apart(format string, values ...any) func() string {
	return func() string { return c.truth.Kind + " " + c.truth.Address + ": " + fmt.Sprintf(format, values...) }
}

// predictionJudgementRows measure what is counted, and who is called what.
func predictionJudgementRows(all []predictionCase) []Row {
	var events, wins, early, unredeemed, inactive, ungraded, favourites, truncated, quiet cases
	var washers, accused, rejected, worthy, found cases
	for i := range all {
		c := &all[i]
		t := &c.truth
		amount, leaks := leaked(c.text, nil)
		quiet.count(!leaks, c.apart("%s", amount))
		truncated.count(c.Truncated == t.Truncated || !c.Active, c.apart("%v", c.Truncated))
		if t.Activity != "" {
			// Who bought something within the last weeks is active; the rest depends on how long ago exactly, and on sales.
			inactive.count(c.Active || t.Activity == "dormant", c.apart("not active, and %s", t.Activity))
		}
		if t.Kind == "dormant" {
			inactive.count(!c.Active, c.apart("active"))
		}
		if !c.Active {
			ungraded.count(c.Grade == nil && c.Verdict == "unrated" && !c.Mirrorable && c.Execution+c.Entries+c.Consistency+c.Diversification+c.Cadence+c.Activity == "",
				c.apart("%s", c.Verdict))
			continue
		}
		if c.SampleSize < gradableEvents {
			ungraded.count(c.Grade == nil && c.Verdict == "unrated" && !c.Mirrorable, c.apart("%s of %d events", c.Verdict, c.SampleSize))
		}
		if rate := float64(t.Wins) / float64(t.Events); !t.Truncated {
			switch {
			case t.Events == 0:
				wins.count(c.WinRate == nil, c.apart("%s for null", told(c.WinRate)))
			case holdsToTheEnd(t.Kind):
				events.count(c.SampleSize == t.Events, c.apart("%d for %d", c.SampleSize, t.Events))
				wins.count(c.WinRate != nil && math.Abs(*c.WinRate-rate) <= 0.0005+1e-9, c.apart("%s for %.4f of %d", told(c.WinRate), rate, t.Events))
			case leavesEarly(t.Kind):
				apart := math.Abs(float64(c.SampleSize-t.Events)) / float64(t.Events)
				early.count(apart <= eventsApart && c.WinRate != nil && math.Abs(*c.WinRate-rate) <= eventsApart, c.apart("%d for %d, %s for %.3f", c.SampleSize, t.Events, told(c.WinRate), rate))
			}
			if t.Kind == "never-redeemer" && t.Events > 0 {
				unredeemed.count(c.WinRate != nil && *c.WinRate <= rate+0.0006, c.apart("%s for %.4f", told(c.WinRate), rate))
			}
		}
		wash := c.saysWash()
		if wash {
			accused.count(t.Wash, c.apart("said to wash"))
		}
		if t.Wash {
			washers.count(wash, c.apart("not seen"))
		}
		if t.Kind == "favourite-buyer" {
			favourites.count(c.Grade == nil || *c.Grade != "A" && *c.Grade != "B", c.apart("%s", deref(c.Grade)))
		}
		if t.Followable && t.Events >= eventsToProve {
			found.count(c.Mirrorable, c.apart("%s with %d events: %s", c.Verdict, c.SampleSize, c.Reasons[:min(1, len(c.Reasons))]))
		}
		if !t.Followable && t.Events >= gradableEvents {
			rejected.count(!c.Mirrorable, c.apart("mirrorable with %d events", c.SampleSize))
		}
		if !t.Followable && t.Kind != "crowd" && c.Verdict != "unrated" {
			worthy.count(c.Verdict != "mirror-worthy", c.apart("mirror-worthy with %d events", c.SampleSize))
		}
	}
	return []Row{
		events.from(1, predictions+"events decided, of those who hold to the end"),
		wins.from(1, predictions+"events won, of the same"),
		early.from(1, predictions+fmt.Sprintf("events and wins, of those who sell or buy the other side, within %.0f %%", 100*eventsApart)),
		unredeemed.from(1, predictions+"lost shares that were never redeemed are losses"),
		washers.from(washFound, predictions+"washers are seen"),
		accused.from(washRight, predictions+"who is said to wash does"),
		rejected.from(1-falseMirrorable, predictions+"who cannot be followed is not mirrorable"),
		worthy.from(1-falseMirrorable, predictions+"nor mirror-worthy"),
		found.from(trueMirrorable, predictions+fmt.Sprintf("who can be followed is mirrorable, with %d events", eventsToProve)),
		favourites.from(1, predictions+"buyers of favourites get neither A nor B"),
		inactive.from(1, predictions+"active or not"),
		ungraded.from(1, predictions+"no grade for the inactive, nor below ten events"),
		truncated.from(1, predictions+"history cut short or not"),
		quiet.from(1, predictions+"answers that tell no amount"),
	}
}

// holdsToTheEnd tells the kinds of wallets for which an event is over when it is decided.
func holdsToTheEnd(kind string) bool {
	return slices.Contains([]string{"losing", "favourite-buyer", "longshot-buyer", "insider", "never-redeemer", "new", "lucky"}, kind)
}

// leavesEarly tells those who now and then sell everything before the end, which is a decided event for the answer and none of the truth, or
// buy both sides alike, which is the other way round.
func leavesEarly(kind string) bool {
	return slices.Contains([]string{"skilled-taker", "fast-taker", "redeemer", "bot", "crowd", "converter"}, kind)
}

func deref(text *string) string {
	if text == nil {
		return "null"
	}
	return *text
}

package prediction

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/predictionrecord/predictiontest"
)

const (
	day    = predictiontest.Day
	wallet = "0x1100000000000000000000000000000000000000"
)

// ask asks for a wallet's page over HTTP.
func ask(t endpointtest.T, s *predictiontest.Story, wallet string) endpointtest.Answer {
	t.Helper()
	fixture := endpointtest.New(t)
	fixture.Service.Sources = s.Sources()
	fixture.Service.Present = func() time.Time { return predictiontest.Now }
	handler := endpoint.NewHandler(fixture.Service, PredictionWallet())
	return endpointtest.Call{
		Method: http.MethodPost, Path: "/v1/prediction-wallet", Key: fixture.Key, Body: `{"wallet":"` + wallet + `"}`,
	}.Do(t, handler)
}

// profile is an answer as a client reads it.
type profile struct {
	Active            bool                `json:"active"`
	WindowDays        int                 `json:"windowDays"`
	Mirrorable        bool                `json:"mirrorable"`
	Grade             *string             `json:"grade"`
	Verdict           string              `json:"verdict"`
	Score             *float64            `json:"score"`
	SampleSize        int                 `json:"sampleSize"`
	Execution         string              `json:"execution"`
	Entries           string              `json:"entries"`
	Consistency       string              `json:"consistency"`
	Diversification   string              `json:"diversification"`
	Cadence           string              `json:"cadence"`
	Activity          string              `json:"activity"`
	WinRate           *float64            `json:"winRate"`
	EdgeCents         map[string]*float64 `json:"edgeCents"`
	CopiedEdgeCents   map[string]*float64 `json:"copiedEdgeCents"`
	ChanceProbability *float64            `json:"chanceProbability"`
	Truncated         bool                `json:"truncated"`
	Reasons           []string            `json:"reasons"`
}

// keys are those that every answer of an active wallet has.
var keys = []string{
	"active", "windowDays", "mirrorable", "grade", "verdict", "score", "confidence", "sampleSize", "execution", "entries", "consistency",
	"diversification", "cadence", "activity", "winRate", "edgeCents", "copiedEdgeCents", "chanceProbability", "truncated", "reasons",
}

// amounts are what no answer may hold: dollars, in a sentence or a number of the size of what the stories' wallets put in.
var amounts = regexp.MustCompile(`\$|USD|[0-9]{4}`)

// read asks for the story's wallet and checks what every answer must be.
func read(t endpointtest.T, s *predictiontest.Story) profile {
	t.Helper()
	answer := ask(t, s, wallet)
	if answer.Status != http.StatusOK || answer.Header.Get("X-Usage-Units") != "3" || answer.Header.Get("X-Method-Version") == "" {
		t.Fatalf("%d %v %s", answer.Status, answer.Header, answer.Body)
	}
	var raw map[string]json.RawMessage
	var p profile
	if err := json.Unmarshal([]byte(answer.Body), &raw); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(answer.Body), &p); err != nil {
		t.Fatal(err)
	}
	for _, key := range keys {
		if _, present := raw[key]; present == (key == "grade" && !p.Active) {
			t.Errorf("%s: present %v in %s", key, present, answer.Body)
		}
	}
	if len(raw) > len(keys) {
		t.Errorf("more keys than documented: %s", answer.Body)
	}
	if amounts.MatchString(answer.Body) {
		t.Errorf("an amount leaks: %s", answer.Body)
	}
	least := 1
	if p.Verdict != "unrated" {
		least = 2
	}
	if len(p.Reasons) < least || len(p.Reasons) > 5 {
		t.Errorf("%d reasons: %q", len(p.Reasons), p.Reasons)
	}
	if p.Verdict == "mirror-worthy" && !p.Mirrorable {
		t.Errorf("mirror-worthy without being mirrorable: %s", answer.Body)
	}
	if (p.Verdict == "unrated") != (p.Score == nil) || (p.Verdict == "unrated") != (p.Grade == nil) {
		t.Errorf("grade and score do not fit the verdict: %s", answer.Body)
	}
	for _, r := range p.Reasons {
		if !strings.HasSuffix(r, ".") || regexp.MustCompile(`(?i)\b(guaranteed|safe|will)\b|NaN|Inf`).MatchString(r) {
			t.Errorf("%q", r)
		}
	}
	return p
}

// says checks that a reason begins with, or holds, a text.
func says(t *testing.T, p profile, text string) {
	t.Helper()
	if !slices.ContainsFunc(p.Reasons, func(r string) bool { return strings.Contains(r, text) }) {
		t.Errorf("no reason says %q: %q", text, p.Reasons)
	}
}

// bets are n events at about a price, the last 3 days ago, of which about a share was won.
func bets(n int, price, won float64) *predictiontest.Story {
	s := predictiontest.New()
	return moreBets(s, 0, n, price, won)
}

func moreBets(s *predictiontest.Story, from, n int, price, won float64) *predictiontest.Story {
	wins := 0
	for i := range n {
		win := float64(wins) < won*float64(i+1)-0.5
		if win {
			wins++
		}
		s.Bet(from+i, price+0.001*float64(i%9), win, time.Duration(n-i+2)*day)
	}
	return s
}

func without(s *predictiontest.Story) *predictiontest.Story {
	clear(s.Prices)
	return s
}

// onlyLast forgets all later prices but that of the latest entry.
func onlyLast(s *predictiontest.Story) *predictiontest.Story {
	for _, t := range s.Activity.Trades[:len(s.Activity.Trades)-1] {
		delete(s.Prices, t.Asset)
	}
	return s
}

func priced(s *predictiontest.Story, worse float64) *predictiontest.Story {
	for asset := range s.Prices {
		s.Prices[asset][0].USD += worse
	}
	return s
}

func shifted(s *predictiontest.Story, by time.Duration) *predictiontest.Story {
	for i := range s.Activity.Trades {
		s.Activity.Trades[i].Time = s.Activity.Trades[i].Time.Add(-by)
	}
	for id, m := range s.Markets {
		m.ClosedAt = m.ClosedAt.Add(-by)
		s.Markets[id] = m
	}
	for asset := range s.Prices {
		s.Prices[asset][0].Time = s.Prices[asset][0].Time.Add(-by)
	}
	return s
}

func soon(s *predictiontest.Story, after time.Duration) *predictiontest.Story {
	for _, t := range s.Activity.Trades {
		m := s.Markets[t.Market]
		m.ClosedAt = t.Time.Add(after)
		s.Markets[t.Market] = m
	}
	return s
}

func shallow(s *predictiontest.Story) *predictiontest.Story {
	s.Market(500, "open", 0.5).Buy(500, 0, 10, 0.5, day)
	m := s.Markets[predictiontest.Condition(500)]
	m.LiquidityUSD = math.Nextafter(5000, 0)
	s.Markets[predictiontest.Condition(500)] = m
	return s
}

func withItself(s *predictiontest.Story) *predictiontest.Story {
	s.Market(500, "wash", 0.5).Buy(500, 0, 2000, 0.5, 2*day).Sell(500, 0, 2000, 0.5, 2*day)
	s.Last().Transaction = s.Activity.Trades[len(s.Activity.Trades)-2].Transaction
	return s
}

func roundTrips(s *predictiontest.Story) *predictiontest.Story {
	for i := range 5 {
		s.Market(500+i, fmt.Sprint("wash-", i), 0.5).Buy(500+i, 0, 1000, 0.5, 3*day).Sell(500+i, 0, 1000, 0.5, 3*day-time.Hour)
	}
	return s
}

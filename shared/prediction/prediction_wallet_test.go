package prediction

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/predictionrecord/predictiontest"
)

func TestAWalletWithAnEdge(t *testing.T) {
	p := read(t, bets(80, 0.4, 0.65))
	if !p.Active || !p.Mirrorable || p.Verdict != "mirror-worthy" || (*p.Grade != "A" && *p.Grade != "B") || p.SampleSize != 80 || p.WindowDays != 90 {
		t.Errorf("%+v", p)
	}
	if p.Execution != "taker" || p.Entries != "value" || p.Consistency != "steady" || p.Diversification != "broad" || p.Cadence != "regular" || p.Activity != "active" {
		t.Errorf("%+v", p)
	}
	if *p.WinRate != 0.65 || *p.ChanceProbability > 0.01 || !(*p.EdgeCents["low"] > 0) || !(*p.CopiedEdgeCents["mean"] < *p.EdgeCents["mean"]) {
		t.Errorf("%+v", p)
	}
	says(t, p, "Paid ")
	says(t, p, "Fair luck does as well with the first entries' prices and sizes in")
	says(t, p, "A follower a minute later is left with at least")
}

// Not one favourites wallet that wins 95 of 100 and loses money gets an A or a B, nor does one that has only won so far.
func TestFavouritesWithoutAnEdge(t *testing.T) {
	for _, n := range []int{10, 20, 40, 80} {
		for _, won := range []float64{0.95, 1} {
			if won == 1 && n > 40 {
				continue // fair luck wins so many in a row in few enough cases
			}
			p := read(t, bets(n, 0.96, won))
			if *p.Grade == "A" || *p.Grade == "B" || p.Verdict == "mirror-worthy" || p.Entries != "favourites" {
				t.Errorf("%d events: %+v", n, p)
			}
		}
	}
	p := read(t, bets(40, 0.96, 0.95))
	if *p.WinRate != 0.95 || !(*p.EdgeCents["mean"] < 0) {
		t.Errorf("%+v", p)
	}
	says(t, p, "Buys at 0.96 on average: a 2-cent worse fill removes 55% of the possible gain.")
	says(t, p, "A follower a minute later pays 1 cent more a share, and is left with")
}

func TestNotActive(t *testing.T) {
	for name, s := range map[string]*predictiontest.Story{
		"never seen":          predictiontest.New(),
		"traded 91 days ago":  bets(20, 0.4, 0.65),
		"only shares arrived": predictiontest.New().Market(1, "e", 0.5).Move(market.Split, 1, 10, 10, day),
	} {
		if len(s.Activity.Trades) > 0 {
			shifted(s, 88*day)
		}
		p := read(t, s)
		if p.Active || p.Verdict != "unrated" || p.Mirrorable || p.SampleSize != 0 || p.Execution != "" || p.Activity != "" || p.EdgeCents != nil {
			t.Errorf("%s: %+v", name, p)
		}
		says(t, p, "last 90 days")
		if s.Calls(market.PredictionMarketFacts) != 0 || s.Calls(market.PredictionPriceFacts) != 0 {
			t.Errorf("%s: markets or prices were read", name)
		}
	}
	// The last day of the window counts.
	if p := read(t, shifted(bets(20, 0.4, 0.65), 87*day)); !p.Active || p.Activity != "dormant" {
		t.Errorf("%+v", p)
	}
	// Any address is one, known to the venue or not.
	other := ask(t, bets(20, 0.4, 0.65), "0xabababababababababababababababababababab")
	if other.Status != http.StatusOK || !strings.Contains(other.Body, `"active":false`) || strings.Contains(other.Body, `"grade"`) {
		t.Errorf("%d %s", other.Status, other.Body)
	}
}

func TestThinRecordsAreUnrated(t *testing.T) {
	for _, n := range []int{1, 9} {
		p := read(t, bets(n, 0.4, 1))
		if p.Verdict != "unrated" || p.Mirrorable || p.SampleSize != n || p.Consistency != "unproven" || !p.Active {
			t.Errorf("%+v", p)
		}
		says(t, p, fmt.Sprintf("%d decided event", n))
		says(t, p, fmt.Sprintf("at least %d more", 10-n))
		says(t, p, fmt.Sprintf("Won %d of ", n))
		says(t, p, "where their prices imply about 40%.")
	}
	p := read(t, predictiontest.New().Market(1, "e", 0.5).Buy(1, 0, 10, 0.5, day))
	says(t, p, "No decided event can be rated yet; at least 10 are needed.")
	if p = read(t, bets(10, 0.4, 0.8)); p.Verdict == "unrated" || p.SampleSize != 10 {
		t.Errorf("%+v", p)
	}
	maker := bets(9, 0.4, 0.6)
	for i := range maker.Activity.Trades {
		maker.Activity.Trades[i].Role = market.Maker
	}
	says(t, read(t, maker), "100% of its volume is resting orders")
}

func TestWhatTheRecordRestsOn(t *testing.T) {
	cut := bets(40, 0.4, 0.55)
	cut.Activity.Truncated, cut.Activity.Since = true, predictiontest.Now.Add(-42*day)
	p := read(t, cut)
	if !p.Truncated {
		t.Errorf("%+v", p)
	}
	says(t, p, "Only the last 42 days of its trades were read; what it did before is not in this answer.")
	for i := range 3 {
		cut.Positions.Open = append(cut.Positions.Open, market.PredictionPosition{
			Market: predictiontest.Condition(600 + i), Event: fmt.Sprint("older-", i), Asset: predictiontest.Outcome(600+i, 0),
			Shares: 100, BoughtShares: 100, AveragePrice: 0.4, Decided: true, EndsAt: predictiontest.Now.Add(-60 * day),
		})
	}
	p = read(t, cut)
	if p.SampleSize != 43 {
		t.Errorf("%d events", p.SampleSize)
	}
	says(t, p, "Only the last 42 days of its trades were read; 3 markets before are taken from the venue's own accounts.")
	cut.Positions.Truncated = true
	says(t, read(t, cut), "3 markets before are taken from the venue's own accounts, which were cut short too.")

	hedged := bets(20, 0.4, 0.55)
	for i := range 12 {
		n := 700 + i
		hedged.Market(n, fmt.Sprint("arbitrage-", i), 0.5).Buy(n, 0, 100, 0.45, 30*day).Buy(n, 1, 100, 0.45, 30*day-time.Minute).
			Move(market.Merge, n, 100, 100, 29*day)
	}
	p = read(t, hedged)
	if p.SampleSize != 20 {
		t.Errorf("%d events", p.SampleSize)
	}
	says(t, p, "Bought both sides alike in 12 events, which are not decisions and left out of 32 decided events.")

	one := bets(12, 0.4, 0.55)
	one.Market(800, "large", 0.5).Buy(800, 0, 9000, 0.5, 9*day).Decide(800, 8*day, 0)
	p = read(t, one)
	if p.Diversification != "concentrated" {
		t.Errorf("%+v", p)
	}
	says(t, p, "Effectively 1.6 independent bets by size, where 4 are moderate and 10 broad.")

	unknown := bets(14, 0.4, 0.55)
	for i := range 3 {
		delete(unknown.Markets, predictiontest.Condition(i))
	}
	p = read(t, unknown)
	if p.SampleSize != 11 {
		t.Errorf("%d events", p.SampleSize)
	}
	says(t, p, "unknown in 3 markets; they are left out.")

	blind := bets(12, 0.4, 0.55)
	for i := range 12 {
		blind.Sell(i, 1, 0.5, 0.6, 80*day)
	}
	p = read(t, blind)
	if p.EdgeCents != nil || p.ChanceProbability != nil || p.Mirrorable || *p.Grade == "A" || *p.Grade == "B" {
		t.Errorf("%+v", p)
	}
	says(t, p, "The first entry of no decided event is known, so skill cannot be told from luck")
}

// Whoever holds losers and redeems winners has lost as often as somebody who redeems all.
func TestUnredeemedLosers(t *testing.T) {
	redeemed, kept := bets(30, 0.5, 0.5), bets(30, 0.5, 0.5)
	for i := range 30 {
		m := redeemed.Markets[predictiontest.Condition(i)]
		won := m.Outcomes[0].Payout
		for _, s := range []*predictiontest.Story{redeemed, kept} {
			if s == redeemed || won == 1 {
				shares := s.Activity.Trades[i].Shares
				s.Move(market.Redemption, i, shares, shares*won, 2*day)
			}
		}
	}
	a, b := read(t, redeemed), read(t, kept)
	if *a.WinRate != 0.5 || *b.WinRate != 0.5 || a.SampleSize != 30 || b.SampleSize != 30 || *a.Score != *b.Score {
		t.Errorf("%+v and %+v", a, b)
	}
	says(t, b, "Losing shares of 15 events were never redeemed; they count as lost among 30 decided events.")
}

// Taking both sides at less than a dollar is riskless gain, which no follower gets and which is no skill.
func TestArbitrageIsNoRecordOfSkill(t *testing.T) {
	s := predictiontest.New()
	for i := range 40 {
		ago := time.Duration(50-i) * day
		s.Market(i, fmt.Sprint("e", i), 0.5).Move(market.Split, i, 100, 100, ago).Sell(i, 0, 100, 0.53, ago-time.Hour).Sell(i, 1, 100, 0.5, ago-2*time.Hour)
	}
	s.Market(99, "bet", 0.5).Buy(99, 0, 10, 0.5, day)
	if p := read(t, s); p.Verdict != "unrated" || p.SampleSize != 0 || p.EdgeCents != nil {
		t.Errorf("%+v", p)
	}
}

func TestOneKindOfMarkets(t *testing.T) {
	s := bets(80, 0.4, 0.41)
	for id, m := range s.Markets {
		m.Category = "<script>"
		s.Markets[id] = m
	}
	if body := ask(t, s, wallet).Body; strings.Contains(body, "script") {
		t.Error(body)
	}
	says(t, read(t, s), "100% of what it put in went into one kind of markets")
}

func TestLuckAndDetectableEdge(t *testing.T) {
	p := read(t, bets(40, 0.5, 0.52))
	says(t, p, "of redraws; 40 events show only an edge of about 19.9 cents a share or more.")
	if p.Verdict != "watch" && p.Verdict != "avoid" {
		t.Errorf("%+v", p)
	}
	says(t, read(t, bets(40, 0.5, 0.3)), "cents a share more in first entries than outcomes were worth on average")
}

func TestProviderFailures(t *testing.T) {
	for _, port := range []market.Port{market.PredictionActivityFacts, market.PredictionPositionFacts, market.PredictionMarketFacts, market.PredictionPriceFacts} {
		s := bets(20, 0.4, 0.65)
		s.Failing[port] = fmt.Errorf("venue: %w", market.ErrUnavailable)
		answer := ask(t, s, wallet)
		if answer.Status != http.StatusServiceUnavailable || answer.Problem(t).Error != "provider_unavailable" || answer.Header.Get("X-Usage-Units") != "0" {
			t.Errorf("%s: %d %s", port, answer.Status, answer.Body)
		}
	}
}

func TestRefusals(t *testing.T) {
	fixture := endpointtest.New(t)
	s := predictiontest.New()
	fixture.Service.Sources = s.Sources()
	handler := endpoint.NewHandler(fixture.Service, PredictionWallet())
	for body, code := range map[string]string{
		`{}`: "missing_param", `{"wallet":"0x11"}`: "invalid_address", `{"wallet":"` + wallet + `","chain":"polygon"}`: "unknown_param",
		`{"wallet":"` + wallet + `","asOf":"2026-01-01"}`: "unknown_param",
	} {
		answer := endpointtest.Call{Method: http.MethodPost, Path: "/v1/prediction-wallet", Key: fixture.Key, Body: body}.Do(t, handler)
		if answer.Status != http.StatusBadRequest || answer.Problem(t).Error != code {
			t.Errorf("%s: %d %s", body, answer.Status, answer.Body)
		}
	}
	if s.Calls(market.PredictionActivityFacts) != 0 {
		t.Error("a refused request reached the venue")
	}
}

func TestFactsAreReadOnce(t *testing.T) {
	s := bets(60, 0.4, 0.65)
	read(t, s)
	for port, want := range map[market.Port]int{
		market.PredictionActivityFacts: 1, market.PredictionPositionFacts: 1, market.PredictionMarketFacts: 1, market.PredictionPriceFacts: 40,
	} {
		if got := s.Calls(port); got != want {
			t.Errorf("%s was asked %d times, want %d", port, got, want)
		}
	}
}

func TestGoldenAnswers(t *testing.T) {
	for name, s := range map[string]*predictiontest.Story{
		"edge": bets(80, 0.4, 0.65), "favourites": bets(40, 0.96, 0.95), "thin": bets(4, 0.4, 0.5), "inactive": predictiontest.New(),
	} {
		want, err := os.ReadFile("testdata/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		for range 20 {
			if got := ask(t, s, wallet).Body; got != strings.TrimSpace(string(want)) {
				t.Fatalf("%s:\n got %s\nwant %s", name, got, want)
			}
		}
	}
}

package accuracy

import (
	"math"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/perpvenue"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/predictvenue"
)

func checkFirst(t *testing.T, rows []Row, name, want string, pass bool) {
	t.Helper()
	row := measured(t, rows, name)
	got, _, _ := strings.Cut(row.Measured, ";")
	if got != want || row.Pass != pass {
		t.Errorf("%s: measured %q, pass %v; want %q, %v", name, row.Measured, row.Pass, want, pass)
	}
}

func TestNothingMeasuredIsNotMet(t *testing.T) {
	rows := append(append(perpRows(nil), predictionWordRows(nil)...), predictionJudgementRows(nil)...)
	for _, row := range append(rows, portfolioRows(nil)...) {
		if row.Pass {
			t.Errorf("nothing was measured, and it passes: %+v", row)
		}
	}
}

func TestPerpRows(t *testing.T) {
	rate := func(x float64) *float64 { return &x }
	of := func(coverage string, orders int, won *float64) perpCase {
		c := perpCase{truth: perpvenue.AccountTruth{Coverage: "ok", ClosingOrders: 10, ClosingOrderWins: 6, Episodes: 4, EpisodeWins: 2, WinRate: 0.6, Bias: "flat"}}
		c.Coverage.Reason, c.Bias, c.ClosedTrades, c.ClosedPositions, c.WinRate = coverage, "flat", orders, 4, won
		return c
	}
	right := of("ok", 10, rate(0.6))
	right.WinRateInterval = &struct {
		Low  float64 `json:"low"`
		High float64 `json:"high"`
	}{0.2046, 0.8974} // Wilson's of a rate of 0.6 that is worth 4
	turned := of("ok", 10, rate(0.7))
	turned.turned = map[int64]bool{1: true}
	liquidated := of("ok", 10, rate(0.61))
	liquidated.truth.Liquidations, liquidated.Liquidations = 3, 1
	paid := of("below-min-closed-trades", 9, nil)
	paid.marginUSD, paid.monthPaidUSD, paid.FundingPaidPct = 1000, 20, rate(-2) // the wrong sign
	leaking := of("ok", 10, rate(0.6))
	leaking.text, leaking.amounts = []byte(`{"reasons":["Lost 51234.4 of it."]}`), []float64{-51_234.4}
	cut := of("ok", 99, rate(0.65))
	cut.truth.Truncated, cut.Truncated = true, true
	rows := perpRows([]perpCase{right, turned, liquidated, paid, leaking, cut})
	checkFirst(t, rows, ": coverage", "0.833 of 6", false)
	checkFirst(t, rows, "closing orders", "0.800 of 5", false)
	checkFirst(t, rows, "null where it cannot be measured", "0.500 of 4", false)
	checkFirst(t, rows, "give or take these", "1.000 of 1", true)
	checkFirst(t, rows, "by closed positions", "0.200 of 5", false)
	checkFirst(t, rows, "liquidated or not", "1.000 of 6", true)
	checkFirst(t, rows, "those within an hour being one", "1.000 of 1", true)
	checkFirst(t, rows, "funding's sign and size", "0.000 of 1", false)
	checkFirst(t, rows, "cut short within 0.10", "1.000 of 1", true)
	checkFirst(t, rows, "answers that tell no amount", "0.833 of 6", false)
}

func TestPredictionRows(t *testing.T) {
	rate := func(x float64) *float64 { return &x }
	grade := func(word string) *string { return &word }
	of := func(kind string, events int, answer predictionAnswer) predictionCase {
		answer.Active = true
		return predictionCase{truth: predictvenue.WalletTruth{Kind: kind, Events: events, Wins: events / 2, Execution: "taker", Activity: "active"}, predictionAnswer: answer}
	}
	lucky := of("favourite-buyer", 20, predictionAnswer{SampleSize: 20, WinRate: rate(0.5), Grade: grade("A"), Verdict: "mirror-worthy", Mirrorable: true, Execution: "taker"})
	losing := of("losing", 40, predictionAnswer{SampleSize: 39, WinRate: rate(0.51), Grade: grade("F"), Verdict: "avoid", Execution: "mixed"})
	followed := of("skilled-taker", 40, predictionAnswer{SampleSize: 42, WinRate: rate(0.52), Grade: grade("A"), Verdict: "mirror-worthy", Mirrorable: true, Execution: "taker"})
	followed.truth.Followable = true
	washer := of("washer", 12, predictionAnswer{SampleSize: 12, WinRate: rate(0.5), Grade: grade("F"), Verdict: "avoid", Execution: "taker",
		Reasons: []string{"48% of its volume is buying and selling the same shares back within an hour at the same price (9 round trips)."}})
	washer.truth.Wash = true
	thin := of("new", 0, predictionAnswer{Verdict: "unrated", Execution: "taker"})
	gone := predictionCase{truth: predictvenue.WalletTruth{Kind: "dormant", Activity: "dormant"}, predictionAnswer: predictionAnswer{Verdict: "unrated"}}
	graded := gone
	graded.Grade = grade("B")
	all := []predictionCase{lucky, losing, followed, washer, thin, gone, graded}
	checkFirst(t, predictionWordRows(all), "execution", "0.800 of 5", false)
	rows := predictionJudgementRows(all)
	checkFirst(t, rows, "decided, of those who hold to the end", "0.500 of 2", false)
	checkFirst(t, rows, "events won, of the same", "0.667 of 3", false)
	checkFirst(t, rows, "who sell or buy the other side, within 10 %", "1.000 of 1", true)
	checkFirst(t, rows, "washers are seen", "1.000 of 1", true)
	checkFirst(t, rows, "who is said to wash does", "1.000 of 1", true)
	checkFirst(t, rows, "who cannot be followed is not mirrorable", "0.667 of 3", false)
	checkFirst(t, rows, "nor mirror-worthy", "0.667 of 3", false)
	checkFirst(t, rows, "who can be followed is mirrorable, with 30 events", "1.000 of 1", true)
	checkFirst(t, rows, "neither A nor B", "0.000 of 1", false)
	checkFirst(t, rows, "active or not", "1.000 of 9", true)
	checkFirst(t, rows, "nor below ten events", "0.667 of 3", false)
}

func TestPortfolioRows(t *testing.T) {
	word := func(w string) *string { return &w }
	of := func(grade string, held holdings) portfolioCase {
		held.usd = 100
		return portfolioCase{held: held, portfolioAnswer: portfolioAnswer{Grade: grade, WorstOffender: word("BAD"), Concentration: word("all-in")}}
	}
	rows := portfolioRows([]portfolioCase{
		of("exposed", holdings{honeypots: 0.4, top: 0.9, worst: []string{"BAD"}}), of("healthy", holdings{honeypots: 0.3, top: 0.5, worst: []string{"BAD"}}),
		of("watch", holdings{rugs: 0.5, top: 1, worst: []string{"BAD"}}), of("healthy", holdings{own: 1, top: 1}), of("exposed", holdings{own: 0.9, top: 1}),
		of("no-holdings", holdings{}), {held: holdings{usd: 3}, portfolioAnswer: portfolioAnswer{Grade: "no-holdings"}},
	})
	checkFirst(t, rows, "30 % in honeypots", "0.500 of 2", false)
	checkFirst(t, rows, "whose signs show", "0.000 of 1", false)
	checkFirst(t, rows, "in such traps", "0.667 of 3", false)
	checkFirst(t, rows, "dollar coins alone", "1.000 of 1", true)
	checkFirst(t, rows, "without anything to warn of", "0.500 of 2", false)
	checkFirst(t, rows, "is to be warned of", "0.500 of 2", false)
	checkFirst(t, rows, "all-in or not", "0.800 of 5", false)
	checkFirst(t, rows, "no-holdings or not", "0.857 of 7", false)
}

func TestHoldingsAreSortedByWhatWasPlanted(t *testing.T) {
	on, _ := chain.Parse("eth")
	honeypot := tokenAnswer("honeypot", "honeypot", settledAge, "").truth
	honeypot.Symbol = "TRAP"
	major := tokenAnswer("major", "", 900*settledAge/30, "").truth
	h := holdings{usd: 200}
	h.add(on, lot{asset: chain.Native, usd: 100}, nil)
	h.add(on, lot{asset: chain.Address{1}, usd: 60}, &honeypot)
	h.add(on, lot{asset: chain.Address{2}, usd: 40}, &major)
	if h.own != 0.5 || h.honeypots != 0.3 || h.rugs != 0 || len(h.worst) != 1 || h.worst[0] != "TRAP" {
		t.Errorf("%+v", h)
	}
	if suspect(&tokenAnswers{truth: samplemarket.TokenTruth{Kind: "major", LockedShare: 1}, at: sampleNow()}) {
		t.Error("a major is suspect")
	}
}

func TestLeaked(t *testing.T) {
	for text, want := range map[string]bool{
		`{"note":"Lost $5."}`: true, `{"x":12345.6}`: true, `{"x":12345}`: false, `{"x":-12345.6}`: true, `{"winRate":0.6}`: false, `{"marginUsd":3}`: false, `{"balanceusd":3}`: true,
	} {
		if _, leaks := leaked([]byte(text), []float64{12_345.9, 0.6, math.NaN()}); leaks != want {
			t.Errorf("%s: %v", text, leaks)
		}
	}
}

package trader

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestEverySentence(t *testing.T) {
	for _, c := range []struct {
		code string
		p    parameters
		want string
	}{
		{codeWinRate, parameters{n: 10, k: 7, low: 0.3968, high: 0.8922, x: 0.4}, "Won 7 of 10 closed positions; with so few the true rate could be 40% to 89%, where about 40% is usual."},
		{codeWinRate, parameters{n: 100, k: 60, low: 0.502, high: 0.6906, x: 0.4}, "Won 60 of 100 closed positions; the true rate is likely 50% to 69%, where about 40% is usual."},
		{codeProfitFactor, parameters{n: 12, x: 1.845}, "Gained 1.84 for every 1 lost, where 1 is break-even (only 12 trades, so uncertain)."},
		{codeProfitFactor, parameters{n: 30, x: 0.5}, "Gained 0.50 for every 1 lost, where 1 is break-even."},
		{codeNoLoss, parameters{n: 3}, "No losing trade yet, which on 3 trades proves little."},
		{codeNoLoss, parameters{n: 40}, "No losing trade in 40 trades, which can also mean that losers are not sold."},
		{codeExpectancy, parameters{n: 40, x: 0.123}, "Average result is at least 12% with 80% confidence."},
		{codeExpectancy, parameters{n: 5, x: -0.3}, "The true average result could be as low as -30% with 80% confidence, so a gain is not established (only 5 trades, so uncertain)."},
		{codeTopTrade, parameters{k: 40, x: 0.61}, "61% of all gains came from one trade, where an even split over its winners is 3%."},
		{codeTopTrade, parameters{k: 4, x: 0.61}, "61% of all gains came from one trade; an even split over its 4 winners is 25%, and so few make this uncertain."},
		{codeTopTrade, parameters{k: 1, x: 1}, "100% of all gains came from one trade, its only winner, which says little."},
		{codeDrawdown, parameters{n: 50, x: 0.32}, "Worst run lost 32% at 10% stakes, where 50% counts as ruinous."},
		{codeWeeks, parameters{n: 6, k: 4, low: 0.3, high: 0.9}, "4 of 6 active weeks ended in profit; with so few weeks the true share could be 30% to 90%."},
		{codeWeeks, parameters{n: 40, k: 30}, "30 of 40 active weeks ended in profit, where half is break-even."},
		{codeBags, parameters{k: 3, x: 0.2}, "3 open positions can no longer be sold for more than 20% of cost."},
		{codeOpenLosses, parameters{n: 36, k: 34, x: 0.62}, "34 of 36 open positions would lose money if sold now; together those would bring 62% of their cost."},
		{codeImputed, parameters{n: 10, k: 2}, "2 of 10 closed positions could no longer be sold and count at what was left of them."},
		{codeStale, parameters{days: 45}, "Last closed trade 45 days ago; the record counts less from a month on."},
		{codeThin, parameters{n: 1, k: 2}, "1 closed position can be rated; at least 2 more are needed for a rating."},
		{codeThin, parameters{n: 0, k: 3}, "No closed position can be rated yet; at least 3 are needed."},
		{codeThin, parameters{n: 2, k: 4, subject: "tell skill from chance"}, "2 closed positions; at least 4 more are needed to tell skill from chance."},
		{codeThin, parameters{n: 2, k: 1}, "2 closed positions can be rated; at least 1 more is needed for a rating."},
		{codeThin, parameters{n: 6, k: 4}, "6 closed positions; about 4 more like them are needed for a firm judgement."},
		{codeSizeMismatch, parameters{n: 40, x: -0.08}, "Bigger positions did worse than small ones: weighted by size the result is a loss of 8%."},
		{codeSizeMismatch, parameters{n: 4, x: 0.08}, "Bigger positions did better than small ones: the average trade lost, but weighted by size the result is a gain of 8% (only 4 trades, so uncertain)."},
		{codeUnmatched, parameters{k: 1, x: 0.7}, "1 sale had no known purchase; 70% of proceeds can be matched to a cost."},
		{codeRepeated, parameters{n: 40, k: 4, x: 10.8}, "40 closed positions in 4 different markets are worth about 11 independent ones."},
		{codeSkill, parameters{n: 60, x: 0.03}, "Chance alone does this well in under 3% of cases, even with a total loss added to the record."},
		{codeLuck, parameters{n: 12, x: 0.31}, "Results of this size appear by chance in about 31% of traders with this many trades (only 12 trades, so uncertain)."},
		{codeLuck, parameters{n: 60, x: 0.7}, "Results are no better than chance gives a trader with this many trades."},
		{codeNegativeEdge, parameters{n: 60}, "Results are worse than chance; no evidence of skill."},
		{codeOneTrade, parameters{n: 60, x: -0.12}, "Without its best trade the average result is -12%."},
		{codeTiming, parameters{n: 60, x: 0.04}, "Entries beat random hours around them; chance alone does so 4% of the time."},
		{codeNoTiming, parameters{n: 60, x: 0.4}, "Entries did not clearly beat random hours around them; chance alone does as well 40% of the time."},
		{codeSegment, parameters{n: 14, k: 9, subject: "Entries within a day of launch"}, "Entries within a day of launch returned far more than the rest (14 trades; unlikely to be chance after checking 9 segments)."},
		{codeNoSegment, parameters{}, "No part of its trading stands out once chance is allowed for."},
		{codeInsider, parameters{k: 2}, "Received tokens before public trading in 2 launches and sold them later."},
		{codeAutomated, parameters{n: 400}, "Timing, sizes or speed over 400 trades suggest automation, which a person can hardly follow."},
		{codeWashSelf, parameters{x: 0.07}, "7% of its volume was traded with itself or accounts it funds."},
		{codeWashRing, parameters{x: 0.9, k: 4}, "90% of its volume went round a closed group of 4 accounts at no net change."},
		{codeWashRoundTrip, parameters{x: 0.82, k: 31}, "82% of its volume is buying and selling the same token back within an hour at no net change (31 round trips)."},
		{codeWashChurn, parameters{x: 80, low: -0.003}, "Turns its money over 80 times a day for a net result of -0.3% of volume."},
		{codeWashCluster, parameters{x: 0.6, k: 3}, "60% of its volume was traded with 3 accounts funded from the same source."},
		{codeWashSizes, parameters{n: 800}, "Trade sizes over 800 trades do not spread as natural ones do."},
		{codeThinVolume, parameters{x: 0.9, k: 2, n: 40}, "90% of its trading is in 2 tokens with fewer than 20 holders or under its own control (40 trades)."},
		{codeThinTokens, parameters{x: 0.71, k: 5}, "71% of its profit comes from 5 tokens with fewer than 20 holders or under its own control."},
	} {
		if got := (fact{c.code, 1, c.p}).reason(); got.Text != c.want || got.Code != c.code {
			t.Errorf("%s:\n got %q\nwant %q", c.code, got.Text, c.want)
		}
	}
	if sentence("UNKNOWN", parameters{}) != "" {
		t.Error("an unknown code has a sentence")
	}
}

// Results that are called something else are called that everywhere in a rating.
func TestSentencesNameResultsByTheirNoun(t *testing.T) {
	event := Noun{One: "event", Closed: "decided event"}
	for _, c := range []struct {
		code string
		p    parameters
		want string
	}{
		{codeWinRate, parameters{n: 10, k: 7, low: 0.3968, high: 0.8922, x: 0.4}, "Won 7 of 10 decided events; with so few the true rate could be 40% to 89%, where about 40% is usual."},
		{codeProfitFactor, parameters{n: 12, x: 1.845}, "Gained 1.84 for every 1 lost, where 1 is break-even (only 12 events, so uncertain)."},
		{codeNoLoss, parameters{n: 3}, "No losing event yet, which on 3 events proves little."},
		{codeNoLoss, parameters{n: 40}, "No losing event in 40 events, which can also mean that losers are not sold."},
		{codeTopTrade, parameters{k: 1, x: 1}, "100% of all gains came from one event, its only winner, which says little."},
		{codeStale, parameters{days: 45}, "Last closed event 45 days ago; the record counts less from a month on."},
		{codeThin, parameters{n: 0, k: 3}, "No decided event can be rated yet; at least 3 are needed."},
		{codeThin, parameters{n: 6, k: 4}, "6 decided events; about 4 more like them are needed for a firm judgement."},
		{codeLuck, parameters{n: 60, x: 0.7}, "Results are no better than chance gives a trader with this many events."},
		{codeLuck, parameters{n: 60, x: 0.3}, "Results of this size appear by chance in about 30% of traders with this many events."},
		{codeOneTrade, parameters{n: 60, x: -0.12}, "Without its best event the average result is -12%."},
	} {
		if got := explainAs(event, []fact{{c.code, 1, c.p}})[0]; got.Text != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.code, got.Text, c.want)
		}
	}
	evidence := Evidence{Noun: event, MatchedShare: 1}
	for i, pnl := range []float64{50, -20, 30, -20, 10, -90, 80} {
		evidence.Results = append(evidence.Results, Result{
			Return: pnl / 100, CostUSD: 100, PnLUSD: pnl, ClosedAt: time.Unix(int64(i)*86_400, 0), Cluster: uint64(i),
		})
	}
	for _, r := range Rate(evidence, Measure(evidence)).Reasons {
		if regexp.MustCompile(`\b(trades?|closed positions?)\b`).MatchString(r.Text) {
			t.Errorf("%q", r.Text)
		}
	}
}

// Every code that is declared has to be in the table above.
func TestTableOfSentencesIsComplete(t *testing.T) {
	source, err := os.ReadFile("sentence.go")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile("sentence_test.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(`(?m)^\t(code[A-Za-z]+)\s+= "`).FindAllStringSubmatch(string(source), -1)
	if len(declared) < 20 {
		t.Fatalf("found only %d codes", len(declared))
	}
	for _, code := range declared {
		if !strings.Contains(string(tests), "{"+code[1]+", parameters{") {
			t.Errorf("no row tests %s", code[1])
		}
	}
}

func TestOddsAreNeverUnderstated(t *testing.T) {
	for _, c := range []struct{ p, want float64 }{{0, 0.001}, {0.0004, 0.001}, {0.0049, 0.005}, {0.012, 0.02}, {0.03, 0.04}, {0.049, 0.05}} {
		if got := oddsOf(c.p); got < c.p || got > c.want+1e-12 {
			t.Errorf("oddsOf(%v) = %v, want %v", c.p, got, c.want)
		}
	}
}

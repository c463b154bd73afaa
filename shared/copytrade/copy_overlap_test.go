package copytrade

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

var other = account(3)

func beside(leaders ...chain.Address) string {
	quoted := make([]string, len(leaders))
	for i := range leaders {
		quoted[i] = `"` + leaders[i].String() + `"`
	}
	return `,"leaders":[` + strings.Join(quoted, ",") + `]`
}

// buyer buys another token every two and a half days of the last month, so long after a beginning, and sells it a day later.
func (b *bazaar) buyer(wallet chain.Address, first int, later time.Duration) {
	for i := range 11 {
		at := time.Duration(27*24-i*60)*time.Hour - later
		b.trade(wallet, coinAt(first+i), 400+50*float64(i), at)
		b.trade(wallet, coinAt(first+i), -(400 + 50*float64(i)), at-24*time.Hour)
	}
}

func TestADelayedMirrorIsRedundant(t *testing.T) {
	for _, c := range []struct {
		later     time.Duration
		direction string
		says      string
	}{
		{40 * time.Minute, follows, "10 of its last 10 buys were bought earlier by 0x6f03..0000, about 40 minutes before."},
		{-40 * time.Minute, leads, "10 of its last 10 buys were bought later by 0x6f03..0000, about 40 minutes after."},
	} {
		b := newBazaar()
		b.buyer(other, 1, 0)
		b.buyer(lead, 1, c.later)
		answer, body := b.overlap(t, nil, beside(other))
		if answer.Verdict != redundant || !*answer.Redundant || *answer.OverlapPct != 100 || *answer.MostSimilar != other || len(answer.SharedTokens) != mostShared {
			t.Fatal(body)
		}
		row := answer.Leaders[0]
		if *row.Direction != c.direction || *row.MedianLagMinutes != c.later.Minutes() || *row.MatchedPct != 100 || *row.ExpectedPct != 0 || *row.SharedBuysPct != 100 || row.SameOperator {
			t.Error(body)
		}
		if !strings.Contains(body, c.says) {
			t.Errorf("no %q in %s", c.says, body)
		}
		if again := b.request(t, "copy-overlap", nil, beside(other)); again.Body != body {
			t.Errorf("%s\n%s", body, again.Body)
		}
	}
}

func TestLeadersOfOtherTokensAreAdditive(t *testing.T) {
	b := newBazaar()
	b.buyer(lead, 1, 0)
	b.buyer(other, 101, 0)
	answer, body := b.overlap(t, nil, beside(other))
	if answer.Verdict != additive || *answer.Redundant || *answer.OverlapPct != 0 || len(answer.SharedTokens) != 0 || answer.Leaders[0].Direction != nil {
		t.Error(body)
	}
	if !strings.Contains(answer.Reasons[0].Text, "overlaps by 0%") {
		t.Error(body)
	}
}

// Both hold the same at the moment and bought it in their own time: half of what they hold and nothing of when they entered.
func TestSharedHoldingsAloneOverlap(t *testing.T) {
	b := newBazaar()
	for i := range 6 {
		b.trade(lead, coinAt(1+i), 600, time.Duration(28*24-5*i)*time.Hour)
		b.trade(other, coinAt(1+i), 600, time.Duration(5*24-5*i)*time.Hour)
	}
	answer, body := b.overlap(t, nil, beside(other))
	row := answer.Leaders[0]
	if answer.Verdict != overlapping || *answer.Redundant || *row.SharedHoldingsPct < 99 || *answer.OverlapPct < 49 || *answer.OverlapPct > 51 || *row.MatchedPct != 0 {
		t.Error(body)
	}
	// A token that everybody holds says little: with one of five such tokens of their own each, hardly anything is in common.
	popular := newBazaar()
	popular.holders[coinAt(1)] = 3_000_000
	for i := range 6 {
		popular.trade(lead, coinAt(1+10*i), 600, time.Duration(28*24-5*i)*time.Hour)
		popular.trade(other, coinAt(1+11*i), 600, time.Duration(5*24-5*i)*time.Hour)
	}
	if answer, body := popular.overlap(t, nil, beside(other)); *answer.Leaders[0].SharedHoldingsPct > 1.1 {
		t.Error(body)
	}
}

// Two who pick their tokens by themselves among those of the day overlap by little, whoever they are.
func TestIndependentTradersAreAdditive(t *testing.T) {
	for seed := range uint64(25) {
		random := rand.New(rand.NewPCG(seed, 5))
		b := newBazaar()
		for _, wallet := range []chain.Address{lead, other} {
			for _, token := range random.Perm(80)[:18] {
				launched := time.Duration(29*24-token*8) * time.Hour
				at := max(2*time.Hour, launched-time.Duration(random.IntN(20*60))*time.Minute)
				usd := 100 + 900*random.Float64()
				b.trade(wallet, coinAt(token), usd, at)
				if at > 10*time.Hour {
					b.trade(wallet, coinAt(token), -usd, at-time.Duration(1+random.IntN(8))*time.Hour)
				}
			}
		}
		if answer, body := b.overlap(t, nil, beside(other)); answer.Verdict != additive || *answer.OverlapPct > 30 {
			t.Errorf("%d: %s", seed, body)
		}
	}
}

func TestTooLittleToCompare(t *testing.T) {
	b := newBazaar()
	b.buyer(lead, 1, 0)
	b.trade(other, coinAt(1), 100, 300*time.Hour)
	b.trade(other, coinAt(1), -100, 290*time.Hour)
	b.trade(other, coinAt(2), 100, 280*time.Hour)
	b.trade(other, coinAt(2), -100, 270*time.Hour)
	answer, body := b.overlap(t, nil, beside(other))
	if answer.Verdict != unknownOverlap || answer.Redundant != nil || answer.OverlapPct != nil || answer.MostSimilar != nil || *answer.Leaders[0].Trades != 4 ||
		!strings.Contains(body, "1 leader made fewer than 5 trades in 30 days") {
		t.Error(body)
	}
	b.trade(other, coinAt(3), 100, 260*time.Hour)
	if answer, body := b.overlap(t, nil, beside(other)); answer.Verdict == unknownOverlap {
		t.Error(body)
	}
	idle := newBazaar()
	idle.buyer(other, 1, 0)
	if answer, body := idle.overlap(t, nil, beside(other)); answer.Verdict != unknownOverlap || !strings.Contains(body, "The new leader made 0 trades in 30 days") {
		t.Error(body)
	}
	for more, says := range map[string]string{"": "This wallet has no running copies on base", `,"leaders":[]`: "The list of leaders is empty"} {
		if answer, body := b.overlap(t, nil, more); answer.Verdict != unknownOverlap || answer.Redundant != nil || !strings.Contains(answer.Reasons[0].Text, says) {
			t.Error(body)
		}
	}
}

// Without a list, the wallet's running copies count; the new leader among them is copied already.
func TestRunningCopiesAreCompared(t *testing.T) {
	b := newBazaar()
	b.buyer(lead, 1, 0)
	b.buyer(other, 101, 0)
	b.buyer(account(4), 5, 0)
	running := &copies{running: []RunningCopy{{other, 1}, {account(4), 1}, {other, 1}}}
	answer, body := b.overlap(t, running, "")
	if len(answer.Leaders) != 2 || *answer.MostSimilar != account(4) || len(running.asked) != 1 {
		t.Error(body)
	}
	if !slices.IsSortedFunc(answer.Leaders, func(x, y LeaderOverlap) int { return -int(*x.OverlapPct - *y.OverlapPct) }) {
		t.Error(body)
	}
	for what, n := range b.asked {
		if strings.HasPrefix(what, "activity") && n != 1 {
			t.Errorf("%s was asked %d times", what, n)
		}
	}
	running.running = append(running.running, RunningCopy{lead, 1})
	if answer, body := b.overlap(t, running, ""); answer.Verdict != redundant || *answer.OverlapPct != 100 || *answer.MostSimilar != lead || !strings.Contains(body, "you copy it already") {
		t.Error(body)
	}
	// A list in the request stands for itself.
	if answer, body := b.overlap(t, running, beside(other)); len(answer.Leaders) != 1 || answer.Verdict != additive {
		t.Error(body)
	}
	running.running = nil
	for i := range 30 {
		running.running = append(running.running, RunningCopy{account(100 + i), 1})
	}
	if answer, body := b.overlap(t, running, ""); len(answer.Leaders) != mostLeaders || !strings.Contains(body, "The 25 newest copies are compared; 5 older ones were not.") {
		t.Error(body)
	}
}

func TestOneOperator(t *testing.T) {
	funder := account(50)
	for _, c := range []struct {
		name  string
		plant func(*bazaar)
		want  bool
	}{
		{"strangers", func(*bazaar) {}, false},
		{"money from one to the other", func(b *bazaar) { b.send(other, lead, 800, 200*time.Hour) }, true},
		{"money to it", func(b *bazaar) { b.send(lead, other, 800, 200*time.Hour) }, true},
		{"pennies to be noticed", func(b *bazaar) { b.send(other, lead, 2, 200*time.Hour) }, false},
		{"one source at one time", func(b *bazaar) {
			b.send(funder, lead, 5000, 1000*time.Hour)
			b.send(funder, other, 5000, 960*time.Hour)
		}, true},
		{"one source at other times", func(b *bazaar) {
			b.send(funder, lead, 5000, 1000*time.Hour)
			b.send(funder, other, 5000, 900*time.Hour)
		}, false},
		{"an exchange", func(b *bazaar) {
			b.send(funder, lead, 5000, 1000*time.Hour)
			b.send(funder, other, 5000, 999*time.Hour)
			for _, wallet := range []chain.Address{lead, other} {
				b.of(wallet).Accounts[funder] = market.Account{Address: funder, Kind: market.ExchangeAccount, Label: "Exchange"}
			}
		}, false},
		{"one source, and another before", func(b *bazaar) {
			b.send(account(51), lead, 5000, 1100*time.Hour)
			b.send(funder, lead, 5000, 1000*time.Hour)
			b.send(funder, other, 5000, 999*time.Hour)
		}, false},
	} {
		b := newBazaar()
		b.buyer(lead, 1, 0)
		b.buyer(other, 101, 0)
		c.plant(b)
		answer, body := b.overlap(t, nil, beside(other))
		if answer.Leaders[0].SameOperator != c.want || (answer.Verdict == redundant) != c.want || strings.Contains(body, "one operator") != c.want {
			t.Errorf("%s: %s", c.name, body)
		}
	}
}

// A leader that cannot be read costs no other; without the new one, or without all others, there is no answer.
func TestLeadersThatCannotBeRead(t *testing.T) {
	down := fmt.Errorf("%w: down", market.ErrUnavailable)
	b := newBazaar()
	b.buyer(lead, 1, 0)
	b.buyer(other, 1, time.Hour)
	b.fail("activity "+account(4).String(), down)
	answer, body := b.overlap(t, nil, beside(account(4), other))
	if answer.Verdict != redundant || len(answer.Leaders) != 2 || answer.Leaders[1].Verdict != unknownOverlap || answer.Leaders[1].Trades != nil ||
		!strings.Contains(body, "The records of 1 leader could not be read this time") {
		t.Error(body)
	}
	for _, leaders := range []string{beside(account(4)), beside(other)} {
		if leaders == beside(other) {
			b.fail("activity "+lead.String(), down)
		}
		if a := b.request(t, "copy-overlap", nil, leaders); a.Status != http.StatusServiceUnavailable || a.Problem(t).Error != "provider_unavailable" {
			t.Errorf("%s: %d %s", leaders, a.Status, a.Body)
		}
	}
}

func TestTooManyLeaders(t *testing.T) {
	b := newBazaar()
	leaders := make([]chain.Address, 26)
	for i := range leaders {
		leaders[i] = account(i + 10)
	}
	if a := b.request(t, "copy-overlap", nil, beside(leaders...)); a.Status != http.StatusBadRequest || a.Problem(t).Error != "too_many_wallets" || b.calls() != 0 {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if a := b.request(t, "copy-overlap", nil, beside(leaders[:25]...)); a.Status != http.StatusOK {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

// What leaders have and trade does not leave, in a field or in a sentence.
func TestNoAmountsOfLeadersLeave(t *testing.T) {
	b := newBazaar()
	for i := range 6 {
		b.trade(lead, coinAt(1+i), 48_213, time.Duration(28*24-5*i)*time.Hour)
		b.trade(other, coinAt(1+i), 91_717, time.Duration(28*24-5*i)*time.Hour)
	}
	a := b.request(t, "copy-overlap", nil, beside(other))
	if strings.Contains(a.Body, "$") || strings.Contains(a.Body, "48213") || strings.Contains(a.Body, "91717") || strings.Contains(a.Body, "289278") {
		t.Error(a.Body)
	}
}

package copytrade

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

func TestRefusalsOfSpotCopies(t *testing.T) {
	b, f := newBazaar(), endpointtest.New(t)
	f.Service.Sources = b.sources()
	endpoints := []endpoint.Endpoint{CopyPlan(nil), CopyOverlap(nil)}
	endpointtest.Refusals(t, endpoint.NewHandler(f.Service, endpoints...), endpoints, f.Key, b.calls)
}

func TestNobodyCopiesThemselves(t *testing.T) {
	b := newBazaar()
	for _, name := range []string{"copy-plan", "copy-overlap"} {
		body := fmt.Sprintf(`{"wallet":"%s","leadWallet":"%s","chain":"base"}`, me, me)
		call := endpointtest.Call{Method: http.MethodPost, Path: "/v1/" + name, Body: body}
		problem := endpointtest.CheckRefusal(t, call, call.Do(t, b.handler(nil)), http.StatusBadRequest, "invalid_param")
		if problem.Parameter != "leadWallet" || b.calls() != 0 {
			t.Errorf("%s: %+v after %d calls", name, problem, b.calls())
		}
	}
}

// worthy is a bazaar with a leader that is worth a copy and holds 50,000 dollars, and a follower with 10,000.
func worthy() *bazaar {
	b := newBazaar()
	b.trader(lead, 1, 3000, skilled()...)
	b.hold(me, usdc, "USDC", 8000)
	b.hold(me, chain.Native, "ETH", 1)
	b.hold(lead, usdc, "USDC", 50_000)
	return b
}

var otherPlaces = "What the leader does on other chains, in perpetual contracts and in prediction markets: this plan is for its spot trades on base."

func TestALeaderWorthACopy(t *testing.T) {
	b := worthy()
	answer, body := b.plan(t, nil, "")
	if !answer.Copy || answer.Verdict != trader.MirrorWorthy || *answer.Grade != "A" || answer.Trial || answer.RiskProfile != "moderate" {
		t.Fatal(body)
	}
	p := answer.Plan
	if p.CapitalPct < 5 || p.CapitalPct > 10 || *p.AllocationUSD != downTo(2, p.CapitalPct/100*10_000) {
		t.Errorf("%v: %s", *p.AllocationUSD, body)
	}
	if third := math.Floor(p.CapitalPct*100/3) / 100; p.PerPositionCapPct != third || !slices.Equal(p.Exclusions, []string{otherPlaces}) {
		t.Errorf("want %v: %s", third, body)
	}
	binds := 0
	for _, l := range answer.Limits {
		if l.Binds {
			binds++
			if math.Abs(*l.Pct-p.CapitalPct) > 0.011 {
				t.Errorf("%+v binds %v", l, p.CapitalPct)
			}
		}
		if p.CapitalPct > *l.Pct+0.005 {
			t.Errorf("%v is above %+v", p.CapitalPct, l)
		}
	}
	if binds != 1 {
		t.Errorf("%d limits bind", binds)
	}
	c := answer.RiskConfig
	if c.MaxUSD != fmt.Sprint(*p.AllocationUSD) || c.CopyPercent != 100 || math.Abs(c.PerPositionCapPct-100*p.PerPositionCapPct/p.CapitalPct) > 0.01 || len(c.ExcludeTokens) != 0 {
		t.Errorf("%+v", c)
	}
	if len(answer.Reasons) != 5 || answer.Copier.SimulatedTrades != 32 || *answer.Copier.WinRate != 0.75 {
		t.Error(body)
	}
	if again, _ := b.plan(t, nil, ""); again.Plan.CapitalPct != p.CapitalPct {
		t.Error("the same question has another answer")
	}
	// What traders are told of themselves does not leave, in a field or in a sentence.
	if found := regexp.MustCompile(`\$[0-9]|50[, ]?000|3[, ]?000`).FindString(body); found != "" {
		t.Errorf("%s in %s", found, body)
	}
	checkSentences(t, &answer)
}

func checkSentences(t *testing.T, a *CopyPlanAnswer) {
	t.Helper()
	all := append(slices.Clone(a.Warnings), a.Plan.Exclusions...)
	for _, r := range a.Reasons {
		all = append(all, r.Text)
	}
	for _, text := range all {
		lower := strings.ToLower(text)
		if !strings.HasSuffix(text, ".") || strings.Contains(text, "%!") || strings.Contains(text, "NaN") || strings.Contains(text, "unknown share") ||
			strings.Contains(lower, "guaranteed") || strings.Contains(lower, " safe") || strings.Contains(lower, " will ") {
			t.Errorf("%q", text)
		}
	}
	if len(a.Warnings) == 0 || len(a.Reasons) < 2 {
		t.Errorf("%d warnings, %d reasons", len(a.Warnings), len(a.Reasons))
	}
}

func TestProfilesAtTheBoundary(t *testing.T) {
	before := 0.0
	for _, profile := range []string{conservative, moderate, aggressive} {
		answer, body := worthy().plan(t, nil, `,"riskProfile":"`+profile+`"`)
		if answer.RiskProfile != profile || answer.Plan.CapitalPct < before || answer.Plan.CapitalPct > 10 {
			t.Error(body)
		}
		before = answer.Plan.CapitalPct
	}
	if before != 10 {
		t.Errorf("aggressive is %v", before)
	}
}

// Whoever loses, trades for show, follows a program or makes the tokens it trades is not copied, and the plan is there all the same.
func TestLeadersNotWorthACopy(t *testing.T) {
	for _, c := range []struct {
		name   string
		plant  func(*bazaar)
		says   string
		graded bool
	}{
		{"a loser", func(b *bazaar) { b.trader(lead, 1, 1000, losing()...) }, "to be avoided (grade F)", true},
		{"a washer", func(b *bazaar) {
			b.trader(lead, 1, 1000, skilled()...)
			for i := range 60 {
				ago := time.Duration(i*29+i*i%17) * time.Hour
				b.trade(lead, coinAt(900), 5000, ago+20*time.Minute)
				b.trade(lead, coinAt(900), -5000, ago)
			}
		}, "to be avoided (grade D)", true},
		{"a deployer", func(b *bazaar) {
			b.trader(lead, 1, 1000, skilled()...)
			b.creators[coinAt(3)] = lead
		}, "The leader made 1 token that it traded", true},
		{"nobody", func(*bazaar) {}, "has bought nothing on base", false},
		{"a shallow market", func(b *bazaar) {
			b.trader(lead, 1, 100, skilled()...)
			for i := range 33 {
				b.liquidity[coinAt(i)] = 40_000
			}
		}, "Even a small order usually moves the price", true},
	} {
		b := newBazaar()
		c.plant(b)
		b.hold(me, usdc, "USDC", 10_000)
		answer, body := b.plan(t, nil, "")
		if answer.Copy || answer.Plan.CapitalPct != 0 || answer.Plan.AllocationUSD == nil || *answer.Plan.AllocationUSD != 0 || answer.Plan.PerPositionCapPct != 0 ||
			answer.Plan.Exclusions == nil || answer.RiskConfig != nil || answer.Trial || c.graded != (answer.Grade != nil) || !strings.Contains(answer.Reasons[0].Text, c.says) {
			t.Errorf("%s: %s", c.name, body)
		}
		checkSentences(t, &answer)
	}
}

func TestAnUnratedLeaderIsATrial(t *testing.T) {
	b := newBazaar()
	b.trader(lead, 1, 1000, 0.5, 0.4)
	b.hold(me, usdc, "USDC", 10_000)
	answer, body := b.plan(t, nil, "")
	if !answer.Copy || !answer.Trial || answer.Plan.CapitalPct != 1 || *answer.Plan.AllocationUSD != 100 || answer.Grade != nil || answer.Verdict != trader.Unrated ||
		answer.Copier.WinRate != nil || answer.Limits[0].Pct != nil || answer.Warnings[0] != "This leader's record is 2 trades long, with 2 copies simulated; treat the size as a trial." {
		t.Error(body)
	}
	checkSentences(t, &answer)
}

func TestWhatIsLeftOut(t *testing.T) {
	b := worthy()
	// The leader holds five tokens: a trap, a shallow one, and sound ones.
	for i, token := range []chain.Address{coinAt(101), coinAt(102), coinAt(103), coinAt(104), coinAt(105)} {
		b.trade(lead, token, 500, time.Duration(20+31*i)*time.Hour)
	}
	b.traps[coinAt(101)] = true
	b.liquidity[coinAt(102)] = 4_000
	b.hold(me, coinAt(300), "PLENTY", 5_000)
	answer, body := b.plan(t, nil, "")
	want := []string{
		"T101: its risk is critical. Selling failed in a test trade; you may not be able to exit.",
		"PLENTY: it is 33% of what this wallet holds on the chain already; above 20% nothing is added.",
		"T102: buying a position of this plan's size would move its price by about 14%; 3% is the most to accept.",
		otherPlaces,
	}
	if !answer.Copy || !slices.Equal(answer.Plan.Exclusions, want) {
		t.Errorf("%q: %s", answer.Plan.Exclusions, body)
	}
	if excluded := []chain.Address{coinAt(101), coinAt(102), coinAt(300)}; !slices.Equal(answer.RiskConfig.ExcludeTokens, excluded) {
		t.Errorf("%v", answer.RiskConfig.ExcludeTokens)
	}
	if answer.Coverage.TokensAssessed != 10 || answer.Coverage.TokensUnassessed != 1 || !strings.Contains(body, "The risk of the 10 tokens that the leader traded last was looked at") {
		t.Error(body)
	}
	// What anybody could have made is no money to copy with.
	if *answer.Plan.AllocationUSD != downTo(2, answer.Plan.CapitalPct/100*10_000) {
		t.Errorf("%v", *answer.Plan.AllocationUSD)
	}
}

// A position is at most a hundredth of what most of the leader's tokens have in their pools: 50,000 in half of a pool of 100,000, of a
// follower with 1,010,000.
func TestShallowMarketsLimitPositions(t *testing.T) {
	b := worthy()
	for i := range 33 {
		b.liquidity[coinAt(i)] = 100_000
	}
	b.hold(me, usdc, "USDC", 1_000_000)
	answer, body := b.plan(t, nil, "")
	if answer.Plan.PerPositionCapPct != 0.04 || !strings.Contains(body, "they limit each position to 0.04%") {
		t.Error(body)
	}
	b.hold(me, usdc, "USDC", 999_000_000)
	if answer, body := b.plan(t, nil, ""); answer.Copy || !strings.Contains(answer.Reasons[0].Text, "so shallow") {
		t.Error(body)
	}
}

// Nobody's positions are larger than the leader's own.
func TestTheLeadersOwnProportions(t *testing.T) {
	b := worthy()
	b.hold(lead, usdc, "USDC", 950_000)
	answer, body := b.plan(t, nil, "")
	// Of a million, its positions of late are 3,000 to 4,800.
	if p := answer.Plan.PerPositionCapPct; p < 0.3 || p > 0.48 {
		t.Error(body)
	}
}

func TestRunningCopies(t *testing.T) {
	b := worthy()
	b.trade(lead, coinAt(101), 500, 20*time.Hour)
	for _, n := range []int{5, 6, 7} {
		b.trade(account(n), coinAt(101+n/7), 700, time.Duration(n)*time.Hour)
	}
	running := &copies{running: []RunningCopy{{account(5), 1000}, {account(6), 500}, {account(7), 0}, {account(8), 1000}}}
	b.fail("activity "+account(8).String(), market.ErrUnavailable)
	answer, body := b.plan(t, running, "")
	if !strings.Contains(body, `"Two of your running copies hold the same tokens: T101."`) || !strings.Contains(body, "1 running copy was not compared with this leader.") {
		t.Error(body)
	}
	if c := answer.Coverage; c.CopiesCompared != 3 || c.CopiesUncompared != 1 {
		t.Errorf("%+v", c)
	}
	// 2,500 of 10,000 are at stake, which leaves 5 % of the 30 % for all together.
	if answer.Plan.CapitalPct != 5 || !strings.Contains(answer.Reasons[0].Text, "what running copies leave") {
		t.Error(body)
	}
	if want := fmt.Sprintf(" %s base", me); len(running.asked) != 1 || running.asked[0] != want {
		t.Errorf("%q, want %q", running.asked, want)
	}
	running.running = append(running.running, RunningCopy{lead, 600})
	if answer, body := b.plan(t, running, ""); answer.Copy || !strings.Contains(body, "You copy this leader already") || !strings.Contains(body, "The running copies take up") {
		t.Error(body)
	}
	running.err = errors.New("the store is down")
	if a := b.request(t, "copy-plan", running, ""); a.Status != http.StatusInternalServerError || strings.Contains(a.Body, "store") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
}

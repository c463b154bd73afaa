package prediction

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/predictionrecord/predictiontest"
)

func TestWhatRulesFollowingOut(t *testing.T) {
	winner := func() *predictiontest.Story { return bets(80, 0.4, 0.65) }
	role := func(s *predictiontest.Story, part float64, role market.PredictionRole) *predictiontest.Story {
		n := int(math.Ceil(part * float64(len(s.Activity.Trades))))
		for i := range n {
			s.Activity.Trades[i].Role = role
		}
		return s
	}
	for _, c := range []struct {
		name  string
		story *predictiontest.Story
		says  string
	}{
		{"resting orders", role(winner(), 0.72, market.Maker), "73% of its volume is resting orders you cannot copy, where under 70% is needed."},
		{"unknown roles", role(winner(), 0.6, market.UnknownRole), "Which of its orders were resting is unknown for more than half of its volume"},
		{"no later prices", without(winner()), "What a follower pays a minute later is unmeasured: that price is known for 0 of 40 entries looked up, where half of them and at least 10 are needed."},
		{"worse prices", priced(winner(), 0.25), "A follower a minute later pays 26 cents more a share, and is left with -1.4 cents a share on average"},
		{"uncertain at worse prices", priced(winner(), 0.22), "but it could be as low as"},
		{"an edge gone in a minute", priced(bets(80, 0.4, 0.7), 0.22), "A follower a minute later pays 23 cents more a share, which takes "},
		{"private knowledge", soon(bets(20, 0.4, 1), 12*time.Hour), "Bets placed less than a day before the outcome came true in 20 of 20 events, where their prices said about 40%"},
		{"no edge of its own", bets(80, 0.4, 0.47), "Fair luck does as well with the first entries' prices and sizes in"},
		{"a poor record", bets(80, 0.4, 0.4), "A follower a minute later pays 1 cent more a share, and is left with"},
		{"one later price, and a low one", onlyLast(priced(bets(80, 0.4, 0.4), -0.3)), "that price is known for 1 of 40 entries looked up"},
		{"dormant", shifted(winner(), 31*day), "Last bought 34 days ago, where up to 30 days leave something to follow."},
		{"too late", soon(winner(), 2*time.Hour), "Half of its entries are decided within 2 hours, where a follower needs 6 hours."},
		{"thin books", shallow(winner()), "Books are too thin for even a small follower's order in 1 of 1 open market it is in."},
		{"traded with itself", withItself(winner()), "% of its volume was traded with itself"},
		{"round trips", roundTrips(winner()), "% of its volume is buying and selling the same shares back within an hour"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := read(t, c.story)
			if p.Mirrorable || p.Verdict == "mirror-worthy" || p.Verdict == "unrated" {
				t.Errorf("%+v", p)
			}
			if !strings.Contains(p.Reasons[0], c.says) {
				t.Errorf("the first reason is not %q: %q", c.says, p.Reasons)
			}
		})
	}
	for _, s := range []*predictiontest.Story{withItself(winner()), roundTrips(winner()), soon(bets(20, 0.4, 1), 12*time.Hour)} {
		if p := read(t, s); p.Verdict != "avoid" || (*p.Grade != "D" && *p.Grade != "F") {
			t.Errorf("wash trading or private knowledge gets %s and %s: %q", *p.Grade, p.Verdict, p.Reasons)
		}
	}
	says(t, read(t, bets(80, 0.4, 0.3)), "of 100, where 45 (grade C) is needed to be worth following.")
	says(t, read(t, winner()), "It is in 0 open markets, so whether the books it trades in take a follower's order is unmeasured.")
	unread := winner().Market(500, "open", 0.5).Buy(500, 0, 10, 0.5, day)
	m := unread.Markets[predictiontest.Condition(500)]
	m.LiquidityUSD = math.NaN()
	unread.Markets[predictiontest.Condition(500)] = m
	says(t, read(t, unread), "The book of none of its 1 open market could be read")
	if p := read(t, soon(winner(), 6*time.Hour)); !p.Mirrorable {
		t.Errorf("six hours leave time: %q", p.Reasons)
	}
	if p := read(t, shifted(winner(), 27*day)); !p.Mirrorable || p.Activity != "slowing" {
		t.Errorf("30 days leave something to follow: %q", p.Reasons)
	}
}

// Shares passed to and fro at one price end in neither gain nor loss, which is not to have lost none.
func TestResultsOfNothing(t *testing.T) {
	s := predictiontest.New()
	for i := range 12 {
		ago := time.Duration(40-i) * day
		s.Market(i, fmt.Sprint("e", i), 0.5).Buy(i, 0, 100, 0.5, ago).Sell(i, 0, 100, 0.5, ago-time.Minute).Decide(i, ago-2*day, 1)
	}
	p := read(t, s)
	says(t, p, "12 of 12 decided events ended with neither gain nor loss, which is no record of being right.")
	if strings.Contains(strings.Join(p.Reasons, " "), "No losing") {
		t.Errorf("%q", p.Reasons)
	}
}

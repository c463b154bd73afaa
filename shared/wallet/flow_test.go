package wallet

import (
	"testing"

	"pgregory.net/rapid"
)

func TestPostureNeedsEvidence(t *testing.T) {
	few := newStory().trade(1, 1, 620, 5*day).trade(2, 1, -380, 4*day).trade(3, 1, 1, 3*day)
	answer := assessWalletNetflow(few.record(), now)
	if answer.Posture != "balanced" || answer.WindowDays != 90 {
		t.Errorf("62%% buying in three trades: %+v", answer)
	}
	wantReasons(t, answer.Reasons, 2, "UNCERTAIN")
	many := newStory()
	for i := range 20 {
		many.trade(i, 1, 620, 5*day+hour).trade(i+20, 1, -380, 4*day)
	}
	answer = assessWalletNetflow(many.record(), now)
	if answer.Posture != "accumulating" || answer.WindowDays != 30 || *answer.BuyShare != 0.62 {
		t.Errorf("62%% buying in forty trades: %+v", answer)
	}
	wantReasons(t, answer.Reasons, 2, "POSTURE")
}

func TestPostures(t *testing.T) {
	for _, c := range []struct {
		name, want string
		story      func() *story
	}{
		{"nothing", "inactive", newStory},
		{"two trades", "inactive", func() *story { return newStory().trade(1, 1, 100, day).trade(1, 1, 100, 2*day) }},
		{"trades long ago", "inactive", func() *story {
			s := newStory()
			for i := range 10 {
				s.trade(i, 1, 100, 91*day)
			}
			return s
		}},
		{"selling", "distributing", func() *story {
			s := newStory()
			for i := range 30 {
				s.trade(i, 1, -100, 10*day)
			}
			return s
		}},
		{"one whale buy among many sells", "distributing", func() *story {
			s := newStory().trade(99, 1, 1_000_000, 9*day)
			for i := range 30 {
				s.trade(i, 1, -100, 10*day)
			}
			return s
		}},
		{"sells that pay for buys", "rotating", func() *story {
			s := newStory()
			for i := range 20 {
				s.trade(i, 1, -100, 10*day+hour).trade(i+50, 1, 100, 10*day+30*minute)
			}
			return s
		}},
		{"even", "balanced", func() *story {
			s := newStory()
			for i := range 20 {
				s.trade(i, 1, -100, 20*day).trade(i+50, 1, 100, 10*day)
			}
			return s
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			answer := assessWalletNetflow(c.story().record(), now)
			if answer.Posture != c.want {
				t.Fatalf("%s, want %s: %v", answer.Posture, c.want, answer.Reasons)
			}
			if (answer.BuyShare == nil) != (c.want == "inactive") {
				t.Errorf("buyShare %v", answer.BuyShare)
			}
			wantReasons(t, answer.Reasons, 1)
		})
	}
}

func TestFlowDoesNotDependOnTheCurrency(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.Float64Range(0.5, 50).Draw(t, "scale")
		a, b := newStory(), newStory()
		for i := range rapid.IntRange(3, 30).Draw(t, "trades") {
			usd := rapid.Float64Range(10, 10_000).Draw(t, "usd")
			if rapid.Bool().Draw(t, "sell") {
				usd = -usd
			}
			a.trade(i, 1, usd, day)
			b.trade(i, 1, usd*scale, day)
		}
		one, other := assessWalletNetflow(a.record(), now), assessWalletNetflow(b.record(), now)
		if one.Posture != other.Posture {
			t.Fatalf("%s and %s", one.Posture, other.Posture)
		}
	})
}

func TestTradesAreListedLatestFirstWithoutAmounts(t *testing.T) {
	s := newStory().trade(1, 5, 9.99, 3*hour).trade(2, 5, 10, 2*hour).trade(1, 5, -99_999, hour).trade(3, 1, 100_000, 59*minute+30_000_000_000)
	answer := assessWalletTrades(tradesFacts{s.record(), 20}, now)
	var got []string
	for _, row := range answer.Trades {
		got = append(got, row.Action+" "+row.Symbol+" "+*row.SizeBand)
	}
	want := []string{"buy T3 whale", "sell T1 large", "buy T2 micro", "buy T1 dust"}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%v, want %v", got, want)
		}
	}
	if answer.Trades[0].MinsAgo != 59 || answer.Trades[1].MinsAgo != 60 {
		t.Errorf("ages %d and %d", answer.Trades[0].MinsAgo, answer.Trades[1].MinsAgo)
	}
	if answer.Summary.Tilt != "buying" || answer.Summary.TopTokens[0] != "T1" || answer.Summary.TopTokens[1] != "T3" {
		t.Errorf("%+v", answer.Summary)
	}
	if limited := assessWalletTrades(tradesFacts{s.record(), 1}, now); len(limited.Trades) != 1 || limited.Trades[0].Symbol != "T3" {
		t.Errorf("limited to one: %+v", limited.Trades)
	}
}

func TestTiltNeedsCountAndValueToAgree(t *testing.T) {
	for _, c := range []struct {
		buys, sells  int
		bought, sold float64
		want         string
	}{
		{3, 1, 300, 100, "buying"}, {3, 1, 100, 300, "balanced"}, {1, 3, 100, 300, "selling"}, {2, 2, 100, 300, "balanced"}, {0, 0, 0, 0, "balanced"},
	} {
		if got := tilt(c.buys, c.sells, c.bought, c.sold); got != c.want {
			t.Errorf("%+v: %s", c, got)
		}
	}
}

func TestSwapIsOneRow(t *testing.T) {
	s := newStory().trade(1, 5, -500, hour).trade(2, 7, 500, hour).trade(4, 7, 500, 2*hour)
	r := s.record()
	trades := r.Book.Ledger.Trades
	for i := 1; i < 3; i++ {
		trades[i].Swap, trades[i].Tx = true, trades[1].Tx
		trades[i].Quote = tokenNumber(3 - i)
	}
	trades[1].Quote, trades[2].Quote = trades[2].Token, trades[1].Token
	answer := assessWalletTrades(tradesFacts{r, 20}, now)
	if len(answer.Trades) != 2 || answer.Trades[0].Action != "swap" || answer.Trades[0].Symbol != "T2" || *answer.Trades[0].FromSymbol != "T1" {
		t.Fatalf("%+v", answer.Trades)
	}
	if answer.Summary.Swaps != 1 || answer.Summary.Buys != 1 || answer.Summary.Sells != 0 {
		t.Errorf("%+v", answer.Summary)
	}
}

func TestNoTrades(t *testing.T) {
	answer := assessWalletTrades(tradesFacts{newStory().record(), 20}, now)
	if answer.Trades == nil || len(answer.Trades) != 0 || answer.Summary.TopTokens == nil || answer.Summary.Tilt != "balanced" {
		t.Fatalf("%+v", answer)
	}
	wantReasons(t, answer.Reasons, 1, "NO_TRADES")
}

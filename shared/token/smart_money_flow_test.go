package token

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

type smartMoneyWire struct {
	SmartMoneyBuying   *bool    `json:"smartMoneyBuying"`
	MirrorWorthyBuyers int      `json:"mirrorWorthyBuyers"`
	BuyersAnalyzed     int      `json:"buyersAnalyzed"`
	NetFlow            *string  `json:"netFlow"`
	Reasons            []string `json:"reasons"`
}

func (s *scene) smartMoney(t *testing.T) smartMoneyWire {
	t.Helper()
	var wire smartMoneyWire
	if err := json.Unmarshal([]byte(s.askToken(t, "smart-money-flow")), &wire); err != nil {
		t.Fatal(err)
	}
	return wire
}

// proven makes a scene with this many proven and this many losing buyers, each funded by somebody else.
func proven(winners, losers int) *scene {
	s := newScene()
	for i := range winners + losers {
		gain := 0.8
		if i >= winners {
			gain = -0.3
		}
		s.trader(person(i), person(1000+i), 40, gain)
		s.trade(person(i), true, 500, time.Duration(i+1)*time.Minute)
	}
	return s
}

func TestBuyersAreGradedAsTraderScoreGradesThem(t *testing.T) {
	s := proven(3, 5)
	worthy := 0
	for i := range 8 {
		answer := s.ask(t, "trader-score", `{"wallet":"`+person(i).String()+`","chain":"eth"}`)
		if answer.Status != http.StatusOK {
			t.Fatal(answer.Body)
		}
		if strings.Contains(answer.Body, `"verdict":"`+trader.MirrorWorthy+`"`) {
			worthy++
		}
	}
	got := s.smartMoney(t)
	if worthy != 3 || got.MirrorWorthyBuyers != worthy || got.BuyersAnalyzed != 8 {
		t.Fatalf("trader-score finds %d of 8 mirror-worthy: %+v", worthy, got)
	}
	if got.SmartMoneyBuying == nil || !*got.SmartMoneyBuying || got.NetFlow == nil || *got.NetFlow != "buying" {
		t.Errorf("%+v", got)
	}
	if got.Reasons[0] != "3 of 8 recent buyers have proven records; 0.2 would be typical." {
		t.Errorf("%q", got.Reasons)
	}
}

func TestProvenTradersThatSellAreNotBuying(t *testing.T) {
	s := proven(2, 4)
	s.trade(person(0), false, 900, time.Second)
	s.trade(person(1), false, 900, time.Second)
	got := s.smartMoney(t)
	if got.SmartMoneyBuying == nil || *got.SmartMoneyBuying || *got.NetFlow != "selling" || got.MirrorWorthyBuyers != 2 {
		t.Errorf("%+v", got)
	}
}

func TestTheTokensOwnCreatorIsNoSmartMoney(t *testing.T) {
	for name, own := range map[string]func(*scene){
		"creator":        func(s *scene) { s.security.Creator = person(0) },
		"owner":          func(s *scene) { s.security.Owner = person(0) },
		"contract owner": func(s *scene) { s.contract.Owner = person(0) },
	} {
		s := proven(2, 4)
		own(s)
		got := s.smartMoney(t)
		if got.MirrorWorthyBuyers != 1 || got.BuyersAnalyzed != 5 || *got.SmartMoneyBuying {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestAccountsOfOneSourceAreOneBuyer(t *testing.T) {
	s := newScene()
	for i := range 8 {
		gain, funder := 0.8, person(1000)
		if i >= 3 {
			gain, funder = -0.3, person(2000+i)
		}
		s.trader(person(i), funder, 40, gain)
		s.trade(person(i), true, 500, time.Duration(i+1)*time.Minute)
	}
	got := s.smartMoney(t)
	if got.MirrorWorthyBuyers != 1 || got.BuyersAnalyzed != 6 || *got.SmartMoneyBuying {
		t.Errorf("three proven accounts of one funder: %+v", got)
	}
	for i := range 8 { // a service that funds strangers says nothing
		s.histories[person(i)].Accounts[person(1000)] = market.Account{Address: person(1000), Kind: market.ExchangeAccount, Label: "Exchange"}
	}
	if got := s.smartMoney(t); got.MirrorWorthyBuyers != 3 || got.BuyersAnalyzed != 8 {
		t.Errorf("three proven accounts of one exchange: %+v", got)
	}
}

func TestFewerThanFourGradedBuyersSayNothing(t *testing.T) {
	s := proven(3, 0)
	for i := range 6 { // newcomers
		s.trade(person(100+i), true, 300, time.Duration(20+i)*time.Minute)
	}
	got := s.smartMoney(t)
	if got.SmartMoneyBuying != nil || got.BuyersAnalyzed != 3 || got.MirrorWorthyBuyers != 3 {
		t.Fatalf("%+v", got)
	}
	if !strings.HasPrefix(got.Reasons[0], "Only 3 of 9 recent buyers could be graded") || !strings.Contains(got.Reasons[0], "1 more is needed") {
		t.Errorf("%q", got.Reasons)
	}
}

func TestTooFewBuyersInPlainWords(t *testing.T) {
	for want, c := range map[string]struct{ seen, graded int }{
		"No buyers are seen in the latest trades; 4 with a trading record are needed.":                                       {0, 0},
		"The only recent buyer could not be graded, since a grade takes three closed positions; 4 graded buyers are needed.": {1, 0},
		"Only 1 buyer with a trading record is seen in the latest trades; 4 are needed.":                                     {1, 1},
		"Only 3 buyers with a trading record are seen in the latest trades; 4 are needed.":                                   {3, 3},
		"Only 0 of 3 recent buyers could be graded, since a grade takes three closed positions; 4 more are needed.":          {3, 0},
		"Only 3 of 9 recent buyers could be graded, since a grade takes three closed positions; 1 more is needed.":           {9, 3},
	} {
		facts := smartMoneyFacts{pooled: true, graded: make([]buyer, c.seen)}
		if got := facts.tooFew(c.graded).Text; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := provenRecords(1); got != "has a proven record" {
		t.Error(got)
	}
	// A day's window was measured a moment after the question's time.
	list := &market.TokenTrades{Since: flowNow.Add(-24*time.Hour + 40*time.Second)}
	if got := tradesCoverage(list, flowNow).Text; got != "Only trades of the last 24 hours in the deepest pool are seen." {
		t.Error(got)
	}
}

func TestUnreadableBuyersAreLeftOutAThirdOfThemAtMost(t *testing.T) {
	s := proven(2, 7)
	for i := 6; i < 9; i++ {
		s.unreadable[person(i)] = true
	}
	got := s.smartMoney(t)
	if got.BuyersAnalyzed != 6 || !slices.ContainsFunc(got.Reasons, func(text string) bool { return strings.HasPrefix(text, "The records of 3 buyers could not be read") }) {
		t.Fatalf("%+v", got)
	}
	s.unreadable[person(5)] = true
	answer := s.ask(t, "smart-money-flow", `{"token":"`+flowToken.String()+`","chain":"eth"}`)
	if problem := answer.Problem(t); answer.Status != http.StatusServiceUnavailable || problem.Error != "provider_unavailable" {
		t.Errorf("%d %+v", answer.Status, problem)
	}
}

func TestTheSampleIsTheLatestBuyersAndIsClamped(t *testing.T) {
	s := newScene()
	for i := range 30 {
		s.trade(person(i), true, 500, time.Duration(i+1)*time.Minute)
		s.trade(person(i), true, 500, time.Duration(i+60)*time.Minute)
	}
	s.trade(person(90), true, 1, time.Second) // dust
	s.trade(flowPool, true, 900, time.Second)
	s.trade(person(91), false, 900, time.Second)
	for body, want := range map[string]int{`,"sample":1`: 4, ``: 12, `,"sample":12`: 12, `,"sample":7`: 7, `,"sample":500`: 20} {
		s.asked = 0
		if answer := s.ask(t, "smart-money-flow", `{"token":"`+flowToken.String()+`","chain":"eth"`+body+`}`); answer.Status != http.StatusOK {
			t.Fatal(answer.Body)
		}
		if s.asked != want {
			t.Errorf("%q looks at %d buyers, want %d", body, s.asked, want)
		}
	}
	all := func(chain.Address) bool { return true }
	if got := latestBuyers(s.trades, all, 3); !slices.Equal(got, []chain.Address{flowPool, person(0), person(1)}) {
		t.Errorf("%v", got)
	}
	tied := []market.TokenTrade{
		{Time: flowNow, Trader: person(2), Buy: true, ValueUSD: 50}, {Time: flowNow, Trader: person(1), Buy: true, ValueUSD: 50},
		{Time: flowNow, Trader: person(3), Buy: true, ValueUSD: math.NaN()},
	}
	if got := latestBuyers(tied, all, 3); !slices.Equal(got, []chain.Address{person(1), person(2)}) {
		t.Errorf("ties: %v", got)
	}
}

func TestTheOrderOfRowsChangesNothing(t *testing.T) {
	s := proven(3, 9)
	for i := range 12 {
		s.trade(person(i), false, 33.3+float64(i)/7, time.Duration(i+30)*time.Second)
	}
	names := []string{"smart-money-flow", "token-holders-insight", "exit-risk"}
	var want []string
	for _, name := range names {
		want = append(want, s.askToken(t, name))
	}
	rapid.Check(t, func(t *rapid.T) {
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		random.Shuffle(len(s.trades), func(i, j int) { s.trades[i], s.trades[j] = s.trades[j], s.trades[i] })
		for i, name := range names {
			if got := s.askToken(t, name); got != want[i] {
				t.Fatalf("%s\nwas %s", got, want[i])
			}
		}
	})
}

func TestSmartMoneyRule(t *testing.T) {
	rated := func(n int, verdict string, from int) []buyer {
		var buyers []buyer
		for i := range n {
			buyers = append(buyers, buyer{account: person(from + i), rating: trader.Rating{Rated: verdict != trader.Unrated, Verdict: verdict}})
		}
		return buyers
	}
	for _, test := range []struct {
		name          string
		proven, other int
		buying        bool
		code          string
	}{
		// P(X>=2) with the prior alone is 0.1309 for 20, 0.1019 for 17 and 0.0925 for 16; P(X>=3) for 20 is 0.0330
		{"two of twenty are chance", 2, 18, false, "CHANCE"},
		{"two of seventeen are chance", 2, 15, false, "CHANCE"},
		{"two of sixteen are not", 2, 14, true, "SMART"},
		{"three of twenty are not", 3, 17, true, "SMART"},
		{"one of four is one", 1, 3, false, "SMART"},
		{"none", 0, 12, false, "SMART"},
	} {
		f := &smartMoneyFacts{pooled: true, trades: &market.TokenTrades{Since: flowNow.Add(-time.Hour)}}
		f.graded = append(rated(test.proven, trader.MirrorWorthy, 0), rated(test.other, trader.Watch, 50)...)
		f.graded = append(f.graded, rated(2, trader.Unrated, 90)...)
		for i := range test.proven {
			f.trades.Trades = append(f.trades.Trades, market.TokenTrade{Trader: person(i), Buy: true, ValueUSD: 20, Time: flowNow})
		}
		got := assessSmartMoney(f, flowNow)
		if got.SmartMoneyBuying == nil || *got.SmartMoneyBuying != test.buying || got.BuyersAnalyzed != test.proven+test.other {
			t.Errorf("%s: %+v", test.name, got)
		}
		wantFlowReasons(t, got.Reasons, 2, test.code, "COVERAGE")
	}
}

func TestWhatIsNoTokenIsUnknown(t *testing.T) {
	s := proven(2, 4)
	s.contract = market.Contract{}
	for name, want := range map[string]string{
		"smart-money-flow":      `{"smartMoneyBuying":null,"mirrorWorthyBuyers":0,"buyersAnalyzed":0,"netFlow":null,"reasons":["This address has no contract code`,
		"token-holders-insight": `{"trend":"unknown","origin":"unknown","topHoldersPct":null,"reasons":["This address has no contract code`,
		"exit-risk":             `{"exitRisk":"unknown","direction":"unknown","score":null,"sellableBand":null,"reasons":["This address has no contract code`,
	} {
		if got := s.askToken(t, name); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if s.asked != 0 || len(s.kept) != 0 {
		t.Errorf("%d wallets asked and %d series kept for what is no token", s.asked, len(s.kept))
	}
}

func TestATokenWithoutAPoolIsUnknown(t *testing.T) {
	s := newScene()
	delete(s.pools, flowToken)
	if got := s.smartMoney(t); got.SmartMoneyBuying != nil || !strings.HasPrefix(got.Reasons[0], "No pool with a price") {
		t.Errorf("%+v", got)
	}
	if got := s.askToken(t, "exit-risk"); !strings.HasPrefix(got, `{"exitRisk":"unknown"`) {
		t.Error(got)
	}
}

package portfolio

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// number is a token of the tests.
func number(n int) chain.Address { return chain.Address{0xaa, byte(n >> 8), byte(n)} }

// wire is the answer as partners read it.
type wire struct {
	PortfolioRiskAnswer
	Reasons []string `json:"reasons"`
}

// risk asks portfolio-risk and reads the answer, refusing keys that are not documented.
func (v *venue) risk(t endpointtest.T, more string) (wire, string) {
	t.Helper()
	answer := v.ask(t, "portfolio-risk", more)
	if answer.Status != http.StatusOK {
		t.Fatalf("status %d: %s", answer.Status, answer.Body)
	}
	return read(t, answer.Body), answer.Body
}

func read(t endpointtest.T, body string) wire {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.DisallowUnknownFields()
	var w wire
	if err := decoder.Decode(&w); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	for _, text := range w.Reasons {
		w.PortfolioRiskAnswer.Reasons = append(w.PortfolioRiskAnswer.Reasons, reason.Reason{Text: text})
	}
	checkAnswer(t, &w.PortfolioRiskAnswer)
	return w
}

func TestGolden(t *testing.T) {
	v := newVenue()
	v.holdOwn(chain.Native, 1)
	v.holdOwn(weth, 2)
	v.holdOwn(usdc, 3000)
	v.hold(number(1), "TRAP", 1000, 1, trap)
	v.hold(number(2), "DARK", 500, 2, dark)
	v.hold(number(3), "TINY", 1, 1, trap)
	v.holdings = append(v.holdings, balance(number(4), 1e6, 1e6), balance(number(5), 1, nan))
	v.holdings[len(v.holdings)-1].Token.Name = "visit free-money.xyz to claim"
	got := v.ask(t, "portfolio-risk", "").Body
	// Of 11,000 the ether is 6,000, the cash 3,000, each token 1,000: (6*10 + 3*5 + 98 + 50)/11 = 20.27, and 43.59 with the tail.
	want := `{"grade":"watch","weightedRisk":20.3,"concentration":"concentrated",` +
		`"riskyPositions":[{"symbol":"TRAP","risk":"critical","weightPct":9.09,"reason":"Selling failed in a test trade; you may not be able to exit."}],` +
		`"positions":[{"symbol":"ETH","weightPct":54.55,"kind":"own-coin","risk":null,"riskScore":10},{"symbol":"USDC","weightPct":27.27,"kind":"stablecoin","risk":null,"riskScore":5},` +
		`{"symbol":"TRAP","weightPct":9.09,"kind":"token","risk":"critical","riskScore":98},{"symbol":"DARK","weightPct":9.09,"kind":"token","risk":"unknown","riskScore":null}],` +
		`"worstOffender":"TRAP",` +
		`"summary":"Worth watching: weighted by value the risk is 20.3 of 100 with 9% in tokens rated high or critical, spread like 1.7 equal positions.",` +
		`"effectivePositions":1.7,"cashSharePct":27.27,` +
		`"coverage":{"holdings":7,"assessed":3,"unassessed":1,"dust":1,"beyondDepth":0,"spam":1,"unpriced":1,"assessedSharePct":90.9},` +
		`"reasons":["9% of the value is in 1 token rated high or critical; watch starts at 10% and exposed at 25%.",` +
		`"Weighted by value the risk is 20.3 of 100, and 43.6 with the riskiest sizeable position counted extra; watch starts at 35 and exposed at 60.",` +
		`"Stablecoins, 27% of the value, aside, ETH is 75% of the rest; concentrated starts at 40%, all-in at 80%.",` +
		`"TRAP contributes 44% of the total risk with 9% of the value.",` +
		`"1 token with 9% of the value could not be assessed; each counts as 50 of 100, which is no verdict."]}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	read(t, got)
}

func TestTheRiskOfATokenIsThatOfItsAssessor(t *testing.T) {
	v := newVenue()
	v.hold(number(1), "SOUND", 1000, 3, sound)
	v.hold(number(2), "TRAP", 1000, 1, trap)
	answer, _ := v.risk(t, "")
	if want := 0.75*v.score(t, number(1)) + 0.25*v.score(t, number(2)); math.Abs(*answer.WeightedRisk-want) > 0.06 {
		t.Errorf("%v, want %v", *answer.WeightedRisk, want)
	}
}

func TestAWalletThatHoldsNothing(t *testing.T) {
	for name, fill := range map[string]func(*venue){
		"empty":         func(*venue) {},
		"pennies":       func(v *venue) { v.holdOwn(usdc, 9); v.hold(number(1), "TRAP", 1, 0.5, trap) },
		"nothing known": func(v *venue) { v.holdings = append(v.holdings, balance(number(1), 1e9, 1e9)) },
		"zero":          func(v *venue) { v.holdings = append(v.holdings, balance(chain.Native, 0, 2000)) },
	} {
		v := newVenue()
		fill(v)
		answer, body := v.risk(t, "")
		if answer.Grade != noHoldings || v.asked[market.ContractFacts] != 0 ||
			!strings.HasPrefix(body, `{"grade":"no-holdings","weightedRisk":null,"concentration":null,"riskyPositions":[],"positions":[],"worstOffender":null,"summary":"`) ||
			!strings.Contains(body, `"effectivePositions":null,"cashSharePct":null,"coverage":{`) {
			t.Errorf("%s: %s", name, body)
		}
	}
}

// What strangers send, with whatever price they made up for it, takes no part.
func TestMadeUpValueDoesNotDominate(t *testing.T) {
	honest := newVenue()
	honest.holdOwn(chain.Native, 1)
	honest.holdOwn(usdc, 1000)
	plain, _ := honest.risk(t, "")

	v := newVenue()
	v.holdings = slices.Clone(honest.holdings)
	v.holdings = append(v.holdings, balance(number(1), 1e12, 1e6)) // the explorer alone
	v.hold(number(2), "FAKE", 1e12, 5, trap)                       // a pool that could not pay a millionth of it
	v.pools[number(2)][0].LiquidityUSD = 20_000
	v.hold(number(3), "PAIR", 1e9, 5, trap) // a pool against another fake
	v.pools[number(3)][0].Quote = junk
	v.hold(number(4), "SPAM", 1e9, 5, trap)
	v.holdings[len(v.holdings)-1].Token.Spam = true
	answer, body := v.risk(t, "")
	if answer.Grade != plain.Grade || *answer.WeightedRisk != *plain.WeightedRisk || *answer.WorstOffender != *plain.WorstOffender ||
		len(answer.RiskyPositions) != 0 || answer.Coverage.Unpriced != 3 || answer.Coverage.Spam != 1 {
		t.Error(body)
	}
}

func TestMoreTokensThanAreLookedUp(t *testing.T) {
	v := newVenue()
	v.holdOwn(chain.Native, 1)
	for i := range mostPriced + 30 {
		v.hold(number(i), fmt.Sprint("T", i), 1, 0.01, sound)
	}
	odd := balance(number(999), 1, 1e6)
	odd.Token.Known = false
	v.holdings = append(v.holdings, odd)
	if answer, body := v.risk(t, ""); answer.Coverage.Unpriced != 31 || answer.Coverage.Dust != mostPriced || v.asked[market.PoolFacts] != 1 {
		t.Error(body)
	}
}

func TestANameThatAdvertisesIsSpamUnlessItIsKnown(t *testing.T) {
	v := newVenue()
	v.hold(number(1), "YFI", 10, 100, sound)
	v.holdings[0].Token.Name = "yearn.finance"
	v.hold(number(2), "CLAIM", 10, 100, sound)
	v.holdings[1].Token.Name = "free-money.xyz"
	v.index[number(1)] = 100
	if answer, body := v.risk(t, ""); answer.Coverage.Spam != 1 || answer.Coverage.Assessed != 1 {
		t.Error(body)
	}
}

func TestHostileNamesAreNotShown(t *testing.T) {
	v := newVenue()
	v.hold(number(1), "<b>USDC", 1000, 1, trap)
	v.hold(number(2), "USDC", 1000, 1, trap)
	_, body := v.risk(t, "")
	for _, bad := range []string{"<b>", `\u003c`, "USDC"} {
		if strings.Contains(body, bad) {
			t.Errorf("%s in %s", bad, body)
		}
	}
}

func TestTheBundleIsItsSingles(t *testing.T) {
	v := newVenue()
	v.holdOwn(chain.Native, 1)
	v.hold(number(1), "TRAP", 1000, 1, trap)
	v.hold(number(2), "SOUND", 900, 1, sound)
	for _, depth := range []string{"", `,"depth":2`} {
		whole := v.ask(t, "portfolio-overview", depth)
		single := v.ask(t, "portfolio-risk", depth).Body
		health, netflow := v.ask(t, "wallet-health", "").Body, v.ask(t, "wallet-netflow", "").Body
		want := `{"wallet":"0x1100000000000000000000000000000000000000","chain":"eth","bundle":"portfolio-overview","portfolioRisk":` + single +
			`,"walletHealth":` + health + `,"walletNetflow":` + netflow + `}`
		if whole.Status != http.StatusOK || whole.Body != want || whole.Header.Get("X-Usage-Units") != "5" {
			t.Errorf("%s units, got\n%s\nwant\n%s", whole.Header.Get("X-Usage-Units"), whole.Body, want)
		}
		if beyond := strings.Contains(single, `"beyondDepth":1`); beyond != (depth != "") {
			t.Errorf("depth %q is not minded: %s", depth, single)
		}
	}
	v.failures[market.HoldingFacts] = fmt.Errorf("%w: down", market.ErrUnavailable)
	if body := v.ask(t, "portfolio-overview", "").Body; !strings.HasSuffix(body, `,"partial":true,"failed":["portfolioRisk","walletHealth"]}`) {
		t.Error(body)
	}
}

func TestUnitsAndParameters(t *testing.T) {
	all := page()
	if all[0].Name != "portfolio-overview" || all[0].Units != 5 || all[1].Name != "portfolio-risk" || all[1].Units != 2 || !all[0].Graded {
		t.Errorf("%+v", all[:2])
	}
	v := newVenue()
	for _, name := range []string{"portfolio-risk", "portfolio-overview"} {
		for _, depth := range []string{"0", "51", "-1", `"5"`, "1.5", "null", "1e9"} {
			answer := v.ask(t, name, `,"depth":`+depth)
			if p := answer.Problem(t); answer.Status != http.StatusBadRequest || p.Error != "invalid_param" || p.Parameter != "depth" {
				t.Errorf("%s, depth %s: %d %+v", name, depth, answer.Status, p)
			}
		}
	}
	if v.calls() != 0 {
		t.Errorf("refused requests made %d calls", v.calls())
	}
	for _, depth := range []string{"1", "50", "5.0"} {
		if answer := v.ask(t, "portfolio-risk", `,"depth":`+depth); answer.Status != http.StatusOK {
			t.Errorf("depth %s: %s", depth, answer.Body)
		}
	}
}

// drawn is a venue with holdings of every kind, at any prices.
func drawn(t *rapid.T) *venue {
	v := newVenue()
	price := rapid.Custom(func(t *rapid.T) float64 {
		if rapid.IntRange(0, 5).Draw(t, "kind") == 0 {
			return rapid.SampledFrom([]float64{nan, math.Inf(1), -1, 0, 1e300, 1e-300}).Draw(t, "hostile")
		}
		return math.Exp(rapid.Float64Range(-3, 6).Draw(t, "log price"))
	})
	for i := range rapid.IntRange(0, 8).Draw(t, "tokens") {
		v.hold(number(i), fmt.Sprint("T", i), uint64(rapid.IntRange(0, 5000).Draw(t, "units")), price.Draw(t, "price"),
			rapid.SampledFrom([]nature{sound, sound, trap, dark, broken, noToken}).Draw(t, "nature"))
		row := &v.holdings[len(v.holdings)-1]
		row.PriceUSD = price.Draw(t, "listed")
		row.Token.Spam = rapid.IntRange(0, 9).Draw(t, "spam") == 0
		row.Token.Known = rapid.IntRange(0, 9).Draw(t, "known") > 0
		v.pools[number(i)][0].LiquidityUSD = math.Exp(rapid.Float64Range(5, 18).Draw(t, "log liquidity"))
		if rapid.Bool().Draw(t, "indexed") {
			v.index[number(i)] = price.Draw(t, "index")
		}
	}
	for _, asset := range []chain.Address{chain.Native, weth, usdc} {
		v.holdOwn(asset, uint64(rapid.IntRange(0, 2000).Draw(t, "own")))
	}
	return v
}

var amount = regexp.MustCompile(`\$ ?\d|\d ?(USD|dollars)\b`)

func TestAnyWalletGetsASoundAnswer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := drawn(t)
		_, body := v.risk(t, "")
		if found := amount.FindString(body); found != "" {
			t.Fatalf("%q in %s", found, body)
		}

		// Neither the order of the rows nor whether a balance is listed in one or in two matters.
		whole := v.holdings
		v.holdings = nil
		for _, row := range whole {
			rest := row
			part := uint64(rapid.IntRange(0, 100).Draw(t, "percent"))
			row.Amount.Mul(&row.Amount, new(market.Amount).SetUint64(part))
			row.Amount.Div(&row.Amount, new(market.Amount).SetUint64(100))
			rest.Amount.Sub(&rest.Amount, &row.Amount)
			v.holdings = append(v.holdings, row, rest)
		}
		v.holdings = rapid.Permutation(v.holdings).Draw(t, "order")
		if _, again := v.risk(t, ""); again != body {
			t.Fatalf("listed otherwise\n%s\n%s", body, again)
		}
	})
}

// The sums of money that went in do not come out.
func TestNoAmountLeaves(t *testing.T) {
	v := newVenue()
	v.holdOwn(chain.Native, 37)
	v.holdOwn(usdc, 48_213)
	v.hold(number(1), "TRAP", 9_171, 7, trap)
	v.hold(number(2), "DARK", 6_113, 3, dark)
	v.hold(number(3), "TINY", 17, 1, dark)
	_, body := v.risk(t, `,"depth":3`)
	digits := regexp.MustCompile(`[^0-9]`).ReplaceAllString(body, " ")
	for _, usd := range []float64{37 * 2000, 48_213, 9_171 * 7, 6_113 * 3, 9_171, 6_113, 37*2000 + 48_213, 37*2000 + 48_213 + 9_171*7} {
		if slices.Contains(strings.Fields(digits), fmt.Sprint(int(display.Round(usd, 0)))) {
			t.Errorf("%v in %s", usd, body)
		}
	}
}

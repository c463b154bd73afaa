package portfolio

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/holdings"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

func ethereum() *chain.Chain { on, _ := chain.Parse("eth"); return on }

// planted is a priced position and its risk.
type planted struct {
	symbol  string
	usd     float64
	class   holdings.Class
	verdict string // empty for a token that could not be assessed
	score   float64
	late    bool
}

func token(symbol string, usd float64, verdict string, score float64) planted {
	return planted{symbol: symbol, usd: usd, verdict: verdict, score: score}
}

func dollars(usd float64) planted { return planted{symbol: "USDC", usd: usd, class: holdings.Cash} }

func ether(usd float64) planted { return planted{symbol: "ETH", usd: usd, class: holdings.Major} }

// portfolioOf makes the facts of positions of which the largest depth are assessed.
func portfolioOf(depth int, all ...planted) *facts {
	f := &facts{chain: ethereum(), depth: depth}
	byAsset := make(map[chain.Address]planted)
	var priced []holdings.Position
	for i, p := range all {
		asset := chain.Address{0xaa, byte(i >> 8), byte(i)}
		byAsset[asset] = p
		priced = append(priced, holdings.Position{Asset: asset, Symbol: p.symbol, Class: p.class, USD: p.usd, NominalUSD: p.usd, PriceUSD: 1})
	}
	f.holdings = len(priced)
	f.pick(priced, depth)
	for i := range f.picked {
		p := byAsset[f.picked[i].Asset]
		r := tokenRisk{late: p.late}
		if p.class == holdings.Ordinary && p.verdict != "" {
			r.assessment = &tokenrisk.Assessment{Verdict: p.verdict, Score: p.score, Flags: []reason.Reason{{Text: "Found in " + p.symbol + "."}}}
		}
		f.risks = append(f.risks, r)
	}
	return f
}

func assess(all ...planted) PortfolioRiskAnswer {
	return assessPortfolio(portfolioOf(50, all...), time.Time{})
}

func value[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

func TestAPortfolioByHand(t *testing.T) {
	answer := assess(ether(3000), dollars(5000), token("TRAP", 2000, tokenrisk.Critical, 90))
	// 0.5*5 + 0.3*10 + 0.2*90 = 23.5; with the tail 0.7*23.5 + 0.3*90 = 43.45. Outside cash 0.6 and 0.4: index 0.52.
	if answer.Grade != watch || value(answer.WeightedRisk) != 23.5 || value(answer.Concentration) != concentrated ||
		value(answer.WorstOffender) != "TRAP" || value(answer.EffectivePositions) != 1.9 || value(answer.CashSharePct) != 50.0 {
		t.Errorf("%+v", answer)
	}
	if len(answer.RiskyPositions) != 1 {
		t.Fatalf("%+v", answer.RiskyPositions)
	}
	if r := answer.RiskyPositions[0]; r.Symbol != "TRAP" || r.Risk != "critical" || value(r.WeightPct) != 20.0 || r.Reason != "Found in TRAP." {
		t.Errorf("%+v", r)
	}
	c := answer.Coverage
	share := value(c.AssessedSharePct)
	if c.AssessedSharePct = nil; c != (Coverage{Holdings: 3, Assessed: 3}) || share != 100.0 {
		t.Errorf("%+v %v", c, share)
	}
	if want := "Worth watching: weighted by value the risk is 23.5 of 100 with 20% in tokens rated high or critical, spread like 1.9 equal positions."; answer.Summary != want {
		t.Errorf("%q", answer.Summary)
	}
	wantTexts(t, answer.Reasons,
		"20% of the value is in 1 token rated high or critical; watch starts at 10% and exposed at 25%.",
		"Weighted by value the risk is 23.5 of 100, and 43.5 with the riskiest sizeable position counted extra; watch starts at 35 and exposed at 60.",
		"Stablecoins, 50% of the value, aside, ETH is 60% of the rest; concentrated starts at 40%, all-in at 80%.",
		"TRAP contributes 77% of the total risk with 20% of the value.")
}

func TestRiskyPositionsAreListedByWhatTheyContribute(t *testing.T) {
	answer := assess(ether(490), token("LARGE", 300, tokenrisk.High, 50), token("WORSE", 200, tokenrisk.Critical, 95), token("DUST", 9, tokenrisk.Critical, 100))
	if r := answer.RiskyPositions; len(r) != 2 || r[0].Symbol != "WORSE" || r[1].Symbol != "LARGE" || value(answer.WorstOffender) != "WORSE" {
		t.Errorf("%+v", r)
	}
}

func wantTexts(t *testing.T, reasons []reason.Reason, want ...string) {
	t.Helper()
	var texts []string
	for _, r := range reasons {
		texts = append(texts, r.Text)
	}
	if !slices.Equal(texts, want) {
		t.Errorf("reasons\n%s\nwant\n%s", strings.Join(texts, "\n"), strings.Join(want, "\n"))
	}
}

func TestGrades(t *testing.T) {
	for _, c := range []struct {
		name  string
		all   []planted
		grade string
	}{
		{"all cash", []planted{dollars(10)}, healthy},
		{"under ten dollars", []planted{dollars(9.99)}, noHoldings},
		{"nothing", nil, noHoldings},
		{"a quarter in a trap", []planted{dollars(75), token("A", 25, tokenrisk.High, 50)}, exposed},
		// 0.249*50 + 0.751*5 = 16.2; with the tail 26.3.
		{"less than a quarter", []planted{dollars(75.1), token("A", 24.9, tokenrisk.High, 50)}, watch},
		// 0.1*80 + 0.9*5 = 12.5; with the tail 32.75.
		{"a tenth in a trap", []planted{dollars(90), token("A", 10, tokenrisk.Critical, 80)}, watch},
		{"less than a tenth", []planted{dollars(90.1), token("A", 9.9, tokenrisk.Critical, 80)}, healthy},
		{"risk 35", []planted{token("A", 100, tokenrisk.Medium, 35)}, watch},
		{"risk below 35", []planted{token("A", 100, tokenrisk.Medium, 34.9)}, healthy},
		{"risk 60", []planted{token("A", 100, tokenrisk.Medium, 60)}, exposed},
		{"risk below 60", []planted{token("A", 100, tokenrisk.Medium, 59.9)}, watch},
		// 0.05*100 + 0.95*5 = 9.75; with the tail 36.8. The same with 4.9 %: 9.7, and no tail but its own.
		{"a sizeable position", []planted{dollars(95), token("A", 5, tokenrisk.Medium, 100)}, watch},
		{"none sizeable", []planted{dollars(95.1), token("A", 4.9, tokenrisk.Medium, 100)}, healthy},
		{"not assessed", []planted{token("A", 100, "", 0)}, watch},
		{"unknown", []planted{token("A", 100, tokenrisk.Unknown, math.NaN())}, watch},
		{"below its peg", []planted{{symbol: "USDT", usd: 100, class: holdings.Unpegged}}, watch},
	} {
		answer := assess(c.all...)
		if answer.Grade != c.grade {
			t.Errorf("%s: %s, want %s: %v", c.name, answer.Grade, c.grade, answer.Reasons)
		}
	}
	var many []planted
	for range 25 {
		many = append(many, token("A", 4, tokenrisk.Medium, 62))
	}
	if answer := assess(many...); answer.Grade != exposed || value(answer.WeightedRisk) != 62.0 {
		t.Errorf("many small positions are graded by their risk: %+v", answer)
	}
}

func TestConcentration(t *testing.T) {
	low := func(usd ...float64) (all []planted) {
		for _, x := range usd {
			all = append(all, token("A", x, tokenrisk.Low, 5))
		}
		return all
	}
	for _, c := range []struct {
		want      string
		effective any
		all       []planted
	}{
		{diversified, nil, []planted{dollars(100)}},
		{allIn, 1.0, low(100)},
		{allIn, 1.0, append(low(5), dollars(95))},
		{allIn, 1.5, low(80, 20)},
		{concentrated, 1.5, low(79, 21)},
		// 0.16 + 3*0.04 = 0.28.
		{concentrated, 3.6, low(40, 20, 20, 20)},
		{concentrated, 4.0, low(25, 25, 25, 25)},
		{diversified, 5.0, low(20, 20, 20, 20, 20)},
		// 0.1521 + 61*0.0001 = 0.1582.
		{diversified, 6.3, low(slices.Concat([]float64{39}, slices.Repeat([]float64{1}, 61))...)},
		{concentrated, 6.0, low(slices.Concat([]float64{40}, slices.Repeat([]float64{1}, 60))...)},
	} {
		answer := assessPortfolio(portfolioOf(100, c.all...), time.Time{})
		if value(answer.Concentration) != c.want || value(answer.EffectivePositions) != c.effective {
			t.Errorf("%v: %v with %v, want %s with %v", c.all, value(answer.Concentration), value(answer.EffectivePositions), c.want, c.effective)
		}
	}
}

func TestDustAndDepth(t *testing.T) {
	// The two largest hold 1000 together, so that 10 still counts and less does not.
	v := portfolioOf(2, dollars(600), ether(400), token("A", 10, "", 0), token("B", 9.99, "", 0))
	if len(v.picked) != 2 || v.beyond != 1 || v.dust != 1 || v.beyondUSD != 10 || v.pickedUSD != 1000 || v.totalUSD != 1019.99 {
		t.Errorf("%+v", v.inventory)
	}
	answer := assessPortfolio(v, time.Time{})
	if answer.Coverage.BeyondDepth != 1 || answer.Coverage.Dust != 1 || value(answer.Coverage.AssessedSharePct) != 98.04 {
		t.Errorf("%+v", answer.Coverage)
	}
	wantCodes(t, answer.Reasons, "BEYOND_DEPTH")
	if v := portfolioOf(10, dollars(990), token("SCAM", 10, tokenrisk.Critical, 100)); len(v.picked) != 2 {
		t.Errorf("one percent is no dust: %+v", v.inventory)
	}
	dusty := assess(dollars(1000), token("SCAM", 10, tokenrisk.Critical, 100))
	if len(dusty.RiskyPositions) != 0 || dusty.Coverage.Dust != 1 || value(dusty.Concentration) != diversified || value(dusty.CashSharePct) != 100.0 {
		t.Errorf("dust is not named: %+v", dusty)
	}
	if v := portfolioOf(10, slices.Repeat([]planted{ether(0.05)}, 300)...); len(v.picked) != 10 || v.beyond != 290 {
		t.Errorf("many equal holdings are no dust: %+v", v.inventory)
	}
}

func wantCodes(t *testing.T, reasons []reason.Reason, codes ...string) {
	t.Helper()
	for _, code := range codes {
		if !slices.Contains(reason.Codes(reasons), code) {
			t.Errorf("no %s in %v", code, reason.Codes(reasons))
		}
	}
}

func TestWhatIsUnknownIsNoVerdict(t *testing.T) {
	late := token("LATE", 300, "", 0)
	late.late = true
	answer := assess(dollars(400), token("DARK", 300, tokenrisk.Unknown, 3), late)
	// 0.4*5 + 0.6*50 = 32; with the tail 37.4.
	if answer.Grade != watch || value(answer.WeightedRisk) != 32.0 || len(answer.RiskyPositions) != 0 ||
		answer.Coverage.Unassessed != 2 || answer.Coverage.Assessed != 1 || value(answer.Coverage.AssessedSharePct) != 40.0 {
		t.Errorf("%+v", answer)
	}
	if !strings.HasSuffix(answer.Summary, "; 60% of it could not be assessed.") {
		t.Errorf("%q", answer.Summary)
	}
	if want := "2 tokens with 60% of the value could not be assessed, 1 of them for want of time; each counts as 50 of 100, which is no verdict."; !slices.ContainsFunc(answer.Reasons, func(r reason.Reason) bool { return r.Text == want }) {
		t.Errorf("%v", answer.Reasons)
	}
}

func TestSentences(t *testing.T) {
	staked := planted{symbol: "stETH", usd: 300, class: holdings.Major}
	for want, all := range map[string][]planted{
		"ETH is 40% of the value; ETH and stETH, which move together, make up 70% of it.":                                       {ether(400), staked, token("A", 300, tokenrisk.Low, 5)},
		"Stablecoins, 30% of the value, aside, ETH is 57% of the rest; ETH and stETH, which move together, make up 100% of it.": {ether(400), staked, dollars(300)},
		"All of the value is in 2 stablecoins, so that nothing is concentrated.":                                                {dollars(20), dollars(10)},
		"No token is rated high or critical among 2 assessed.":                                                                  {token("A", 50, tokenrisk.Low, 5), token("B", 50, tokenrisk.Medium, 30), ether(100)},
		"USDT trades 12% below its dollar and is not counted as cash.":                                                          {dollars(20), {symbol: "USDT", usd: 100, class: holdings.Unpegged}},
		"Weighted by value the risk is 5 of 100; watch starts at 35 and exposed at 60.":                                         {dollars(20)},
	} {
		f := portfolioOf(10, all...)
		for i := range f.picked {
			if f.picked[i].Class == holdings.Unpegged {
				f.picked[i].PriceUSD = 0.88
			}
		}
		answer := assessPortfolio(f, time.Time{})
		if !slices.ContainsFunc(answer.Reasons, func(r reason.Reason) bool { return r.Text == want }) {
			t.Errorf("%q is not in %v", want, answer.Reasons)
		}
	}
	for want, all := range map[string][]planted{
		"Healthy: weighted by value the risk is 5 of 100, all of it in stablecoins.":                                                  {dollars(20)},
		"Healthy: weighted by value the risk is 10 of 100, spread like a single position.":                                            {ether(20)},
		"Exposed: weighted by value the risk is 90 of 100 with 100% in tokens rated high or critical, spread like a single position.": {token("A", 20, tokenrisk.Critical, 90)},
	} {
		if got := assess(all...).Summary; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWorthLessThanListedIsSaid(t *testing.T) {
	f := portfolioOf(10, ether(100), token("A", 50, tokenrisk.Low, 5))
	f.picked[1].NominalUSD = 200
	wantCodes(t, assessPortfolio(f, time.Time{}).Reasons, "RECOVERABLE")
}

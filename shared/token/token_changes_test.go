package token

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
)

// openMemory gives the page a store of its own.
func openMemory(t testing.TB) Memory {
	t.Helper()
	kept, err := embedded.Open(filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	return Memory{Snapshots: kept.Snapshots(), Observations: kept.Observations(), Peers: kept.Peers()}
}

var history = store.History{Partner: "acme", Chain: "base", Token: addressOf(1).String()}

// usual is a scan of a token about which nothing is unusual.
func usual() scanned {
	return scanned{
		numbers: map[string]float64{
			"scamProbability": 0.1, "buyTax": 0, "sellTax": 0.01, "lockedLiquidity": 0.9, "topHolders": 0.2, "liquidity": 50_000, "price": 2, "holders": 1000,
		},
		words: map[string]string{
			"riskVerdict": "low", "exitRisk": "medium", "valuation": "in-line", "signal": "HOLD", "structure": "range", "smartMoney": "not buying",
			"selling": sellingWorks, "owner": "0xowner", "implementation": implementationNone,
		},
	}
}

// but is a usual scan with other numbers and words, pairs of name and value; nil for one that was not measured.
func but(pairs ...any) scanned {
	s := usual()
	for i := 0; i+1 < len(pairs); i += 2 {
		name := pairs[i].(string)
		delete(s.numbers, name)
		delete(s.words, name)
		switch value := pairs[i+1].(type) {
		case float64:
			s.numbers[name] = value
		case string:
			s.words[name] = value
		}
	}
	return s
}

// scansOf records scans an hour apart and gives their answers.
func scansOf(t testing.TB, scans ...scanned) []TokenChangesAnswer {
	t.Helper()
	memory := openMemory(t)
	var answers []TokenChangesAnswer
	for i, scan := range scans {
		answer, err := record(t.Context(), memory.Snapshots, history, scan, valuedAt.Add(time.Duration(i)*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	return answers
}

func wantChanges(t *testing.T, answer TokenChangesAnswer, want ...Change) {
	t.Helper()
	if answer.Changes == nil || !slices.Equal(answer.Changes, want) {
		t.Errorf("changes:\n%+v\nwant:\n%+v", answer.Changes, want)
	}
}

func TestTheFirstScanIsTheBaselineAndARepeatHasNoChanges(t *testing.T) {
	answers := scansOf(t, usual(), usual(), usual())
	if !answers[0].Baseline || answers[0].PreviousAt != nil {
		t.Errorf("%+v", answers[0])
	}
	for i, answer := range answers {
		wantChanges(t, answer)
		if len(answer.Reasons) != 1 {
			t.Errorf("%+v", answer.Reasons)
		}
		if i > 0 && (answer.Baseline || answer.PreviousAt == nil || *answer.PreviousAt != valuedAt.Add(time.Duration(i-1)*time.Hour).Format(time.RFC3339)) {
			t.Errorf("scan %d: %+v", i, answer)
		}
	}
	if want := "Since your last scan, 60 minutes ago, none of 17 metrics moved beyond what is usual."; answers[1].Reasons[0].Text != want {
		t.Errorf("%q", answers[1].Reasons[0].Text)
	}
}

func TestEveryMetric(t *testing.T) {
	for _, c := range []struct {
		metric string
		to     any
		want   Change
	}{
		{"riskVerdict", "medium", Change{"riskVerdict", "up", "high", "The risk verdict went from low to medium in 60 minutes."}},
		{"riskVerdict", "critical", Change{"riskVerdict", "up", "critical", "The risk verdict went from low to critical in 60 minutes."}},
		{"scamProbability", 0.2, Change{"scamProbability", "up", "medium", "The scam probability went from 10% to 20% in 60 minutes."}},
		{"scamProbability", 0.0, Change{"scamProbability", "down", "info", "The scam probability went from 10% to 0% in 60 minutes."}},
		{"selling", sellingBlocked, Change{"selling", "changed", "critical", "Selling was possible 60 minutes before and is blocked now."}},
		{"buyTax", 0.01, Change{"buyTax", "up", "medium", "The buy tax went from 0% to 1% in 60 minutes."}},
		{"sellTax", 0.06, Change{"sellTax", "up", "high", "The sell tax went from 1% to 6% in 60 minutes."}},
		{"sellTax", 0.0, Change{"sellTax", "down", "info", "The sell tax went from 1% to 0% in 60 minutes."}},
		{"owner", "0xother", Change{"owner", "changed", "critical", "The token has another owner than 60 minutes before."}},
		{"owner", ownerNobody, Change{"owner", "changed", "info", "The owner gave up ownership within 60 minutes."}},
		{"implementation", "0xcode", Change{"implementation", "changed", "critical", "The contract runs other code than 60 minutes before."}},
		{"lockedLiquidity", 0.85, Change{"lockedLiquidity", "down", "medium", "The locked liquidity went from 90% to 85% in 60 minutes."}},
		{"liquidity", 25_000.0, Change{"liquidity", "down", "critical", "The liquidity went from large to large, down by 50%, in 60 minutes."}},
		{"liquidity", 0.0, Change{"liquidity", "down", "critical", "The liquidity went from large to dust, down by 100%, in 60 minutes."}},
		{"liquidity", 42_500.0, Change{"liquidity", "down", "high", "The liquidity went from large to large, down by 15%, in 60 minutes."}},
		{"liquidity", 57_500.0, Change{"liquidity", "up", "info", "The liquidity went from large to large, up by 15%, in 60 minutes."}},
		{"price", 1.8, Change{"price", "down", "medium", "The price went down by 10% in 60 minutes."}},
		{"price", 2.2, Change{"price", "up", "info", "The price went up by 10% in 60 minutes."}},
		{"holders", 950.0, Change{"holders", "down", "medium", "The holders went from 1000 to 950, down by 5%, in 60 minutes."}},
		{"topHolders", 0.23, Change{"topHolders", "up", "medium", "The share of the ten largest holders went from 20% to 23% in 60 minutes."}},
		{"smartMoney", "buying", Change{"smartMoney", "up", "info", "The proven traders went from not buying to buying in 60 minutes."}},
		{"structure", "breaking-down", Change{"structure", "changed", "medium", "The price structure went from range to breaking-down in 60 minutes."}},
		{"exitRisk", "extreme", Change{"exitRisk", "up", "high", "The exit risk went from medium to extreme in 60 minutes."}},
		{"valuation", "cheap", Change{"valuation", "down", "info", "The valuation went from in-line to cheap in 60 minutes."}},
		{"signal", "AVOID", Change{"signal", "down", "medium", "The signal went from HOLD to AVOID in 60 minutes."}},
	} {
		wantChanges(t, scansOf(t, usual(), but(c.metric, c.to))[1], c.want)
	}
}

func TestMovesWithinTheBandAreNone(t *testing.T) {
	within := but("scamProbability", 0.199, "buyTax", 0.009, "lockedLiquidity", 0.949, "liquidity", 42_600.0, "price", 2.19, "holders", 1049.0, "topHolders", 0.171)
	wantChanges(t, scansOf(t, usual(), within)[1])
}

func TestTheWorstChangeComesFirst(t *testing.T) {
	answer := scansOf(t, usual(), but("price", 1.0, "owner", "0xother", "liquidity", 40_000.0, "signal", "AVOID", "implementation", "0xcode", "valuation", "cheap"))[1]
	var order []string
	for _, change := range answer.Changes {
		order = append(order, change.Severity+" "+change.Metric)
	}
	if want := []string{"critical implementation", "critical owner", "high liquidity", "medium price", "medium signal", "info valuation"}; !slices.Equal(order, want) {
		t.Errorf("%v, want %v", order, want)
	}
}

// There and back is two opposite changes, also where the way back is the smaller fraction.
func TestThereAndBackAreTwoOppositeChanges(t *testing.T) {
	there := but("liquidity", 57_500.0, "riskVerdict", "high", "topHolders", 0.3)
	answers := scansOf(t, usual(), there, usual(), there, usual())
	for i := 1; i < len(answers); i++ {
		want := map[bool]string{true: "up", false: "down"}[i%2 == 1]
		if len(answers[i].Changes) != 3 {
			t.Fatalf("scan %d: %+v", i, answers[i].Changes)
		}
		for _, change := range answers[i].Changes {
			if change.Direction != want {
				t.Errorf("scan %d: %+v, want %s", i, change, want)
			}
		}
	}
}

// A number that wavers at a threshold is told once.
func TestAMetricAtItsThresholdDoesNotFlap(t *testing.T) {
	answers := scansOf(t, usual(),
		but("liquidity", 57_600.0), but("liquidity", 56_500.0), but("liquidity", 57_600.0), but("liquidity", 55_000.0), // told once
		but("liquidity", 54_400.0), // back within 60 % of the band
		but("liquidity", 57_600.0)) // a new change is measured from there
	var told []int
	for _, answer := range answers {
		told = append(told, len(answer.Changes))
	}
	if want := []int{0, 1, 0, 0, 0, 1, 0}; !slices.Equal(told, want) {
		t.Errorf("changes by scan: %v, want %v", told, want)
	}
}

// What drifts in steps too small to tell is told when it has drifted far enough, and then from where it began.
func TestADriftIsTold(t *testing.T) {
	answers := scansOf(t, usual(), but("liquidity", 47_000.0), but("liquidity", 44_000.0), but("liquidity", 41_000.0))
	wantChanges(t, answers[1])
	wantChanges(t, answers[2])
	wantChanges(t, answers[3], Change{"liquidity", "down", "high", "The liquidity went from large to large, down by 18%, in 2 hours."})
}

// A gap in the measurements is no change; what changed meanwhile is told after it.
func TestAGapIsNoChange(t *testing.T) {
	gap := but("riskVerdict", nil, "liquidity", nil, "owner", nil)
	answers := scansOf(t, usual(), gap, usual(), gap, but("riskVerdict", "critical"))
	for _, i := range []int{1, 2, 3} {
		wantChanges(t, answers[i])
	}
	wantChanges(t, answers[4], Change{"riskVerdict", "up", "critical", "The risk verdict went from low to critical in 2 hours."})
	if want := "Not measured this time, and compared again once they are: risk verdict, owner and liquidity."; len(answers[1].Reasons) != 2 || answers[1].Reasons[1].Text != want {
		t.Errorf("%+v", answers[1].Reasons)
	}
	// What is measured for the first time is not a change either.
	wantChanges(t, scansOf(t, gap, usual())[1])
}

// A price is held against its own volatility and against the time that passed; liquidity is not: a drain is one, however slow.
func TestBandsGrowWithVolatilityAndTime(t *testing.T) {
	wild := but("price", 2.3)
	wild.dailyDeviation = 0.08
	wantChanges(t, scansOf(t, usual(), wild)[1])
	wild.dailyDeviation = 0.05
	if changes := scansOf(t, usual(), wild)[1].Changes; len(changes) != 1 {
		t.Errorf("%+v", changes)
	}
	memory := openMemory(t)
	for i, scan := range []scanned{usual(), but("price", 2.3, "holders", 1100.0, "liquidity", 42_000.0)} {
		answer, err := record(t.Context(), memory.Snapshots, history, scan, valuedAt.Add(time.Duration(i)*9*24*time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			wantChanges(t, answer, Change{"liquidity", "down", "high", "The liquidity went from large to large, down by 16%, in 9 days."})
		}
	}
}

// Of scans at once exactly one is the baseline, and each has a version of its own.
func TestScansAtOnce(t *testing.T) {
	memory := openMemory(t)
	const racers = 16
	answers := make([]TokenChangesAnswer, racers)
	var running sync.WaitGroup
	for i := range racers {
		running.Go(func() {
			scan := usual()
			if i%2 == 1 {
				scan = but("riskVerdict", "high")
			}
			var err error
			if answers[i], err = record(t.Context(), memory.Snapshots, history, scan, valuedAt); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	baselines, up, down := 0, 0, 0
	for _, answer := range answers {
		if answer.Baseline {
			baselines++
		}
		for _, change := range answer.Changes {
			if change.Direction == "up" {
				up++
			} else {
				down++
			}
		}
	}
	listed, err := memory.Snapshots.List(t.Context(), history, store.MaximumListed)
	if err != nil || len(listed) != racers || listed[0].Version != racers || baselines != 1 {
		t.Errorf("%d versions, %d baselines, %v", len(listed), baselines, err)
	}
	// Each was compared with the one before it: ups and downs take turns.
	if up-down > 1 || down-up > 1 {
		t.Errorf("%d changes up, %d down", up, down)
	}
}

func TestPartnersDoNotSeeEachOther(t *testing.T) {
	memory := openMemory(t)
	for _, partner := range []string{"acme", "zenith"} {
		own := history
		own.Partner = partner
		answer, err := record(t.Context(), memory.Snapshots, own, usual(), valuedAt)
		if err != nil || !answer.Baseline {
			t.Errorf("%s: %+v %v", partner, answer, err)
		}
	}
}

func TestADamagedScanIsAnErrorAndStays(t *testing.T) {
	for _, damaged := range []string{"{", `{"v":2,"levels":{}}`, `{"v":1}`} {
		memory := openMemory(t)
		if err := memory.Snapshots.Append(t.Context(), history, store.Snapshot{Version: 1, At: valuedAt, Data: []byte(damaged)}); err != nil {
			t.Fatal(err)
		}
		if _, err := record(t.Context(), memory.Snapshots, history, usual(), valuedAt); err == nil {
			t.Errorf("%s was read", damaged)
		}
		if latest, err := memory.Snapshots.Latest(t.Context(), history); err != nil || latest.Version != 1 {
			t.Errorf("%+v %v", latest, err)
		}
	}
}

// Whatever is measured in whatever order: a repeat has no changes, every change is whole, and a snapshot stays small.
func TestComparisonsAreTotal(t *testing.T) {
	number := rapid.OneOf(rapid.Float64Range(0, math.MaxFloat64), rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, 5e-324}))
	rapid.Check(t, func(t *rapid.T) {
		before, at := levels{}, valuedAt
		for range rapid.IntRange(1, 6).Draw(t, "scans") {
			scan := scanned{numbers: map[string]float64{}, words: map[string]string{}, dailyDeviation: rapid.Float64Range(0, 5).Draw(t, "sd")}
			for i := range metrics {
				m := &metrics[i]
				switch {
				case rapid.IntRange(0, 4).Draw(t, "gap") == 0:
				case m.band > 0:
					scan.numbers[m.name] = number.Draw(t, m.name)
				case len(m.order) > 0:
					scan.words[m.name] = rapid.SampledFrom(m.order).Draw(t, m.name)
				default:
					scan.words[m.name] = rapid.SampledFrom([]string{"a", "b", ownerNobody}).Draw(t, m.name)
				}
			}
			at = at.Add(time.Duration(rapid.Int64Range(-int64(time.Hour), int64(100*24*time.Hour)).Draw(t, "passed")))
			after, changes := before.compare(scan, at)
			for _, change := range changes {
				if severityRank(change.Severity) < 0 || !slices.Contains([]string{"up", "down", "changed"}, change.Direction) ||
					strings.Contains(change.Detail, "%!") || strings.Contains(change.Detail, "NaN") || strings.Contains(change.Detail, "$") {
					t.Errorf("%+v", change)
				}
			}
			data, err := after.encode()
			if err != nil || len(data) > store.MaximumSnapshot/2 {
				t.Fatal(len(data), err)
			}
			read, err := decodeLevels(data)
			if err != nil {
				t.Fatal(err)
			}
			if _, repeated := read.compare(scan, at.Add(time.Minute)); len(repeated) != 0 {
				t.Fatalf("a repeat has changes: %+v", repeated)
			}
			before = read
		}
	})
}

func TestMetricsAreReadFromTheAssessments(t *testing.T) {
	buying, structure := true, "range"
	all := &readings{
		Risk: &tokenrisk.Assessment{
			Verdict: "low", Probability: 0.1, SellBlocked: market.No, BuyTax: math.NaN(), SellTax: 0.01, Owned: market.Yes, Owner: chain.Address{1},
			Implementation: chain.Address{2}, LockedShare: 0.9, TopShare: math.NaN(),
		},
		ExitRisk: ExitRiskAnswer{ExitRisk: "unknown"}, Valuation: TokenValuationAnswer{Valuation: "in-line"},
		PriceAction: TokenPriceActionAnswer{Available: true, Structure: &structure}, SmartMoney: SmartMoneyFlowAnswer{SmartMoneyBuying: &buying},
	}
	pools := []market.Pool{{PriceUSD: 2, LiquidityUSD: 100}, {PriceUSD: 2, LiquidityUSD: 50}}
	got := metricsOf(all, pools, &market.TokenHolders{Known: true, Count: 7}, "HOLD")
	for name, want := range map[string]float64{"scamProbability": 0.1, "sellTax": 0.01, "lockedLiquidity": 0.9, "liquidity": 150, "price": 2, "holders": 7} {
		if got.numbers[name] != want {
			t.Errorf("%s: %v, want %v", name, got.numbers[name], want)
		}
	}
	for name, want := range map[string]string{
		"riskVerdict": "low", "valuation": "in-line", "signal": "HOLD", "structure": "range", "smartMoney": "buying", "selling": sellingWorks,
		"owner": chain.Address{1}.String(), "implementation": chain.Address{2}.String(),
	} {
		if got.words[name] != want {
			t.Errorf("%s: %q, want %q", name, got.words[name], want)
		}
	}
	for _, name := range []string{"buyTax", "topHolders", "exitRisk"} {
		if got.has(name) {
			t.Errorf("%s was not measured and is read", name)
		}
	}
	watched := len(got.numbers) + len(got.words)
	if watched != len(metrics)-3 {
		t.Errorf("%d metrics are read, %d watched", watched, len(metrics))
	}
}

func TestAStoreThatFailsFailsTheScan(t *testing.T) {
	memory := openMemory(t)
	_, err := record(t.Context(), memory.Snapshots, store.History{Chain: "base", Token: "t"}, usual(), valuedAt)
	if !errors.Is(err, store.ErrInvalid) {
		t.Error(err)
	}
}

package perp

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// draw makes a random account: a history that continues up to two days after now, positions, payments and transfers.
func draw(t *rapid.T) *stage {
	s := newStage()
	s.houses[0].ValueUSD = rapid.Float64Range(-100, 1e6).Draw(t, "value")
	s.houses[0].CrossValueUSD = s.houses[0].ValueUSD
	s.houses[0].CrossMaintenanceUSD = rapid.Float64Range(0, 1e4).Draw(t, "maintenance")
	coins := []string{"BTC", "ETH", "SOL", "xyz:CL"}
	held, paid := make(map[string]float64), make(map[string]float64)
	at := now.Add(-time.Duration(rapid.IntRange(1, 120).Draw(t, "days")) * day)
	step := now.Add(2*day).Sub(at) / 60
	for range rapid.IntRange(0, 60).Draw(t, "fills") {
		at = at.Add(step)
		coin := rapid.SampledFrom(coins).Draw(t, "coin")
		size := float64(rapid.IntRange(1, 9).Draw(t, "size"))
		if held[coin] != 0 && rapid.Bool().Draw(t, "close") {
			size = math.Abs(held[coin])
		}
		f := market.PerpFill{
			Coin: coin, Time: at, Buy: rapid.Bool().Draw(t, "buy"), Price: float64(rapid.IntRange(50, 150).Draw(t, "price")), Size: size, Before: held[coin],
			FeeUSD: size / 10, Forced: market.ForcedClose(max(0, rapid.IntRange(-30, 3).Draw(t, "forced"))),
		}
		change := size
		if !f.Buy {
			change = -size
		}
		if closed := min(size, math.Abs(f.Before)); f.Before*change < 0 {
			average := paid[coin] / f.Before
			f.ClosedPnLUSD = (f.Price - average) * math.Copysign(closed, f.Before)
			paid[coin] -= average * math.Copysign(closed, f.Before)
			paid[coin] += (change + math.Copysign(closed, f.Before)) * f.Price
		} else {
			paid[coin] += change * f.Price
		}
		held[coin] += change
		s.fill(f)
	}
	for i := range rapid.IntRange(0, 5).Draw(t, "positions") {
		p := s.holds(coins[i%3], rapid.Float64Range(-1e5, 1e5).Draw(t, "held"), rapid.Float64Range(-2, 2).Draw(t, "returned"))
		if p.Isolated = rapid.Bool().Draw(t, "isolated"); p.Size == 0 {
			s.houses[0].Positions = s.houses[0].Positions[:len(s.houses[0].Positions)-1]
		}
	}
	for i := range rapid.IntRange(0, 30).Draw(t, "payments") {
		hours := time.Duration(rapid.IntRange(-48, 800).Draw(t, "hours")) * time.Hour
		s.funding.Payments = append(s.funding.Payments, market.PerpPayment{
			Time: now.Add(-hours), Coin: coins[i%4], USD: rapid.Float64Range(-20, 20).Draw(t, "paid"), Rate: 0.001,
		})
	}
	slices.SortFunc(s.funding.Payments, func(a, b market.PerpPayment) int { return a.Time.Compare(b.Time) })
	if rapid.Bool().Draw(t, "others") {
		s.fills.FirstOther = now.Add(-time.Duration(rapid.IntRange(-2, 150).Draw(t, "first other")) * day)
	}
	s.ledger.Transfers = nil
	for range rapid.IntRange(0, 4).Draw(t, "transfers") {
		days := time.Duration(rapid.IntRange(-2, 150).Draw(t, "days ago")) * day
		s.ledger.Transfers = append(s.ledger.Transfers, market.PerpTransfer{Time: now.Add(-days), Kind: market.PerpTransferKind(rapid.IntRange(0, 5).Draw(t, "kind"))})
	}
	slices.SortFunc(s.ledger.Transfers, func(a, b market.PerpTransfer) int { return a.Time.Compare(b.Time) })
	return s
}

// bytes is the encoded answer at an instant.
func (s *stage) bytes(t *rapid.T, at time.Time) string {
	body, err := json.Marshal(assess(s.record(t, at), at))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// Answering at an instant on all data is answering on the data up to it.
func TestNothingLaterMatters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		at := now.Add(-time.Duration(rapid.IntRange(0, 100).Draw(t, "cut")) * 19 * time.Hour)
		whole := s.bytes(t, at)
		s.fills.Fills = slices.DeleteFunc(slices.Clone(s.fills.Fills), func(f market.PerpFill) bool { return f.Time.After(at) })
		if s.fills.FirstOther.After(at) {
			s.fills.FirstOther = time.Time{}
		}
		s.funding.Payments = slices.DeleteFunc(slices.Clone(s.funding.Payments), func(p market.PerpPayment) bool { return p.Time.After(at) })
		s.ledger.Transfers = slices.DeleteFunc(slices.Clone(s.ledger.Transfers), func(p market.PerpTransfer) bool { return p.Time.After(at) })
		if cut := s.bytes(t, at); cut != whole {
			t.Fatalf("%s\nwithout what came later\n%s", whole, cut)
		}
	})
}

// The order in which the venue lists what has none does not matter, and the same facts always give the same bytes.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		s.houses = append(s.houses, market.PerpClearinghouse{Exchange: "xyz", ValueUSD: 17.3, Positions: slices.Clone(s.houses[0].Positions)})
		want := s.bytes(t, now)
		for i := range s.houses {
			s.houses[i].Positions = rapid.Permutation(s.houses[i].Positions).Draw(t, "positions")
		}
		s.markets = rapid.Permutation(s.markets).Draw(t, "markets")
		byTime := rapid.Permutation(s.funding.Payments).Draw(t, "payments")
		slices.SortStableFunc(byTime, func(a, b market.PerpPayment) int { return a.Time.Compare(b.Time) })
		s.funding.Payments = byTime
		if got := s.bytes(t, now); got != want {
			t.Fatalf("%s\nin another order\n%s", want, got)
		}
	})
}

var (
	dollars = regexp.MustCompile(`\$\s*\d|\d\s*(?:USD|dollars?)|USD\s*\d`)
	numbers = regexp.MustCompile(`-?\d[\d,]*(?:\.\d+)?`)
)

// No amount of money leaves the page: nothing written like one, and none of the account's own.
func TestNoAmountLeaves(t *testing.T) {
	s := newStage()
	secret := []float64{73_219.7, 48_611.3, 9_173.9, 1_913.7, 377.9}
	s.houses[0].ValueUSD, s.houses[0].CrossValueUSD = secret[0], secret[1]
	s.rounds(60, "BTC", secret[3], secret[4], -secret[4], secret[3], 2*secret[4], -secret[3])
	p := s.holds("ETH", secret[2], -0.31)
	p.UnrealizedUSD = -secret[3]
	s.funding.Payments = []market.PerpPayment{{Time: now.Add(-day), Coin: "ETH", USD: -secret[4] * 7, Rate: 0.1}}
	s.spot = 1_234.5
	s.ledger.Transfers[0].USD = 55_555
	body := s.get(t).Body
	if dollars.MatchString(body) || strings.Contains(body, "$") {
		t.Error(body)
	}
	own := append(secret, s.spot, 55_555, secret[4]*7, 2*secret[4], s.houses[0].ValueUSD+s.spot)
	for _, text := range numbers.FindAllString(body, -1) {
		var x float64
		if _, err := fmt.Sscanf(strings.ReplaceAll(text, ",", ""), "%g", &x); err != nil {
			t.Fatal(err)
		}
		for _, amount := range own {
			if math.Abs(math.Abs(x)-amount) <= 0.005*amount {
				t.Errorf("%s is %v: %s", text, amount, body)
			}
		}
	}
	for _, amount := range own {
		for _, written := range []string{fmt.Sprintf("%.0f", amount), fmt.Sprintf("%.1f", amount)} {
			if strings.Contains(body, written) {
				t.Errorf("%s is written in %s", written, body)
			}
		}
	}
}

// keys that are never absent, whatever the facts.
var keys = []string{"positions", "accountBand", "bias", "effectiveLeverage", "winRate", "winRateInterval", "closedTrades", "closedPositions", "profitFactor", "fundingPaidPct",
	"liquidations", "lastLiquidationDaysAgo", "nearestLiquidation", "stressMovePct", "truncated", "coverage", "reasons"}

// Whatever the venue says, the page answers with what it documents.
func TestHostileFacts(t *testing.T) {
	odd := rapid.OneOf(rapid.SampledFrom([]float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e308, -1e308, 5e-324}), rapid.Float64())
	names := rapid.OneOf(rapid.SampledFrom([]string{"", ":", "xyz:", "<script>", "$100", "BTC\x00", "\u202eCTB", "will be safe", "http://a.io"}), rapid.String())
	rapid.Check(t, func(t *rapid.T) {
		s := draw(t)
		spoil := func(name string, numbers ...*float64) {
			for _, x := range numbers {
				if rapid.IntRange(0, 4).Draw(t, name) == 0 {
					*x = odd.Draw(t, "odd")
				}
			}
		}
		for i := range s.houses {
			h := &s.houses[i]
			spoil("house", &h.ValueUSD, &h.CrossMaintenanceUSD, &h.CrossValueUSD)
			for j := range h.Positions {
				p := &h.Positions[j]
				spoil("position", &p.Size, &p.EntryPrice, &p.ValueUSD, &p.UnrealizedUSD, &p.ReturnOnEquity, &p.LiquidationPrice, &p.MarginUsedUSD, &p.Leverage, &p.MaximumLeverage)
				if rapid.IntRange(0, 3).Draw(t, "rename") == 0 {
					p.Coin = names.Draw(t, "coin")
				}
			}
		}
		for i := range s.fills.Fills {
			f := &s.fills.Fills[i]
			if rapid.IntRange(0, 9).Draw(t, "spoil") == 0 {
				spoil("fill", &f.Price, &f.Size, &f.Before, &f.ClosedPnLUSD, &f.FeeUSD)
				f.Coin = names.Draw(t, "coin")
			}
		}
		for i := range s.funding.Payments {
			spoil("payment", &s.funding.Payments[i].USD, &s.funding.Payments[i].Rate)
		}
		for i := range s.markets {
			spoil("tier", &s.markets[i].Tiers[0].MaximumLeverage)
		}
		s.spot = odd.Draw(t, "spot")
		body := s.bytes(t, now)
		var answer map[string]any
		if err := json.Unmarshal([]byte(body), &answer); err != nil {
			t.Fatal(err)
		}
		for _, key := range keys {
			if _, found := answer[key]; !found {
				t.Fatalf("no %s in %s", key, body)
			}
		}
		if dollars.MatchString(body) || strings.ContainsAny(body, "<>\u202e") || strings.Contains(body, "NaN") || strings.Contains(body, "Inf") {
			t.Fatal(body)
		}
		for _, name := range []string{"winRate"} {
			if x, measured := answer[name].(float64); measured && !(x >= 0 && x <= 1) {
				t.Fatalf("%s of %v", name, x)
			}
		}
		if interval, measured := answer["winRateInterval"].(map[string]any); measured && !(interval["low"].(float64) <= answer["winRate"].(float64) && answer["winRate"].(float64) <= interval["high"].(float64)) {
			t.Fatal(body)
		}
	})
}

// A request that is refused reaches no provider.
func TestARefusedRequestAsksNobody(t *testing.T) {
	s := newStage()
	s.broken = map[market.Port]bool{market.PerpFillFacts: true}
	if got := s.get(t); got.Status != http.StatusServiceUnavailable || got.Header.Get("X-Usage-Units") != "0" || got.Header.Get("Retry-After") == "" {
		t.Errorf("%d %v %s", got.Status, got.Header, got.Body)
	}
}

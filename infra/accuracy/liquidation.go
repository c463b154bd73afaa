package accuracy

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"

	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// liquidationAccounts is how many random accounts the equity at liquidation is checked in.
const liquidationAccounts = 10_000

// Liquidation measures liquidation prices against the venue's documented example and against what they mean: there the equity is the
// maintenance margin. With a folder of data it also checks the form of early 2023 against an account recorded then.
func Liquidation(dir string) ([]Row, error) {
	rows := []Row{documentedLiquidation(), liquidationIdentity(rand.New(rand.NewPCG(2026, 6)))}
	if dir == "" {
		return rows, nil
	}
	legacy, err := legacyLiquidation(filepath.Join(dir, "hyperliquid", "cassettes", "2023_test_get_user_state.yaml"))
	if errors.Is(err, fs.ErrNotExist) {
		return rows, nil
	}
	return append(rows, legacy), err
}

// documentedLiquidation is the example of an account's state in Hyperliquid's API documents.
func documentedLiquidation() Row {
	const size, value, own, documented = 0.0335, 100.02765, 4.967826, 2866.26936529
	schedule, err := margin.SingleTier(50)
	got := margin.LiquidationPrice(margin.Position{Size: size, Price: value / size, Schedule: schedule}, own, 0)
	off := math.Abs(got/documented - 1)
	return Row{"liquidation: documented example", "within 1e-6", fmt.Sprintf("%.1e", off), err == nil && off <= 1e-6}
}

// liquidationIdentity draws accounts of one to six positions in tiers and looks at the equity at each liquidation price.
func liquidationIdentity(random *rand.Rand) Row {
	worst, priced := 0., 0
	for range liquidationAccounts {
		positions := make([]margin.Position, 1+random.IntN(6))
		value, maintenance := 0., 0.
		for i := range positions {
			tiers := []market.MarginTier{{MaximumLeverage: 3 + 47*random.Float64()}}
			for from := 1e3 * math.Exp(6*random.Float64()); len(tiers) < 1+random.IntN(3); from *= 4 {
				tiers = append(tiers, market.MarginTier{FromUSD: from, MaximumLeverage: tiers[len(tiers)-1].MaximumLeverage / 2})
			}
			schedule, err := margin.NewSchedule(tiers)
			if err != nil {
				return Row{Name: "liquidation: equity is maintenance", Goal: "within 1e-9 of what is at stake", Measured: err.Error()}
			}
			p := margin.Position{Price: math.Exp(12*random.Float64() - 3), Schedule: schedule}
			p.Size = math.Exp(9*random.Float64()+4) / p.Price
			if random.IntN(2) == 0 {
				p.Size = -p.Size
			}
			positions[i] = p
			value += p.ValueUSD()
			maintenance += p.MaintenanceUSD()
		}
		equity := maintenance + value*random.Float64()/2
		for _, p := range positions {
			others := max(0, maintenance-p.MaintenanceUSD())
			price := margin.LiquidationPrice(p, equity, others)
			if math.IsNaN(price) {
				continue
			}
			priced++
			after := p
			after.Price = price
			gap := equity + p.Size*(price-p.Price) - others - after.MaintenanceUSD()
			worst = max(worst, math.Abs(gap)/(equity+value+after.ValueUSD()))
		}
	}
	return Row{"liquidation: equity is maintenance", "within 1e-9 of what is at stake", fmt.Sprintf("%.1e over %d prices", worst, priced),
		worst <= 1e-9 && priced > liquidationAccounts}
}

// recordedBody finds the bodies of answers in a recording.
var recordedBody = regexp.MustCompile(`(?m)^\s+string: '(\{.*\})'$`)

// legacyLiquidation compares the liquidation prices of an account recorded in March 2023, at a maintenance rate of 1 %.
func legacyLiquidation(path string) (Row, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Row{}, err
	}
	body := recordedBody.FindSubmatch(text)
	if body == nil {
		return Row{}, fmt.Errorf("%s: no recorded answer", path)
	}
	var state struct {
		Cross struct {
			Value float64 `json:"accountValue,string"`
			Gross float64 `json:"totalNtlPos,string"`
		} `json:"crossMarginSummary"`
		Positions []struct {
			Position struct {
				Size        float64  `json:"szi,string"`
				Value       float64  `json:"positionValue,string"`
				Liquidation *float64 `json:"liquidationPx,string"`
			} `json:"position"`
		} `json:"assetPositions"`
	}
	if err := json.Unmarshal(body[1], &state); err != nil {
		return Row{}, fmt.Errorf("%s: %w", path, err)
	}
	const rate = 0.01
	same, all, none := 0, 0, 0
	for _, held := range state.Positions {
		p := held.Position
		ours := margin.LegacyLiquidationPrice(p.Size, p.Value/math.Abs(p.Size), state.Cross.Value, rate*state.Cross.Gross)
		if p.Liquidation == nil {
			if math.IsNaN(ours) {
				none++
			}
			continue
		}
		all++
		if math.Abs(ours / *p.Liquidation - 1) <= 1e-9 {
			same++
		}
	}
	return Row{"liquidation: form of 2023", "5 of 5 within 1e-9, none for the rest", fmt.Sprintf("%d of %d, none for %d of %d", same, all, none, len(state.Positions)-all),
		same == 5 && all == 5 && none == len(state.Positions)-all}, nil
}

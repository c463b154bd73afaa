package accuracy

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/mirrorworthy/mirrorworthy/shared/predictionrecord"
)

// recordedFills is one wallet of a recording: all its fills, amounts in millionths, and what its recorder made of them.
type recordedFills struct {
	Wallet string `json:"canonical_wallet"`
	Trades []struct {
		Asset string  `json:"asset_id"`
		Side  string  `json:"side"`
		Size  float64 `json:"size"`
		Cost  float64 `json:"cost"`
	} `json:"trades"`
	Summary recordedSummary `json:"summary"`
}

// recordedSummary counts fills, adds up what changed hands, and what sales brought above the average cost of what was held: shares
// may fall below zero, cost never does, and what is sold without having been bought cost nothing.
type recordedSummary struct {
	Trades   int     `json:"total_trades"`
	Buys     int     `json:"buy_trades"`
	Sells    int     `json:"sell_trades"`
	Volume   float64 `json:"total_volume"`
	Realized float64 `json:"realized_pnl"`
}

// summarize does the wallet's accounts as the product does, outcome by outcome.
func (w *recordedFills) summarize() recordedSummary {
	accounts := make(map[string]*predictionrecord.Account)
	var s recordedSummary
	for i := range w.Trades {
		t := &w.Trades[i]
		account := accounts[t.Asset]
		if account == nil {
			account = &predictionrecord.Account{}
			accounts[t.Asset] = account
		}
		s.Trades++
		s.Volume += t.Cost
		if t.Side == "BUY" {
			s.Buys++
			account.Buy(t.Size, t.Cost)
			continue
		}
		s.Sells++
		before := account.RealizedUSD
		account.Sell(t.Size, t.Cost)
		s.Realized += account.RealizedUSD - before
	}
	return s
}

// difference is the largest relative difference of amounts; infinite when a count differs.
func (s recordedSummary) difference(other recordedSummary) float64 {
	if s.Trades != other.Trades || s.Buys != other.Buys || s.Sells != other.Sells {
		return math.Inf(1)
	}
	relative := func(a, b float64) float64 { return math.Abs(a-b) / max(1, math.Abs(a), math.Abs(b)) }
	return max(relative(s.Volume, other.Volume), relative(s.Realized, other.Realized))
}

// PredictionAccounts reproduces the recorded accounts of real prediction wallets, one row a file.
func PredictionAccounts(dir string) ([]Row, error) {
	files, err := filepath.Glob(filepath.Join(dir, "polymarket", "clob_fills_*.json"))
	if err != nil {
		return nil, err
	}
	var rows []Row
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		row, err := predictionAccounts(filepath.Base(file), content)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("no polymarket/clob_fills_*.json in the data folder")
	}
	return rows, nil
}

func predictionAccounts(name string, content []byte) (Row, error) {
	var wallets []recordedFills
	if err := json.Unmarshal(content, &wallets); err != nil {
		return Row{}, err
	}
	within, worst := 0, 0.0
	for i := range wallets {
		apart := wallets[i].summarize().difference(wallets[i].Summary)
		if apart <= 1e-9 {
			within++
		}
		worst = max(worst, apart)
	}
	return Row{
		Name: "prediction accounts of " + name, Goal: fmt.Sprintf("%d of %d wallets within 1e-9", len(wallets), len(wallets)),
		Measured: fmt.Sprintf("%d of %d, largest difference %.1e", within, len(wallets), worst), Pass: within == len(wallets) && len(wallets) > 0,
	}, nil
}

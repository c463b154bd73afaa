package golden

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// indicatorColumns computes the columns of an indicator file, by their names: the settings are in the names, Bollinger bands have 20
// bars and two deviations.
var indicatorColumns = map[string]func([]stats.Bar) []float64{
	"bb_dn":  func(b []stats.Bar) []float64 { lower, _, _ := bollinger(b); return lower },
	"bb_ma":  func(b []stats.Bar) []float64 { _, middle, _ := bollinger(b); return middle },
	"bb_up":  func(b []stats.Bar) []float64 { _, _, upper := bollinger(b); return upper },
	"tr":     stats.TrueRange,
	"atr14":  func(b []stats.Bar) []float64 { return stats.AverageTrueRange(b, 14) },
	"adx14":  func(b []stats.Bar) []float64 { return stats.AverageDirectionalIndex(b, 14) },
	"rsi14":  func(b []stats.Bar) []float64 { return stats.RelativeStrengthIndex(stats.Closes(b), 14) },
	"ema20":  func(b []stats.Bar) []float64 { return stats.EMA(stats.Closes(b), 20) },
	"sma20":  func(b []stats.Bar) []float64 { return stats.SMA(stats.Closes(b), 20) },
	"don_hi": func(b []stats.Bar) []float64 { high, _ := stats.Donchian(b, 20); return high },
	"don_lo": func(b []stats.Bar) []float64 { _, low := stats.Donchian(b, 20); return low },
	"yz20":   func(b []stats.Bar) []float64 { return stats.YangZhang(b, 20) },
	"gk20":   func(b []stats.Bar) []float64 { return stats.GarmanKlass(b, 20) },
	"pk20":   func(b []stats.Bar) []float64 { return stats.Parkinson(b, 20) },
	"cc20":   func(b []stats.Bar) []float64 { return stats.CloseToClose(b, 20) },
	"obv":    stats.OnBalanceVolume,
}

func bollinger(b []stats.Bar) (lower, middle, upper []float64) {
	return stats.BollingerBands(stats.Closes(b), 20, 2)
}

// Indicators compares every column of a CSV file of bars (o, h, l, c, v) and indicators, in the file's order. NA stands for a value in
// the warm-up, where ours must have none either.
func Indicators(r io.Reader) ([]Section, error) {
	reader := csv.NewReader(r)
	reader.TrimLeadingSpace = true
	rows, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("golden indicators: %w", err)
	}
	if len(rows) < 2 {
		return nil, fmt.Errorf("golden indicators: no rows")
	}
	columns := make([][]float64, len(rows[0]))
	for line, row := range rows[1:] {
		for i, cell := range row {
			v := math.NaN()
			if cell = strings.TrimSpace(cell); cell != "NA" {
				if v, err = strconv.ParseFloat(cell, 64); err != nil {
					return nil, fmt.Errorf("golden indicators, row %d: %w", line+1, err)
				}
			}
			columns[i] = append(columns[i], v)
		}
	}
	bars, err := readBars(rows[0], columns)
	if err != nil {
		return nil, err
	}
	var sections []Section
	for i, name := range rows[0][5:] {
		compute, known := indicatorColumns[name]
		if !known {
			return nil, fmt.Errorf("golden indicators: unknown column %q", name)
		}
		section := Section{Name: name}
		compareEach(&section, compute(bars), columns[i+5])
		sections = append(sections, section)
	}
	return sections, nil
}

func readBars(header []string, columns [][]float64) ([]stats.Bar, error) {
	if len(header) < 6 || strings.Join(header[:5], ",") != "o,h,l,c,v" {
		return nil, fmt.Errorf("golden indicators: the first columns must be o,h,l,c,v and an indicator must follow")
	}
	bars := make([]stats.Bar, len(columns[0]))
	for i := range bars {
		bars[i] = stats.Bar{Open: columns[0][i], High: columns[1][i], Low: columns[2][i], Close: columns[3][i], Volume: columns[4][i]}
	}
	return bars, nil
}

package accuracy

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/scorecard"
)

//go:embed trees.json.gz
var treesGzip []byte

// boosted is an ensemble of regression trees over the columns of the labelled tokens.
type boosted struct {
	Columns     []string `json:"columns"`
	Start, Rate float64
	Trees       []struct {
		Feature, Left, Right []int
		Threshold, Value     []float64
	} `json:"trees"`
}

func readBoosted() (*boosted, error) {
	unpacked, err := gzip.NewReader(bytes.NewReader(treesGzip))
	if err != nil {
		return nil, err
	}
	var b boosted
	return &b, json.NewDecoder(unpacked).Decode(&b)
}

// probability compares single-precision values with the thresholds, as the trees were grown.
func (b *boosted) probability(row []float64) float64 {
	sum := b.Start
	for i := range b.Trees {
		t, node := &b.Trees[i], 0
		for t.Left[node] >= 0 {
			if float64(float32(row[t.Feature[node]])) <= t.Threshold[node] {
				node = t.Left[node]
			} else {
				node = t.Right[node]
			}
		}
		sum += b.Rate * t.Value[node]
	}
	return logistic(sum)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// labelledToken is a token of the reference data.
type labelledToken struct {
	values map[string]float64
	scam   bool
}

// heldOut is the part of the tokens that nothing was fitted to: three in ten by the hash of the address.
func heldOut(address string) bool {
	sum := sha256.Sum256([]byte(strings.ToLower(address)))
	return binary.BigEndian.Uint32(sum[:4])%10 < 3
}

func readLabelledTokens(data string) ([]labelledToken, error) {
	file, err := os.Open(filepath.Join(data, "rug", "token_features.csv"))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil || len(rows) < 2 {
		return nil, fmt.Errorf("labelled tokens: %d rows: %w", len(rows), err)
	}
	var tokens []labelledToken
	for _, row := range rows[1:] {
		if !heldOut(row[0]) {
			continue
		}
		token := labelledToken{map[string]float64{}, strings.EqualFold(row[1], "true")}
		for i := 2; i < len(row); i++ {
			if token.values[rows[0][i]], err = strconv.ParseFloat(row[i], 64); err != nil {
				return nil, fmt.Errorf("labelled token %s: %w", row[0], err)
			}
		}
		tokens = append(tokens, token)
	}
	return tokens, nil
}

// facts are what a scorecard sees; live leaves out what is not to be had of a token that trades now.
func (t *labelledToken) facts(live bool) scorecard.Facts {
	within := func(name string) float64 { return min(max(t.values[name], 0), 1) }
	f := scorecard.Facts{
		LockedLiquidity: within("lp_lock_ratio"), CreatorLiquidity: within("lp_creator_holding_ratio"), ProviderDeviation: t.values["lp_std"],
		CreatorShare: within("token_creator_holding_ratio"), BuysPerSell: t.values["swap_rate"],
		CreatorTokens: t.values["number_of_token_creation_of_creator"], RemovalsPerWeek: t.values["burn_count_per_week"],
		AdditionsPerWeek: t.values["mint_count_per_week"], AdditionShare: t.values["mint_ratio"], AdditionPeriod: t.values["mint_mean_period"],
	}
	if live {
		nan := math.NaN()
		f.CreatorTokens, f.RemovalsPerWeek, f.AdditionsPerWeek, f.AdditionShare, f.AdditionPeriod = nan, nan, nan, nan, nan
	}
	return f
}

// treesGoal was measured on twice as many tokens as are at hand, to fit and to measure.
const treesGoal = 0.989

// treeRow is met when the goal lies within the uncertainty of the figure, or below it.
func treeRow(q forecastQuality) Row {
	return Row{Name: "rug trees, everything known", Goal: fmt.Sprintf("AUC %.3f, within the interval", treesGoal), Measured: q.String(), Pass: q.high >= treesGoal}
}

// Scorecard measures the scorecard, and boosted trees beside it, on labelled tokens that neither was fitted to.
func Scorecard(data string) ([]Row, error) {
	tokens, err := readLabelledTokens(data)
	if err != nil {
		return nil, err
	}
	trees, err := readBoosted()
	if err != nil {
		return nil, err
	}
	scams := make([]bool, len(tokens))
	full, live, grown := make([]float64, len(tokens)), make([]float64, len(tokens)), make([]float64, len(tokens))
	row := make([]float64, len(trees.Columns))
	for i := range tokens {
		t := &tokens[i]
		scams[i] = t.scam
		full[i] = logistic(scorecard.Weigh(t.facts(false)).LogLikelihoodRatio + scorecard.TrainingLogOdds())
		live[i] = logistic(scorecard.Weigh(t.facts(true)).LogLikelihoodRatio + scorecard.TrainingLogOdds())
		for k, name := range trees.Columns {
			row[k] = t.values[name]
		}
		grown[i] = trees.probability(row)
	}
	quality := func(name, goal string, p []float64, pass func(f forecastQuality) bool) Row {
		q := rateForecasts(p, scams)
		return Row{Name: name, Goal: goal, Measured: q.String(), Pass: pass(q)}
	}
	calibrated := func(q forecastQuality) bool { return q.calibrationError <= 0.05 && q.skill > 0 }
	return []Row{
		quality("rug scorecard, everything known", "AUC >= 0.97, Brier <= 0.027", full, func(q forecastQuality) bool {
			return q.auc >= 0.97 && q.brier <= 0.027
		}),
		treeRow(rateForecasts(grown, scams)),
		quality("probability of a scam, everything known", "ECE <= 0.05, BSS > 0", full, calibrated),
		quality("probability of a scam, what is known live", "ECE <= 0.05, BSS > 0", live, calibrated),
	}, nil
}

// Package scorecard turns how a token's market is built into evidence for or against a scam, by a logistic regression over bins that
// anyone can read.
//
// The regression was fitted on labelled tokens of one exchange and two years, in which scams were watched up to their end, by
// infra/scorecard. For every set of facts that may be known there is a regression of its own, so that nothing is guessed for what is
// missing. It knows no token and no provider.
package scorecard

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sort"
	"sync"
	"time"
)

// Facts describe a token's market. NaN is unknown.
type Facts struct {
	// LockedLiquidity and CreatorLiquidity are the parts of the liquidity that nobody can withdraw and that the creator can; fractions.
	LockedLiquidity, CreatorLiquidity float64
	// ProviderDeviation is the standard deviation of the liquidity providers' parts, in percentage points; 0 for a single one.
	ProviderDeviation float64
	// CreatorShare is the part of the supply that the creator holds, a fraction.
	CreatorShare float64
	// BuysPerSell is the number of buys for each sell.
	BuysPerSell float64
	// CreatorTokens is how many tokens the creator made, this one included.
	CreatorTokens float64
	// RemovalsPerWeek and AdditionsPerWeek are how often liquidity was taken out and put in.
	RemovalsPerWeek, AdditionsPerWeek float64
	// AdditionShare is the part of all of the pool's events that put liquidity in, AdditionPeriod when they happened on average, as a
	// fraction of the pool's life.
	AdditionShare, AdditionPeriod float64
}

func (f Facts) value(name string) float64 {
	switch name {
	case "lockedLiquidity":
		return f.LockedLiquidity
	case "creatorLiquidity":
		return f.CreatorLiquidity
	case "providerDeviation":
		return f.ProviderDeviation
	case "creatorShare":
		return f.CreatorShare
	case "buysPerSell":
		return f.BuysPerSell
	case "creatorTokens":
		return f.CreatorTokens
	case "removalsPerWeek":
		return f.RemovalsPerWeek
	case "additionsPerWeek":
		return f.AdditionsPerWeek
	case "additionShare":
		return f.AdditionShare
	case "additionPeriod":
		return f.AdditionPeriod
	}
	return math.NaN()
}

// Evidence is what a market's facts say.
type Evidence struct {
	// LogLikelihoodRatio is the natural logarithm of how much likelier the facts are for a scam than for another token; 0 when nothing
	// is known.
	LogLikelihoodRatio float64
	// Groups names the kinds of facts that were known: liquidity, providers, creator, flow, history.
	Groups []string
}

// Weigh evaluates the regression for what is known. History counts only beside everything else.
func Weigh(f Facts) Evidence {
	m := fitted()
	known := m.known(f)
	for i := range m.Models {
		if slices.Equal(m.Models[i].Groups, known) {
			return Evidence{m.logOdds(&m.Models[i], f) - m.TrainingLogOdds, known}
		}
	}
	return Evidence{}
}

// TrainingLogOdds is the natural logarithm of scams for each other token in the data that the regressions were fitted on.
func TrainingLogOdds() float64 { return fitted().TrainingLogOdds }

// AgeLogOdds is by how much the log odds of being drained within the next 90 days fall for a pool that has lived for so long with its
// liquidity: linear in the logarithm of the days between the fitted ages, 0 for the first day, and no further than pools were watched.
func AgeLogOdds(age time.Duration) float64 {
	d := fitted()
	days := age.Hours() / 24
	if days <= d.AgeDays[0] {
		return d.AgeLogOdds[0]
	}
	for i := 1; i < len(d.AgeDays); i++ {
		if before, after := d.AgeDays[i-1], d.AgeDays[i]; days < after {
			along := math.Log(days/before) / math.Log(after/before)
			return d.AgeLogOdds[i-1] + along*(d.AgeLogOdds[i]-d.AgeLogOdds[i-1])
		}
	}
	return d.AgeLogOdds[len(d.AgeLogOdds)-1]
}

// document is the output of the fit.
type document struct {
	TrainingLogOdds float64 `json:"trainingLogOdds"`
	// AgeDays are ages in days, rising, and AgeLogOdds what each adds to the log odds of the first.
	AgeDays    []float64 `json:"ageDays"`
	AgeLogOdds []float64 `json:"ageLogOdds"`
	Features   []feature `json:"features"`
	Models     []model   `json:"models"`
}

type feature struct {
	Name  string `json:"name"`
	Group string `json:"group"`
	// Edges are the upper ends of all bins but the last; a value on an edge belongs to the bin below it.
	Edges []float64 `json:"edges"`
}

type model struct {
	Groups    []string             `json:"groups"`
	Intercept float64              `json:"intercept"`
	Weights   map[string][]float64 `json:"weights"`
}

//go:embed model.json
var modelJSON []byte

var fitted = sync.OnceValue(func() *document {
	var d document
	if err := json.Unmarshal(modelJSON, &d); err != nil {
		panic(fmt.Sprintf("the embedded scorecard cannot be read: %v", err))
	}
	return &d
})

const history = "history"

// known lists the groups of which every fact is a number, in the order of the features.
func (d *document) known(f Facts) []string {
	var groups, missing []string
	for i := range d.Features {
		group := d.Features[i].Group
		if math.IsNaN(f.value(d.Features[i].Name)) {
			missing = append(missing, group)
		}
		if !slices.Contains(groups, group) {
			groups = append(groups, group)
		}
	}
	return slices.DeleteFunc(groups, func(group string) bool {
		return slices.Contains(missing, group) || group == history && len(missing) > 0
	})
}

func (d *document) logOdds(m *model, f Facts) float64 {
	sum := m.Intercept
	for i := range d.Features {
		if weights, used := m.Weights[d.Features[i].Name]; used {
			sum += weights[sort.SearchFloat64s(d.Features[i].Edges, f.value(d.Features[i].Name))]
		}
	}
	return sum
}

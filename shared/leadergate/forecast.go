package leadergate

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
)

// Forecast is what is expected of an entry that the wallet makes later. NaN when nothing could be simulated.
type Forecast struct {
	// Probability is that the copy gains after costs, BaseRate that a random entry in comparable tokens does.
	Probability, BaseRate float64
}

// universeBase is how often random entries gain after costs, 24.5 % of 310,887 of them in 388 liquid pools on Ethereum, by the rule of
// the simulation. tokenStrength is how many tokens of the wallet's own weigh as much; the figure is a convention of this service.
const (
	universeBase  = 0.245
	tokenStrength = 10
)

// forecast is drawn from entries whose results did not bring the wallet here. In the launches by which it was found, results were known
// when it was chosen, and say nothing new; they count in the simulation, which is shown for what it is, and not in the forecast.
//
// The probability starts from the base rate and moves with the wallet's own results.
func (c *copies) forecast(found Discovery) Forecast {
	wins, trials := 0, 0
	sizes := make(map[chain.Address]int)
	bases := make(map[chain.Address][]float64)
	var tokens []chain.Address
	for i := range c.trades {
		t := &c.trades[i]
		if found.Tokens[t.Token] {
			continue
		}
		trials++
		sizes[t.Token]++
		if t.Net > 0 {
			wins++
		}
		if base := t.BaseWinRate(); !math.IsNaN(base) {
			if len(bases[t.Token]) == 0 {
				tokens = append(tokens, t.Token)
			}
			bases[t.Token] = append(bases[t.Token], base)
		}
	}
	if len(c.trades) == 0 {
		return Forecast{math.NaN(), math.NaN()}
	}
	shares := make([]float64, len(tokens))
	for i, token := range tokens {
		shares[i] = stats.Describe(bases[token]).Mean
	}
	base := BaseRate(shares)
	return Forecast{Probability: posterior(base, wins, trials, effectiveSize(sizes)).Mean(), BaseRate: base}
}

// BaseRate is what random entries in a wallet's next tokens are expected to win, by what they won in each of its tokens so far: their
// mean, but where that is low, drawn toward that of all tokens, because the next ones are others. Whoever is measured against a base
// rate that is too low looks skilled without being so. For the same reason the mean is raised by its variance over itself: fair odds
// are the inverse of a rate, and the inverse of an uncertain one is too large on average, by that much (to second order).
func BaseRate(ofTokens []float64) float64 {
	m := stats.Describe(ofTokens)
	n := float64(m.N)
	if m.N == 0 {
		return universeBase
	}
	base := (tokenStrength*universeBase + n*m.Mean) / (tokenStrength + n)
	if m.Mean > 0 && m.N > 1 {
		base = max(base, m.Mean+m.SD*m.SD/(n*m.Mean))
	}
	return min(max(base, lowestBase), highestBase)
}

package tokenrisk

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/scorecard"
)

// chance is the probability of a scam and what it was made of.
type chance struct {
	scam   float64
	groups []string
}

// The log odds of a scam where more than the market vouches for a token.
const (
	canonicalLogOdds = -6.0
	trustedLogOdds   = -4.0
)

// The code's likeness to traps counts half, upwards only, and up to a limit of about two to one: it was learned on the compilers of
// some years ago, and of codes unlike those it learned from it knows much less.
const (
	trapPriorLogOdds = 1.098612 // three traps to one other token, as in the data that the likeness was learned from
	trapWeight       = 0.5
	trapLimit        = 0.75
)

// The probability is never said to be surer than the data behind it can tell.
const (
	leastProbability    = 0.01
	greatestProbability = 0.99
)

// favourLimit bounds what the build of a market can say for a token, as log odds. In the reference data scams were watched up to their
// end, so a trap that has not closed yet looks better than the ones that the regression learned from, and traps lock liquidity as well.
const favourLimit = 2.5

// survivorLimit bounds what build and code can say against a token that has been traded for settled and longer, as log odds. Most scams of
// the reference data ended within days: what they share with tokens that lived on says less of one that did.
const survivorLimit = 1.75

// probability starts at even odds, about the part of tokens on open exchanges that were scams (Xia et al. 2021), and moves the log odds
// by the age of the market, its build, and the code's likeness to traps.
func probability(f *Facts, m measured, known standing) chance {
	switch known {
	case canonical:
		return chance{scam: clampedLogistic(canonicalLogOdds)}
	case trusted:
		return chance{scam: clampedLogistic(trustedLogOdds)}
	}
	evidence := scorecard.Weigh(m.facts)
	logOdds := max(evidence.LogLikelihoodRatio, -favourLimit)
	if p := f.Code.TrapProbability; p > 0 && p <= 1 {
		p = min(p, 1-1e-9)
		logOdds += min(max(trapWeight*(math.Log(p/(1-p))-trapPriorLogOdds), 0), trapLimit)
	}
	if m.aged {
		if m.age >= settled {
			logOdds = min(logOdds, survivorLimit)
		}
		logOdds += scorecard.AgeLogOdds(m.age)
	}
	return chance{clampedLogistic(logOdds), evidence.Groups}
}

func clampedLogistic(logOdds float64) float64 {
	return min(max(1/(1+math.Exp(-logOdds)), leastProbability), greatestProbability)
}

// creatorIs tells whether an account is the token's creator or owner.
func (f *Facts) creatorIs(account market.Account) bool {
	if account.Address.IsZero() {
		return false
	}
	if f.Contract != nil && f.Contract.Owned == market.Yes && account.Address == f.Contract.Owner {
		return true
	}
	return f.Security.Known && (account.Address == f.Security.Creator || account.Address == f.Security.Owner)
}

package tokenrisk

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/bytecode"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// The verdicts, from best to worst; Unknown means that too little could be checked.
const (
	Low      = "low"
	Medium   = "medium"
	High     = "high"
	Critical = "critical"
	Unknown  = "unknown"
)

// Scores from which a verdict is worse.
const (
	mediumScore   = 20
	highScore     = 50
	criticalScore = 80
)

// The layers that an assessment checks, as Unchecked names them.
const (
	LayerSimulation = "simulation"
	LayerBytecode   = "bytecode"
	LayerSecurity   = "security"
	LayerLiquidity  = "liquidity"
	LayerHolders    = "holders"
)

const (
	layers = 5
	// fewestLayers is how many must have been checked for a verdict.
	fewestLayers = 2
)

// MaximumFlags is how many flags an assessment has at most.
const MaximumFlags = 12

// Facts is what a token is judged by. Anything may be missing.
type Facts struct {
	Chain      *chain.Chain
	Token      chain.Address
	Contract   *market.Contract
	Code       bytecode.Report
	Security   tokenfacts.Security
	Simulation *market.Simulation
	Pools      []market.Pool
	Holders    *market.TokenHolders
	Chart      *tokenfacts.Chart
}

// Assessment is the judgement of a token.
type Assessment struct {
	Verdict string
	// Score is 100 times Probability, raised by hard evidence; NaN when unknown.
	Score float64
	// Probability is that of a scam, 0 to 1, by the age and the build of the market and the code's likeness to traps alone; NaN when
	// unknown.
	Probability float64
	// Flags say what was found and what could not be checked, weightiest first.
	Flags []reason.Reason
	// Reasons are the weightiest flags and what the verdict rests on.
	Reasons []reason.Reason
	// Unchecked names the layers that could not be checked: "simulation", "bytecode", "security", "liquidity", "holders".
	Unchecked []string
	// IssuerControlled is true for well-known coins whose issuer can mint, block or pause.
	IssuerControlled bool

	// SellBlocked is Yes when selling failed in a test or a provider found that holders cannot sell.
	SellBlocked market.Tristate
	// BuyTax and SellTax are fractions, NaN when unknown.
	BuyTax, SellTax float64
	Owner           chain.Address
	Owned           market.Tristate
	// Implementation is where a proxy's calls go; zero for none.
	Implementation chain.Address
	// LockedShare is the part of the liquidity that cannot be withdrawn, RemovableShare the largest part that one account can
	// withdraw now, UnlocksAt when the earliest lock ends (zero for never or unknown). TopShare is what the ten largest holders
	// hold, infrastructure left out. Fractions, NaN when unknown.
	LockedShare, RemovableShare, TopShare float64
	UnlocksAt                             time.Time
}

func verdictOf(score float64) string {
	switch {
	case math.IsNaN(score):
		return Unknown
	case score >= criticalScore:
		return Critical
	case score >= highScore:
		return High
	case score >= mediumScore:
		return Medium
	}
	return Low
}

// fraction is a share between 0 and 1, NaN for anything that is none.
func fraction(x float64) float64 {
	if !(x >= 0 && x <= 1) {
		return math.NaN()
	}
	return x
}

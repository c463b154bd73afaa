package tokenrisk

import (
	"context"
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

// Facts is what a token is judged by.
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
	// Probability is that of a scam, 0 to 1; NaN when unknown.
	Probability float64
	// Flags say what was found and what could not be checked, weightiest first.
	Flags []reason.Reason
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

// Needs are the ports behind an assessment.
var Needs = []market.Port{
	market.ContractFacts, market.TokenSecurityFacts, market.SimulationFacts, market.PoolFacts, market.HolderFacts, market.CandleFacts,
}

// Of gathers a token's facts through a session and judges them, once for all who ask. The error wraps tokenfacts.ErrNotAToken for an
// address that is no token, and market.ErrUnavailable when a provider failed.
func Of(ctx context.Context, session *market.Session, s tokenfacts.Subject) (*Assessment, error) {
	contract, err := tokenfacts.Contract(ctx, session, s)
	if err != nil {
		return nil, err
	}
	if err := tokenfacts.CheckToken(contract); err != nil {
		return nil, err
	}
	assessment := Assess(&Facts{Chain: s.Chain, Token: s.Token, Contract: contract}, s.AsOf)
	return &assessment, nil
}

// Assess judges a token by its facts at an instant.
func Assess(f *Facts, asOf time.Time) Assessment {
	return Assessment{
		Verdict: Unknown, Score: math.NaN(), Probability: math.NaN(), BuyTax: math.NaN(), SellTax: math.NaN(),
		LockedShare: math.NaN(), RemovableShare: math.NaN(), TopShare: math.NaN(),
	}
}

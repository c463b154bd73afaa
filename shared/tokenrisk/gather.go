package tokenrisk

import (
	"context"
	"crypto/sha256"

	"github.com/mirrorworthy/mirrorworthy/shared/bytecode"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// Needs are the ports behind an assessment.
var Needs = []market.Port{
	market.ContractFacts, market.TokenSecurityFacts, market.SimulationFacts, market.PoolFacts, market.HolderFacts, market.CandleFacts,
}

type assessmentKey struct {
	chain chain.Slug
	token chain.Address
	// asOf is in Unix seconds.
	asOf int64
}

type codeKey [sha256.Size]byte

// Rough sizes in bytes of what is remembered.
const (
	assessmentBytes = 4_000
	reportBytes     = 1_000
)

// Of gathers a token's facts through a session and judges them, once for all who ask. The error wraps tokenfacts.ErrNotAToken for an
// address that is no token, and market.ErrUnavailable when a provider failed.
func Of(ctx context.Context, session *market.Session, s tokenfacts.Subject) (*Assessment, error) {
	key := assessmentKey{s.Chain.Slug, s.Token, s.AsOf.Unix()}
	weigh := func(*Assessment) int { return assessmentBytes }
	return market.Remember(ctx, session, key, weigh, func(ctx context.Context) (*Assessment, error) {
		facts, err := gather(ctx, session, s)
		if err != nil {
			return nil, err
		}
		assessment := Assess(facts, s.AsOf)
		return &assessment, nil
	})
}

// gather asks for the contract first, since an address that is no token needs nothing else, and for the rest side by side.
func gather(ctx context.Context, session *market.Session, s tokenfacts.Subject) (*Facts, error) {
	contract, err := tokenfacts.Contract(ctx, session, s)
	if err != nil {
		return nil, err
	}
	if err := tokenfacts.CheckToken(contract); err != nil {
		return nil, err
	}
	f := &Facts{Chain: s.Chain, Token: s.Token, Contract: contract}
	group, ctx := parallel.WithContext(ctx)
	group.Go(func() (err error) { f.Code, err = read(ctx, session, contract); return err })
	group.Go(func() (err error) { f.Security, err = tokenfacts.SecurityOf(ctx, session, s); return err })
	group.Go(func() (err error) { f.Simulation, err = tokenfacts.Simulation(ctx, session, s); return err })
	group.Go(func() (err error) { f.Pools, err = tokenfacts.Pools(ctx, session, s); return err })
	group.Go(func() (err error) { f.Holders, err = tokenfacts.Holders(ctx, session, s); return err })
	group.Go(func() (err error) { f.Chart, err = tokenfacts.ChartOf(ctx, session, s); return err })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return f, nil
}

// read analyses the code that runs: a proxy's implementation where there is one.
func read(ctx context.Context, session *market.Session, contract *market.Contract) (bytecode.Report, error) {
	code := contract.Code
	if contract.Proxy != nil {
		code = contract.Proxy.Code
	}
	weigh := func(r bytecode.Report) int { return reportBytes + 4*len(r.Selectors) }
	return market.Remember(ctx, session, codeKey(sha256.Sum256(code)), weigh, func(context.Context) (bytecode.Report, error) {
		return bytecode.Analyze(code), nil
	})
}

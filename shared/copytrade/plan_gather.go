package copytrade

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/holdings"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenrisk"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

const (
	// mostTokens is how many of the leader's tokens are assessed, the latest traded first, and mostCompared how many running copies are
	// compared with the leader, the newest first.
	mostTokens   = 10
	mostCompared = 5
	// recent is how long after its end a position still tells what a leader trades.
	recent = 30 * 24 * time.Hour
	// planMargin is kept of a request's time for putting the answer together.
	planMargin = 150 * time.Millisecond
)

// planFacts are what a plan is made from.
type planFacts struct {
	profile string
	chain   *chain.Chain
	record  *copyrecord.Record
	// security is what is known about selling the tokens that the leader entered.
	security map[chain.Address]market.TokenSecurity
	// follower and leader are what the two wallets hold.
	follower, leader *holdings.Stock
	running          []RunningCopy
	// compared are the records of running copies' leaders; nil where one could not be had.
	compared []*tradingrecord.Record
	// tokens are the leader's latest, beyond counts those that were not looked at.
	tokens []leaderToken
	beyond int
}

// leaderToken is a token that the leader holds or traded lately.
type leaderToken struct {
	token chain.Address
	// assessment is nil where it could not be had; late tells that the time was up.
	assessment *tokenrisk.Assessment
	late       bool
}

func gatherPlan(ctx context.Context, running Running, r *endpoint.Request) (*planFacts, error) {
	f := &planFacts{profile: moderate, chain: endpoint.Chain.Of(r)}
	if riskProfile.Has(r) {
		f.profile = riskProfile.Of(r)
	}
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() error { return f.readLeader(groupCtx, r) })
	group.Go(func() (err error) {
		f.follower, err = holdings.Of(groupCtx, r.Session, f.chain, endpoint.Wallet.Of(r), r.AsOf)
		return err
	})
	group.Go(func() (err error) {
		f.leader, err = holdings.Of(groupCtx, r.Session, f.chain, leadWallet.Of(r), r.AsOf)
		return err
	})
	group.Go(func() error { return f.readRunning(groupCtx, running, r) })
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return f, nil
}

// readLeader reads the leader's record, and then the risk of its tokens beside what is known about selling them.
func (f *planFacts) readLeader(ctx context.Context, r *endpoint.Request) (err error) {
	if f.record, err = copyrecord.Of(ctx, r.Session, f.chain, leadWallet.Of(r), r.AsOf); err != nil {
		return err
	}
	f.chooseTokens(r.AsOf)
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		f.security, err = f.record.Security(groupCtx, r.Session.Sources.TokenSecurity)
		return err
	})
	group.Go(func() error { return f.assessTokens(groupCtx, r) })
	return group.Wait()
}

// chooseTokens lists the tokens of positions that are open or were lately, the latest traded first.
func (f *planFacts) chooseTokens(asOf time.Time) {
	wanted := make(map[chain.Address]bool)
	for i := range f.record.Book.Positions {
		p := &f.record.Book.Positions[i]
		if p.Status == position.Open || asOf.Sub(p.ClosedAt) <= recent {
			wanted[p.Token] = true
		}
	}
	traded := make(map[chain.Address]time.Time, len(wanted))
	for i := range f.record.Book.Ledger.Trades {
		if t := &f.record.Book.Ledger.Trades[i]; wanted[t.Token] {
			traded[t.Token] = t.Time
		}
	}
	tokens := make([]chain.Address, 0, len(traded))
	for token := range traded {
		tokens = append(tokens, token)
	}
	slices.SortFunc(tokens, func(a, b chain.Address) int { return cmp.Or(traded[b].Compare(traded[a]), a.Compare(b)) })
	f.beyond = max(0, len(tokens)-mostTokens)
	for _, token := range tokens[:min(len(tokens), mostTokens)] {
		f.tokens = append(f.tokens, leaderToken{token: token})
	}
}

// inTime is a context that ends a little before the request's time is up.
func inTime(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, deadline.Add(-planMargin))
	}
	return ctx, func() {}
}

// assessTokens asks for the risk of the tokens. What is not there in time is left out.
func (f *planFacts) assessTokens(ctx context.Context, r *endpoint.Request) error {
	ctx, cancel := inTime(ctx)
	defer cancel()
	group := parallel.NewGroup()
	for i := range f.tokens {
		t := &f.tokens[i]
		group.Go(func() error {
			assessment, err := tokenrisk.Of(ctx, r.Session, tokenfacts.Subject{Chain: f.chain, Token: t.token, AsOf: r.AsOf})
			t.assessment, t.late = assessment, err != nil && ctx.Err() != nil
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("risks of a leader's tokens: %w", err)
	}
	return nil
}

// readRunning reads what the wallet copies already. A leader whose record cannot be had costs the comparison with it alone.
func (f *planFacts) readRunning(ctx context.Context, running Running, r *endpoint.Request) (err error) {
	if f.running, err = runningOf(ctx, running, r); err != nil {
		return err
	}
	ctx, cancel := inTime(ctx)
	defer cancel()
	f.compared = make([]*tradingrecord.Record, min(len(f.running), mostCompared))
	group := parallel.NewGroup()
	for i := range f.compared {
		group.Go(func() error {
			if record, err := tradingrecord.Of(ctx, r.Session, f.chain, f.running[i].Leader, r.AsOf); err == nil {
				f.compared[i] = record
			}
			return nil
		})
	}
	return group.Wait()
}

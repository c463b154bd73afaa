package leader

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

const (
	// resolveGap only keeps schedules that fire together from beginning two passes.
	resolveGap = time.Minute
	// resolveParts share the follow-ups by the first of their ID's hexadecimal digits, which are spread evenly.
	resolveParts = 16
	digits       = "0123456789abcdef"
	// resolvedAtOnce is how many follow-ups a part resolves side by side.
	resolvedAtOnce = 8
	// settling is how long after the copier's hour of selling the provider is given to know its close.
	settling = time.Hour
	// unresolvedFor is how long after it was due an outcome is asked for where providers fail; then it counts like a gap in prices, so
	// that nothing is left out for ever.
	unresolvedFor = 14 * 24 * time.Hour
	// exitCarry is how old the price of the exit may be at most.
	exitCarry = 48 * time.Hour
)

// noPrice is the outcome of an entry of which no price was ever known: a total loss like one that could not be sold, because what may
// be left out can be left out to look better.
const noPrice = "no-price"

// resolver resolves follow-ups.
type resolver struct {
	memory  Memory
	sources market.Sources
}

// ResolveTrackRecord writes what became of the entries that are due, each once, and publishes the track record. A follow-up whose
// prices cannot be had stays open for the next pass, and counts as lost after two weeks of that.
func ResolveTrackRecord(memory Memory, sources market.Sources) job.Spread {
	r := &resolver{memory: memory, sources: sources}
	return job.Spread{
		Name: resolveJob, Counts: "resolved", Gap: resolveGap, Part: r.part,
		// Without a forecast there is nothing to resolve and nothing to publish.
		Plan: func(ctx context.Context, _ time.Time) (job.Plan, error) {
			forecasts, err := memory.TrackRecords.Forecasts(ctx, spotLeaderGate, "", "", 1)
			if err != nil || len(forecasts) == 0 {
				return job.Plan{}, err
			}
			return job.Plan{Parts: resolveParts}, nil
		},
		Conclude: func(ctx context.Context, at time.Time, _ store.Pass) (job.Report, error) {
			return publishTrackRecord(ctx, memory, at.UTC())
		},
	}
}

// part resolves the due follow-ups of one digit. Its report counts them, and has a part for each that stays open because something
// failed. It fails when the time was too short, and when none could be resolved.
func (r *resolver) part(ctx context.Context, at time.Time, _ store.Pass, part int) (job.Report, error) {
	if part < 0 || part >= resolveParts {
		return nil, fmt.Errorf("part %d of %d", part, resolveParts)
	}
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-partMargin))
		defer cancel()
	}
	asOf := minuteOf(at)
	resolved := job.Part{Name: "follow-ups " + digits[part:part+1]}
	var failed job.Report
	after, afterID := time.Time{}, ""
	for {
		page, err := r.memory.TrackRecords.Due(ctx, spotLeaderGate, asOf.Add(-settling-time.Hour), after, afterID, recordedAtOnce)
		if err != nil {
			return nil, fmt.Errorf("listing what is due: %w", err)
		}
		var own []store.FollowUp
		for _, f := range page {
			if strings.HasPrefix(f.ID, resolved.Name[len(resolved.Name)-1:]) {
				own = append(own, f)
			}
		}
		failures := sideBySide(len(own), resolvedAtOnce, func(i int) error { return r.resolve(ctx, &own[i], asOf) })
		for i, err := range failures {
			if err != nil {
				failed = append(failed, job.Part{Name: "follow-up " + own[i].ID, Err: err})
				continue
			}
			resolved.Items++
		}
		if err := ctx.Err(); err != nil {
			return append(job.Report{resolved}, failed...), err
		}
		if len(page) < recordedAtOnce {
			break
		}
		after, afterID = page[len(page)-1].DueAt, page[len(page)-1].ID
	}
	report := append(job.Report{resolved}, failed...)
	if resolved.Items == 0 && len(failed) > 0 {
		return report, fmt.Errorf("none of %d follow-ups could be resolved: %w", len(failed), failed[0].Err)
	}
	return report, nil
}

// resolve writes the outcome of a follow-up. That somebody else did is as good.
func (r *resolver) resolve(ctx context.Context, f *store.FollowUp, asOf time.Time) error {
	outcome, err := r.outcome(ctx, f, asOf)
	if errors.Is(err, market.ErrUnavailable) && ctx.Err() == nil && asOf.Sub(f.DueAt) > unresolvedFor {
		outcome, err = store.Outcome{At: asOf, Word: noPrice, Net: -1}, nil
	}
	if err != nil {
		return err
	}
	err = r.memory.TrackRecords.Resolve(ctx, f.Source, f.Chain, f.Wallet, f.ID, outcome)
	if errors.Is(err, store.ErrConflict) {
		return nil
	}
	return err
}

// outcome is what a copier ended with who paid the price that was written down: sold at the close of the hour seven days after the
// entry, less the cost of a round trip; everything lost where it could not be sold. Prices are those up to that hour. Whether holders
// can sell, at what tax, and what lies in the pool is known as of now only.
func (r *resolver) outcome(ctx context.Context, f *store.FollowUp, asOf time.Time) (store.Outcome, error) {
	if !(f.EntryPriceUSD > 0) {
		return store.Outcome{At: asOf, Word: noPrice, Net: -1}, nil
	}
	on, known := chain.Parse(f.Chain)
	if !known {
		return store.Outcome{}, fmt.Errorf("a chain called %q", f.Chain)
	}
	token, err := chain.ParseAddress(f.Token)
	if err != nil {
		return store.Outcome{}, err
	}
	var data followUpData
	if len(f.Data) > 0 {
		if err := json.Unmarshal(f.Data, &data); err != nil {
			return store.Outcome{}, fmt.Errorf("the data of follow-up %s: %w", f.ID, err)
		}
	}
	session := market.NewSession(ctx, r.sources)
	pools, err := session.Sources.Pools.Pools(ctx, on, []chain.Address{token})
	if err != nil {
		return store.Outcome{}, err
	}
	security, err := session.Sources.TokenSecurity.TokenSecurity(ctx, on, []chain.Address{token})
	if err != nil {
		return store.Outcome{}, err
	}
	deepest, found := tradingrecord.DeepestPool(pools[token])
	terms := copysimulation.Terms{SellTax: math.NaN(), QuoteUSD: math.NaN()}
	if found {
		terms.QuoteUSD = deepest.LiquidityUSD / 2
	}
	if s, told := security[token]; told {
		terms.SellTax, terms.Unsellable = s.SellTax, s.Honeypot == market.Yes
	}
	outcome := store.Outcome{At: asOf, Word: string(copysimulation.Dead), Net: -1}
	// The pool of the entry comes first. A token that moved on is sold where it trades now.
	asked := ""
	for _, pool := range []string{data.Pool, deepest.ID} {
		if pool == "" || pool == asked {
			continue
		}
		asked = pool
		exit := f.DueAt.UTC().Truncate(time.Hour)
		read, err := session.Sources.Candles.Candles(ctx, on, market.CandleRequest{Pool: pool, Token: token, From: exit.Add(-exitCarry), To: exit.Add(time.Hour)})
		if err != nil {
			return store.Outcome{}, err
		}
		status, net := copysimulation.NewSeries(read.Hours, asOf).Outcome(f.EnteredAt, f.EntryPriceUSD, terms, asOf)
		switch status {
		case copysimulation.Resolved:
			return store.Outcome{At: asOf, Word: string(status), Net: net}, nil
		case copysimulation.Pending:
			return store.Outcome{}, fmt.Errorf("follow-up %s is not due before %v", f.ID, hourAfter(f.DueAt))
		}
	}
	return outcome, nil
}

package copytrade

import (
	"context"
	"errors"
	"fmt"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

// parallelRecords bounds how many leaders' records are read at a time.
const parallelRecords = 10

// overlapFacts are what a comparison is made from.
type overlapFacts struct {
	chain *chain.Chain
	lead  *tradingrecord.Record
	// others are the leaders to compare with, each once; records are theirs, nil where one could not be had.
	others  []chain.Address
	records []*tradingrecord.Record
	// named is true where the request named them; left counts running copies beyond the first mostLeaders.
	named bool
	left  int
}

func gatherOverlap(ctx context.Context, running Running, r *endpoint.Request) (*overlapFacts, error) {
	f := &overlapFacts{chain: endpoint.Chain.Of(r), named: comparedLeaders.Has(r)}
	group, groupCtx := parallel.WithContext(ctx)
	group.Go(func() (err error) {
		f.lead, err = tradingrecord.Of(groupCtx, r.Session, f.chain, leadWallet.Of(r), r.AsOf)
		return err
	})
	group.Go(func() error {
		if err := f.list(groupCtx, running, r); err != nil {
			return err
		}
		return f.readOthers(groupCtx, r)
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return f, nil
}

// list lists whom to compare with.
func (f *overlapFacts) list(ctx context.Context, running Running, r *endpoint.Request) error {
	others := comparedLeaders.Of(r)
	if !f.named {
		copies, err := runningOf(ctx, running, r)
		if err != nil {
			return err
		}
		for i := range copies {
			others = append(others, copies[i].Leader)
		}
	}
	seen := make(map[chain.Address]bool, len(others))
	for _, other := range others {
		if !seen[other] {
			seen[other] = true
			f.others = append(f.others, other)
		}
	}
	if f.left = len(f.others) - mostLeaders; f.left > 0 {
		f.others = f.others[:mostLeaders]
	}
	return nil
}

// readOthers reads the records side by side. It fails only where none of them could be had.
func (f *overlapFacts) readOthers(ctx context.Context, r *endpoint.Request) error {
	bounded, cancel := inTime(ctx)
	defer cancel()
	f.records = make([]*tradingrecord.Record, len(f.others))
	failures := make([]error, len(f.others))
	group := parallel.NewGroup()
	group.SetLimit(parallelRecords)
	for i, other := range f.others {
		group.Go(func() error {
			f.records[i], failures[i] = tradingrecord.Of(bounded, r.Session, f.chain, other, r.AsOf)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("records of leaders: %w", err)
	}
	for i := range failures {
		if failures[i] == nil {
			return nil
		}
		f.records[i] = nil
	}
	return errors.Join(failures...)
}

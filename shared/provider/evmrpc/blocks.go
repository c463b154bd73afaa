package evmrpc

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	// maximumProbes bounds the search for the block of an instant. Halving alone finds one of 2^62.
	maximumProbes = 80
	// guesses is how many probes go by the pace of blocks before halving takes over.
	guesses = 12
	// settled is how old a block is that a border is remembered for.
	settled = time.Hour
	// timedLogBlocks bounds the blocks whose time is asked for where logs come without it.
	timedLogBlocks = 48
)

// instant is a block and its time.
type instant struct {
	block uint64
	time  time.Time
}

type borderKey struct {
	on chain.Slug
	at int64
}

// newest is the newest block with its time.
func (a *Adapter) newest(ctx context.Context, client *upstream.Client, on *chain.Chain) (instant, error) {
	block, err := a.head(ctx, client)
	if err != nil {
		return instant{}, err
	}
	at, err := a.blockTime(ctx, client, on, block)
	return instant{block, at}, err
}

// blockAt is the first block that is not older than an instant, or the one after the newest where all are older. It goes by the
// pace of the newest blocks, which leads there within a few questions, and by halves where that does not.
func (a *Adapter) blockAt(ctx context.Context, client *upstream.Client, on *chain.Chain, newest instant, at time.Time) (uint64, error) {
	if newest.time.Before(at) {
		return newest.block + 1, nil
	}
	key := borderKey{on.Slug, at.UnixNano()}
	if block, found := a.borders.Get(key); found {
		return block, nil
	}
	search := borderSearch{at: at, high: newest}
	// Twelve seconds a block until one is measured: too few blocks back rather than too many.
	next := newest.block - min(newest.block, uint64(newest.time.Sub(at).Seconds()/12)+1)
	for range maximumProbes {
		if search.found() {
			if newest.time.Sub(at) > settled {
				a.borders.Set(key, search.high.block)
			}
			return search.high.block, nil
		}
		when, err := a.blockTime(ctx, client, on, next)
		if err != nil {
			return 0, err
		}
		next = search.narrow(instant{next, when})
	}
	return 0, fmt.Errorf("%w: %s has no order of block times around %s", market.ErrUnavailable, client.Name(), at.Format(time.RFC3339))
}

// borderSearch narrows down where blocks stop being older than an instant.
type borderSearch struct {
	at time.Time
	// low is the newest block known to be older, once known is set; high is the oldest known not to be.
	low, high instant
	known     bool
	probes    int
	// streak is how often in a row, after the first time, probes fell to the same side.
	streak int
	older  bool
}

func (s *borderSearch) found() bool {
	return s.high.block == 0 || s.known && s.high.block-s.low.block <= 1
}

// narrow takes the time of a block between the ends and gives the block to look at next.
func (s *borderSearch) narrow(probe instant) uint64 {
	older := probe.time.Before(s.at)
	if s.streak++; s.probes == 0 || older != s.older {
		s.streak = 0
	}
	s.probes, s.older = s.probes+1, older
	pace := secondsPerBlock(probe, s.high)
	if older {
		s.low, s.known = probe, true
	} else {
		s.high = probe
	}
	switch {
	case s.found():
		return 0
	case s.probes > guesses:
		return s.low.block + (s.high.block-s.low.block)/2
	case s.known:
		pace = secondsPerBlock(s.low, s.high)
	}
	// From the nearer end by the pace, and further each time that this was not far enough.
	further := uint64(1)<<s.streak - 1
	if s.known && s.at.Sub(s.low.time) < s.high.time.Sub(s.at) {
		ahead := max(blocksIn(s.at.Sub(s.low.time), pace, math.Ceil), further, 1)
		return s.low.block + min(ahead, s.high.block-s.low.block-1)
	}
	furthest := s.high.block - s.low.block
	if s.known {
		furthest--
	}
	return s.high.block - min(max(blocksIn(s.high.time.Sub(s.at), pace, math.Floor), further, 1), furthest)
}

// secondsPerBlock is the pace between two blocks; zero where it cannot be told.
func secondsPerBlock(x, y instant) float64 {
	if x.block == y.block {
		return 0
	}
	return y.time.Sub(x.time).Seconds() / (float64(y.block) - float64(x.block))
}

func blocksIn(duration time.Duration, pace float64, round func(float64) float64) uint64 {
	if pace <= 0 {
		return 0
	}
	return uint64(min(round(duration.Seconds()/pace), 1<<60))
}

// timed gives every log its block's time. Logs must be in order. Where the node does not tell the time with them, it is the block's
// own for up to timedLogBlocks blocks, spread evenly over those with logs and the first and last among them; for the blocks between
// it is interpolated, to the second.
func (a *Adapter) timed(ctx context.Context, client *upstream.Client, on *chain.Chain, logs []Log) error {
	var blocks []uint64
	for i := range logs {
		if logs[i].Time.IsZero() && (len(blocks) == 0 || blocks[len(blocks)-1] != logs[i].Block) {
			blocks = append(blocks, logs[i].Block)
		}
	}
	asked := blocks
	if len(blocks) > timedLogBlocks {
		asked = make([]uint64, timedLogBlocks)
		for i := range asked {
			asked[i] = blocks[i*(len(blocks)-1)/(timedLogBlocks-1)]
		}
	}
	known := make([]instant, len(asked))
	group, groupContext := parallel.WithContext(ctx)
	group.SetLimit(parallelCalls)
	for i, block := range asked {
		group.Go(func() error {
			at, err := a.blockTime(groupContext, client, on, block)
			known[i] = instant{block, at}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i := range logs {
		if log := &logs[i]; log.Time.IsZero() {
			log.Time = between(known, log.Block)
		}
		if i > 0 && (logs[i].Time.Before(logs[i-1].Time) || logs[i].Block == logs[i-1].Block && !logs[i].Time.Equal(logs[i-1].Time)) {
			return fmt.Errorf("%w: %s: the times of blocks %d and %d contradict their order", market.ErrUnavailable, client.Name(), logs[i-1].Block, logs[i].Block)
		}
	}
	return nil
}

// between interpolates the time of a block that is within the known ones.
func between(known []instant, block uint64) time.Time {
	i, found := slices.BinarySearchFunc(known, block, func(k instant, block uint64) int {
		switch {
		case k.block < block:
			return -1
		case k.block > block:
			return 1
		}
		return 0
	})
	if found {
		return known[i].time
	}
	before, after := known[i-1], known[i]
	share := float64(block-before.block) / float64(after.block-before.block)
	return before.time.Add(time.Duration(share * float64(after.time.Sub(before.time)))).Truncate(time.Second)
}

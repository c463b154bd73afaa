package evmrpc

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// topics is a filter of eth_getLogs: one position a list, an empty list matching anything.
type topics [][]Word

func (t topics) wire() []any {
	positions := make([]any, len(t))
	for i, words := range t {
		if len(words) == 0 {
			continue // null
		}
		texts := make([]string, len(words))
		for j, word := range words {
			texts[j] = word.String()
		}
		positions[i] = texts
	}
	return positions
}

// logFilter is what one call of eth_getLogs looks for: logs of any of several contracts, or of all when there are none.
type logFilter struct {
	contracts []chain.Address
	topics    topics
}

// logScan reads the logs of several filters within a range of blocks, from its newest block back or from its oldest on.
type logScan struct {
	adapter *Adapter
	client  *upstream.Client
	on      *chain.Chain
	filters []logFilter
	// from and to are the ends of the range, both inclusive.
	from, to  uint64
	ascending bool
	// enough ends the scan before the end of the range.
	enough    func(found []Log) bool
	callsLeft atomic.Int64
}

func hexBlock(block uint64) string { return "0x" + strconv.FormatUint(block, 16) }

func (a *Adapter) span(slug chain.Slug) uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	if span := a.spans[slug]; span > 0 {
		return span
	}
	return a.limits.firstSpan
}

// learn remembers a log range that the node refused as too long.
func (a *Adapter) learn(slug chain.Slug, refused uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.spans[slug]; known == 0 || refused/2 < known {
		a.spans[slug] = max(1, refused/2)
	}
}

// head is the newest block.
func (a *Adapter) head(ctx context.Context, client *upstream.Client) (uint64, error) {
	number, err := ask(ctx, client, call{method: "eth_blockNumber"}, parseQuantity)
	if err != nil {
		return 0, err
	}
	return (&quantity{value: number}).block()
}

// window is a part of a scan's range, and what was found in the beginning of it, which is where the scan comes from.
type window struct {
	// start is how far from the scan's beginning the window begins, length how many blocks it has.
	start, length uint64
	logs          []Log
	// read is how many blocks from the window's beginning on nothing is missing of.
	read uint64
	// ended is set when the scan cannot go on: the calls are used up, or the node keeps no older history.
	ended bool
}

// blocks are the ends, both inclusive, of so many blocks from a point of the scan on.
func (s *logScan) blocks(start, length uint64) (from, to uint64) {
	if s.ascending {
		return s.from + start, s.from + start + length - 1
	}
	return s.to - start - length + 1, s.to - start
}

// run reads windows in order, several at a time, until it reaches the end of the range, has enough, or cannot go on. Nothing is
// missing of the first so many blocks as it says, counted from where the scan begins. Logs are in no order.
func (s *logScan) run(ctx context.Context) (logs []Log, read uint64, err error) {
	total := s.to - s.from + 1
	span := s.adapter.span(s.on.Slug)
	atOnce := 1 // until the node has accepted a span
	for read < total {
		// No more windows than calls are left for, so that the first ones get them.
		affordable := max(1, int(s.callsLeft.Load())/len(s.filters))
		var wave []*window
		for next := read; next < total && len(wave) < min(atOnce, affordable); {
			w := &window{start: next, length: min(span, total-next)}
			wave, next = append(wave, w), next+w.length
		}
		group, groupContext := parallel.WithContext(ctx)
		for _, w := range wave {
			group.Go(func() error { return s.read(groupContext, w) })
		}
		if err := group.Wait(); err != nil {
			return nil, 0, err
		}
		whole := true
		for _, w := range wave {
			logs = append(logs, w.logs...)
			read += w.read
			if whole = w.read == w.length; !whole {
				if w.ended && read == 0 {
					return nil, 0, fmt.Errorf("%w: %s gave no logs of any range", market.ErrUnavailable, s.client.Name())
				}
				if w.ended {
					return logs, read, nil
				}
				// What the wave holds of blocks further on is read again: it does not join on.
				span = w.read
				break
			}
		}
		if s.enough != nil && s.enough(logs) {
			return logs, read, nil
		}
		if whole {
			span *= 2 // a refusal for the number of results holds only where there are many
			atOnce = parallelWindows
		}
		span = min(span, s.adapter.span(s.on.Slug))
	}
	return logs, read, nil
}

// read fills the beginning of a window, as much of it as the node accepts in one call.
func (s *logScan) read(ctx context.Context, w *window) error {
	for length := w.length; ; length /= 2 {
		if s.callsLeft.Add(-int64(len(s.filters))) < 0 {
			w.ended = true
			return nil
		}
		from, to := s.blocks(w.start, length)
		found := make([][]Log, len(s.filters))
		group, groupContext := parallel.WithContext(ctx)
		for i := range s.filters {
			group.Go(func() (err error) {
				found[i], err = s.get(groupContext, &s.filters[i], from, to)
				return err
			})
		}
		err := group.Wait()
		f, isFault := asFault(err)
		tooLarge := errors.Is(err, upstream.ErrTooLarge)
		switch {
		case err == nil:
			w.logs, w.read = slices.Concat(found...), length
			return nil
		case isFault && f.pruned():
			w.ended = true
			return nil
		case !tooLarge && (!isFault || !f.refused()) || length == 1:
			return err
		case !tooLarge && !f.tooManyResults():
			s.adapter.learn(s.on.Slug, length)
		}
	}
}

func (s *logScan) get(ctx context.Context, filter *logFilter, from, to uint64) ([]Log, error) {
	type wireFilter struct {
		From string `json:"fromBlock"`
		To   string `json:"toBlock"`
		// Address is one address or a list of them.
		Address any   `json:"address,omitempty"`
		Topics  []any `json:"topics"`
	}
	wire := wireFilter{From: hexBlock(from), To: hexBlock(to), Topics: filter.topics.wire()}
	switch len(filter.contracts) {
	case 0:
	case 1:
		wire.Address = filter.contracts[0]
	default:
		wire.Address = filter.contracts
	}
	return ask(ctx, s.client, call{"eth_getLogs", []any{wire}}, func(result []byte) ([]Log, error) {
		logs, err := ParseLogs(result)
		if err != nil {
			return nil, err
		}
		for i := range logs {
			if logs[i].Block < from || logs[i].Block > to {
				return nil, fmt.Errorf("a log of block %d is outside of %d to %d", logs[i].Block, from, to)
			}
		}
		return logs, nil
	})
}

// inOrder puts logs in chain order, each once and without those that a reorganisation took off the chain.
func inOrder(logs []Log) []Log {
	logs = slices.DeleteFunc(logs, func(log Log) bool { return log.Removed })
	slices.SortFunc(logs, func(x, y Log) int {
		return cmp.Or(cmp.Compare(x.Block, y.Block), cmp.Compare(x.Index, y.Index))
	})
	return slices.CompactFunc(logs, func(x, y Log) bool { return x.Block == y.Block && x.Index == y.Index })
}

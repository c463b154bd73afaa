package evmrpc

import (
	"context"
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

// logScan reads the logs of several filters from the newest block back.
type logScan struct {
	adapter  *Adapter
	client   *upstream.Client
	on       *chain.Chain
	contract *chain.Address
	filters  []topics
	// enough ends the scan before the beginning of the chain.
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

// window is a range of blocks, both ends inclusive, and what was found in its newest part.
type window struct {
	from, to uint64
	logs     []Log
	// complete is the lowest block from which to the window's end nothing is missing; to+1 before anything was read.
	complete uint64
	// ended is set when nothing older can be read: the calls are used up, or the node keeps no older history.
	ended bool
}

// run reads windows newest first, several at a time, until it reaches the first block, has enough, or cannot go on.
// Nothing is missing from the block it returns on; zero means the whole chain was read. Logs are in no order.
func (s *logScan) run(ctx context.Context, head uint64) (logs []Log, complete uint64, err error) {
	complete = head + 1
	span := s.adapter.span(s.on.Slug)
	atOnce := 1 // until the node has accepted a span
	for complete > 0 {
		// No more windows than calls are left for, so that the newest ones get them.
		affordable := max(1, int(s.callsLeft.Load())/len(s.filters))
		var wave []*window
		for next := complete; next > 0 && len(wave) < min(atOnce, affordable); {
			w := &window{from: next - min(span, next), to: next - 1, complete: next}
			wave, next = append(wave, w), w.from
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
			complete = w.complete
			if whole = w.complete == w.from; !whole {
				if w.ended && complete == head+1 {
					return nil, 0, fmt.Errorf("%w: %s gave no logs of any range", market.ErrUnavailable, s.client.Name())
				}
				if w.ended {
					return logs, complete, nil
				}
				// What the wave holds of older blocks is read again: it does not join on.
				span = w.to - w.complete + 1
				break
			}
		}
		if s.enough != nil && s.enough(logs) {
			return logs, complete, nil
		}
		if whole {
			span *= 2 // a refusal for the number of results holds only where there are many
			atOnce = parallelWindows
		}
		span = min(span, s.adapter.span(s.on.Slug))
	}
	return logs, complete, nil
}

// read fills the newest part of a window, as much of it as the node accepts in one call.
func (s *logScan) read(ctx context.Context, w *window) error {
	for span := w.to - w.from + 1; ; span /= 2 {
		if s.callsLeft.Add(-int64(len(s.filters))) < 0 {
			w.ended = true
			return nil
		}
		from := w.to - span + 1
		found := make([][]Log, len(s.filters))
		group, groupContext := parallel.WithContext(ctx)
		for i, filter := range s.filters {
			group.Go(func() (err error) {
				found[i], err = s.get(groupContext, filter, from, w.to)
				return err
			})
		}
		err := group.Wait()
		f, isFault := asFault(err)
		switch {
		case err == nil:
			w.logs, w.complete = slices.Concat(found...), from
			return nil
		case isFault && f.pruned():
			w.ended = true
			return nil
		case !isFault || !f.refused() || span == 1:
			return err
		case !f.tooManyResults():
			s.adapter.learn(s.on.Slug, span)
		}
	}
}

func (s *logScan) get(ctx context.Context, filter topics, from, to uint64) ([]Log, error) {
	type wireFilter struct {
		From    string         `json:"fromBlock"`
		To      string         `json:"toBlock"`
		Address *chain.Address `json:"address,omitempty"`
		Topics  []any          `json:"topics"`
	}
	params := []any{wireFilter{From: hexBlock(from), To: hexBlock(to), Address: s.contract, Topics: filter.wire()}}
	return ask(ctx, s.client, call{"eth_getLogs", params}, func(result []byte) ([]Log, error) {
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

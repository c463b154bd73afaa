package token

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/stats"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// ProvenBuyers is how many of the buyers that were graded without regard to their results have proven records.
type ProvenBuyers struct {
	// At is the instant that the counts describe.
	At time.Time `json:"at"`
	// Rated is how many could be rated, Proven how many of those have the verdict that makes a buyer a proven one to smart-money-flow.
	Rated  int `json:"rated"`
	Proven int `json:"proven"`
}

const (
	// provenBuyersKey is what the counts are kept under among the sets that tokens are compared with: all chains have one.
	provenBuyersKey     = "active-buyers"
	provenBuyersVersion = 1
	// provenBuyersSettle is how long after their instant counts come into force. A job that keeps them takes a quarter of an hour at
	// most, so that whoever asks about an instant is answered by the same counts, whenever that is.
	provenBuyersSettle = 20 * time.Minute
	// provenBuyersLast is how old counts may be. Who buys changes slowly; a platform that has not graded for a week knows no better
	// than one that never has.
	provenBuyersLast = 7 * 24 * time.Hour
)

// provenPrior is what is taken for the share of proven traders among random buyers before any are graded: 3 %, a convention, held as
// firmly as if a hundred wallets had shown it, the fewest of which 3 % can be told at all. It leaves 0.6 to 7.1 % plausible (95 %). With a
// hundred rated buyers the share is half the platform's own, with a thousand nine tenths.
var provenPrior = stats.Beta{A: 3, B: 97}

// inForce tells whether answers of an instant rest on these counts.
func (b *ProvenBuyers) inForce(asOf time.Time) bool {
	return !asOf.Before(b.At.Add(provenBuyersSettle)) && asOf.Sub(b.At) <= provenBuyersLast
}

func (b *ProvenBuyers) valid() bool { return !b.At.IsZero() && b.Proven >= 0 && b.Rated >= b.Proven }

// share is what is known of the share of proven traders among random buyers: the prior, and what was counted. No counts leave the prior.
func (b *ProvenBuyers) share() stats.Beta { return provenPrior.Posterior(b.Proven, b.Rated) }

// wireProvenBuyers has the latest counts first, and behind them those in force when they were made.
type wireProvenBuyers struct {
	Version int            `json:"v"`
	Counts  []ProvenBuyers `json:"counts"`
}

// decodeProvenBuyers reads what is kept.
func decodeProvenBuyers(data []byte) ([]ProvenBuyers, error) {
	var wire wireProvenBuyers
	if err := json.Unmarshal(data, &wire); err != nil {
		return nil, fmt.Errorf("read proven buyers: %w", err)
	}
	if wire.Version != provenBuyersVersion {
		return nil, fmt.Errorf("read proven buyers: version %d, this version reads %d", wire.Version, provenBuyersVersion)
	}
	for i := range wire.Counts {
		if b := &wire.Counts[i]; !b.valid() {
			return nil, fmt.Errorf("read proven buyers: %d of %d at %v", b.Proven, b.Rated, b.At)
		}
	}
	return wire.Counts, nil
}

// KeepProvenBuyers keeps counts for smart-money-flow. It reports false, and changes nothing, when those that are kept are as new. Kept
// counts that cannot be read any more are written over.
func KeepProvenBuyers(ctx context.Context, peers store.Peers, counted ProvenBuyers) (bool, error) {
	if !counted.valid() {
		return false, fmt.Errorf("%w: %d of %d buyers proven at %v", store.ErrInvalid, counted.Proven, counted.Rated, counted.At)
	}
	kept, err := peers.PeersOf(ctx, provenBuyersKey)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return false, err
	}
	if err == nil && !counted.At.After(kept.At) {
		return false, nil
	}
	wire := wireProvenBuyers{provenBuyersVersion, []ProvenBuyers{counted}}
	before, _ := decodeProvenBuyers(kept.Data)
	for i := range before {
		if before[i].inForce(counted.At) {
			wire.Counts = append(wire.Counts, before[i])
			break
		}
	}
	data, err := json.Marshal(wire)
	if err != nil {
		return false, err
	}
	return true, peers.PutPeers(ctx, provenBuyersKey, store.PeerSet{At: counted.At, Data: data})
}

// provenBuyers are the counts in force at the request's instant: none where nothing was counted lately or what was cannot be read, since
// an answer that takes the convention for the share is worth more than no answer.
func (p page) provenBuyers(ctx context.Context, r *endpoint.Request) (ProvenBuyers, error) {
	return once(ctx, r, 0, func(ctx context.Context) (ProvenBuyers, error) {
		kept, err := p.memory.Peers.PeersOf(ctx, provenBuyersKey)
		if err != nil {
			return ProvenBuyers{}, nil
		}
		counts, _ := decodeProvenBuyers(kept.Data)
		for i := range counts {
			if counts[i].inForce(r.AsOf) {
				return counts[i], nil
			}
		}
		return ProvenBuyers{}, nil
	})
}

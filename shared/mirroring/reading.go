package mirroring

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/digest"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// overlap is how far behind what was read another look is taken: trades become known that late.
	overlap = time.Hour
	// firstLook is how far back a leader is read of whom nothing was.
	firstLook = time.Hour
	// longestLook is how far back anybody is read: whom nobody followed for long has nothing older that matters.
	longestLook = 7 * 24 * time.Hour
	// maximumHandled is how many trades within the overlap are remembered. Of a leader with more, older ones are looked at no more.
	maximumHandled = 4_000
	// settledFor is how long ago a leader must have left a position for it to count as left: what closed it is mirrored before that.
	settledFor = 3 * time.Minute
)

// leaderFacts is what a leader did and has.
type leaderFacts struct {
	// Trades are those after an instant, oldest first.
	Trades []LeaderTrade
	// Waiting is true when more of some trade may come and it is left out until then.
	Waiting bool
	// MedianGain is what the leader's positions usually gain, as a part of the price; NaN when unknown.
	MedianGain float64
	// Shares are the parts of its means that are in what it holds now, by asset.
	Shares map[string]float64
	// leverages are those of its positions now, on perpetuals.
	leverages map[string]float64
	// steps say what was held after each change, oldest first.
	steps []step
}

// step is a change of what a leader holds: the signed quantity of an asset from then on. NaN is unknown.
type step struct {
	asset *Asset
	at    time.Time
	after float64
}

// held is what a leader holds of an asset, since when.
type held struct {
	asset    *Asset
	quantity float64
	since    time.Time
}

// heldAt is what the leader held of each asset right after an instant, as far as its history tells.
func (f *leaderFacts) heldAt(at time.Time) map[string]held {
	now := make(map[string]held)
	for i := range f.steps {
		s := &f.steps[i]
		if s.at.After(at) {
			break
		}
		now[s.asset.Key] = held{s.asset, s.after, s.at}
	}
	return now
}

// reader reads what a leader did after an instant, through the venue's ports.
type reader interface {
	read(ctx context.Context, leader chain.Address, since, at time.Time) (*leaderFacts, error)
}

// sortTrades puts trades into the order in which they were made. Legs of one instant stay in the order of the venue.
func sortTrades(trades []LeaderTrade) {
	slices.SortStableFunc(trades, func(a, b LeaderTrade) int { return a.At.Compare(b.At) })
}

// progress is the Data of a store.Reading.
type progress struct {
	// Through is up to when everything was handled for all followers.
	Through time.Time `json:"through"`
	// Handled are the trades after Through less the overlap that were.
	Handled []handled `json:"handled,omitzero"`
	// SweptAt is when everybody's copies were looked at last although the leader did nothing. Unfinished is true where somebody's orders
	// were still under way.
	SweptAt    time.Time `json:"sweptAt,omitzero"`
	Unfinished bool      `json:"unfinished,omitzero"`
}

// handled is a trade by a part of the digest of its ID.
type handled struct {
	ID string `json:"id"`
	// At is in Unix milliseconds.
	At int64 `json:"at"`
}

// mark is how a trade is remembered.
func mark(t *LeaderTrade) handled {
	return handled{digest.Of(t.ID, string(t.Leg))[:16], t.At.UnixMilli()}
}

// readProgress reads how far a leader was read.
func readProgress(reading *store.Reading) (*progress, error) {
	p := new(progress)
	if len(reading.Data) == 0 {
		return p, nil
	}
	if err := json.Unmarshal(reading.Data, p); err != nil {
		return nil, fmt.Errorf("the reading of %s: %w", reading.Of.Leader, err)
	}
	return p, nil
}

// since is where to read from at an instant.
func (p *progress) since(at time.Time) time.Time {
	if p.Through.IsZero() {
		return at.Add(-firstLook)
	}
	from := p.Through.Add(-overlap)
	if longest := at.Add(-longestLook); from.Before(longest) {
		return longest
	}
	return from
}

// fresh are those of the trades that were not handled.
func (p *progress) fresh(trades []LeaderTrade) []LeaderTrade {
	done := make(map[string]bool, len(p.Handled))
	for _, h := range p.Handled {
		done[h.ID] = true
	}
	var left []LeaderTrade
	for i := range trades {
		if !done[mark(&trades[i]).ID] {
			left = append(left, trades[i])
		}
	}
	return left
}

// handle adds trades that were handled for all followers as of an instant, and forgets those that nobody looks at again.
func (p *progress) handle(trades []LeaderTrade, at time.Time) {
	for i := range trades {
		p.Handled = append(p.Handled, mark(&trades[i]))
	}
	if at.After(p.Through) {
		p.Through = at
	}
	from := p.Through.Add(-overlap).UnixMilli()
	p.Handled = slices.DeleteFunc(p.Handled, func(h handled) bool { return h.At <= from })
	slices.SortFunc(p.Handled, func(a, b handled) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.ID, b.ID)) })
	if extra := len(p.Handled) - maximumHandled; extra > 0 {
		p.Handled = p.Handled[extra:]
	}
}

package hyperliquid

import (
	"bytes"
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	leaderboardPath = "/Mainnet/leaderboard"
	// longestLeaderboard is twice what the list has grown to, in bytes: some 30,000 rows.
	longestLeaderboard = 64 << 20
)

// Leaderboard implements the port of the venue's leaderboard, which has a host of its own.
type Leaderboard struct{ client *upstream.Client }

var _ market.PerpLeaderboardPort = (*Leaderboard)(nil)

// LeaderboardDefaults is the host of the venue's statistics. It publishes no limit; the list is asked for by jobs, a few times a day.
// The time-out is that of an answer of 30 MB over a slow line.
func LeaderboardDefaults() upstream.Config {
	return upstream.Config{
		Name: "hyperliquid-stats", Base: "https://stats-data.hyperliquid.xyz", PerMinute: 6, Burst: 2, Concurrency: 2, Timeout: time.Minute,
	}
}

// NewLeaderboard reads through a client whose base is the host's root.
func NewLeaderboard(client *upstream.Client) *Leaderboard { return &Leaderboard{client} }

// wireLeader is a row of the list. Each window is a pair of its name and its figures, in any order.
type wireLeader struct {
	Account upstream.Text    `json:"ethAddress"`
	Value   upstream.Number  `json:"accountValue"`
	Windows []jsontext.Value `json:"windowPerformances"`
}

type wireFigures struct {
	PnL    upstream.Number `json:"pnl"`
	Return upstream.Number `json:"roi"`
	Volume upstream.Number `json:"vlm"`
}

// windowNames are the venue's names of the windows; rows with further ones are read without them.
var windowNames = map[string]market.LeaderboardWindow{
	"day": market.DayWindow, "week": market.WeekWindow, "month": market.MonthWindow, "allTime": market.AllTimeWindow,
}

// PerpLeaderboard reads the list row by row and keeps the rows that lead a window. Of an account that is listed twice the first row
// counts. ofEach is at least 1.
func (l *Leaderboard) PerpLeaderboard(ctx context.Context, ofEach int) ([]market.PerpLeader, error) {
	if ofEach < 1 {
		return nil, fmt.Errorf("a leaderboard of %d accounts of each window, want at least 1", ofEach)
	}
	read, err := upstream.Stream(ctx, l.client, leaderboardPath, nil, longestLeaderboard, func(decoder *jsontext.Decoder) (*leaderboard, error) {
		board := newLeaderboard(ofEach)
		return board, board.read(decoder)
	})
	if err != nil {
		return nil, err
	}
	l.client.Drop(leaderboardPath, read.dropped)
	return read.leaders(), nil
}

// leaderboard is what is kept of the list while it is read.
type leaderboard struct {
	ofEach        int
	windows       map[market.LeaderboardWindow]*ranking
	seen          map[chain.Address]struct{}
	rows, dropped int
}

func newLeaderboard(ofEach int) *leaderboard {
	board := &leaderboard{ofEach: ofEach, windows: make(map[market.LeaderboardWindow]*ranking), seen: make(map[chain.Address]struct{})}
	for _, window := range windowNames {
		board.windows[window] = &ranking{window: window}
	}
	return board
}

// read reads an object with the list; its other members are skipped.
func (b *leaderboard) read(decoder *jsontext.Decoder) error {
	if decoder.PeekKind() != '{' {
		return skipTo(decoder, "no object")
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	found := false
	for decoder.PeekKind() != '}' {
		name, err := decoder.ReadToken()
		if err != nil {
			return err
		}
		if name.String() != "leaderboardRows" {
			err = decoder.SkipValue()
		} else if found = true; decoder.PeekKind() != '[' {
			err = skipTo(decoder, "no list")
		} else {
			err = b.readRows(decoder)
		}
		if err != nil {
			return err
		}
	}
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	switch {
	case !found:
		return fmt.Errorf("%w: no list", upstream.ErrUnreadable)
	case b.rows > 0 && b.dropped == b.rows:
		return noneLegible(b.rows)
	}
	return nil
}

// skipTo reads a value of another kind than was wanted, so that what is no JSON at all is told from what is another answer.
func skipTo(decoder *jsontext.Decoder, what string) error {
	if err := decoder.SkipValue(); err != nil {
		return err
	}
	return fmt.Errorf("%w: %s", upstream.ErrUnreadable, what)
}

func (b *leaderboard) readRows(decoder *jsontext.Decoder) error {
	if _, err := decoder.ReadToken(); err != nil {
		return err
	}
	for decoder.PeekKind() != ']' {
		value, err := decoder.ReadValue()
		if err != nil {
			return err
		}
		b.rows++
		leader, ok := readLeader(value)
		if _, twice := b.seen[leader.Account]; !ok || twice {
			b.dropped++
			continue
		}
		b.seen[leader.Account] = struct{}{}
		for window := range leader.Windows {
			b.windows[window].offer(leader, b.ofEach)
		}
	}
	_, err := decoder.ReadToken()
	return err
}

// readLeader reads a row; false for one that cannot be.
func readLeader(value jsontext.Value) (*market.PerpLeader, bool) {
	var row wireLeader
	leader := &market.PerpLeader{Windows: make(map[market.LeaderboardWindow]market.VenueFigures, len(windowNames))}
	if upstream.Unmarshal(value, &row) != nil {
		return leader, false
	}
	account, err := chain.ParseWireAddress(string(row.Account))
	worth, known := signedUSD(row.Value)
	if err != nil || account == (chain.Address{}) || !known {
		return leader, false
	}
	leader.Account, leader.ValueUSD = account, worth
	for _, wire := range row.Windows {
		var pair []jsontext.Value
		var name upstream.Text
		if upstream.Unmarshal(wire, &pair) != nil || len(pair) != 2 || upstream.Unmarshal(pair[0], &name) != nil {
			return leader, false
		}
		window, known := windowNames[string(name)]
		if !known {
			continue
		}
		figures, ok := readFigures(pair[1])
		if _, twice := leader.Windows[window]; !ok || twice {
			return leader, false
		}
		leader.Windows[window] = figures
	}
	return leader, true
}

func readFigures(value jsontext.Value) (market.VenueFigures, bool) {
	var wire wireFigures
	if upstream.Unmarshal(value, &wire) != nil {
		return market.VenueFigures{}, false
	}
	profit, earned := signedUSD(wire.PnL)
	volume, traded := wire.Volume.USD()
	share, returned := wire.Return.OrMissing(signedUSD)
	return market.VenueFigures{PnLUSD: profit, VolumeUSD: volume, Return: share}, earned && traded && returned
}

// leaders are the kept rows, each once, by account.
func (b *leaderboard) leaders() []market.PerpLeader {
	kept := make(map[chain.Address]*market.PerpLeader)
	for _, window := range b.windows {
		for _, leader := range window.rows {
			kept[leader.Account] = leader
		}
	}
	leaders := make([]market.PerpLeader, 0, len(kept))
	for _, leader := range kept {
		leaders = append(leaders, *leader)
	}
	slices.SortFunc(leaders, func(x, y market.PerpLeader) int { return bytes.Compare(x.Account[:], y.Account[:]) })
	return leaders
}

// ranking is the best rows of a window, the least of them first, as package heap wants it.
type ranking struct {
	window market.LeaderboardWindow
	rows   []*market.PerpLeader
}

// offer takes a row in if it is among the best so many. Of equal profits the lesser address is the better.
func (r *ranking) offer(leader *market.PerpLeader, most int) {
	if len(r.rows) < most {
		heap.Push(r, leader)
		return
	}
	if r.compare(leader, r.rows[0]) > 0 {
		r.rows[0] = leader
		heap.Fix(r, 0)
	}
}

func (r *ranking) compare(x, y *market.PerpLeader) int {
	return cmp.Or(cmp.Compare(x.Windows[r.window].PnLUSD, y.Windows[r.window].PnLUSD), bytes.Compare(y.Account[:], x.Account[:]))
}

func (r *ranking) Len() int           { return len(r.rows) }
func (r *ranking) Less(i, j int) bool { return r.compare(r.rows[i], r.rows[j]) < 0 }
func (r *ranking) Swap(i, j int)      { r.rows[i], r.rows[j] = r.rows[j], r.rows[i] }
func (r *ranking) Push(x any)         { r.rows = append(r.rows, x.(*market.PerpLeader)) }
func (r *ranking) Pop() any {
	last := r.rows[len(r.rows)-1]
	r.rows = r.rows[:len(r.rows)-1]
	return last
}

package leader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/token"
)

// The boards. Each is published for every chain and for all of them; those of leaders to copy, named by copyLeadersOf, for every venue.
const (
	traderBoard = "trader-board"
	spotLeaders = "copy/spot-leaders"
	topTraders  = "copy/top-traders"
	strategies  = "copy/strategies"
)

// boardOf names a board as it is kept: that of a chain, or of all chains for nil.
func boardOf(board string, on *chain.Chain) string {
	if on == nil {
		return board + "/all"
	}
	return board + "/" + string(on.Slug)
}

// boardsAtOnce is how many boards are published side by side.
const boardsAtOnce = 4

// summary is what is said of a board as a whole. It is the Data of an edition, in JSON.
type summary struct {
	// Found counts the leaders that the board is about, Waiting those of them that have no grade yet.
	Found   int `json:"found"`
	Waiting int `json:"waiting"`
	// Examined is how many wallets those that are called mirror-worthy were selected from, MirrorWorthy how many of the board are.
	Examined     int `json:"examined"`
	MirrorWorthy int `json:"mirrorWorthy"`
	// Mirrorable counts the mirrorable rows, which come first where rows can be mirrorable, and MirrorableWorthy those of them that are
	// called mirror-worthy.
	Mirrorable       int `json:"mirrorable"`
	MirrorableWorthy int `json:"mirrorableWorthy"`
}

// draft is a board before it is published.
type draft struct {
	summary summary
	rows    [][]byte
}

// publish makes the boards of the given chains, and those of all chains, of all leaders as they are graded now, and keeps how many of
// the buyers at large are proven. A board of which an edition as new is there stays. The same leaders give the same boards to the byte.
// The report has a part for each board and one for the buyers; an error says that leaders could not be read, and then nothing is
// published.
func publish(ctx context.Context, memory Memory, chains []*chain.Chain, at time.Time) (job.Report, error) {
	all := chain.All()
	slugs := make([]string, len(all))
	for i, on := range all {
		slugs[i] = string(on.Slug)
	}
	spot, err := gather(ctx, memory.Leaders, at, Spot, store.MaximumBoardRows, slugs...)
	if err != nil {
		return nil, fmt.Errorf("reading leaders: %w", err)
	}
	perps, err := gather(ctx, memory.Leaders, at, Perp, store.MaximumBoardRows, PerpVenue)
	if err != nil {
		return nil, fmt.Errorf("reading leaders: %w", err)
	}
	predictions, err := gather(ctx, memory.Leaders, at, Prediction, store.MaximumBoardRows, PredictionVenue)
	if err != nil {
		return nil, fmt.Errorf("reading leaders: %w", err)
	}
	var boards []string
	var makers []func() (draft, error)
	plan := func(board string, maker func() (draft, error)) {
		boards, makers = append(boards, board), append(makers, maker)
	}
	for i := range len(all) + 1 {
		var on *chain.Chain
		within, places := all, spot.places
		if i < len(all) {
			on, within, places = all[i], all[i:i+1], spot.places[i:i+1]
			if !slices.Contains(chains, on) {
				continue
			}
		}
		plan(boardOf(traderBoard, on), func() (draft, error) { return spot.traderBoard(places) })
		plan(boardOf(spotLeaders, on), func() (draft, error) { return spot.spotLeaders(places) })
		plan(boardOf(topTraders, on), func() (draft, error) { return spot.topTraders(places) })
		plan(copyLeadersOf(spotVenue, on), func() (draft, error) { return spot.copyLeaders(spotVenue, places) })
		plan(boardOf(strategies, on), func() (draft, error) {
			if on != nil {
				return catalogue(within, places, spot)
			}
			return catalogue(within, places, spot, venue{perps, perpStrategy}, venue{predictions, predictionStrategy})
		})
	}
	plan(copyLeadersOf(perpVenue, nil), func() (draft, error) { return perps.copyLeaders(perpVenue, perps.places) })
	plan(copyLeadersOf(predictionVenue, nil), func() (draft, error) { return predictions.copyLeaders(predictionVenue, predictions.places) })
	report := make(job.Report, len(boards), len(boards)+2)
	group := parallel.NewGroup()
	group.SetLimit(boardsAtOnce)
	for i, board := range boards {
		report[i].Name = board
		group.Go(func() error {
			report[i].Items, report[i].Skipped, report[i].Err = publishBoard(ctx, memory.Boards, board, at, makers[i])
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return report, err
	}
	kept, err := token.KeepProvenBuyers(ctx, memory.Peers, spot.active)
	report = append(report, job.Part{Name: "buyers rated", Items: spot.active.Rated, Skipped: err == nil && !kept, Err: err})
	if unreadable := spot.unreadable() + perps.unreadable() + predictions.unreadable(); unreadable > 0 {
		report = append(report, job.Part{Name: "gradings that cannot be read", Items: unreadable})
	}
	return report, nil
}

// publishBoard makes a board and publishes it. Of a board of which an edition as new is there nothing is done.
func publishBoard(ctx context.Context, boards store.Boards, board string, at time.Time, maker func() (draft, error)) (rows int, there bool, err error) {
	made, err := maker()
	if err != nil {
		return 0, false, err
	}
	data, err := json.Marshal(made.summary, json.Deterministic(true))
	if err != nil {
		return 0, false, err
	}
	err = boards.Publish(ctx, store.Edition{Board: board, At: at, Rows: len(made.rows), Data: data}, made.rows)
	if errors.Is(err, store.ErrConflict) {
		return 0, true, nil
	}
	return len(made.rows), false, err
}

func (k *kind) unreadable() int {
	n := 0
	for i := range k.places {
		n += k.places[i].unreadable
	}
	return n
}

// traderBoard has the wallets that their own pages call mirror-worthy.
func (k *kind) traderBoard(places []place) (draft, error) {
	return drafted(k, places, order, (*candidate).calledWorthy, traderBoardRow)
}

// topTraders has all wallets.
func (k *kind) topTraders(places []place) (draft, error) {
	return drafted(k, places, order, func(*candidate) bool { return true }, topTraderRow)
}

// spotLeaders has the early buyers, mirrorable ones first.
func (k *kind) spotLeaders(places []place) (draft, error) {
	d, err := drafted(k, places, mirrorableFirst, (*candidate).earlyBuyer, spotLeaderRow)
	d.summary.Found, d.summary.Waiting = 0, 0
	for i := range places {
		d.summary.Found += places[i].early.found
		d.summary.Waiting += places[i].early.waiting
	}
	return d, err
}

// drafted makes a board of the members of places in an order, as many as a board can have.
func drafted[R any](k *kind, places []place, order func(a, b *candidate) int, member func(*candidate) bool,
	makeRow func(rank int, c *candidate, among *selection) R,
) (draft, error) {
	d := draft{summary: summary{Examined: len(k.chances)}}
	var ranked []*candidate
	for i := range places {
		d.summary.Found += places[i].found
		d.summary.Waiting += places[i].waiting
		for _, c := range places[i].candidates {
			if member(c) {
				ranked = append(ranked, c)
			}
		}
	}
	slices.SortFunc(ranked, order)
	ranked = ranked[:min(len(ranked), store.MaximumBoardRows)]
	d.rows = make([][]byte, len(ranked))
	for i, c := range ranked {
		var err error
		if d.rows[i], err = json.Marshal(makeRow(i+1, c, &k.selection), json.Deterministic(true)); err != nil {
			return draft{}, fmt.Errorf("the row of %s: %w", c.address, err)
		}
		if c.worthy {
			d.summary.MirrorWorthy++
		}
		if c.mirrorable() {
			d.summary.Mirrorable++
			if c.worthy {
				d.summary.MirrorableWorthy++
			}
		}
	}
	return d, nil
}

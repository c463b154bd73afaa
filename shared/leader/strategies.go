package leader

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// strategyLeaders is how many leaders a strategy shows, strategyReasons how many reasons each.
	strategyLeaders, strategyReasons = 10, 3
	// oneReading is how long the reading of a venue's boards takes at most: who was found so long before the last is not on them any
	// more.
	oneReading = 30 * time.Minute
)

// StrategyRow is something that can be copied at a venue, and its leaders.
type StrategyRow struct {
	// StrategyID names the strategy.
	StrategyID string `json:"strategyId"`
	// Venue is where it can be copied. One of dexvenue-spot, perpvenue-perps or predictvenue-markets.
	Venue string `json:"venue"`
	// Chain is the chain's slug; null for venues that are on none of the supported chains.
	Chain *chain.Slug `json:"chain"`
	// ChainID is the chain's EIP-155 number; null for venues that are on none of the supported chains.
	ChainID *int64 `json:"chainId"`
	// Title is a name for display.
	Title string `json:"title"`
	// About says in a sentence what the leaders have in common.
	About string `json:"about"`
	// Window is the time that the venue's board ranks by; null where there is no board of the venue.
	Window *market.LeaderboardWindow `json:"window"`
	// Category is the category of the venue's board; null for all categories.
	Category *string `json:"category"`
	// LeadersFound counts the strategy's leaders.
	LeadersFound int `json:"leadersFound"`
	// LeadersGraded counts those that have been graded.
	LeadersGraded int `json:"leadersGraded"`
	// LeadersMirrorWorthy counts those of them that stay mirror-worthy among all that were looked at; of early buyers those alone that
	// are mirrorable too.
	LeadersMirrorWorthy int `json:"leadersMirrorWorthy"`
	// Leaders are the first ten, or fewer where there is much to say of each, in the order of our grades.
	Leaders []StrategyLeader `json:"leaders"`
}

// StrategyLeader is a leader of a strategy: what its venue says of it, and our grade.
type StrategyLeader struct {
	// Rank is the leader's place by our grades, from 1.
	Rank int `json:"rank"`
	// Wallet is the leader's address.
	Wallet string `json:"wallet"`
	// VenueRank is the venue's own for the window; null where it tells none.
	VenueRank *int `json:"venueRank"`
	// VenuePnLUSD is the venue's own figure for the window; null where it tells none.
	VenuePnLUSD *float64 `json:"venuePnlUsd"`
	// VenueReturnPct is the venue's own figure for the window; null where it tells none.
	VenueReturnPct *float64 `json:"venueReturnPct"`
	// VenueSeenAt is when the venue said so.
	VenueSeenAt *string `json:"venueSeenAt"`
	// Window is the time that the venue's figures are for; null where it tells none.
	Window *market.LeaderboardWindow `json:"window"`
	// Intel is our grade, which is never made of the venue's figures.
	Intel Intel `json:"intel"`
}

// entrant is a leader in a strategy; place is nil where the venue has no board.
type entrant struct {
	*candidate
	place *venuePlace
}

// venue is a kind of leaders that stand on their venue's boards, and how their strategies are described.
type venue struct {
	*kind
	describe func(venueBoard) StrategyRow
}

// catalogue has a strategy of the early buyers of each chain, and one of each of the venues' boards.
func catalogue(chains []*chain.Chain, places []place, spot *kind, venues ...venue) (draft, error) {
	d := draft{summary: summary{Examined: len(spot.chances)}}
	var rows []StrategyRow
	for i, on := range chains {
		rows = append(rows, earlyBuyers(on, &places[i], &spot.selection))
		d.summary.Found += places[i].early.found
		d.summary.Waiting += places[i].early.waiting
		d.summary.MirrorWorthy += rows[i].LeadersMirrorWorthy
	}
	for _, v := range venues {
		rows = append(rows, v.strategies()...)
		d.summary.Examined += len(v.chances)
		for i := range v.places {
			p := &v.places[i]
			d.summary.Found += p.found
			d.summary.Waiting += p.waiting
			for _, c := range p.candidates {
				if c.worthy {
					d.summary.MirrorWorthy++
				}
			}
		}
	}
	d.rows = make([][]byte, len(rows))
	for i := range rows {
		var err error
		if d.rows[i], err = rows[i].encode(); err != nil {
			return draft{}, err
		}
	}
	return d, nil
}

// encode writes the row. Where sentences are so long that it would not fit among a board's rows, it shows fewer leaders.
func (row StrategyRow) encode() ([]byte, error) {
	for {
		encoded, err := json.Marshal(row, json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("strategy %s: %w", row.StrategyID, err)
		}
		if len(encoded) <= store.MaximumBoardRow || len(row.Leaders) == 0 {
			return encoded, nil
		}
		row.Leaders = row.Leaders[:len(row.Leaders)-1]
	}
}

// earlyBuyers is the strategy of a chain's mirrorable early buyers.
func earlyBuyers(on *chain.Chain, p *place, among *selection) StrategyRow {
	row := StrategyRow{
		StrategyID: "early-buyers-" + string(on.Slug), Venue: spotVenue, Chain: &on.Slug, ChainID: &on.ID,
		Title: "Early buyers on " + string(on.Slug),
		About: "Wallets that were among the first buyers of several tokens that rose, more often than chance gives, and whose entries " +
			"gained in simulation for a copier who came up to an hour later. How their later entries fare is in the track record.",
		LeadersFound: p.early.found, LeadersGraded: p.early.found - p.early.waiting,
	}
	var entrants []entrant
	for _, c := range p.candidates {
		if c.mirrorable() && c.earlyBuyer() {
			entrants = append(entrants, entrant{candidate: c})
		}
	}
	row.show(entrants, among)
	return row
}

// strategies are those of the venue's boards: of all categories, and of the categories that its leaders stand in.
func (v venue) strategies() []StrategyRow {
	entrants, ungraded := v.entrants()
	boards := slices.AppendSeq(slices.AppendSeq(make([]venueBoard, 0, len(windows)), maps.Keys(entrants)), maps.Keys(ungraded))
	for _, window := range windows {
		boards = append(boards, venueBoard{Window: window})
	}
	slices.SortFunc(boards, venueBoard.order)
	boards = slices.Compact(boards)
	rows := make([]StrategyRow, len(boards))
	for i, board := range boards {
		row := v.describe(board)
		row.Window = &board.Window
		if board.Category != "" {
			row.Category = &board.Category
		}
		row.LeadersGraded = len(entrants[board])
		row.LeadersFound = row.LeadersGraded + ungraded[board]
		row.show(entrants[board], &v.selection)
		rows[i] = row
	}
	return rows
}

// entrants sorts the venue's leaders by the boards that they stand on now, and counts those on them that have no grade yet.
func (v venue) entrants() (graded map[venueBoard][]entrant, ungraded map[venueBoard]int) {
	var last time.Time
	each := func(visit func(venueStanding, *candidate)) {
		for i := range v.places {
			p := &v.places[i]
			for _, c := range p.candidates {
				visit(c.venue, c)
			}
			for _, standing := range p.ungraded {
				visit(standing, nil)
			}
		}
	}
	each(func(standing venueStanding, _ *candidate) {
		if standing.seenAt.After(last) {
			last = standing.seenAt
		}
	})
	graded, ungraded = make(map[venueBoard][]entrant), make(map[venueBoard]int)
	each(func(standing venueStanding, c *candidate) {
		if last.Sub(standing.seenAt) >= oneReading {
			return
		}
		for i := range standing.places {
			at := &standing.places[i]
			if c == nil {
				ungraded[at.venueBoard]++
			} else {
				graded[at.venueBoard] = append(graded[at.venueBoard], entrant{c, at})
			}
		}
	})
	return graded, ungraded
}

// show ranks the entrants and shows the first of them.
func (row *StrategyRow) show(entrants []entrant, among *selection) {
	slices.SortFunc(entrants, func(a, b entrant) int { return order(a.candidate, b.candidate) })
	row.Leaders = make([]StrategyLeader, min(len(entrants), strategyLeaders))
	for i := range entrants {
		e := &entrants[i]
		if e.worthy {
			row.LeadersMirrorWorthy++
		}
		if i >= len(row.Leaders) {
			continue
		}
		leader := StrategyLeader{Rank: i + 1, Wallet: e.address, Intel: intelOf(e.candidate, among), Window: row.Window}
		leader.Intel.Reasons = leader.Intel.Reasons[:min(len(leader.Intel.Reasons), strategyReasons)]
		if p := e.place; p != nil {
			pnl := display.Round(p.PnLUSD, 2)
			leader.VenueRank, leader.VenuePnLUSD, leader.VenueSeenAt = &p.Rank, &pnl, timeText(e.venue.seenAt)
			if p.Return != nil {
				leader.VenueReturnPct = display.Percent(*p.Return)
			}
		}
		row.Leaders[i] = leader
	}
}

// windowText is a window in a sentence about the most profit.
func windowText(window market.LeaderboardWindow) string {
	if window == market.AllTimeWindow {
		return "of all time"
	}
	return "in the last " + string(window)
}

func perpStrategy(board venueBoard) StrategyRow {
	return StrategyRow{
		StrategyID: "perps-" + string(board.Window), Venue: perpVenue, Title: "Perpetuals: most profit " + windowText(board.Window),
		About: fmt.Sprintf("The accounts with the most profit %s by the venue's own figures, in the order of our grades. Leading a venue's "+
			"board takes luck and size as well as skill: the grade rests on closed positions alone.", windowText(board.Window)),
	}
}

func predictionStrategy(board venueBoard) StrategyRow {
	id, subject := "predictions-", "Prediction markets"
	if board.Category != "" {
		category := strings.ToLower(board.Category)
		subject += ", " + category
		id += category + "-"
	}
	return StrategyRow{
		StrategyID: id + string(board.Window), Venue: predictionVenue, Title: subject + ": most profit " + windowText(board.Window),
		About: fmt.Sprintf("The wallets with the most profit %s by the venue's own figures, in the order of our grades. Leading a venue's "+
			"board takes luck and size as well as skill: the grade rests on decided events, and says whether a follower could have done it too.", windowText(board.Window)),
	}
}

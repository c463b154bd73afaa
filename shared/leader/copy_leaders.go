package leader

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

// CopyLeaderRow is a leader that a follower could have copied: one who passed the gate of its venue.
type CopyLeaderRow struct {
	// Rank is the row's place on the board, from 1.
	Rank int `json:"rank"`
	// Address is the leader's address.
	Address string `json:"address"`
	// Venue is where the leader trades. One of dexvenue-spot, perpvenue-perps or predictvenue-markets.
	Venue string `json:"venue"`
	// Chain is null at venues that are on none of the supported chains.
	Chain *string `json:"chain"`
	Standing
	// Assessment says whether the leader can be mirrored, and why.
	Assessment Assessment `json:"assessment"`
	// Disclosure must be shown next to simulated numbers; null where there are none.
	Disclosure *string `json:"disclosure"`
}

var (
	atVenue = endpoint.Choice("venue", "The venue whose leaders are listed.", spotVenue, perpVenue, predictionVenue).Required()
	// copyChain leaves the leaders at the spot venue to one chain; it is refused at others.
	copyChain = endpoint.Chain.Optional()
)

// copyLeadersOf names the board of a venue as it is kept: at the spot venue one for each chain and one for all.
func copyLeadersOf(venue string, on *chain.Chain) string {
	return boardOf("copy/leaders/"+venue, on)
}

func (s shelf) copyLeaders() endpoint.Endpoint {
	e := boardEndpoint(endpoint.Declaration{
		Name: "copy-leaders", Path: "/v1/copy/leaders",
		Summary:    "Lists the leaders of a venue that passed its gate: those that a follower could have copied.",
		Parameters: []endpoint.Parameter{atVenue, copyChain},
	}, s.memory.Boards, func(r *endpoint.Request) view {
		return view{board: copyLeadersOf(atVenue.Of(r), copyChain.Of(r))}
	}, allRows, Board[CopyLeaderRow]{}, func(_ *endpoint.Request, read *page) (Board[jsontext.Value], error) {
		return leaderBoard(read, func(s summary, rows int) string {
			if rows == 0 {
				return fmt.Sprintf("No leader passes the gate yet, of %s graded so far.", display.Count(s.Found-s.Waiting, "leader"))
			}
			return ""
		})
	})
	check := e.Check
	e.Check = func(ctx context.Context, r *endpoint.Request) error {
		if copyChain.Has(r) && atVenue.Of(r) != spotVenue {
			return endpoint.Invalid("chain", "Only the leaders at "+spotVenue+" are told apart by chain. Leave chain out.")
		}
		return check(ctx, r)
	}
	return e
}

// copyLeaders has those of a kind that passed the gate, in the order of their boards. Of spot traders those are early buyers: only of
// them it is known what a copier would have made.
func (k *kind) copyLeaders(venue string, places []place) (draft, error) {
	spot := venue == spotVenue
	d, err := drafted(k, places, mirrorableFirst, func(c *candidate) bool { return c.mirrorable() && (!spot || c.earlyBuyer()) },
		func(rank int, c *candidate, among *selection) CopyLeaderRow {
			return copyLeaderRow(rank, c, among, venue)
		})
	if spot {
		d.summary.Found, d.summary.Waiting = 0, 0
		for i := range places {
			d.summary.Found += places[i].early.found
			d.summary.Waiting += places[i].early.waiting
		}
	}
	return d, err
}

func copyLeaderRow(rank int, c *candidate, among *selection, venue string) CopyLeaderRow {
	row := CopyLeaderRow{Rank: rank, Address: c.address, Venue: venue, Standing: standingOf(c, among), Assessment: *c.graded.Assessment}
	if venue == spotVenue {
		place, text := c.group.Place, disclosure
		row.Chain, row.Disclosure = &place, &text
	}
	return row
}

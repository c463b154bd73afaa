package leader

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

var mirrorableOnly = endpoint.Boolean("mirrorableOnly", "1 for the mirrorable wallets alone.")

// mirrorablePart is the part of a board that mirrorableOnly leaves.
const mirrorablePart = "mirrorable"

func (s shelf) spotLeaders() endpoint.Endpoint {
	return boardEndpoint(endpoint.Declaration{
		Name: "spot-leaders", Path: "/v1/copy/spot-leaders",
		Summary:    "Lists the wallets that were early in tokens that rose, the mirrorable ones first, and why the others are gated out.",
		Parameters: []endpoint.Parameter{onChain, mirrorableOnly},
	}, s.memory.Boards, func(r *endpoint.Request) view {
		v := view{board: boardOf(spotLeaders, onChain.Of(r))}
		if mirrorableOnly.Of(r) {
			v.part = mirrorablePart
		}
		return v
	}, func(edition store.Edition, v view) (int, error) {
		if v.part == "" {
			return edition.Rows, nil
		}
		of, err := summaryOf(edition)
		return of.Mirrorable, err
	}, Board[SpotLeaderRow]{}, func(_ *endpoint.Request, read *page) (Board[jsontext.Value], error) {
		return leaderBoard(read, noteOnSpotLeaders)
	})
}

func noteOnSpotLeaders(s summary, _ int) string {
	if s.Mirrorable == 0 {
		return fmt.Sprintf("No wallet passes the gate yet, of %s graded so far; without mirrorableOnly each is listed with the reasons.", display.Count(s.Found-s.Waiting, "early buyer"))
	}
	return ""
}

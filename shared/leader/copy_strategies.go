package leader

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

func (s shelf) strategies() endpoint.Endpoint {
	return boardEndpoint(endpoint.Declaration{
		Name: "strategies", Path: "/v1/copy/strategies",
		Summary:    "Lists what can be copied at each venue, and grades the leaders of each; with chainId what can be copied on that chain.",
		Parameters: []endpoint.Parameter{onChainID},
	}, s.memory.Boards, func(r *endpoint.Request) view {
		return view{board: boardOf(strategies, onChainID.Of(r))}
	}, allRows, Board[StrategyRow]{}, func(_ *endpoint.Request, read *page) (Board[jsontext.Value], error) {
		return leaderBoard(read, func(summary, int) string {
			return "A venue's own profit figures stand beside our grades and take no part in them."
		})
	})
}

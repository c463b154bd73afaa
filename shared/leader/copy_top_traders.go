package leader

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

func (s shelf) topTraders() endpoint.Endpoint {
	return boardEndpoint(endpoint.Declaration{
		Name: "top-traders", Path: "/v1/copy/top-traders",
		Summary:    "Ranks spot traders by our grades, the unrated in the middle.",
		Parameters: []endpoint.Parameter{onChainID},
	}, s.memory.Boards, func(r *endpoint.Request) view {
		return view{board: boardOf(topTraders, onChainID.Of(r))}
	}, allRows, Board[TopTraderRow]{}, func(_ *endpoint.Request, read *page) (Board[jsontext.Value], error) {
		return leaderBoard(read, func(summary, int) string {
			return "Decentralised exchanges publish no profit of a wallet, so that venuePnlUsd is null here; intel is our own grade of closed positions."
		})
	})
}

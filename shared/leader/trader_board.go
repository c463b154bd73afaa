package leader

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

func (s shelf) traderBoard() endpoint.Endpoint {
	return boardEndpoint(endpoint.Declaration{
		Name:       traderBoard,
		Summary:    "Ranks the wallets whose closed positions prove them worth mirroring, corrected for how many wallets were looked at.",
		Parameters: []endpoint.Parameter{onChain},
	}, s.memory.Boards, func(r *endpoint.Request) view {
		return view{board: boardOf(traderBoard, onChain.Of(r))}
	}, allRows, Board[TraderBoardRow]{}, func(_ *endpoint.Request, read *page) (Board[jsontext.Value], error) {
		return leaderBoard(read, noteOnTraderBoard)
	})
}

func noteOnTraderBoard(s summary, rows int) string {
	if rows == 0 {
		return fmt.Sprintf("No wallet proves worth mirroring yet, of %s graded so far; that is usual while histories are short.", display.Count(s.Found-s.Waiting, "wallet"))
	}
	return ""
}

package evmrpc

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Later sales: a third of what was bought a block later, half of the rest after laterBlocks, all that is left after laterTime.
const (
	laterBlocks = 20
	laterTime   = time.Hour
)

type simulatedCall struct {
	From  chain.Address `json:"from"`
	To    chain.Address `json:"to"`
	Input string        `json:"input"`
}

type simulatedBlock struct {
	Block struct {
		Number string `json:"number"`
		Time   string `json:"time,omitempty"`
	} `json:"blockOverrides"`
	State map[string]accountOverride `json:"stateOverrides,omitempty"`
	Calls []simulatedCall            `json:"calls"`
}

// sellLater buys in one block and sells in later ones, as eth_simulateV1 lets a node imagine them. The sale after an hour decides:
// before that a token may rightly make buyers wait.
func (t *testTrade) sellLater(ctx context.Context, a *Adapter) (market.Trial, error) {
	head, err := a.head(ctx, t.client)
	if gone(err) {
		return untried, err
	}
	if err != nil {
		return untried, nil
	}
	block := func(after uint64, data string) simulatedBlock {
		b := simulatedBlock{Calls: []simulatedCall{{t.buyer, t.buyer, data}}}
		b.Block.Number = hexBlock(head + 1 + after)
		return b
	}
	blocks := []simulatedBlock{
		block(0, t.callData(buySelector, 1)), block(1, t.callData(sellShareSelector, 333)),
		block(laterBlocks, t.callData(sellShareSelector, 500)), block(laterBlocks+1, t.callData(sellShareSelector, 1000)),
	}
	blocks[0].State = t.overrides()
	blocks[3].Block.Time = hexBlock(uint64(t.client.Now().Add(laterTime).Unix()))
	params := []any{struct {
		Blocks []simulatedBlock `json:"blockStateCalls"`
	}{blocks}, "latest"}
	outcomes, err := ask(ctx, t.client, call{"eth_simulateV1", params}, parseSimulatedCalls)
	switch {
	case gone(err):
		return untried, err
	case err != nil || len(outcomes) != len(blocks) || outcomes[0].status != tradeDone:
		return untried, nil
	}
	return outcomes[3].sell(), nil
}

// parseSimulatedCalls reads what every call of eth_simulateV1 returned; blocks that the node puts in between have none. A call that
// reverted is a sale that failed.
func parseSimulatedCalls(result []byte) ([]outcome, error) {
	var blocks []struct {
		Calls []struct {
			Data   string   `json:"returnData"`
			Status quantity `json:"status"`
		} `json:"calls"`
	}
	if err := json.Unmarshal(result, &blocks, lenient); err != nil {
		return nil, err
	}
	var all []outcome
	for _, block := range blocks {
		for _, simulated := range block.Calls {
			if simulated.Status.value.IsZero() {
				all = append(all, outcome{status: sellFailed})
				continue
			}
			data, err := parseBytes(simulated.Data)
			if err != nil {
				return nil, err
			}
			outcomes, err := parseOutcomes(data, 1)
			if err != nil {
				return nil, err
			}
			all = append(all, outcomes[0])
		}
	}
	return all, nil
}

package evmrpc

import (
	"encoding/hex"
	"errors"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const day = 24 * 3600 // blocks of a second

// launched is a node with a pool that was made at the start of the tenth day, and a purchase in each of its first hours. Its token has
// 18 decimals and was minted so many seconds before.
func launched(hours int, minted uint64) (*fakeNode, *market.PoolLaunch) {
	node := &fakeNode{head: 30 * day, state: map[string]string{
		newToken.String() + " " + callData(decimalsSelector):    "0x" + word("12"),
		newToken.String() + " " + callData(totalSupplySelector): "0x" + hex.EncodeToString(wordOf(raw(4_000_000_000))),
	}}
	add := func(block uint64, s *story) {
		transaction := fakeTransaction{block: block}
		for _, log := range s.logs {
			wire := rawLog{Address: log.Address.String(), Data: "0x" + hex.EncodeToString(log.Data)}
			for _, topic := range log.Topics {
				wire.Topics = append(wire.Topics, topic.String())
			}
			transaction.logs = append(transaction.logs, wire)
		}
		node.transactions = append(node.transactions, transaction)
	}
	add(10*day-minted, new(story).moves(newToken, chain.Address{}, deployer, 1_000_000_000))
	add(10*day, new(story).moves(newToken, deployer, newPool, 800_000_000).moves(newPool, chain.Address{}, deployer, 89_000).
		sync(800_000_000, 10_000).emit(newPool, []Word{mintV2Topic, addressWord(trading)}, raw(800_000_000), raw(10_000)))
	for hour := range hours {
		add(10*day+uint64(hour+1)*3600, new(story).moves(newToken, newPool, alice, 1000).sync(799_999_000, 10_010).swapV2(0, 10, 1000, 0))
	}
	launch := launchOf("v2")
	launch.Block, launch.Time = 10*day, blockTimeOf(10*day)
	return node, launch
}

func wordOf(w Word) []byte { return w[:] }

func historyOf(t *testing.T, adapter *Adapter, launch *market.PoolLaunch, until uint64) *market.PoolHistory {
	t.Helper()
	history, err := adapter.PoolHistory(t.Context(), mustChain(t, chain.Ethereum), market.PoolHistoryRequest{Launch: *launch, Until: blockTimeOf(until)})
	if err != nil {
		t.Fatal(err)
	}
	return history
}

func TestAHistoryEndsWhereItIsAskedTo(t *testing.T) {
	node, launch := launched(30, 3600)
	adapter := node.on(chain.Ethereum)
	until := uint64(11*day + 1800)
	history := historyOf(t, adapter, launch, until)
	if len(history.Swaps) != 24 || history.Truncated || !history.Until.Equal(blockTimeOf(until)) || history.Decimals != 18 || history.Supply != 1e6 {
		t.Errorf("%d swaps, %+v", len(history.Swaps), history)
	}
	if !history.MintedAt.Equal(blockTimeOf(10*day-3600)) || history.MintedTo != deployer {
		t.Errorf("%s %s", history.MintedAt, history.MintedTo)
	}
	// What happens at the very end is not in it.
	if at := historyOf(t, adapter, launch, 10*day+7200); len(at.Swaps) != 1 {
		t.Errorf("%d swaps before the second", len(at.Swaps))
	}
	node.calls = nil
	historyOf(t, adapter, launch, until)
	if node.calls["eth_getBlockByNumber"] != 0 || node.calls["eth_blockNumber"] != 1 {
		t.Errorf("borders are searched for again: %v", node.calls)
	}
	node.untimed = true
	untimed := historyOf(t, adapter, launch, until)
	if !slices.Equal(untimed.Swaps, history.Swaps) || !slices.Equal(untimed.Changes, history.Changes) {
		t.Error("without times in logs it is another")
	}
}

func TestATokenOfBeforeIsNotNew(t *testing.T) {
	node, launch := launched(3, 5*day)
	history := historyOf(t, node.on(chain.Ethereum), launch, 11*day)
	if !history.MintedAt.IsZero() || !history.MintedTo.IsZero() || history.Supply != 4e6 || len(history.Moves) != 1 || !nearly(history.Moves[0].Share, 0.2) {
		t.Errorf("%+v", history)
	}
	node.state = nil
	history = historyOf(t, node.on(chain.Ethereum), launch, 11*day)
	if history.Decimals != 0 || !math.IsNaN(history.Supply) || !math.IsNaN(history.Moves[0].Share) || math.Abs(history.Swaps[0].Tokens-1e18) > 1e3 {
		t.Errorf("a token that tells nothing: %+v", history)
	}
}

func TestHistoriesOfADifficultNode(t *testing.T) {
	node, launch := launched(30, 3600)
	want := historyOf(t, node.on(chain.Ethereum), launch, 12*day)
	for name, refuse := range map[string]func(from, to uint64, matching int) *fakeFault{
		"short ranges": func(from, to uint64, _ int) *fakeFault {
			return when(to-from >= 20_000, -32602, "block range too large")
		},
		"few results": func(_, _ uint64, n int) *fakeFault { return when(n > 7, -32005, "query returned more than 7 results") },
	} {
		node.refuse = refuse
		if got := historyOf(t, node.on(chain.Ethereum), launch, 12*day); !slices.Equal(got.Swaps, want.Swaps) || !slices.Equal(got.Changes, want.Changes) || !slices.Equal(got.Moves, want.Moves) || got.Truncated {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// checkCut sees that a history is cut short and complete up to where it says.
func checkCut(t *testing.T, name string, got *market.PoolHistory) {
	t.Helper()
	node, launch := launched(30, 3600)
	want := historyOf(t, node.on(chain.Ethereum), launch, 12*day)
	complete := 0
	for complete < len(want.Swaps) && want.Swaps[complete].Time.Before(got.Until) {
		complete++
	}
	if !got.Truncated || !got.Until.Before(blockTimeOf(12*day)) || !slices.Equal(got.Swaps, want.Swaps[:complete]) {
		t.Errorf("%s: %d swaps until %s, %v", name, len(got.Swaps), got.Until, got.Truncated)
	}
}

func TestAHistoryThatIsTooLongIsCutShort(t *testing.T) {
	node, launch := launched(30, 3600)
	for _, span := range []uint64{1 << 20, 5000, 3600} {
		adapter := node.on(chain.Ethereum)
		adapter.limits.historyLogs, adapter.limits.firstSpan = 35, span
		got := historyOf(t, adapter, launch, 12*day)
		// Five logs before trading, three a trade: the eleventh trade is the first that does not fit whole.
		if checkCut(t, "logs", got); len(got.Swaps) != 10 || !got.Until.Equal(blockTimeOf(10*day+11*3600)) {
			t.Errorf("%d swaps until %s however the node is asked", len(got.Swaps), got.Until)
		}
	}
	adapter := node.on(chain.Ethereum)
	adapter.limits.historyCalls, adapter.limits.firstSpan = 9, 20_000
	checkCut(t, "calls", historyOf(t, adapter, launch, 12*day))
	node.head = 11 * day
	got := historyOf(t, node.on(chain.Ethereum), launch, 12*day)
	if checkCut(t, "chain", got); !got.Until.Equal(blockTimeOf(11 * day)) {
		t.Error(got.Until)
	}
}

func TestHistoriesThatCannotBeRead(t *testing.T) {
	on := mustChain(t, chain.Ethereum)
	for name, spoil := range map[string]func(*fakeNode, *market.PoolLaunch){
		"no history": func(n *fakeNode, _ *market.PoolLaunch) {
			n.refuse = func(_, _ uint64, _ int) *fakeFault { return &fakeFault{-32000, "pruned"} }
		},
		"another time": func(_ *fakeNode, l *market.PoolLaunch) { l.Block = 3 },
		"no decimals": func(n *fakeNode, _ *market.PoolLaunch) {
			n.answer = map[string]string{"eth_call": `{"id":1,"error":{"code":-32000,"message":"busy"}}`}
		},
		"no chain": func(n *fakeNode, _ *market.PoolLaunch) { n.head = 9 * day },
		"wrong types": func(n *fakeNode, _ *market.PoolLaunch) {
			n.answer = map[string]string{"eth_getLogs": `{"id":1,"result":[{"address":7}]}`}
		},
	} {
		node, launch := launched(3, 3600)
		spoil(node, launch)
		history, err := node.on(chain.Ethereum).PoolHistory(t.Context(), on, market.PoolHistoryRequest{Launch: *launch, Until: blockTimeOf(11 * day)})
		if !errors.Is(err, market.ErrUnavailable) {
			t.Errorf("%s: %+v, %v", name, history, err)
		}
	}
	node, launch := launched(3, 3600)
	for name, request := range map[string]market.PoolHistoryRequest{
		"ends before it begins": {Launch: *launch, Until: launch.Time},
		"no pool":               {Launch: market.PoolLaunch{Token: newToken, Version: "v2", Time: launch.Time}, Until: launch.Time.Add(time.Hour)},
	} {
		if _, err := node.on(chain.Ethereum).PoolHistory(t.Context(), on, request); err == nil || errors.Is(err, market.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

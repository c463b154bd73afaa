package evmrpc

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

func TestPoolTopics(t *testing.T) {
	for signature, topic := range map[string]Word{
		"PairCreated(address,address,address,uint256)":                           pairCreatedTopic,
		"PoolCreated(address,address,uint24,int24,address)":                      poolCreatedTopic,
		"PoolCreated(address,address,int24,address)":                             slipstreamCreatedTopic,
		"PoolCreated(address,address,bool,address,uint256)":                      velodromeCreatedTopic,
		"Pool(address,address,address)":                                          algebraCreatedTopic,
		"Initialize(bytes32,address,address,uint24,int24,address,uint160,int24)": uniswapV4InitializeTopic,
		"Sync(uint112,uint112)":                                                  syncTopic,
		"Sync(uint256,uint256)":                                                  velodromeSyncTopic,
		"Mint(address,uint256,uint256)":                                          mintV2Topic,
		"Burn(address,uint256,uint256,address)":                                  burnV2Topic,
		"Burn(address,address,uint256,uint256)":                                  velodromeBurnTopic,
		"Mint(address,address,int24,int24,uint128,uint256,uint256)":              mintV3Topic,
		"Burn(address,int24,int24,uint128,uint256,uint256)":                      burnV3Topic,
		"Collect(address,address,int24,int24,uint128,uint128)":                   collectTopic,
		"CollectProtocol(address,address,uint128,uint128)":                       collectProtocolTopic,
		"Flash(address,address,uint256,uint256,uint256,uint256)":                 flashTopic,
		"ModifyLiquidity(bytes32,address,int24,int24,int256,bytes32)":            modifyLiquidityTopic,
	} {
		if got := keccak(signature); got != topic {
			t.Errorf("%s is %s, not %s", signature, got, topic)
		}
	}
}

func TestEveryChainHasFactories(t *testing.T) {
	for _, on := range chain.All() {
		seen := map[chain.Address]bool{}
		versions := map[string]bool{}
		for _, one := range factoriesOf[on.Slug] {
			if seen[one.address] {
				t.Errorf("%s: %s twice", on.Slug, one.address)
			}
			seen[one.address], versions[one.dialect.version] = true, true
		}
		if _, managed := managerOf(on); !managed || !versions["v2"] || !versions["v3"] {
			t.Errorf("%s: %v", on.Slug, versions)
		}
	}
}

// made is a factory's event of a pool between two tokens in the given order.
func made(by factory, token0, token1, pool string, third string) rawLog {
	log := rawLog{Address: by.address.String(), Topics: []string{by.dialect.topic.String(), topicOf(token0[2:]), topicOf(token1[2:])}}
	if by.dialect == &managed {
		log.Topics = []string{by.dialect.topic.String(), "0x" + strings.Repeat("0", 24) + pool[2:], topicOf(token0[2:]), topicOf(token1[2:])}
	} else if by.dialect.topics == 4 {
		log.Topics = append(log.Topics, topicOf(third))
	}
	words := slices.Repeat([]string{word("5")}, by.dialect.words)
	if by.dialect != &managed {
		words[by.dialect.word] = word(pool[2:])
	}
	log.Data = "0x" + strings.Join(words, "")
	return log
}

// launching is a node on which every factory of a chain makes a pool of token 70ce1 against the wrapped coin, a block each from 100 on.
func launching(on *chain.Chain) (*fakeNode, []market.PoolLaunch) {
	node := &fakeNode{head: 5000}
	var want []market.PoolLaunch
	wrapped := on.WrappedNative.Address.String()
	for i, by := range factoriesOf[on.Slug] {
		made := made(by, token, wrapped, account(fmt.Sprintf("9%03d", i)), "0")
		block := uint64(100 + i)
		node.transactions = append(node.transactions, fakeTransaction{block: block, logs: []rawLog{made}})
		id := account(fmt.Sprintf("9%03d", i))
		if by.dialect == &managed {
			id = "0x" + strings.Repeat("0", 24) + id[2:]
		}
		address, _ := chain.ParseWireAddress(token)
		want = append(want, market.PoolLaunch{Token: address, Pool: id, Version: by.dialect.version, Quote: on.WrappedNative.Address, Block: block, Time: blockTimeOf(block)})
	}
	return node, want
}

func launchesOf(t *testing.T, adapter *Adapter, on *chain.Chain, from, to uint64) []market.PoolLaunch {
	t.Helper()
	launches, err := adapter.Launches(t.Context(), on, market.LaunchesRequest{From: blockTimeOf(from), To: blockTimeOf(to)})
	if err != nil {
		t.Fatal(err)
	}
	return launches
}

func TestLaunchesOfEveryFactory(t *testing.T) {
	for _, on := range chain.All() {
		for _, untimed := range []bool{false, true} {
			node, want := launching(on)
			node.untimed = untimed
			if got := launchesOf(t, node.on(on.Slug), on, 100, 4000); !slices.Equal(got, want) {
				t.Errorf("%s:\n got %+v\nwant %+v", on.Slug, got, want)
			}
			if got := launchesOf(t, node.on(on.Slug), on, 101, 103); !slices.Equal(got, want[1:3]) {
				t.Errorf("%s: from inclusive to exclusive: %+v", on.Slug, got)
			}
			if got := launchesOf(t, node.on(on.Slug), on, 6000, 7000); got == nil || len(got) != 0 {
				t.Errorf("%s: before the chain is there: %+v", on.Slug, got)
			}
			if got := launchesOf(t, node.on(on.Slug), on, 103, 9000); !slices.Equal(got, want[3:]) {
				t.Errorf("%s: up to where the chain is: %+v", on.Slug, got)
			}
		}
	}
}

func TestWhatIsNoLaunch(t *testing.T) {
	on := mustChain(t, chain.Base)
	wrapped := on.WrappedNative.Address.String()
	uniswap, aerodrome, manager := factoriesOf[chain.Base][0], factoriesOf[chain.Base][3], factoriesOf[chain.Base][10]
	elsewhere := uniswap
	elsewhere.address = chain.Address{0x66}
	short := made(uniswap, token, wrapped, pool, "")
	short.Data = short.Data[:66]
	foreign := made(factory{uniswap.address, &concentrated}, token, wrapped, pool, "0")
	for name, log := range map[string]rawLog{
		"two quote assets":        made(uniswap, wrapped, on.Stables[0].Address.String(), pool, ""),
		"no quote asset":          made(uniswap, token, second, pool, ""),
		"tokens out of order":     made(uniswap, wrapped, token, pool, ""),
		"one token":               made(uniswap, token, token, pool, ""),
		"a stable curve":          made(aerodrome, token, wrapped, pool, "1"),
		"no pool":                 made(uniswap, token, wrapped, account("0"), ""),
		"another contract":        made(elsewhere, token, wrapped, pool, ""),
		"another factory's event": foreign,
		"short data":              short,
	} {
		node := &fakeNode{head: 500, transactions: []fakeTransaction{{block: 100, logs: []rawLog{log}}}}
		if got := launchesOf(t, node.on(chain.Base), on, 50, 400); len(got) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
	native := &fakeNode{head: 500, transactions: []fakeTransaction{{block: 100, logs: []rawLog{made(manager, account("0"), token, pool, "")}}}}
	if got := launchesOf(t, native.on(chain.Base), on, 50, 400); len(got) != 1 || got[0].Quote != chain.Native || got[0].Version != "v4" {
		t.Errorf("the coin itself: %+v", got)
	}
}

func TestLaunchesOfADifficultNode(t *testing.T) {
	on := mustChain(t, chain.Base)
	_, want := launching(on)
	large := func(n *fakeNode) *Adapter {
		client := upstream.New(upstream.Config{Name: "node", Base: "http://node.test", PerMinute: 1e9, Burst: 1e6, Concurrency: 64, MaximumBytes: 3000, Examine: Examine},
			upstream.Shared{Transport: n, Clock: func() time.Time { return blockTimeOf(n.head) }})
		return New(map[chain.Slug]*upstream.Client{on.Slug: client})
	}
	plainly := func(n *fakeNode) *Adapter { return n.on(on.Slug) }
	for name, c := range map[string]struct {
		refuse func(from, to uint64, matching int) *fakeFault
		make   func(*fakeNode) *Adapter
	}{
		"short ranges":  {func(from, to uint64, _ int) *fakeFault { return when(to-from >= 50, -32602, "range too large") }, plainly},
		"few results":   {func(_, _ uint64, n int) *fakeFault { return when(n > 2, -32005, "query returned more than 2 results") }, plainly},
		"small answers": {nil, large},
	} {
		node, _ := launching(on)
		node.refuse = c.refuse
		if got := launchesOf(t, c.make(node), on, 100, 4000); !slices.Equal(got, want) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	for name, spoil := range map[string]func(*fakeNode, *Adapter){
		"too few calls": func(n *fakeNode, a *Adapter) {
			n.refuse = func(from, to uint64, _ int) *fakeFault { return when(to-from >= 50, -32602, "range too large") }
			a.limits.launchCalls = 20
		},
		"no history": func(n *fakeNode, _ *Adapter) {
			n.refuse = func(_, _ uint64, _ int) *fakeFault { return &fakeFault{-32000, "pruned"} }
		},
		"not a list": func(n *fakeNode, _ *Adapter) {
			n.answer = map[string]string{"eth_getLogs": `{"id":1,"result":{"a":1}}`}
		},
		"no times": func(n *fakeNode, _ *Adapter) {
			n.answer = map[string]string{"eth_getBlockByNumber": `{"id":1,"result":{"timestamp":true}}`}
		},
		"one time": func(n *fakeNode, _ *Adapter) {
			n.answer = map[string]string{"eth_getBlockByNumber": `{"id":1,"result":{"timestamp":"0x7fffffff"}}`}
		},
		"wrong times": func(n *fakeNode, _ *Adapter) {
			n.answer = map[string]string{"eth_getLogs": strings.ReplaceAll(`{"id":1,"result":[{"address":"`+token+`","topics":[],"data":"0x","blockNumber":"0x64","blockTimestamp":"0x1","transactionHash":"0x`+strings.Repeat("1", 64)+`","transactionIndex":"0x0","logIndex":"0x0"}]}`, "\n", "")}
		},
	} {
		node, _ := launching(on)
		adapter := node.on(on.Slug)
		spoil(node, adapter)
		got, err := adapter.Launches(t.Context(), on, market.LaunchesRequest{From: blockTimeOf(100), To: blockTimeOf(4000)})
		if name == "one time" && err == nil && len(got) == 0 {
			continue // every block is later than asked for
		}
		if !errors.Is(err, market.ErrUnavailable) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	node, _ := launching(on)
	if _, err := node.on(on.Slug).Launches(t.Context(), on, market.LaunchesRequest{From: blockTimeOf(9), To: blockTimeOf(9)}); err == nil || errors.Is(err, market.ErrUnavailable) {
		t.Error("an empty request:", err)
	}
	if _, err := node.on(chain.BSC).Launches(t.Context(), on, market.LaunchesRequest{From: blockTimeOf(9), To: blockTimeOf(99)}); !errors.Is(err, market.ErrUnavailable) {
		t.Error("no node:", err)
	}
}

func TestLogsThatWereTakenBackOrComeTwice(t *testing.T) {
	logs := inOrder([]Log{{Block: 2, Index: 1}, {Block: 1, Index: 7}, {Block: 2, Index: 0}, {Block: 2, Index: 1}, {Block: 1, Index: 3, Removed: true}})
	if len(logs) != 3 || logs[0].Block != 1 || logs[1].Index != 0 || logs[2].Index != 1 {
		t.Errorf("%+v", logs)
	}
}

// Whatever the pace of blocks, the search finds the first that is not older, and soon where the pace is even.
func TestBorderSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steady := rapid.Bool().Draw(t, "steady")
		count := rapid.IntRange(1, 3000).Draw(t, "blocks")
		pace := rapid.SampledFrom([]int{0, 1, 2, 12, 60}).Draw(t, "pace")
		times := make([]time.Time, count)
		at := epoch
		for i := range times {
			if step := pace; i > 0 {
				if !steady && rapid.IntRange(0, 9).Draw(t, "uneven") == 0 {
					step = rapid.IntRange(0, 5000).Draw(t, "gap")
				}
				at = at.Add(time.Duration(step) * time.Second)
			}
			times[i] = at
		}
		wanted := epoch.Add(time.Duration(rapid.IntRange(-5, max(1, int(at.Sub(epoch).Seconds()))).Draw(t, "at")) * time.Second)
		want, _ := slices.BinarySearchFunc(times, wanted, time.Time.Compare)
		for want > 0 && !times[want-1].Before(wanted) {
			want--
		}
		search := borderSearch{at: wanted, high: instant{uint64(count - 1), times[count-1]}}
		if search.high.time.Before(wanted) {
			return
		}
		next, probes := search.high.block/2, 0
		for ; !search.found(); probes++ {
			if next >= search.high.block || search.known && next <= search.low.block || probes > maximumProbes {
				t.Fatalf("looks at %d between %d and %d, probe %d", next, search.low.block, search.high.block, probes)
			}
			next = search.narrow(instant{next, times[next]})
		}
		if search.high.block != uint64(want) {
			t.Fatalf("found %d, want %d", search.high.block, want)
		}
		if steady && pace > 0 && probes > 6 {
			t.Fatalf("%d probes at an even pace", probes)
		}
	})
}

func TestTimesOfLogsWithoutOne(t *testing.T) {
	on := mustChain(t, chain.BSC)
	node := &fakeNode{head: 100_000}
	adapter := node.on(chain.BSC)
	client, _ := adapter.client(on)
	var logs []Log
	for block := uint64(1); block < 2000; block += 3 {
		logs = append(logs, Log{Block: block}, Log{Block: block, Index: 1})
	}
	if err := adapter.timed(t.Context(), client, on, logs); err != nil {
		t.Fatal(err)
	}
	for i := range logs {
		if logs[i].Time.Sub(blockTimeOf(logs[i].Block)).Abs() > time.Second {
			t.Fatalf("block %d is of %s", logs[i].Block, logs[i].Time)
		}
	}
	if calls := node.calls["eth_getBlockByNumber"]; calls != timedLogBlocks {
		t.Errorf("%d blocks are asked for", calls)
	}
	for name, logs := range map[string][]Log{
		"backwards":            {{Block: 5, Time: blockTimeOf(9)}, {Block: 6, Time: blockTimeOf(8)}},
		"one block, two times": {{Block: 5, Time: blockTimeOf(9)}, {Block: 5, Index: 1, Time: blockTimeOf(10)}},
	} {
		if err := adapter.timed(t.Context(), client, on, logs); !errors.Is(err, market.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

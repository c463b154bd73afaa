package samplemarket

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// logsFor asks a chain's node for logs.
func logsFor(t failing, m *Market, w *world, filter map[string]any) []rpcLog {
	t.Helper()
	params, err := json.Marshal(filter)
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		Result []rpcLog
		Error  *rpcError
	}
	decode(t, rpc(t, m, w.spec.slug, `{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[`+string(params)+`]}`), &answer)
	if answer.Error != nil {
		t.Fatal(fmt.Sprintf("%s: %+v", params, *answer.Error))
	}
	return answer.Result
}

// logsSince asks for all logs since a time, in as many questions as it takes.
func logsSince(t failing, m *Market, w *world, since int32, filter map[string]any) (logs []rpcLog) {
	t.Helper()
	for from := w.spec.blockAt(w.start + int64(since)); from <= w.head(); from += maxLogBlocks {
		filter["fromBlock"], filter["toBlock"] = quantity(from), quantity(from+maxLogBlocks-1)
		logs = append(logs, logsFor(t, m, w, filter)...)
	}
	return logs
}

// dataWord is the n-th word of a log's data, signed.
func dataWord(l *rpcLog, n int) *big.Int {
	value, _ := new(big.Int).SetString(l.Data[2+64*n:66+64*n], 16)
	if value.Bit(255) == 1 {
		value.Sub(value, new(big.Int).Lsh(big.NewInt(1), 256))
	}
	return value
}

// Every pool is announced once, by the maker of its version, at the instant it was made, with its assets in the order of their addresses.
func TestPoolsAreAnnounced(t *testing.T) {
	m := shared()
	for _, w := range m.worlds {
		makers := []string{w.spec.factoryV2, w.spec.factoryV3, w.spec.poolManager}
		announced := map[string]rpcLog{}
		kinds := []string{topicPairCreated, topicPoolCreated, topicInitializeV4}
		for _, l := range logsSince(t, m, w, -30*daySeconds, map[string]any{"address": makers, "topics": []any{kinds}}) {
			pool := "0x" + l.Data[len(l.Data)-104:len(l.Data)-64]
			switch l.Topics[0] {
			case topicPoolCreated:
				pool = "0x" + l.Data[len(l.Data)-40:]
			case topicInitializeV4:
				pool = l.Topics[1]
			}
			if _, twice := announced[pool]; twice {
				t.Fatalf("%s: pool %s is announced twice", w.spec.slug, pool)
			}
			announced[pool] = l
		}
		for i := range w.pools {
			p := &w.pools[i]
			if p.created < -30*daySeconds {
				continue
			}
			name, maker, assets := w.entities[p.entity].address.String(), makers[p.version], 1
			if p.version == poolV4 {
				name, assets = hexHash(p.id), 2
			}
			l, known := announced[name]
			if !known {
				t.Fatalf("%s: pool %d (version %d) is not announced", w.spec.slug, i, p.version)
			}
			delete(announced, name)
			token, quote := w.addressTopic(w.assets[p.token].entity), w.addressTopic(w.assets[p.quote].entity)
			if token > quote {
				token, quote = quote, token
			}
			if l.Address != mustAddress(maker).String() || l.Topics[assets] != token || l.Topics[assets+1] != quote || l.BlockTimestamp != quantity(w.start+int64(p.created)) {
				t.Fatalf("%s: pool %d is announced as %+v", w.spec.slug, i, l)
			}
		}
		if len(announced) > 0 {
			t.Fatalf("%s: %d announced pools do not exist", w.spec.slug, len(announced))
		}
	}
}

// What a pool has says the same as the deposits, withdrawals and trades in its logs.
func TestReservesFollowFromPoolLogs(t *testing.T) {
	m := shared()
	withdrawals := map[poolVersion]int{}
	for _, w := range m.worlds[:1] {
		for i := range w.pools {
			p := &w.pools[i]
			deep := p.tokenID < 0 || w.tokens[p.tokenID].kind == kindMajor || w.tokens[p.tokenID].kind == kindPhoenix
			if p.created < -12*daySeconds || deep || p.drainedAt == 0 && i%3 != 0 {
				continue
			}
			filter := map[string]any{"address": w.entities[p.entity].address.String()}
			if p.version == poolV4 {
				filter["topics"] = []any{nil, hexHash(p.id)}
			}
			first, second := new(big.Int), new(big.Int)
			root := new(big.Float)
			for _, l := range logsSince(t, m, w, p.created, filter) {
				add := func(sign int64, a, b *big.Int) {
					first.Add(first, new(big.Int).Mul(big.NewInt(sign), a))
					second.Add(second, new(big.Int).Mul(big.NewInt(sign), b))
				}
				switch l.Topics[0] {
				case topicSync:
					first, second = dataWord(&l, 0), dataWord(&l, 1)
				case topicBurnV2:
					withdrawals[poolV2]++
				case topicMintV3:
					add(1, dataWord(&l, 2), dataWord(&l, 3))
				case topicCollectV3:
					withdrawals[poolV3]++
					add(-1, dataWord(&l, 1), dataWord(&l, 2))
				case topicSwapV3:
					add(1, dataWord(&l, 0), dataWord(&l, 1))
				case topicInitializeV4:
					root = new(big.Float).SetMantExp(new(big.Float).SetInt(dataWord(&l, 3)), -96)
				case topicSwapV4:
					add(-1, dataWord(&l, 0), dataWord(&l, 1))
					root = new(big.Float).SetMantExp(new(big.Float).SetInt(dataWord(&l, 2)), -96)
				case topicModifyLiquidity:
					if liquidity := dataWord(&l, 2); liquidity.Sign() != 0 {
						amount := new(big.Float).SetInt(liquidity)
						a, _ := new(big.Float).Quo(amount, root).Int(nil)
						b, _ := new(big.Float).Mul(amount, root).Int(nil)
						add(1, a, b)
						if liquidity.Sign() < 0 {
							withdrawals[poolV4]++
						}
					}
				}
			}
			if !w.tokenIsFirst(p) {
				first, second = second, first
			}
			close := func(got *big.Int, asset *asset, units int64) bool {
				// Shares of concentrated liquidity round; the others are exact.
				a, _ := new(big.Float).SetInt(got).Float64()
				b, _ := new(big.Float).SetInt(asset.rawBig(units)).Float64()
				tolerance := 0.0
				if p.version == poolV4 {
					tolerance = 1e-9 * math.Max(b, 1e21)
				}
				return math.Abs(a-b) <= tolerance
			}
			if !close(first, &w.assets[p.token], p.tokenReserve) || !close(second, &w.assets[p.quote], p.quoteReserve) {
				t.Fatalf("%s: pool %d (version %d) holds %v and %v by its logs, %v and %v by the ledger", w.spec.slug, i, p.version, first, second,
					w.assets[p.token].rawBig(p.tokenReserve), w.assets[p.quote].rawBig(p.quoteReserve))
			}
		}
	}
	if withdrawals[poolV2] < 4 {
		t.Errorf("withdrawals by version: %v", withdrawals)
	}
}

// A transfer has the same place in its block whether the node or the explorer tells it, also where liquidity moves.
func TestTransfersKeepTheirPlaceBesideDeposits(t *testing.T) {
	w := shared().worlds[0]
	for i := range w.changes {
		tx := w.changes[i].transaction
		var places []int
		for _, l := range w.logsOf(tx) {
			if l.topics[0] == topicTransfer {
				places = append(places, l.index)
			}
		}
		var told []int
		w.eachTransfer(tx, func(_ int32, index int) { told = append(told, index) })
		if len(places) < 2 || !slices.Equal(places, told) {
			t.Fatalf("transaction %d has transfers at %v, the explorer says %v", tx, places, told)
		}
	}
}

// A node answers a filter with all the logs that fit it and no others, whatever of it is null, one value or several.
func TestLogFilters(t *testing.T) {
	m := shared()
	rapid.Check(t, func(r *rapid.T) {
		w := m.worlds[rapid.IntRange(0, len(m.worlds)-1).Draw(r, "chain")]
		model := int32(rapid.IntRange(len(w.txs)/2, len(w.txs)-1).Draw(r, "transaction"))
		if n := len(w.changes); rapid.Bool().Draw(r, "liquidity") {
			model = w.changes[rapid.IntRange(0, n-1).Draw(r, "change")].transaction
		}
		last := min(len(w.txs)-1, int(model)+rapid.IntRange(0, 30).Draw(r, "span"))
		for w.txs[last].time-w.txs[model].time > daySeconds {
			last--
		}
		from, to := w.blockNumber(&w.txs[model]), w.blockNumber(&w.txs[last])
		var all []rpcLog
		for id := w.txsSince(w.txs[model].time); id < len(w.txs) && w.txs[id].time <= w.txs[last].time; id++ {
			all = append(all, w.rpcLogs(int32(id))...)
		}
		if len(all) == 0 { // nothing but coins moved
			return
		}
		filter := map[string]any{"fromBlock": quantity(from), "toBlock": quantity(to)}
		some := func(name string, values ...string) (any, []string) {
			switch rapid.IntRange(0, 2).Draw(r, name) {
			case 0:
				return nil, nil
			case 1:
				return values[0], values[:1]
			}
			return values, values
		}
		sample := func(name string) *rpcLog { return &all[rapid.IntRange(0, len(all)-1).Draw(r, name)] }
		one, other := sample("one"), sample("other")
		shape, addresses := some("addresses", one.Address, other.Address)
		filter["address"] = shape
		var shapes []any
		var topics [][]string
		for i := range rapid.IntRange(0, len(one.Topics)).Draw(r, "topics") {
			shape, list := some(fmt.Sprint("topic", i), one.Topics[i], other.Topics[min(i, len(other.Topics)-1)])
			shapes, topics = append(shapes, shape), append(topics, list)
		}
		filter["topics"] = shapes
		var want []rpcLog
		for _, l := range all {
			fits := len(topics) <= len(l.Topics) && (len(addresses) == 0 || slices.Contains(addresses, l.Address))
			for i := range topics {
				fits = fits && (len(topics[i]) == 0 || slices.Contains(topics[i], l.Topics[i]))
			}
			if fits {
				want = append(want, l)
			}
		}
		got := logsFor(r, m, w, filter)
		if len(got) != len(want) {
			r.Fatalf("%v: %d logs, want %d", filter, len(got), len(want))
		}
		for i := range got {
			if got[i].TransactionHash != want[i].TransactionHash || got[i].LogIndex != want[i].LogIndex {
				r.Fatalf("%v: log %d is %+v, want %+v", filter, i, got[i], want[i])
			}
		}
	})
}

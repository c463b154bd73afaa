package samplemarket

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// decode reads a JSON answer into out.
func decode(t failing, body string, out any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(out); err != nil {
		t.Fatal(err, body[:min(len(body), 200)])
	}
}

// walk follows next_page_params to the end and returns every item.
func walk(t failing, m *Market, path string) []map[string]any {
	t.Helper()
	var items []map[string]any
	for next := path; ; {
		status, body := get(t, m, next)
		var answer struct {
			Items []map[string]any `json:"items"`
			Next  map[string]any   `json:"next_page_params"`
		}
		decode(t, body, &answer)
		if status != 200 || len(answer.Items) > blockscoutPage {
			t.Fatal(status, len(answer.Items))
		}
		items = append(items, answer.Items...)
		if answer.Next == nil {
			return items
		}
		if len(items) > 100_000 {
			t.Fatal("paging does not end")
		}
		query := url.Values{}
		for key, value := range answer.Next {
			query.Set(key, fmt.Sprint(value))
		}
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		next = path + separator + query.Encode()
	}
}

// busiest finds a wallet of a group with the most transactions.
func (w *world) busiest(group string) int32 {
	best := int32(-1)
	for i := range w.wallets {
		if me := &w.wallets[i]; me.plan.group == group && (best < 0 || len(w.entities[me.entity].touch) > len(w.entities[best].touch)) {
			best = me.entity
		}
	}
	return best
}

func TestBlockscoutPagingLosesNothing(t *testing.T) {
	m := shared()
	w := m.worlds[1]
	for _, group := range []string{"busy", "crowd", "wash-ring", "mev-bot", "airdrop-farmer", "tourist"} {
		entity := w.busiest(group)
		root := "/blockscout/base/api/v2/addresses/" + w.entities[entity].address.String()
		for _, filter := range []string{"", "to", "from"} {
			suffix := ""
			if filter != "" {
				suffix = "&filter=" + filter
			}
			transfers, sent, internals := 0, 0, 0
			for _, id := range w.entities[entity].touch {
				tx := &w.txs[id]
				if tx.from == entity && filter != "to" || tx.to == entity && filter != "from" {
					sent++
				}
				for j := tx.legs; j < tx.legs+int32(tx.legCount); j++ {
					if l := &w.legs[j]; l.from == entity && filter != "to" || l.to == entity && filter != "from" {
						if l.asset == nativeAsset {
							internals++
						} else {
							transfers++
						}
					}
				}
			}
			items := walk(t, m, root+"/token-transfers?type=ERC-20"+suffix)
			seen := map[string]bool{}
			last := ""
			for i, item := range items {
				key := fmt.Sprint(item["transaction_hash"], item["log_index"])
				if seen[key] {
					t.Fatalf("%s: transfer %s twice", group, key)
				}
				seen[key] = true
				if stamp := item["timestamp"].(string); i > 0 && stamp > last {
					t.Fatalf("%s: %s after %s", group, stamp, last)
				} else {
					last = stamp
				}
			}
			if len(items) != transfers {
				t.Errorf("%s %q: %d transfers, want %d", group, filter, len(items), transfers)
			}
			if got := len(walk(t, m, root+"/transactions?x="+suffix)); got != sent {
				t.Errorf("%s %q: %d transactions, want %d", group, filter, got, sent)
			}
			if got := len(walk(t, m, root+"/internal-transactions?x="+suffix)); got != internals {
				t.Errorf("%s %q: %d internal transactions, want %d", group, filter, got, internals)
			}
		}
	}
}

func TestHoldersDescendAndSumToTheSupply(t *testing.T) {
	m := shared()
	w := m.worlds[0]
	a := &w.assets[w.tokens[w.majors[0]].asset]
	items := walk(t, m, "/blockscout/eth/api/v2/tokens/"+w.entities[a.entity].address.String()+"/holders")
	sum, last := new(big.Int), new(big.Int)
	for i, item := range items {
		value, _ := new(big.Int).SetString(item["value"].(string), 10)
		if i > 0 && value.Cmp(last) > 0 {
			t.Fatal("holders do not descend")
		}
		last = value
		sum.Add(sum, value)
	}
	if len(items) != a.holding || sum.Cmp(a.rawBig(a.supply)) != 0 {
		t.Fatalf("%d holders hold %v, want %d and %v", len(items), sum, a.holding, a.rawBig(a.supply))
	}
}

// A wallet's transfers are the same whether an explorer or a node tells them.
func TestNodeAndExplorerAgree(t *testing.T) {
	m := shared()
	w := m.worlds[0]
	for _, group := range []string{"skilled-swing", "rotator", "wash-ring"} {
		entity := w.busiest(group)
		explorer := map[string]bool{}
		for _, item := range walk(t, m, "/blockscout/eth/api/v2/addresses/"+w.entities[entity].address.String()+"/token-transfers?type=ERC-20") {
			explorer[fmt.Sprint(item["transaction_hash"], " ", item["log_index"])] = true
		}
		node := map[string]bool{}
		first := w.spec.blockAt(w.start - 30*daySeconds)
		for from := first; from <= w.head(); from += 200_000 {
			for _, topics := range []string{`["%s","%s"]`, `["%s",null,"%s"]`} {
				call := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x%x","toBlock":"0x%x","topics":`+topics+`}]}`,
					from, from+199_999, topicTransfer, w.addressTopic(entity))
				var answer struct{ Result []rpcLog }
				decode(t, rpc(t, m, "eth", call), &answer)
				for _, l := range answer.Result {
					index, _ := strconv.ParseInt(l.LogIndex[2:], 16, 64)
					node[fmt.Sprint(l.TransactionHash, " ", index)] = true
				}
			}
		}
		if len(explorer) < 20 || len(explorer) != len(node) {
			t.Fatalf("%s: %d transfers at the explorer, %d at the node", group, len(explorer), len(node))
		}
		for key := range explorer {
			if !node[key] {
				t.Fatalf("%s: the node does not know %s", group, key)
			}
		}
	}
}

// A range of one block holds that block's logs and no others, however the filter finds them.
func TestLogsOfOneBlock(t *testing.T) {
	m := shared()
	w := m.worlds[2]
	for i := 100; i < len(w.swaps); i += len(w.swaps) / 40 {
		id := w.swaps[i].transaction
		number, hash := w.blockNumber(&w.txs[id]), hexHash(w.txHash(id))
		for _, filter := range []string{"", `,"address":"` + w.poolEmitter(&w.swaps[i]) + `"`, `,"topics":[null,null,"` + w.addressTopic(w.swaps[i].trader) + `"]`} {
			var answer struct{ Result []rpcLog }
			decode(t, rpc(t, m, "bsc", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x%x","toBlock":"0x%x"%s}]}`, number, number, filter)), &answer)
			found := false
			for _, l := range answer.Result {
				if l.BlockNumber != quantity(number) {
					t.Fatalf("block %s in the logs of %d", l.BlockNumber, number)
				}
				found = found || l.TransactionHash == hash
			}
			if !found && (filter == "" || strings.Contains(filter, "address")) {
				t.Errorf("%q: nothing of %s in block %d", filter, hash, number)
			}
		}
	}
}

// poolEmitter is the contract that tells of a swap.
func (w *world) poolEmitter(s *swap) string {
	return w.entities[w.pools[s.pool].entity].address.String()
}

func rpcFailureOf(t failing, body string) rpcError {
	var answer rpcFailure
	decode(t, body, &answer)
	if answer.Error == nil {
		t.Fatal("no error in", body[:min(len(body), 200)])
	}
	return *answer.Error
}

func TestNodeRefuses(t *testing.T) {
	m := shared()
	for call, code := range map[string]int{
		`{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x1","toBlock":"latest"}]}`: -32005,
		`{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x9","toBlock":"0x1"}]}`:    -32000,
		`{"jsonrpc":"2.0","id":1,"method":"eth_nonsense","params":[]}`:                                      -32601,
		`[{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}]`:                                                 -32600,
		`{`: -32700,
		`{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["0x12"]}`:                                                                        -32602,
		`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2","data":"0xdeadbeef"},"latest"]}`:    3,
		fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"eth_getLogs","params":[{"fromBlock":"0x%x","toBlock":"latest"}]}`, m.worlds[0].head()-400_000): -32005,
	} {
		if got := rpcFailureOf(t, rpc(t, m, "eth", call)); got.Code != code || got.Message == "" {
			t.Errorf("%s: %+v, want code %d", call, got, code)
		}
	}
}

// The receipt of a trade tells the same amounts in its Transfer and its Swap logs, in every version's signs.
func TestReceiptsAddUp(t *testing.T) {
	m := shared()
	seen := map[poolVersion]int{}
	for _, w := range m.worlds[:2] { // two chains have plenty of every version
		for i := range w.swaps {
			s := &w.swaps[i]
			p := &w.pools[s.pool]
			if seen[p.version] >= 40 || i%7 != 0 {
				continue
			}
			seen[p.version]++
			var answer struct{ Result rpcReceipt }
			call := `{"jsonrpc":"2.0","id":1,"method":"eth_getTransactionReceipt","params":["` + hexHash(w.txHash(s.transaction)) + `"]}`
			decode(t, rpc(t, m, w.spec.slug, call), &answer)
			topic := [...]string{topicSwapV2, topicSwapV3, topicSwapV4}[p.version]
			found := false
			for _, l := range answer.Result.Logs {
				if l.Topics[0] != topic || (p.version != poolV4 && l.Address != w.entities[p.entity].address.String()) || (p.version == poolV4 && l.Topics[1] != hexHash(p.id)) {
					continue
				}
				word := func(i int) *big.Int {
					n, _ := new(big.Int).SetString(l.Data[2+64*i:66+64*i], 16)
					if n.Bit(255) == 1 {
						n.Sub(n, new(big.Int).Lsh(big.NewInt(1), 256))
					}
					return n
				}
				tokenSlot := 0
				if !w.tokenIsFirst(p) {
					tokenSlot = 1
				}
				var out *big.Int // what the pool paid of the token
				switch p.version {
				case poolV2:
					out = new(big.Int).Sub(word(2+tokenSlot), word(tokenSlot))
				case poolV3:
					out = new(big.Int).Neg(word(tokenSlot))
				default:
					out = word(tokenSlot)
				}
				if out.Cmp(w.assets[p.token].rawBig(s.tokenOut)) == 0 {
					found = true
				}
				if p.version != poolV2 { // sqrtPriceX96 squared is the price
					root := new(big.Float).SetMantExp(new(big.Float).SetInt(word(2)), -96)
					price, _ := new(big.Float).Mul(root, root).Float64()
					a, _ := new(big.Float).SetInt(w.assets[p.token].rawBig(s.tokenReserve)).Float64()
					b, _ := new(big.Float).SetInt(w.assets[p.quote].rawBig(s.quoteReserve)).Float64()
					want := b / a
					if tokenSlot == 1 {
						want = a / b
					}
					if found && math.Abs(price/want-1) > 1e-6 {
						t.Errorf("version %d: sqrtPriceX96 says %g, reserves %g", p.version+2, price, want)
					}
				}
			}
			if !found {
				t.Fatalf("no Swap of %d in %s", s.tokenOut, call)
			}
		}
	}
	if seen[poolV2] < 20 || seen[poolV3] < 20 || seen[poolV4] < 20 {
		t.Errorf("checked %v", seen)
	}
}

func TestCandlesAreThoseOfTheTrades(t *testing.T) {
	m := shared()
	w := m.worlds[0]
	p := &w.pools[w.tokens[w.majors[0]].pool]
	_, body := get(t, m, "/geckoterminal/api/v2/networks/eth/pools/"+w.poolAddress(p)+"/ohlcv/hour?limit=1000&token="+w.assetAddress(p.token))
	var answer struct {
		Data struct {
			Attributes struct {
				List [][6]float64 `json:"ohlcv_list"`
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatal(err)
	}
	list := answer.Data.Attributes.List
	if len(list) < 300 {
		t.Fatalf("%d bars", len(list))
	}
	for i, b := range list {
		if b[2] < max(b[1], b[4]) || b[3] > min(b[1], b[4]) || b[3] <= 0 || int64(b[0])%hourSeconds != 0 {
			t.Fatalf("bar %v", b)
		}
		if i > 0 && (list[i-1][0] <= b[0] || math.Abs(list[i-1][1]/b[4]-1) > 1e-12) {
			t.Fatalf("bar %v is followed by %v", b, list[i-1])
		}
	}
	volume, oldest := 0.0, int64(list[len(list)-1][0])
	for _, id := range p.swaps {
		if w.start+int64(w.swapTime(id)) >= oldest {
			volume += w.swaps[id].usd
		}
	}
	total := 0.0
	for _, b := range list {
		total += b[5]
	}
	if math.Abs(total/volume-1) > 1e-9 {
		t.Errorf("bars trade %.2f, the swaps %.2f", total, volume)
	}
	// Two halves, cut by before_timestamp, are the whole.
	cut := int64(list[150][0])
	_, older := get(t, m, fmt.Sprintf("/geckoterminal/api/v2/networks/eth/pools/%s/ohlcv/hour?limit=20&before_timestamp=%d", w.poolAddress(p), cut))
	if err := json.Unmarshal([]byte(older), &answer); err != nil {
		t.Fatal(err)
	}
	if got := answer.Data.Attributes.List[0]; got[0] != list[151][0] || got[4] != list[151][4] {
		t.Errorf("before %d comes %v, want %v", cut, got, list[151])
	}
}

// fieldsOf lists the keys of a JSON object, sorted.
func fieldsOf(t failing, value any) []string {
	object, ok := value.(map[string]any)
	if !ok {
		t.Fatal("not an object:", value)
	}
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// dig follows keys and indexes into decoded JSON.
func dig(t failing, value any, path ...any) any {
	for _, step := range path {
		switch key := step.(type) {
		case string:
			value = value.(map[string]any)[key]
		case int:
			list := value.([]any)
			if key >= len(list) {
				t.Fatal("list too short at", path)
			}
			value = list[key]
		}
	}
	return value
}

func TestShapes(t *testing.T) {
	m := shared()
	w := m.worlds[0]
	wallet := w.entities[w.busiest("skilled-swing")].address.String()
	token := &w.tokens[w.listed[0]]
	for _, id := range w.listed {
		if c := &w.tokens[id]; c.kind == kindGrower && w.pools[c.pool].version == poolV2 {
			token = c
		}
	}
	address, pool := w.entities[token.entity].address.String(), w.poolAddress(&w.pools[token.pool])
	hash := hexHash(w.txHash(w.swaps[len(w.swaps)/2].transaction))
	approved := ""
	for i := range w.wallets {
		if me := &w.wallets[i]; me.health == healthBlacklisted && len(w.byOwner[me.entity]) > 0 {
			approved = w.entities[me.entity].address.String()
		}
	}
	gecko := "/geckoterminal/api/v2/networks/eth"
	for _, c := range []struct {
		path string
		at   []any
		want string
	}{
		{"/blockscout/eth/api/v2/addresses/" + wallet + "/counters", nil, "gas_usage_count token_transfers_count transactions_count validations_count"},
		{"/blockscout/eth/api/v2/addresses/" + wallet + "/token-transfers", []any{"items", 0}, "block_hash block_number from log_index method timestamp to token token_type total transaction_hash type"},
		{"/blockscout/eth/api/v2/addresses/" + wallet + "/token-transfers", []any{"items", 0, "from"}, "ens_domain_name hash implementations is_contract is_scam is_verified metadata name private_tags proxy_type public_tags reputation watchlist_names"},
		{"/blockscout/eth/api/v2/addresses/" + wallet + "/token-transfers", []any{"items", 0, "token"}, "address_hash circulating_market_cap decimals exchange_rate holders_count icon_url name reputation symbol total_supply type volume_24h"},
		{"/blockscout/eth/api/v2/addresses/" + wallet + "/token-balances", []any{0}, "token token_id token_instance value"},
		{"/blockscout/eth/api/v2/tokens/" + address + "/holders", []any{"items", 0}, "address token_id value"},
		{"/blockscout/eth/api/v2/transactions/" + hash, []any{"fee"}, "type value"},
		{gecko + "/tokens/" + address, []any{"data"}, "attributes id relationships type"},
		{gecko + "/pools/" + pool, []any{"data", "attributes"}, "address base_token_balance base_token_liquidity_usd base_token_price_native_currency base_token_price_quote_token base_token_price_usd fdv_usd locked_liquidity_percentage market_cap_usd name pool_created_at pool_fee_percentage pool_name price_change_percentage quote_token_balance quote_token_liquidity_usd quote_token_price_base_token quote_token_price_native_currency quote_token_price_usd reserve_in_usd transactions volume_usd"},
		{gecko + "/pools/" + pool, []any{"data", "attributes", "transactions", "h24"}, "buyers buys sellers sells"},
		{gecko + "/pools/" + w.poolAddress(&w.pools[w.tokens[w.majors[0]].pool]) + "/trades", []any{"data", 0, "attributes"}, "block_number block_timestamp from_token_address from_token_amount kind price_from_in_currency_token price_from_in_usd price_to_in_currency_token price_to_in_usd to_token_address to_token_amount tx_from_address tx_hash volume_in_usd"},
		{gecko + "/tokens/" + address + "/info", []any{"data", "attributes", "holders"}, "count distribution_percentage last_updated"},
		{"/dexscreener/tokens/v1/ethereum/" + address, []any{0, "liquidity"}, "base quote usd"},
		{"/dexscreener/latest/dex/pairs/ethereum/" + pool, []any{"pair", "baseToken"}, "address name symbol"},
		{"/dexscreener/latest/dex/pairs/ethereum/" + pool, nil, "pair pairs schemaVersion"},
		{"/defillama/prices/current/ethereum:" + address, []any{"coins", "ethereum:" + address}, "confidence decimals price symbol timestamp"},
		{"/goplus/api/v1/token_security/1?contract_addresses=" + address, nil, "code message result"},
		{"/goplus/api/v2/token_approval_security/1?addresses=" + approved, []any{"result", 0}, "approved_list balance chain_id decimals is_open_source malicious_address malicious_behavior token_address token_name token_symbol"},
		{"/goplus/api/v2/token_approval_security/1?addresses=" + approved, []any{"result", 0, "approved_list", 0}, "address_info approved_amount approved_contract approved_time hash initial_approval_hash initial_approval_time"},
		{"/goplus/api/v2/token_approval_security/1?addresses=" + approved, []any{"result", 0, "approved_list", 0, "address_info"}, "contract_name creator_address deployed_time doubt_list is_contract is_open_source malicious_behavior tag trust_list"},
	} {
		status, body := get(t, m, c.path)
		var value any
		decode(t, body, &value)
		if got := strings.Join(fieldsOf(t, dig(t, value, c.at...)), " "); status != 200 || got != c.want {
			t.Errorf("%s %v (%d):\n got %s\nwant %s", c.path, c.at, status, got, c.want)
		}
	}
	_, body := get(t, m, "/goplus/api/v1/token_security/1?contract_addresses="+address)
	for _, key := range []string{"is_open_source", "is_honeypot", "buy_tax", "sell_tax", "lp_holders", "holders", "dex", "owner_address", "creator_address", "lp_total_supply", "holder_count"} {
		if !strings.Contains(body, `"`+key+`":`) {
			t.Errorf("token_security lacks %s", key)
		}
	}
}

package samplemarket

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestUnknownsAreAnsweredAsTheProvidersDo(t *testing.T) {
	m := shared()
	const nobody = "0x00000000000000000000000000000000000000ff"
	for path, want := range map[string]string{
		"/blockscout/eth/api/v2/addresses/" + nobody:                     `404 {"message":"Not found"}`,
		"/blockscout/bsc/api/v2/addresses/" + nobody:                     `404 {"message":"Not found"}`,
		"/blockscout/eth/api/v2/addresses/" + nobody + "/counters":       `200 {"transactions_count":"0","token_transfers_count":"0","gas_usage_count":"0","validations_count":"0"}`,
		"/geckoterminal/api/v2/networks/eth/tokens/" + nobody:            `404 {"errors":[{"status":"404","title":"Not Found"}]}`,
		"/dexscreener/tokens/v1/ethereum/" + nobody:                      `200 []`,
		"/dexscreener/latest/dex/tokens/" + nobody:                       `200 {"schemaVersion":"1.0.0","pairs":null}`,
		"/defillama/prices/current/ethereum:" + nobody:                   `200 {"coins":{}}`,
		"/goplus/api/v1/token_security/1?contract_addresses=" + nobody:   `200 {"code":1,"message":"OK","result":{}}`,
		"/goplus/api/v1/token_security/1?contract_addresses=x":           `200 {"code":2004,"message":"Contract address format error!","result":null}`,
		"/goplus/api/v1/token_security/999?contract_addresses=" + nobody: `200 {"code":2018,"message":"ChainID not supported","result":null}`,
		"/goplus/api/v2/token_approval_security/1?addresses=" + nobody:   `200 {"code":1,"message":"OK","result":[]}`,
		"/nonsense": `404 {"message":"Not found"}`,
	} {
		status, body := get(t, m, path)
		if got := fmt.Sprint(status, " ", strings.TrimSpace(body)); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if status, body := get(t, m, "/blockscout/eth/api/v2/addresses/0x12"); status != 422 || !strings.Contains(body, `"errors"`) {
		t.Errorf("a bad address: %d %s", status, body)
	}
}

// What the balance call, the explorer and the ledger say of an allowance and a holding is one thing.
func TestApprovals(t *testing.T) {
	m := shared()
	w := m.worlds[0]
	stable := &w.assets[wrappedAsset+1]
	call := func(to, data string) string {
		var answer struct{ Result string }
		decode(t, rpc(t, m, "eth", `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"to":"`+to+`","data":"`+data+`"},"latest"]}`), &answer)
		return answer.Result
	}
	unlimited, none := "0x"+strings.Repeat("f", 64), "0x"+strings.Repeat("0", 64)
	checked := map[healthScenario]int{}
	for i := range w.wallets {
		me := &w.wallets[i]
		if len(w.byOwner[me.entity]) == 0 && me.health != healthDelegated {
			continue
		}
		owner := w.addressTopic(me.entity)[2:]
		allowance := func(spender int32) string {
			return call(w.entities[stable.entity].address.String(), "0xdd62ed3e"+owner+w.addressTopic(spender)[2:])
		}
		planted := slices.ContainsFunc(w.byOwner[me.entity], func(id int32) bool { a := &w.approvals[id]; return a.asset == wrappedAsset+1 })
		switch {
		case me.health == healthBlacklisted && planted:
			if got := allowance(w.spenders.blacklisted); got != unlimited {
				t.Errorf("blacklisted spender may take %s", got)
			}
		case me.health == healthSpent && planted:
			if got := allowance(w.spenders.spent); got != none {
				t.Errorf("a spent allowance reads %s", got)
			}
		case me.health == healthPermit2 && planted:
			got := call(permit2Address.String(), "0x927da105"+owner+w.addressTopic(stable.entity)[2:]+w.addressTopic(w.universal)[2:])
			if !strings.HasPrefix(got, "0x"+strings.Repeat("0", 24)+strings.Repeat("f", 40)) {
				t.Errorf("Permit2 allows %s", got)
			}
		case me.health == healthDelegated && len(w.entities[me.entity].code) > 0:
			var answer struct{ Result string }
			decode(t, rpc(t, m, "eth", `{"jsonrpc":"2.0","id":1,"method":"eth_getCode","params":["`+w.entities[me.entity].address.String()+`","latest"]}`), &answer)
			if len(answer.Result) != 48 || !strings.HasPrefix(answer.Result, "0xef0100") {
				t.Errorf("delegated account's code is %s", answer.Result)
			}
		default:
			continue
		}
		checked[me.health]++
	}
	for _, scenario := range []healthScenario{healthBlacklisted, healthSpent, healthPermit2, healthDelegated} {
		if checked[scenario] < 5 {
			t.Errorf("%s: only %d", healthScenarioNames[scenario], checked[scenario])
		}
	}
}

// A token is priced while its pool has liquidity, and by nobody afterwards.
func TestPricesEndWithTheLiquidity(t *testing.T) {
	m := shared()
	w := m.worlds[0]
	checked := 0
	for i := range w.tokens {
		token := &w.tokens[i]
		if token.ruggedAt == 0 {
			continue
		}
		key := "ethereum:" + w.entities[token.entity].address.String()
		at := w.start + int64(token.ruggedAt)
		for when, want := range map[int64]int{at - 3600: 1, at + 3600: 0} {
			_, body := get(t, m, fmt.Sprintf("/defillama/prices/historical/%d/%s", when, key))
			var answer struct{ Coins map[string]llamaCoin }
			decode(t, body, &answer)
			if len(answer.Coins) != want {
				t.Errorf("%d seconds after the rug: %s", when-at, body)
			}
			if coin := answer.Coins[key]; want == 1 && (coin.Price <= 0 || coin.Timestamp > when || when-coin.Timestamp > 700) {
				t.Errorf("price %+v at %d", coin, when)
			}
		}
		_, body := get(t, m, "/defillama/prices/current/"+key)
		if !strings.Contains(body, `"coins":{}`) {
			t.Errorf("a drained token is still priced: %s", body)
		}
		checked++
	}
	if checked == 0 {
		t.Error("no rug to look at")
	}
}

func TestTruthOfHealth(t *testing.T) {
	words := map[string]map[string]int{}
	truth := shared().Truth()
	for i := range truth.Wallets {
		x := &truth.Wallets[i]
		if words[x.Approvals] == nil {
			words[x.Approvals] = map[string]int{}
		}
		words[x.Approvals][x.Health]++
	}
	for _, scenario := range healthScenarioNames {
		n := 0
		for _, count := range words[scenario] {
			n += count
		}
		if n < 60 {
			t.Errorf("%s: %d wallets", scenario, n)
		}
	}
	if words["blacklisted-spender"]["exposed"] < 30 || words["clean"]["healthy"] < 300 {
		t.Errorf("%v", words)
	}
}

package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// recording writes exchanges as somebody would who knows the providers' documents and not this service: wildcards stand for
// what only the service knows.
type recording struct {
	t     *testing.T
	lines strings.Builder
}

func (r *recording) add(method, url, body, response string) {
	line, err := json.Marshal(map[string]any{"method": method, "url": url, "body": body, "status": 200, "response": response})
	if err != nil {
		r.t.Fatal(err)
	}
	r.lines.Write(append(line, '\n'))
}

const (
	handWallet = "0x52908400098527886E0F7030069857D2E4169EE7"
	handAlpha  = "0xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	handBeta   = "0xbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
	handUSDC   = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
	handWETH   = "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"
	handRouter = "0x7a250d5630b4cf539739df2c5dacb4c659f2488d"
	handThief  = "0xdddddddddddddddddddddddddddddddddddddddd"
	handPoolA  = "0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1"
	handPoolB  = "0xb1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1"
)

func party(address string) string {
	return fmt.Sprintf(`{"hash":%q,"is_contract":%t}`, address, address != handWallet)
}

func (r *recording) explorer() {
	base := "https://eth.blockscout.com/api/v2/addresses/" + handWallet
	transaction := func(n int, at, to, value, fee, status string) string {
		return fmt.Sprintf(`{"hash":"0x%064x","block_number":%d,"position":1,"timestamp":"%s.000000Z","status":%q,"from":%s,"to":%s,"value":%q,"fee":{"type":"actual","value":%q},"method":"swap"}`,
			n, 23000000+n, at, status, party(handWallet), party(to), value, fee)
	}
	const eth, gas = "1000000000000000000", "4000000000000000"
	r.add("GET", base+"/transactions", "", `{"items":[`+
		transaction(6, "2026-10-07T10:15:00", handRouter, eth, gas, "error")+","+
		transaction(5, "2026-10-06T10:15:00", handRouter, "0", gas, "ok")+","+
		transaction(4, "2026-10-05T10:15:00", handRouter, "0", gas, "ok")+`],"next_page_params":{"block_number":23000004,"index":1}}`)
	r.add("GET", base+"/transactions?index=1&block_number=23000004", "", `{"items":[`+
		transaction(3, "2026-10-03T10:15:00", handRouter, "0", gas, "ok")+","+
		transaction(2, "2026-10-02T09:00:00", handUSDC, "0", gas, "ok")+","+
		transaction(1, "2026-10-01T10:15:00", handRouter, eth, "5000000000000000", "ok")+`],"next_page_params":null}`)
	transfer := func(n, log int, at, from, to, token, symbol, decimals, value string) string {
		return fmt.Sprintf(`{"block_number":%d,"from":%s,"to":%s,"log_index":%d,"timestamp":"%s.000000Z","token":{"address_hash":%q,"symbol":%q,"name":%q,"decimals":%q,"type":"ERC-20","holders_count":"5000","total_supply":"1000000000000000000000000000000"},"token_type":"ERC-20","total":{"decimals":%q,"value":%q},"transaction_hash":"0x%064x","type":"token_transfer"}`,
			23000000+n, party(from), party(to), log, at, token, symbol, symbol, decimals, decimals, value, n)
	}
	r.add("GET", base+"/token-transfers?type=ERC-20", "", `{"items":[`+strings.Join([]string{
		transfer(5, 4, "2026-10-06T10:15:00", handPoolB, handWallet, handUSDC, "USDC", "6", "800000000"),
		transfer(5, 3, "2026-10-06T10:15:00", handWallet, handPoolB, handBeta, "BETA", "6", "500000000"),
		transfer(4, 4, "2026-10-05T10:15:00", handPoolB, handWallet, handBeta, "BETA", "6", "500000000"),
		transfer(4, 3, "2026-10-05T10:15:00", handWallet, handPoolB, handUSDC, "USDC", "6", "1000000000"),
		transfer(3, 8, "2026-10-03T10:15:00", handWallet, handPoolA, handAlpha, "ALPHA", "18", "1000000000000000000000"),
		transfer(1, 3, "2026-10-01T10:15:00", handPoolA, handWallet, handAlpha, "ALPHA", "18", "1000000000000000000000"),
	}, ",")+`],"next_page_params":null}`)
	r.add("GET", base+"/internal-transactions", "", fmt.Sprintf(`{"items":[{"block_number":23000003,"timestamp":"2026-10-03T10:15:00.000000Z","transaction_hash":"0x%064x","index":7,"type":"call","success":true,"from":%s,"to":%s,"value":"1200000000000000000"}],"next_page_params":null}`,
		3, party(handRouter), party(handWallet)))
	r.add("GET", base, "", fmt.Sprintf(`{"hash":%q,"is_contract":false,"coin_balance":%q,"exchange_rate":"2500"}`, handWallet, eth))
	r.add("GET", base+"/token-balances", "", fmt.Sprintf(`[{"token":{"address_hash":%q,"symbol":"USDC","decimals":"6","type":"ERC-20","exchange_rate":"1.0"},"value":"1000000000"}]`, handUSDC))
}

func (r *recording) prices() {
	point := func(at string, usd float64) string {
		t, _ := time.Parse(time.RFC3339, at)
		return fmt.Sprintf(`{"timestamp":%d,"price":%g,"confidence":0.99}`, t.Unix(), usd)
	}
	days := []string{"2026-10-01T10:15:00Z", "2026-10-02T09:00:00Z", "2026-10-03T10:15:00Z", "2026-10-05T10:15:00Z", "2026-10-06T10:15:00Z", "2026-10-07T10:15:00Z"}
	history := func(first, later float64) string {
		points := []string{point(days[0], first)}
		for _, day := range days[1:] {
			points = append(points, point(day, later))
		}
		return `{"prices":[` + strings.Join(points, ",") + `]}`
	}
	r.add("GET", "https://coins.llama.fi/batchHistorical?coins=*&searchWidth=*", "", fmt.Sprintf(`{"coins":{"ethereum:0x0000000000000000000000000000000000000000":%s,"ethereum:%s":%s,"ethereum:%s":%s}}`,
		history(2000, 2500), handWETH, history(2000, 2500), handUSDC, history(1, 1)))
	pair := func(token, symbol, pool, usd string) string {
		return fmt.Sprintf(`{"chainId":"ethereum","dexId":"uniswap","pairAddress":%q,"baseToken":{"address":%q,"symbol":%q},"quoteToken":{"address":%q,"symbol":"WETH"},"priceUsd":%q,"txns":{"h24":{"buys":90,"sells":80}},"volume":{"h24":90000},"liquidity":{"usd":900000},"pairCreatedAt":1785542400000}`,
			pool, token, symbol, handWETH, usd)
	}
	r.add("GET", "https://api.dexscreener.com/tokens/v1/ethereum/*", "", "["+pair(handAlpha, "ALPHA", handPoolA, "2.5")+","+pair(handBeta, "BETA", handPoolB, "1.5")+"]")
	candles := func(pool, change string, before, after float64) {
		border, _ := time.Parse(time.RFC3339, change)
		var rows []string
		for at := time.Date(2026, 10, 20, 0, 0, 0, 0, time.UTC); at.After(border.AddDate(0, 0, -10)); at = at.Add(-time.Hour) {
			usd := before
			if at.After(border) {
				usd = after
			}
			rows = append(rows, fmt.Sprintf("[%d,%g,%g,%g,%g,5000]", at.Unix(), usd, usd, usd, usd))
		}
		r.add("GET", "https://api.geckoterminal.com/api/v2/networks/eth/pools/"+pool+"/ohlcv/hour?limit=*&currency=*&token=*&before_timestamp=*", "",
			`{"data":{"attributes":{"ohlcv_list":[`+strings.Join(rows, ",")+`]}}}`)
	}
	candles(handPoolA, "2026-10-01T10:00:00Z", 2.10, 2.52)
	candles(handPoolB, "2026-10-05T10:00:00Z", 2.00, 1.50)
}

func (r *recording) security() {
	const goplus, node = "https://api.gopluslabs.io", "https://ethereum.publicnode.com"
	r.add("GET", goplus+"/api/v2/token_approval_security/1?addresses="+handWallet, "", fmt.Sprintf(`{"code":1,"message":"OK","result":[{"token_address":%q,"token_symbol":"USDC","decimals":6,"balance":"1000","approved_list":[{"approved_contract":%q,"approved_amount":"Unlimited","approved_time":1790931600,"address_info":{"is_contract":1,"is_open_source":0,"trust_list":0,"doubt_list":1,"malicious_behavior":["phishing_activities"]}}]}]}`,
		handUSDC, handThief))
	r.add("GET", goplus+"/api/v2/nft721_approval_security/1?addresses=*", "", `{"code":1,"message":"OK","result":[]}`)
	r.add("GET", goplus+"/api/v2/nft1155_approval_security/1?addresses=*", "", `{"code":1,"message":"OK","result":[]}`)
	r.add("GET", goplus+"/api/v1/address_security/*?chain_id=1", "", `{"code":1,"message":"OK","result":{"phishing_activities":"1"}}`)
	r.add("GET", goplus+"/api/v1/token_security/1?contract_addresses=*", "", fmt.Sprintf(`{"code":1,"message":"OK","result":{%q:{"is_honeypot":"0","sell_tax":"0"},%q:{"is_honeypot":"0","sell_tax":"0"}}}`, handAlpha, handBeta))
	for method, result := range map[string]string{"eth_blockNumber": `"0x15f5e10"`, "eth_getCode": `"0x"`, "eth_getLogs": `[]`, "eth_call": `"0x` + strings.Repeat("f", 64) + `"`} {
		params := `"*"`
		if method == "eth_blockNumber" {
			params = "[]"
		}
		r.add("POST", node, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params), `{"jsonrpc":"2.0","id":1,"result":`+result+`}`)
	}
}

// Two round trips, one paid in the native coin; a failed transaction; an unlimited approval to a thief. The answers were worked
// out by hand:
//
//   - ALPHA: 1 ETH at 2000 and 10 of gas in; 1.2 ETH at 2500 less 10 out. BETA: 1000 and 10 in, 800 less 10 out: 790/1010 - 1 = -21.78 %.
//   - A copier of ALPHA: 2.52/2.10 * 0.96 - 1 = 15.2 %; of BETA: 1.50/2.00 * 0.96 - 1 = -28 %.
//   - Buying is 3000 of 6800. The newest trade is 26 days, 1 hour and 45 minutes old.
//   - The thief reaches 1000 of 3500: 28.57 %. 100 * (1 - 2/7)^2 - 5 - 40 = 6.0.
func TestAnswersToAHandWrittenRecording(t *testing.T) {
	r := &recording{t: t}
	r.explorer()
	r.prices()
	r.security()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "hand.jsonl"), []byte(r.lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, environment(t, "PROVIDERS", "replay:"+folder, "CLOCK", "2026-11-01T12:00:00Z"))
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.address()+overviewPath, strings.NewReader(`{"wallet":"`+handWallet+`","chain":"ethereum"}`))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer.Status, err, string(body))
	}
	for _, part := range []string{
		`"chain":"eth"`,
		`"grade":null,"verdict":"unrated","score":null,"subscores":null`, `"sampleSize":2`,
		`"simulated":true,"reason":null,"rated":false,"winRate":null`,
		`"perTrade":[{"symbol":"BETA","entryMinsAgo":38985,"netPct":-28,"status":"resolved"},{"symbol":"ALPHA","entryMinsAgo":44745,"netPct":15.2,"status":"resolved"}]`,
		`"edge":"insufficient-data"`, `"withoutBestPct":-21.78`, `"medianHoldHours":36`,
		`"health":"exposed","healthScore":6,`, `"exposedSharePct":28.57,"openApprovals":1,"unlimitedApprovals":1,"riskyApprovals":1`,
		`"Revoke the unlimited approval of USDC to 0xdddd..dddd (on a public scam list)."`,
		`"posture":"balanced","buyShare":0.441,"windowDays":90,"trades":4`,
		`"trades":[{"action":"sell","symbol":"BETA","fromSymbol":null,"sizeBand":"small","minsAgo":37545},{"action":"buy","symbol":"BETA","fromSymbol":null,"sizeBand":"medium","minsAgo":38985},` +
			`{"action":"sell","symbol":"ALPHA","fromSymbol":null,"sizeBand":"medium","minsAgo":41865},{"action":"buy","symbol":"ALPHA","fromSymbol":null,"sizeBand":"medium","minsAgo":44745}]`,
		`"tilt":"balanced","topTokens":["ALPHA","BETA"],"buys":2,"sells":2,"swaps":0`,
	} {
		if !strings.Contains(string(body), part) {
			t.Errorf("the answer lacks %s", part)
		}
	}
	if t.Failed() || strings.Contains(string(body), `"failed"`) {
		t.Errorf("%s", body)
	}
}

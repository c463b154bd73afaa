package samplemarket

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

const healthyPath = "/defillama/prices/current/ethereum:0x0000000000000000000000000000000000000000"

// small is a market of its own for tests that change it.
func small() *Market { return New(Config{Seed: 9, Start: testStart}) }

func TestFaults(t *testing.T) {
	m := small()
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	fetch := func() (int, http.Header, []byte, error) {
		response, err := server.Client().Get(server.URL + healthyPath)
		if err != nil {
			return 0, nil, nil, err
		}
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		return response.StatusCode, response.Header, body, err
	}
	_, _, healthy, err := fetch()
	if err != nil || !json.Valid(healthy) {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		fault Fault
		good  func(status int, header http.Header, body []byte) bool
	}{
		"server error": {Fault{Kind: FaultServerError}, func(s int, _ http.Header, _ []byte) bool { return s == 500 }},
		"rate limit":   {Fault{Kind: FaultRateLimit, RetryAfter: 7 * time.Second}, func(s int, h http.Header, _ []byte) bool { return s == 429 && h.Get("Retry-After") == "7" }},
		"html": {Fault{Kind: FaultHTML}, func(s int, _ http.Header, b []byte) bool {
			return s == 200 && strings.HasPrefix(string(b), "<!DOCTYPE")
		}},
		"truncated": {Fault{Kind: FaultTruncated}, func(s int, _ http.Header, b []byte) bool {
			return s == 200 && !json.Valid(b) && strings.HasPrefix(string(healthy), string(b))
		}},
		"wrong types": {Fault{Kind: FaultWrongTypes}, func(s int, _ http.Header, b []byte) bool {
			return s == 200 && json.Valid(b) && strings.Contains(string(b), `"symbol":3`)
		}},
		"hostile": {Fault{Kind: FaultHostile}, func(s int, _ http.Header, b []byte) bool {
			return s == 200 && string(b) != string(healthy) && len(b) > 0
		}},
		"empty": {Fault{Kind: FaultEmpty}, func(s int, _ http.Header, b []byte) bool { return s == 200 && len(b) == 0 }},
		"drip":  {Fault{Kind: FaultDrip, Interval: time.Microsecond}, func(s int, _ http.Header, b []byte) bool { return s == 200 && string(b) == string(healthy) }},
		"none":  {Fault{}, func(s int, _ http.Header, b []byte) bool { return s == 200 && string(b) == string(healthy) }},
	} {
		m.SetFault(DefiLlama, c.fault)
		status, header, body, err := fetch()
		if err != nil || !c.good(status, header, body) {
			t.Errorf("%s: %d %v %.80s %v", name, status, header, body, err)
		}
		if other, _ := get(t, m, "/goplus/api/v1/supported_chains"); other != 200 {
			t.Errorf("%s spread to another provider: %d", name, other)
		}
	}
}

func TestHangEndsWithTheCaller(t *testing.T) {
	m := small()
	m.SetFault(DefiLlama, Fault{Kind: FaultHang})
	server := httptest.NewServer(m.Handler())
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		request, _ := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+healthyPath, nil)
		response, err := server.Client().Do(request)
		if err == nil {
			_ = response.Body.Close()
		}
		done <- err
	}()
	for m.Calls()[healthyPath] == 0 { // the request has arrived
		select {
		case err := <-done:
			t.Fatal("answered:", err)
		default:
		}
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestShareOfFaults(t *testing.T) {
	m := small()
	m.SetFault(DefiLlama, Fault{Kind: FaultServerError, Share: 0.3})
	failed := 0
	for range 1000 {
		if status, _ := get(t, m, healthyPath); status == 500 {
			failed++
		}
	}
	if failed < 240 || failed > 360 {
		t.Errorf("%d of 1000 failed", failed)
	}
	again := small()
	again.SetFault(DefiLlama, Fault{Kind: FaultServerError, Share: 0.3})
	repeated := 0
	for range 1000 {
		if status, _ := get(t, again, healthyPath); status == 500 {
			repeated++
		}
	}
	if repeated != failed {
		t.Errorf("%d failed, then %d with the same seed", failed, repeated)
	}
}

func TestCallsAreCounted(t *testing.T) {
	m := small()
	get(t, m, healthyPath)
	get(t, m, healthyPath)
	rpc(t, m, "eth", `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}`)
	rpc(t, m, "eth", `{"jsonrpc":"2.0","id":2,"method":"eth_chainId","params":[]}`)
	calls := m.Calls()
	if calls[healthyPath] != 2 || calls["/rpc/eth eth_chainId []"] != 2 || len(calls) != 2 {
		t.Errorf("calls: %v", calls)
	}
	m.ResetCalls()
	if len(m.Calls()) != 0 {
		t.Error("calls remain")
	}
}

// Readers see whole worlds while the clock moves. The race detector is the judge of the rest.
func TestConcurrentReadersWhileTheClockMoves(t *testing.T) {
	var now atomic.Int64
	now.Store(testStart.Unix())
	m := New(Config{Seed: 4, Start: testStart, Clock: func() time.Time { return time.Unix(now.Load(), 0) }})
	w := m.worlds[0]
	wallet := w.entities[w.wallets[w.crowd[0]].entity].address.String()
	token := w.entities[w.tokens[0].entity].address.String()
	var group sync.WaitGroup
	for reader := range 4 {
		group.Go(func() {
			last := ""
			for i := range 60 {
				now.Add(int64(600 * (reader + 1)))
				body := rpc(t, m, "eth", `{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}`)
				if len(body) == len(last) && body < last {
					t.Error("the chain went back")
				}
				last = body
				for _, path := range []string{
					"/blockscout/eth/api/v2/addresses/" + wallet + "/token-transfers", "/geckoterminal/api/v2/networks/eth/tokens/" + token + "/pools",
					"/goplus/api/v1/token_security/1?contract_addresses=" + token, "/dexscreener/tokens/v1/ethereum/" + token,
				} {
					if status, answer := get(t, m, path); status != 200 || !json.Valid([]byte(answer)) {
						t.Errorf("round %d: %s: %d", i, path, status)
					}
				}
				if i%20 == 0 {
					m.Truth()
					m.Samples()
				}
			}
		})
	}
	group.Wait()
}

func TestPollingSeesNewTrades(t *testing.T) {
	now := testStart.Add(24 * time.Hour)
	m := New(Config{Seed: 4, Start: testStart, Clock: func() time.Time { return now }})
	before := len(m.worlds[0].txs)
	now = now.Add(3 * time.Hour)
	get(t, m, healthyPath)
	if after := len(m.worlds[0].txs); after <= before {
		t.Errorf("%d transactions, three hours later %d", before, after)
	}
}

func TestSamples(t *testing.T) {
	samples := shared().Samples()
	if len(samples.Wallets) < 30 || len(samples.Tokens) < 10 || len(samples.Traders) < 8 {
		t.Fatalf("%d wallets, %d tokens, %d traders", len(samples.Wallets), len(samples.Tokens), len(samples.Traders))
	}
	chains, kinds := map[string]bool{}, map[string]bool{}
	for _, s := range append(append(append([]Sample{}, samples.Wallets...), samples.Tokens...), samples.Traders...) {
		if _, ok := parseAddress(s.Address); !ok || s.About == "" || s.Kind == "" {
			t.Errorf("%+v", s)
		}
		chains[s.Chain], kinds[s.Kind] = true, true
	}
	if len(chains) < 4 || len(kinds) < 25 {
		t.Errorf("%d chains, %d kinds", len(chains), len(kinds))
	}
}

func FuzzHandler(f *testing.F) {
	for _, path := range []string{
		healthyPath, "/", "//", "/blockscout/eth/api/v2/addresses/0x12/token-transfers?index=-9&batch_log_index=99999999999", "/geckoterminal/api/v2/networks/eth/pools/x/ohlcv/hour?limit=-1",
		"/geckoterminal/api/v2/networks/eth/new_pools?page=99999999999999999999", "/dexscreener/tokens/v1/ethereum/,,,", "/dexscreener/latest/dex/search?q=", "/goplus/api/v1/token_security/1",
		"/defillama/batchHistorical?coins={\"a\":[1]}", "/defillama/chart/ethereum:0x0000000000000000000000000000000000000000?span=5000&period=1s&start=-5", "/defillama/prices/historical/-9223372036854775808/x",
		"/honeypotis/v2/IsHoneypot?address=0x&chainID=-9", "/geckoterminal/api/v2/networks/eth/pools?sort=&page=9",
		"/defillama/block/ethereum/9223372036854775807", "/blockscout/eth/api/v2/tokens/0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2/holders?index=-1",
	} {
		f.Add(path)
	}
	m := small()
	f.Fuzz(func(t *testing.T, path string) {
		request, err := http.NewRequest(http.MethodGet, "http://localhost"+path, nil)
		if err != nil || !strings.HasPrefix(path, "/") {
			return
		}
		recorder := httptest.NewRecorder()
		m.Handler().ServeHTTP(recorder, request)
		if recorder.Code >= 500 || !json.Valid(recorder.Body.Bytes()) {
			t.Fatalf("%q: %d %.200s", path, recorder.Code, recorder.Body.String())
		}
	})
}

func FuzzRPC(f *testing.F) {
	for _, call := range []string{
		"", "{}", "[]", "null", `{"method":"eth_getLogs","params":[{"topics":[null,["0x"],"0x00"]}]}`, `{"method":"eth_getLogs","params":[{"fromBlock":"0x-1","toBlock":"latest","address":["0x0"]}]}`,
		`{"method":"eth_call","params":[{"to":"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2","data":"0x70a08231"}]}`, `{"method":"eth_getBlockByNumber","params":["0x7fffffffffffffff",true]}`,
		`{"method":"eth_call","params":[{"to":"0x000000000022D473030F116dDEE9F6B43aC78BA3","data":"0x927da105"}]}`, `{"method":"eth_getTransactionByHash","params":["0x00"]}`,
		`{"id":{"a":1},"method":"eth_getLogs","params":[{"blockHash":"0x0000000000000000000000000000000000000000000000000000000000000000"}]}`,
	} {
		f.Add(call)
	}
	m := small()
	f.Fuzz(func(t *testing.T, call string) {
		recorder := httptest.NewRecorder()
		m.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/rpc/eth", strings.NewReader(call)))
		if recorder.Code != 200 || !json.Valid(recorder.Body.Bytes()) {
			t.Fatalf("%q: %d %.200s", call, recorder.Code, recorder.Body.String())
		}
	})
}

// Where orders are taken, a fault decides whether they are carried out: only one that loses or spoils the answer does.
func TestFaultsOfOrders(t *testing.T) {
	for kind, reaches := range map[FaultKind]bool{
		FaultNone: true, FaultLost: true, FaultTruncated: true, FaultWrongTypes: true, FaultDrip: true,
		FaultHang: false, FaultServerError: false, FaultRateLimit: false, FaultHTML: false, FaultHostile: false, FaultEmpty: false,
	} {
		m := small()
		approval := `{"action":{"type":"approveAgent","signatureChainId":"0x1","hyperliquidChain":"Mainnet",` +
			`"agentAddress":"0xa900000000000000000000000000000000000001","agentName":"","nonce":NONCE},"nonce":NONCE,"signature":` +
			`{"r":"0x7e30facd5325b8a80831f50a8dc8741cba0fadcd237999301ea663818b2c5b8e","s":"0x3c1453dc9de0e0083fcce19ad5e0dc513508e2f8ceab10a4e4cf8afb21b9ec9e","v":27}}`
		approval = strings.ReplaceAll(approval, "NONCE", strconv.FormatInt(testStart.UnixMilli(), 10))
		post := func(path string) string {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(approval)).WithContext(ctx)
			recorder := httptest.NewRecorder()
			if kind == FaultHang || kind == FaultLost {
				time.AfterFunc(20*time.Millisecond, cancel)
			}
			m.Handler().ServeHTTP(recorder, request)
			return recorder.Body.String()
		}
		m.SetFault(HyperliquidExchange, Fault{Kind: kind, Interval: time.Microsecond})
		first := post("/hyperliquid/exchange")
		if kind == FaultLost && first != "" {
			t.Errorf("a lost answer came: %s", first)
		}
		m.SetFault(HyperliquidExchange, Fault{})
		// Whoever signed it, the same nonce counts once.
		if again := post("/hyperliquid/exchange"); strings.Contains(again, "duplicate nonce") != reaches {
			t.Errorf("fault %d: then %s", kind, again)
		}
		m.SetFault(Hyperliquid, Fault{Kind: FaultServerError})
		if answer := post("/hyperliquid/exchange"); !strings.Contains(answer, "duplicate nonce") {
			t.Errorf("a fault of what is told spread to orders: %s", answer)
		}
		m.SetFault(Hyperliquid, Fault{})
		m.SetFault(HyperliquidExchange, Fault{Kind: FaultServerError})
		if answer := post("/hyperliquid/info"); strings.Contains(answer, "Internal") {
			t.Errorf("a fault of orders spread to what is told: %s", answer)
		}
	}
}

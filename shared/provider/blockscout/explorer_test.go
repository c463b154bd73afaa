package blockscout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

const (
	alice  = "0x00000000000000000000000000000000000A11CE"
	bob    = "0x0000000000000000000000000000000000000B0b"
	router = "0x00000000000000000000000000000000000A0007"
	gold   = "0x0000000000000000000000000000000000060001"
	zero   = "0x0000000000000000000000000000000000000000"
)

var (
	now    = time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	wallet = mustParse(alice)
)

func mustParse(text string) chain.Address {
	address, err := chain.ParseWireAddress(text)
	if err != nil {
		panic(err)
	}
	return address
}

// fakeExplorer answers lists of rows, newest first, in pages of its own size, and other paths with fixed bodies.
type fakeExplorer struct {
	mu     sync.Mutex
	lists  map[string][]string
	bodies map[string]string
	status map[string]int
	page   int
	asked  []string
}

func (f *fakeExplorer) RoundTrip(request *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := strings.TrimPrefix(request.URL.Path, "/api/v2/addresses/"+strings.ToLower(alice))
	f.asked = append(f.asked, request.URL.RequestURI())
	status, body := http.StatusNotFound, `{"message":"Not found"}`
	query := request.URL.Query()
	if fixed, found := f.bodies[path]; found {
		status, body = http.StatusOK, fixed
	} else if rows, found := f.lists[path]; found {
		start, _ := strconv.Atoi(query.Get("index"))
		if start > 0 && (query.Get("wide") != "115792089237316195423570985008687907853" || query.Get("text") != "a&b" || query.Has("nothing")) {
			return nil, fmt.Errorf("parameters of the next page are not repeated: %s", request.URL.RawQuery)
		}
		if path == "/token-transfers" && query.Get("type") != "ERC-20" {
			return nil, errors.New("the type is not repeated")
		}
		end := min(len(rows), start+max(1, f.page))
		next := "null"
		if end < len(rows) {
			next = fmt.Sprintf(`{"index":%d,"wide":115792089237316195423570985008687907853,"text":"a&b","nothing":null}`, end)
		}
		status, body = http.StatusOK, `{"items":[`+strings.Join(rows[start:end], ",")+`],"next_page_params":`+next+`}`
	}
	if forced := f.status[path]; forced != 0 {
		status = forced
	}
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
}

func (f *fakeExplorer) adapter(observe func(upstream.Call)) *Adapter {
	client := upstream.New(upstream.Config{Name: "explorer", Base: "http://explorer.test/api/v2", PerMinute: 1e9, Burst: 1e6},
		upstream.Shared{Transport: f, Clock: func() time.Time { return now }, Observe: observe})
	return New(map[chain.Slug]*upstream.Client{chain.Ethereum: client})
}

func ethereum() *chain.Chain {
	on, _ := chain.Parse("eth")
	return on
}

func party(address string) string { return `{"hash":"` + address + `","is_contract":false}` }

func hashOf(n int) string { return fmt.Sprintf("0x%064x", n) }

func stamp(block int) string {
	return now.Add(time.Duration(block-1000) * time.Minute).Format("2006-01-02T15:04:05.000000Z")
}

const goldToken = `{"address_hash":"` + gold + `","name":"Gold","symbol":"GLD","decimals":"6","type":"ERC-20","holders_count":"12","total_supply":"1000000","exchange_rate":"1.5","reputation":"ok"}`

func transferRow(block, hash, logIndex int, from, to, token, value string) string {
	return fmt.Sprintf(`{"block_number":%d,"from":%s,"to":%s,"log_index":%d,"method":"swap","timestamp":"%s","token":%s,"token_type":"ERC-20","total":{"decimals":"6","value":"%s"},"transaction_hash":"%s","type":"token_transfer"}`,
		block, party(from), party(to), logIndex, stamp(block), token, value, hashOf(hash))
}

func transactionRow(block, hash, position int, from, to, value, fee, status string) string {
	return fmt.Sprintf(`{"block_number":%d,"hash":"%s","position":%d,"timestamp":"%s","from":%s,"to":%s,"value":"%s","fee":{"type":"actual","value":"%s"},"method":"swapExactTokensForETH","status":%s,"result":"success"}`,
		block, hashOf(hash), position, stamp(block), party(from), party(to), value, fee, status)
}

func internalRow(block, hash, index int, kind, from, to, value string, success bool) string {
	return fmt.Sprintf(`{"block_number":%d,"transaction_hash":"%s","index":%d,"type":"%s","from":%s,"to":%s,"value":"%s","success":%v,"timestamp":"%s","created_contract":null}`,
		block, hashOf(hash), index, kind, party(from), party(to), value, success, stamp(block))
}

// written is a transaction in short.
func written(t *market.Transaction) string {
	text := fmt.Sprintf("%d/%d gas %s", t.Block, t.Index, t.GasFee.Dec())
	if t.Failed {
		text += " failed"
	}
	for _, m := range t.Movements {
		sign := "-"
		if m.In {
			sign = "+"
		}
		asset := map[bool]string{true: "native", false: m.Token.Short()}[m.Token == chain.Native]
		text += fmt.Sprintf("; %s%s %s %s @%d", sign, m.Amount.Dec(), asset, m.Counterparty.Short(), m.LogIndex)
		if m.Minted {
			text += " minted"
		}
		if m.Burned {
			text += " burned"
		}
	}
	return text
}

func TestActivityMerges(t *testing.T) {
	f := &fakeExplorer{page: 2, lists: map[string][]string{
		"/transactions": {
			transactionRow(960, 96, 0, alice, router, "5", "7", "null"),                                     // pending
			transactionRow(950, 95, 4, bob, alice, "0", "7", `"ok"`),                                        // a call without value
			transactionRow(940, 94, 4, alice, alice, "5", "7", `"ok"`),                                      // to itself
			transactionRow(930, 93, 4, alice, router, "5", "7", `"error"`),                                  // failed
			transactionRow(920, 80, 3, bob, alice, "51", "7", `"ok"`),                                       // after the next one, whatever the hashes
			transactionRow(920, 92, 1, bob, alice, "50", "7", `"ok"`),                                       // received
			transactionRow(910, 91, 4, alice, router, "0", "21000", `"ok"`),                                 // sold
			transactionRow(900, 90, 9, alice, router, "1000", "300", `"ok"`),                                // bought
			transactionRow(900, 89, 3, alice, router, "2000", "300", `"ok"`),                                // bought before, same block
			`{"block_number":890,"hash":"0x12","timestamp":"` + stamp(890) + `","status":"ok","value":"1"}`, // malformed
		},
		"/token-transfers": {
			transferRow(945, 88, 3, bob, alice, strings.Replace(goldToken, `"6"`, `null`, 1), "4"), // decimals from the total
			transferRow(940, 87, 3, bob, bob, goldToken, "4"),
			transferRow(940, 86, 3, zero, alice, goldToken, "4"),
			transferRow(940, 86, 5, alice, zero, goldToken, "3"),
			transferRow(940, 86, 3, zero, alice, goldToken, "4"), // the same row again
			transferRow(935, 85, 3, bob, alice, goldToken, "0"),
			transferRow(934, 84, 3, bob, alice, goldToken, "-3"),
			transferRow(933, 83, 3, bob, alice, strings.Replace(strings.Replace(goldToken, `"6"`, `null`, 1), gold, bob, 1), `4","decimals":null,"x":"`),
			strings.Replace(transferRow(932, 82, 3, bob, alice, goldToken, "4"), `"ERC-20","total"`, `"ERC-721","total"`, 1),
			transferRow(910, 91, 12, alice, router, goldToken, "70"),
			transferRow(900, 90, 31, router, alice, goldToken, "100"),
			transferRow(900, 89, 11, router, alice, goldToken, "200"),
		},
		"/internal-transactions": {
			internalRow(910, 91, 5, "call", router, alice, "2", true),
			internalRow(910, 91, 4, "call", router, alice, "930", true),
			internalRow(910, 91, 3, "delegatecall", router, alice, "930", true),
			internalRow(910, 91, 2, "call", router, alice, "930", false),
			internalRow(910, 91, 0, "call", router, alice, "930", true),
			internalRow(905, 81, 1, "selfdestruct", router, alice, "6", true),
		},
	}}
	var dropped atomic.Int64
	activity, err := f.adapter(func(c upstream.Call) { dropped.Add(int64(c.Dropped)) }).Activity(context.Background(), ethereum(), wallet)
	if err != nil {
		t.Fatal(err)
	}
	g, r, b := mustParse(gold).Short(), mustParse(router).Short(), mustParse(bob).Short()
	want := []string{
		"900/3 gas 300; -2000 native " + r + " @-1; +200 " + g + " " + r + " @11",
		"900/9 gas 300; -1000 native " + r + " @-1; +100 " + g + " " + r + " @31",
		"905/-1 gas 0; +6 native " + r + " @-1",
		"910/4 gas 21000; +930 native " + r + " @-1; +2 native " + r + " @-1; -70 " + g + " " + r + " @12",
		"920/1 gas 0; +50 native " + b + " @-1",
		"920/3 gas 0; +51 native " + b + " @-1",
		"930/4 gas 7 failed",
		"940/4 gas 7",
		"940/-1 gas 0; +4 " + g + " 0x0000..0000 @3 minted; -3 " + g + " 0x0000..0000 @5 burned",
		"945/-1 gas 0; +4 " + g + " " + b + " @3",
	}
	for i := range activity.Transactions {
		if got := written(&activity.Transactions[i]); i >= len(want) || got != want[i] {
			t.Errorf("%d: %s", i, got)
		}
	}
	if len(activity.Transactions) != len(want) {
		t.Errorf("%d transactions, want %d", len(activity.Transactions), len(want))
	}
	if activity.Truncated || !activity.Since.IsZero() {
		t.Error("truncated")
	}
	if dropped.Load() != 3 {
		t.Errorf("%d rows dropped, want the malformed one, the negative one and the one without decimals", dropped.Load())
	}
	bought := activity.Transactions[0]
	if bought.Method != "swapExactTokensForETH" || bought.Sender != wallet || bought.Target != mustParse(router) || !bought.Time.Equal(now.Add(-100*time.Minute)) {
		t.Errorf("%+v", bought)
	}
	if sponsored := activity.Transactions[9]; !sponsored.Sender.IsZero() || sponsored.Method != "swap" {
		t.Errorf("%+v", sponsored)
	}
	token := activity.Tokens[mustParse(gold)]
	if !token.Known || token.Decimals != 6 || token.Symbol != "GLD" || token.Holders != 12 || token.TotalSupply.Uint64() != 1000000 || token.Spam {
		t.Errorf("%+v", token)
	}
	if native := activity.Tokens[chain.Native]; native.Symbol != "ETH" || native.Decimals != 18 || !native.Known {
		t.Errorf("%+v", native)
	}
}

func TestOldInstances(t *testing.T) {
	old := strings.NewReplacer("transaction_hash", "tx_hash", "block_number", "block", "address_hash", "address", "holders_count", "holders")
	f := &fakeExplorer{page: 50, lists: map[string][]string{
		"/token-transfers": {old.Replace(transferRow(940, 86, 3, bob, alice, goldToken, "4"))},
	}}
	activity, err := f.adapter(nil).Activity(context.Background(), ethereum(), wallet)
	if err != nil || len(activity.Transactions) != 1 || activity.Transactions[0].Block != 940 || activity.Tokens[mustParse(gold)].Holders != 12 {
		t.Fatalf("%+v %v", activity, err)
	}
}

func TestCommonHorizon(t *testing.T) {
	f := &fakeExplorer{page: 1, lists: map[string][]string{}}
	for block := 999; block > 900; block-- {
		f.lists["/token-transfers"] = append(f.lists["/token-transfers"], transferRow(block, block, 1, bob, alice, goldToken, "4"))
		if block%2 == 0 {
			f.lists["/transactions"] = append(f.lists["/transactions"], transactionRow(block, block, 1, alice, gold, "0", "7", `"ok"`))
		}
	}
	f.lists["/internal-transactions"] = []string{internalRow(995, 995, 1, "call", router, alice, "6", true), internalRow(905, 905, 1, "call", router, alice, "6", true)}
	adapter := f.adapter(nil)
	adapter.maximumPages = 10
	activity, err := adapter.Activity(context.Background(), ethereum(), wallet)
	if err != nil {
		t.Fatal(err)
	}
	// Ten transfers reach down to block 990, which may hold more of them: the history is whole from 991 on.
	if len(activity.Transactions) != 9 || !activity.Truncated || !activity.Since.Equal(now.Add(-9*time.Minute)) {
		t.Fatal(len(activity.Transactions), activity.Truncated, activity.Since)
	}
	for i := range activity.Transactions {
		got := &activity.Transactions[i]
		if got.Block != uint64(991+i) || (got.Sender == wallet) != (got.Block%2 == 0) || len(got.Movements) != map[bool]int{true: 2, false: 1}[got.Block == 995] {
			t.Errorf("%s", written(got))
		}
	}
	adapter.maximumPages = 1
	if activity, err = adapter.Activity(context.Background(), ethereum(), wallet); err != nil || !activity.Truncated || len(activity.Transactions) != 0 ||
		!activity.Since.Equal(now.Add(-time.Minute)) {
		t.Fatal(activity, err)
	}
}

// Pages move while they are read: every row must count once, wherever the page ends.
func TestEveryPageSizeReadsTheSame(t *testing.T) {
	var want []string
	for page := 1; page <= 12; page++ {
		f := &fakeExplorer{page: page, lists: map[string][]string{}}
		for n := 25; n > 0; n-- {
			f.lists["/token-transfers"] = append(f.lists["/token-transfers"], transferRow(900+n/3, 1000+n, n, bob, alice, goldToken, strconv.Itoa(n)))
		}
		activity, err := f.adapter(nil).Activity(context.Background(), ethereum(), wallet)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range activity.Transactions {
			got = append(got, written(&activity.Transactions[i]))
		}
		if page == 1 {
			want = got
		}
		if len(got) != 25 || strings.Join(got, "|") != strings.Join(want, "|") {
			t.Fatalf("pages of %d: %q", page, got)
		}
	}
}

func TestHoldings(t *testing.T) {
	f := &fakeExplorer{bodies: map[string]string{
		"": `{"hash":"` + alice + `","coin_balance":"1500000000000000000","exchange_rate":"2500.5"}`,
		"/token-balances": `[{"token":` + goldToken + `,"value":"42","token_id":null},
			{"token":` + strings.Replace(goldToken, `"exchange_rate":"1.5","reputation":"ok"`, `"exchange_rate":null,"reputation":"scam"`, 1) + `,"value":"43"},
			{"token":` + goldToken + `,"value":"0"},
			{"token":` + strings.Replace(goldToken, "ERC-20", "ERC-1155", 1) + `,"value":"9","token_id":"1"},
			{"token":` + strings.Replace(goldToken, `"6"`, "null", 1) + `,"value":"9"}, "nonsense"]`,
	}}
	var dropped atomic.Int64
	holdings, err := f.adapter(func(c upstream.Call) { dropped.Add(int64(c.Dropped)) }).Holdings(context.Background(), ethereum(), wallet)
	if err != nil {
		t.Fatal(err)
	}
	if len(holdings) != 3 || dropped.Load() != 2 {
		t.Fatalf("%+v, %d dropped", holdings, dropped.Load())
	}
	if native := holdings[0]; native.Token.Address != chain.Native || native.Amount.Dec() != "1500000000000000000" || native.PriceUSD != 2500.5 {
		t.Errorf("%+v", native)
	}
	if holdings[1].Amount.Uint64() != 42 || holdings[1].PriceUSD != 1.5 || holdings[1].Token.Spam {
		t.Errorf("%+v", holdings[1])
	}
	if holdings[2].Amount.Uint64() != 43 || !math.IsNaN(holdings[2].PriceUSD) || !holdings[2].Token.Spam {
		t.Errorf("%+v", holdings[2])
	}
}

func TestNeverSeenAddress(t *testing.T) {
	adapter := (&fakeExplorer{}).adapter(nil)
	activity, err := adapter.Activity(context.Background(), ethereum(), wallet)
	if err != nil || len(activity.Transactions) != 0 || activity.Truncated {
		t.Error(activity, err)
	}
	holdings, err := adapter.Holdings(context.Background(), ethereum(), wallet)
	if err != nil || len(holdings) != 0 {
		t.Error(holdings, err)
	}
}

func TestRefusals(t *testing.T) {
	bsc, _ := chain.Parse("bsc")
	if _, err := (&fakeExplorer{}).adapter(nil).Activity(context.Background(), bsc, wallet); !errors.Is(err, market.ErrUnavailable) {
		t.Error("a chain without an explorer", err)
	}
	for _, path := range []string{"/token-transfers", "/transactions", "/internal-transactions", "", "/token-balances"} {
		for body, status := range map[string]int{
			`{"errors":[{"title":"Invalid value"}]}`: 422, `{"items":{}}`: 200, `{"items":[{}],"next_page_params":"x"}`: 200, `5`: 200,
			`{"hash":7,"coin_balance":3}`: 200, `{"items":[{"hash":66,"transaction_hash":66}],"next_page_params":null}`: 200,
			`[{"token":{"type":6,"address_hash":42},"value":1}]`: 200,
		} {
			f := &fakeExplorer{bodies: map[string]string{path: body}, status: map[string]int{path: status}}
			adapter := f.adapter(nil)
			_, activityError := adapter.Activity(context.Background(), ethereum(), wallet)
			_, holdingsError := adapter.Holdings(context.Background(), ethereum(), wallet)
			err := activityError
			if path == "" || path == "/token-balances" {
				err = holdingsError
			}
			if !errors.Is(err, market.ErrUnavailable) {
				t.Errorf("%s answers %d %s: %v", path, status, body, err)
			}
		}
	}
}

func FuzzRows(f *testing.F) {
	f.Add([]byte(`{"items":[`+transferRow(940, 86, 3, bob, alice, goldToken, "4")+`],"next_page_params":{"index":1,"text":"a"}}`),
		[]byte(`{"items":[`+transactionRow(900, 90, 9, alice, router, "1000", "300", `"ok"`)+`],"next_page_params":null}`),
		[]byte(`{"items":[`+internalRow(910, 91, 5, "call", router, alice, "2", true)+`]}`))
	f.Add([]byte(`{}`), []byte(`{"items":[{"from":null}]}`), []byte(`{"items":null}`))
	f.Fuzz(func(t *testing.T, transfers, transactions, internals []byte) {
		h := newHistory(ethereum(), wallet, now, -1)
		ok := func(status int, body []byte) *upstream.Response {
			return &upstream.Response{Status: status, Body: body}
		}
		if page, err := readPage[wireTransaction](ok(200, transactions)); err == nil {
			nextQuery(nil, page.Next)
			for i := range page.Items.Good {
				h.addTransaction(&page.Items.Good[i])
			}
		}
		if page, err := readPage[wireTransfer](ok(200, transfers)); err == nil {
			nextQuery(nil, page.Next)
			for i := range page.Items.Good {
				h.addTransfer(&page.Items.Good[i])
			}
		}
		if page, err := readPage[wireInternal](ok(200, internals)); err == nil {
			for i := range page.Items.Good {
				h.addInternal(&page.Items.Good[i])
			}
		}
		activity := h.activity()
		for i := range activity.Transactions {
			transaction := &activity.Transactions[i]
			if i > 0 && transaction.Block < activity.Transactions[i-1].Block {
				t.Fatal("not in chain order")
			}
			if transaction.Time.After(now.Add(time.Hour)) || transaction.Time.IsZero() {
				t.Fatal(transaction.Time)
			}
			for _, m := range transaction.Movements {
				if m.Amount.IsZero() || m.Counterparty == wallet || !activity.Tokens[m.Token].Known {
					t.Fatalf("%+v", m)
				}
				if d := activity.Tokens[m.Token].Decimals; d < 0 || d > upstream.MaximumDecimals {
					t.Fatal(d)
				}
			}
		}
	})
}

package hyperliquid

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// desk is an Exchange at a sample market of its own, which checks what it is sent in its own way, with an account that approved an agent.
// It lives in a bubble of time.
type desk struct {
	t      *testing.T
	market *samplemarket.Market
	x      *Exchange
	owner  TradingKey
	key    TradingKey

	mu    sync.Mutex
	sent  []string // bodies that were sent to /exchange
	calls []upstream.Call
}

var deskStart = time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)

func newDesk(t *testing.T) *desk {
	d := &desk{t: t, owner: keyOf(t, "the owner"), key: keyOf(t, "the agent")}
	begun := time.Now()
	clock := func() time.Time { return deskStart.Add(90*time.Minute + time.Since(begun)) }
	d.market = samplemarket.New(samplemarket.Config{Seed: 5, Start: deskStart, Clock: clock, Chains: []string{"gnosis"}})
	shared := upstream.Shared{Transport: d, Clock: time.Now, Present: clock, Random: func() float64 { return 0 }, Observe: func(c upstream.Call) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.calls = append(d.calls, c)
	}}
	limits := Defaults()
	limits.Base, limits.PerMinute, limits.Burst = "http://market.invalid/hyperliquid", 1e9, 1e9
	d.x = NewExchange(New(upstream.New(limits, shared)), ExchangeConfig{Base: limits.Base}, shared)
	return d
}

func keyOf(t testing.TB, name string) TradingKey {
	t.Helper()
	key, err := DeriveTradingKey(bytes.Repeat([]byte{7}, 32), name)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// RoundTrip answers like the market, and gives up when the caller does.
func (d *desk) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(r.URL.Path, "/exchange") {
		d.mu.Lock()
		d.sent = append(d.sent, string(body))
		d.mu.Unlock()
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	recorder := httptest.NewRecorder()
	d.market.Handler().ServeHTTP(recorder, r)
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	return recorder.Result(), nil
}

func (d *desk) approval(name string) Approval {
	a := Approval{
		Account: d.owner.Address(), Agent: d.key.Address(), Name: name, SignatureChainID: 42161, Nonce: uint64(d.x.adapter.client.Now().UnixMilli()),
	}
	a.Signature = signed(d.t, d.owner, a.digest(Mainnet))
	return a
}

func signed(t testing.TB, key TradingKey, digest [32]byte) []byte {
	t.Helper()
	s, err := key.sign(digest)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(s.R, s.S, []byte{s.V})
}

func (d *desk) approve() {
	d.t.Helper()
	if err := d.x.ApproveAgent(d.t.Context(), d.approval("mirror")); err != nil {
		d.t.Fatal(err)
	}
}

// mark is a coin's price now.
func (d *desk) mark(coin string) float64 {
	d.t.Helper()
	exchange, _, builder := strings.Cut(coin, ":")
	if !builder {
		exchange = ""
	}
	markets, err := d.x.adapter.PerpMarkets(d.t.Context(), exchange)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, m := range markets {
		if m.Coin == coin {
			return m.MarkPrice
		}
	}
	d.t.Fatal("no " + coin)
	return 0
}

// held is the account's position in a coin.
func (d *desk) held(coin string) market.PerpPosition {
	d.t.Helper()
	exchange, _, builder := strings.Cut(coin, ":")
	if !builder {
		exchange = ""
	}
	read, err := d.x.adapter.PerpAccount(d.t.Context(), d.owner.Address(), []string{exchange})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, house := range read.Clearinghouses {
		for _, p := range house.Positions {
			if p.Coin == coin {
				return p
			}
		}
	}
	return market.PerpPosition{}
}

var orders byte

// buying is an order that is filled, of so many dollars.
func (d *desk) buying(coin string, dollars float64) OrderRequest {
	orders++
	mark := d.mark(coin)
	return OrderRequest{Coin: coin, Buy: true, Limit: mark * 1.02, Size: dollars / mark, ClientID: ClientID{1, 15: orders}}
}

func (d *desk) order(request OrderRequest) OrderResult {
	d.t.Helper()
	result, err := d.x.Order(d.t.Context(), d.key, request)
	if err != nil {
		d.t.Fatal(err)
	}
	return result
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(math.Abs(a), math.Abs(b)) }

// sentKinds are the kinds of the actions that were sent.
func (d *desk) sentKinds() []string {
	var kinds []string
	for _, body := range d.sent {
		var e struct {
			Action struct{ Type string }
			Vault  *string `json:"vaultAddress"`
		}
		if err := json.Unmarshal([]byte(body), &e); err != nil || e.Vault != nil {
			d.t.Fatal(body, err)
		}
		kinds = append(kinds, e.Action.Type)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

func (d *desk) post(action, nonce string, s signature) string {
	d.t.Helper()
	body := fmt.Sprintf(`{"action":%s,"nonce":%s,"signature":{"r":"%s","s":"%s","v":%d},"vaultAddress":null}`, action, nonce, s.R, s.S, s.V)
	recorder := httptest.NewRecorder()
	d.market.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/hyperliquid/exchange", strings.NewReader(body)))
	return fmt.Sprintf("%d %s", recorder.Code, recorder.Body)
}

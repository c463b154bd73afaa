package hyperliquid

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
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

func TestAnOrderIsPlacedFilledAndFoundAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.approve()
		agents, err := d.x.ApprovedAgents(t.Context(), d.owner.Address())
		if err != nil || len(agents) != 1 || agents[0].Address != d.key.Address() || agents[0].Name != "mirror" ||
			!agents[0].ValidUntil.After(deskStart) {
			t.Fatalf("%+v, %v", agents, err)
		}
		for _, coin := range []string{"BTC", "kPEPE", "SOL", "xyz:GOLD"} {
			if err := d.x.UpdateLeverage(t.Context(), d.key, coin, 3, true); err != nil {
				t.Fatal(err)
			}
			opening := d.buying(coin, 300)
			opened := d.order(opening)
			if opened.Status != Filled || !(opened.FilledSize > 0) || opened.FilledSize > opening.Size || opened.OrderID == 0 ||
				opened.AveragePrice > opening.Limit || opened.AveragePrice < opening.Limit/1.03 {
				t.Fatalf("%s: %+v of %+v", coin, opened, opening)
			}
			p := d.held(coin)
			if !near(p.Size, opened.FilledSize) || p.Leverage != 3 || math.Abs(p.EntryPrice/opened.AveragePrice-1) > 1e-4 {
				t.Errorf("%s: %+v after %+v", coin, p, opened)
			}
			found, err := d.x.OrderStatus(t.Context(), d.owner.Address(), opening.ClientID)
			if err != nil || found.Status != Filled || found.OrderID != opened.OrderID || !near(found.FilledSize, opened.FilledSize) ||
				!near(found.AveragePrice, opened.AveragePrice) || math.Abs(found.FeeUSD-0.00045*found.FilledSize*found.AveragePrice) > 4e-6 {
				t.Errorf("%s: found %+v, %v, placed %+v", coin, found, err, opened)
			}
			closing := OrderRequest{Coin: coin, Limit: opening.Limit / 1.04, Size: p.Size, ReduceOnly: true, ClientID: ClientID{2, 15: orders}}
			if closed := d.order(closing); closed.Status != Filled || !near(closed.FilledSize, p.Size) || d.held(coin).Size != 0 {
				t.Errorf("%s: %+v, left %+v", coin, closed, d.held(coin))
			}
		}
		if unknown, err := d.x.OrderStatus(t.Context(), d.owner.Address(), ClientID{9}); err != nil || unknown.Status != NotFound {
			t.Errorf("%+v, %v", unknown, err)
		}
		fills, err := d.x.adapter.PerpFills(t.Context(), d.owner.Address())
		if err != nil || len(fills.Fills) < 8 {
			t.Errorf("%+v, %v", fills, err)
		}
	})
}

// Whatever happens to a request on its way, it is sent once, and what the caller is told afterwards is what happened.
func TestALostOrderIsFoundAndNeverSentTwice(t *testing.T) {
	for fault, placed := range map[samplemarket.FaultKind]bool{
		samplemarket.FaultLost: true, samplemarket.FaultTruncated: true, samplemarket.FaultWrongTypes: true, samplemarket.FaultDrip: true,
		samplemarket.FaultHang: false, samplemarket.FaultServerError: false, samplemarket.FaultHTML: false, samplemarket.FaultEmpty: false,
		samplemarket.FaultHostile: false,
	} {
		synctest.Test(t, func(t *testing.T) {
			d := newDesk(t)
			d.approve()
			request := d.buying("ETH", 200)
			d.mu.Lock()
			d.sent = nil
			d.mu.Unlock()
			d.market.SetFault(samplemarket.HyperliquidExchange, samplemarket.Fault{Kind: fault, Interval: time.Second})
			result, err := d.x.Order(t.Context(), d.key, request)
			unknown, ok := IsUnknown(err)
			if !ok || errors.Is(err, market.ErrUnavailable) {
				t.Fatalf("fault %d: %+v, %v", fault, result, err)
			}
			// However long one waits for the answer, the order's time is not over before what the venue was told.
			if left := unknown.ExpiresAt.Sub(d.x.adapter.client.Now()); left > defaultLifetime || left < defaultLifetime-defaultExchangeTimeout-time.Second {
				t.Errorf("fault %d: expires in %v", fault, left)
			}
			d.market.SetFault(samplemarket.HyperliquidExchange, samplemarket.Fault{})
			found, err := d.x.OrderStatus(t.Context(), d.owner.Address(), request.ClientID)
			if err != nil || placed != (found.Status == Filled) || !placed && found.Status != NotFound {
				t.Errorf("fault %d: %+v, %v", fault, found, err)
			}
			if len(d.sent) != 1 {
				t.Errorf("fault %d: sent %d times", fault, len(d.sent))
			}
			if size := d.held("ETH").Size; !near(size, found.FilledSize) {
				t.Errorf("fault %d: %g are held, %g were found", fault, size, found.FilledSize)
			}
			// A copy of what was sent does nothing while it is fresh, and nothing after.
			replay := func(want string) {
				t.Helper()
				answer, err := http.NewRequestWithContext(t.Context(), http.MethodPost, d.x.config.Base+exchangePath, strings.NewReader(d.sent[0]))
				if err != nil {
					t.Fatal(err)
				}
				response, err := d.RoundTrip(answer)
				if err != nil {
					t.Fatal(err)
				}
				body, _ := io.ReadAll(response.Body)
				if !strings.Contains(string(body), want) {
					t.Errorf("fault %d: a copy was answered %s", fault, body)
				}
			}
			if placed {
				replay("duplicate nonce")
			}
			time.Sleep(defaultLifetime + 2*time.Second)
			replay("expired")
			if size := d.held("ETH").Size; !near(size, found.FilledSize) {
				t.Errorf("fault %d: %g are held after a copy", fault, size)
			}
		})
	}
}

func TestWhatWasNotSentIsNoUnknownOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.approve()
		request := d.buying("BTC", 100)
		before := len(d.sent)
		given, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := d.x.Order(given, d.key, request); err == nil || errors.As(err, new(*UnknownOutcome)) {
			t.Error(err)
		}
		for name, change := range map[string]func(*OrderRequest){
			"no client id": func(o *OrderRequest) { o.ClientID = ClientID{} }, "no size": func(o *OrderRequest) { o.Size = 0 },
			"negative": func(o *OrderRequest) { o.Size = -1 }, "not a number": func(o *OrderRequest) { o.Size = math.NaN() },
			"endless": func(o *OrderRequest) { o.Size = math.Inf(1) }, "no limit": func(o *OrderRequest) { o.Limit = 0 },
			"odd limit": func(o *OrderRequest) { o.Limit = math.NaN() }, "endless limit": func(o *OrderRequest) { o.Limit = math.Inf(1) },
			"least limit": func(o *OrderRequest) { o.Limit = 1e-12 },
		} {
			changed := request
			change(&changed)
			if result, err := d.x.Order(t.Context(), d.key, changed); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: %+v, %v", name, result, err)
			}
		}
		if _, err := d.x.Order(t.Context(), TradingKey{}, request); !errors.Is(err, ErrInvalid) {
			t.Error(err)
		}
		for _, coin := range []string{"", "NONE", "none:COIN", "@107", strings.Repeat("x", 1000)} {
			if _, err := d.x.Order(t.Context(), d.key, OrderRequest{Coin: coin, Limit: 1, Size: 1, ClientID: ClientID{1}}); !errors.Is(err, ErrNoContract) {
				t.Errorf("%.20q: %v", coin, err)
			}
		}
		for _, leverage := range []int{0, -1, 41, 1 << 40} {
			if err := d.x.UpdateLeverage(t.Context(), d.key, "BTC", leverage, true); !errors.Is(err, ErrInvalid) {
				t.Errorf("leverage %d: %v", leverage, err)
			}
		}
		if err := d.x.UpdateLeverage(t.Context(), d.key, "WIF", 2, true); !errors.Is(err, ErrInvalid) {
			t.Error("WIF shares no margin:", err)
		}
		if len(d.sent) != before {
			t.Errorf("%q were sent", d.sent[before:])
		}
	})
}

func TestRefusalsHaveReasons(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		if result := d.order(d.buying("BTC", 100)); result.Status != Rejected || result.Reason != ReasonAgent {
			t.Errorf("before it was approved: %+v", result)
		}
		d.approve()
		first := d.buying("BTC", 100)
		if result := d.order(first); result.Status != Filled {
			t.Fatalf("%+v", result)
		}
		for reason, change := range map[Reason]func(*OrderRequest){
			ReasonMinimum:    func(o *OrderRequest) { o.Size /= 11 },
			ReasonSize:       func(o *OrderRequest) { o.Size = 1e-9 },
			ReasonMargin:     func(o *OrderRequest) { o.Size *= 3_000 },
			ReasonNoMatch:    func(o *OrderRequest) { o.Limit *= 0.9 },
			ReasonReduceOnly: func(o *OrderRequest) { o.ReduceOnly = true },
			ReasonPrice:      func(o *OrderRequest) { o.Limit *= 3 },
			ReasonDuplicate:  func(o *OrderRequest) { o.ClientID = first.ClientID },
		} {
			request := d.buying("BTC", 100)
			change(&request)
			result := d.order(request)
			if result.Status != Rejected || result.Reason != reason || result.Text == "" || result.FilledSize != 0 || !math.IsNaN(result.AveragePrice) {
				t.Errorf("%s: %+v", reason, result)
			}
			if reason == ReasonSize || reason == ReasonDuplicate {
				continue
			}
			found, err := d.x.OrderStatus(t.Context(), d.owner.Address(), request.ClientID)
			if err != nil || found.Status != Rejected || found.Reason != reason {
				t.Errorf("%s: found %+v, %v", reason, found, err)
			}
		}
		var refused *Refusal
		if err := d.x.Cancel(t.Context(), d.key, "BTC", first.ClientID); !errors.As(err, &refused) || refused.Reason != ReasonMissing {
			t.Error(err)
		}
		d.market.SetFault(samplemarket.HyperliquidExchange, samplemarket.Fault{Kind: samplemarket.FaultRateLimit})
		if result := d.order(d.buying("BTC", 100)); result.Status != Rejected || result.Reason != ReasonRate {
			t.Errorf("%+v", result)
		}
		d.market.SetFault(samplemarket.HyperliquidExchange, samplemarket.Fault{})
		time.Sleep(91 * 24 * time.Hour)
		if result := d.order(d.buying("BTC", 100)); result.Reason != ReasonAgent {
			t.Errorf("after its time: %+v", result)
		}
	})
}

func TestWhatAnAccountDidNotSignIsNotForwarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		now := d.x.adapter.client.Now()
		for name, change := range map[string]func(*Approval){
			"another account": func(a *Approval) { a.Account = chain.Address{1} }, "another agent": func(a *Approval) { a.Agent = chain.Address{1} },
			"another name": func(a *Approval) { a.Name = "other" }, "another time": func(a *Approval) { a.Nonce++ },
			"another chain": func(a *Approval) { a.SignatureChainID = 1 }, "short": func(a *Approval) { a.Signature = a.Signature[:64] },
			"for another network": func(a *Approval) { a.Signature = signed(t, d.owner, a.digest(Testnet)) },
			"the twin of s":       func(a *Approval) { a.Signature = twin(a.Signature) },
			"of another kind": func(a *Approval) {
				a.Signature[64] += 4
			},
			"too old": func(a *Approval) {
				a.Nonce = uint64(now.Add(-49 * time.Hour).UnixMilli())
				a.Signature = signed(t, d.owner, a.digest(Mainnet))
			},
			"itself": func(a *Approval) {
				a.Agent = a.Account
				a.Signature = signed(t, d.owner, a.digest(Mainnet))
			},
		} {
			approval := d.approval("mirror")
			change(&approval)
			if err := d.x.ApproveAgent(t.Context(), approval); !errors.Is(err, ErrInvalid) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if len(d.sent) != 0 {
			t.Errorf("%q were sent", d.sent)
		}
		low := d.approval("mirror")
		low.Signature[64] -= 27
		if err := d.x.ApproveAgent(t.Context(), low); err != nil {
			t.Error("v of 0 or 1:", err)
		}
		var refused *Refusal
		if err := d.x.ApproveAgent(t.Context(), low); !errors.As(err, &refused) || refused.Reason != ReasonNonce {
			t.Error("twice:", err)
		}
	})
}

// twin is the other signature of the same message by the same key.
func twin(signature []byte) []byte {
	var s secp256k1.ModNScalar
	s.SetByteSlice(signature[32:64])
	negative := s.Negate().Bytes()
	return slices.Concat(signature[:32], negative[:], []byte{signature[64] ^ 7}) // 27 ^ 7 is 28
}

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

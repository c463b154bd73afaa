package hyperliquid

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

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

// Half of the answers are lost, spoiled or never made: nothing is bought twice, and all that was bought is known.
func TestNothingIsLostAmongFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.approve()
		if err := d.x.UpdateLeverage(t.Context(), d.key, "SOL", 20, true); err != nil {
			t.Fatal(err)
		}
		bought, unknowns, before := 0.0, 0, len(d.sent)
		for i := range 40 {
			request := d.buying("SOL", 100)
			fault := samplemarket.Fault{Kind: samplemarket.FaultRandom, Interval: time.Second}
			if i%4 == 0 {
				fault.Kind = samplemarket.FaultLost
			}
			if i%3 == 0 {
				fault.Kind = samplemarket.FaultNone
			}
			d.market.SetFault(samplemarket.HyperliquidExchange, fault)
			result, err := d.x.Order(t.Context(), d.key, request)
			d.market.SetFault(samplemarket.HyperliquidExchange, samplemarket.Fault{})
			if unknown, ok := IsUnknown(err); ok {
				unknowns++
				time.Sleep(unknown.ExpiresAt.Sub(d.x.adapter.client.Now()) + time.Second)
				result, err = d.x.OrderStatus(t.Context(), d.owner.Address(), request.ClientID)
			}
			if err != nil || result.Status == Rejected && result.Reason != ReasonRate || result.Status == Resting {
				t.Fatalf("%+v, %v", result, err)
			}
			bought += result.FilledSize
		}
		if held := d.held("SOL").Size; !near(held, bought) || len(d.sent) != before+40 || unknowns < 10 || bought == 0 {
			t.Errorf("%g are held, %g were bought with %d unknown outcomes, %d sent", held, bought, unknowns, len(d.sent)-before)
		}
	})
}

func TestOrdersAreNotPlacedAfterTheirTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t)
		d.approve()
		now := d.x.adapter.client.Now()
		request := d.buying("BTC", 100)
		before := len(d.sent)
		for _, late := range []time.Time{now, now.Add(-time.Second), now.Add(-999 * time.Hour)} {
			request.PlaceBy = late
			if result, err := d.x.Order(t.Context(), d.key, request); !errors.Is(err, ErrTooLate) || errors.As(err, new(*UnknownOutcome)) {
				t.Errorf("%v: %+v, %v", late, result, err)
			}
		}
		if len(d.sent) != before {
			t.Errorf("sent %q", d.sent[before:])
		}
		for by, want := range map[time.Duration]time.Duration{3 * time.Second: 3 * time.Second, time.Hour: defaultLifetime, -now.Sub(time.Time{}): defaultLifetime} {
			d.market.SetFault(samplemarket.HyperliquidExchange, samplemarket.Fault{Kind: samplemarket.FaultServerError})
			request.PlaceBy = time.Time{}
			if by > 0 {
				request.PlaceBy = now.Add(by)
			}
			_, err := d.x.Order(t.Context(), d.key, request)
			if unknown, ok := IsUnknown(err); !ok || !unknown.ExpiresAt.Equal(now.Add(want)) ||
				!strings.Contains(d.sent[len(d.sent)-1], fmt.Sprintf(`"expiresAfter":%d`, now.Add(want).UnixMilli())) {
				t.Errorf("by %v: %v, sent %s", by, err, d.sent[len(d.sent)-1])
			}
		}
	})
}

// roundTrip is a way out that fails as it likes.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestWhatIsKnownOfFailures(t *testing.T) {
	redirect := &http.Response{StatusCode: 307, Header: http.Header{"Location": {"/elsewhere"}}, Body: io.NopCloser(strings.NewReader(""))}
	for name, c := range map[string]struct {
		answer *http.Response
		err    error
		sent   bool
	}{
		"nobody there":      {nil, &net.OpError{Op: "dial", Err: errors.New("refused")}, false},
		"broken off":        {nil, &net.OpError{Op: "read", Err: errors.New("reset")}, true},
		"broken off early":  {nil, &net.OpError{Op: "write", Err: errors.New("broken pipe")}, true},
		"nothing came back": {nil, io.EOF, true},
		"sent elsewhere":    {redirect, nil, true},
	} {
		times := 0
		d := always(universe)
		x := NewExchange(d.adapter(), ExchangeConfig{}, upstream.Shared{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			times++
			if r.URL.String() != "https://api.hyperliquid.xyz/exchange" || r.Method != http.MethodPost {
				t.Error(r.Method, r.URL)
			}
			return c.answer, c.err
		})})
		_, err := x.Order(t.Context(), keyOf(t, "any"), OrderRequest{Coin: "BTC", Limit: 9, Size: 9, ClientID: ClientID{1}})
		_, unknown := IsUnknown(err)
		if unknown != c.sent || errors.Is(err, market.ErrUnavailable) == c.sent || times != 1 {
			t.Errorf("%s: %v after %d", name, err, times)
		}
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

package hyperliquid

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

func TestAnswersToOrders(t *testing.T) {
	ok := func(status string) string {
		return `{"status":"ok","response":{"type":"order","data":{"statuses":[` + status + `]}}}`
	}
	for body, want := range map[string]OrderResult{
		ok(`{"filled":{"totalSz":"0.02","avgPx":"1891.4","oid":77747314}}`):                                           {Status: Filled, FilledSize: 0.02, AveragePrice: 1891.4, OrderID: 77747314},
		ok(`{"resting":{"oid":77738308}}`):                                                                            {Status: Resting, OrderID: 77738308},
		ok(`{"error":"Order must have minimum value of $10."}`):                                                       {Status: Rejected, Reason: ReasonMinimum},
		ok(`{"error":"Order 0: Reduce only order would increase position. asset=1"}`):                                 {Status: Rejected, Reason: ReasonReduceOnly},
		ok(`{"error":"Order would increase open interest while open interest is capped"}`):                            {Status: Rejected, Reason: ReasonOpenInterest},
		ok(`{"error":"Order would cause position to exceed margin tier limit at current leverage"}`):                  {Status: Rejected, Reason: ReasonLeverage},
		ok(`{"error":"Order price too far from oracle"}`):                                                             {Status: Rejected, Reason: ReasonPrice},
		ok(`{"error":"No liquidity available for market order."}`):                                                    {Status: Rejected, Reason: ReasonNoLiquidity},
		ok(`{"error":"something new"}`):                                                                               {Status: Rejected, Reason: ReasonOther},
		`{"status":"err","response":"User or API Wallet 0x0123456789012345678901234567890123456789 does not exist."}`: {Status: Rejected, Reason: ReasonAgent},
		`{"status":"err","response":"Must deposit before performing actions. User: 0x01"}`:                            {Status: Rejected, Reason: ReasonAccount},
		`{"status":"err","response":"Invalid nonce: duplicate nonce 7"}`:                                              {Status: Rejected, Reason: ReasonNonce},
		`{"status":"err","response":"Too many cumulative requests sent (10001 > 10000)"}`:                             {Status: Rejected, Reason: ReasonRate},
	} {
		read, err := readAnswer(200, []byte(body))
		if err != nil {
			t.Errorf("%s: %v", body, err)
			continue
		}
		got, err := read.order(0.02)
		if err != nil || got.Status != want.Status || got.FilledSize != want.FilledSize || got.OrderID != want.OrderID || got.Reason != want.Reason ||
			want.Status == Filled && got.AveragePrice != want.AveragePrice || want.Status != Filled && !math.IsNaN(got.AveragePrice) {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
	// None of these says what became of the order.
	for _, body := range []string{``, `null`, `{}`, `[]`, `7`, `<html>`, `{"status":"ok"}`, `{"status":"err"}`, `{"status":"err","response":""}`, `{"status":"err","response":7}`,
		`{"status":"ok","response":{"type":"default"}}`, `{"status":"fine","response":{}}`, ok(``), ok(`{}`), ok(`null`), ok(`"success"`), ok(`{"error":""}`), ok(`{"error":7}`),
		ok(`{"error":null}`), ok(`{"filled":{}}`), ok(`{"filled":{"totalSz":"0.03","avgPx":"1","oid":1}}`), ok(`{"filled":{"totalSz":"0","avgPx":"1","oid":1}}`),
		ok(`{"filled":{"totalSz":"-0.01","avgPx":"1","oid":1}}`), ok(`{"filled":{"totalSz":"0.01","avgPx":"0","oid":1}}`), ok(`{"filled":{"totalSz":"NaN","avgPx":"1"}}`),
		ok(`{"filled":{"totalSz":"0.01","avgPx":"1e400","oid":1}}`), ok(`{"filled":{"totalSz":"0.01","avgPx":"1","oid":1},"error":"x"}`),
		ok(`{"filled":{"totalSz":"0.01","avgPx":"1","oid":1},"resting":{"oid":1}}`), ok(`{"resting":{"oid":1}},{"resting":{"oid":2}}`)} {
		read, err := readAnswer(200, []byte(body))
		if err != nil {
			continue
		}
		if got, err := read.order(0.02); err == nil {
			t.Errorf("%s: %+v", body, got)
		}
	}
	for status, known := range map[int]bool{400: true, 401: true, 403: true, 404: true, 422: true, 429: true, 408: false, 302: false, 499: false,
		500: false, 502: false, 503: false, 504: false, 204: false} {
		read, err := readAnswer(status, []byte(ok(`{"resting":{"oid":1}}`)))
		if known != (err == nil) || known && read.refused == nil {
			t.Errorf("status %d: %+v, %v", status, read, err)
		}
	}
}

func TestAnswersToCancellationsAndLeverages(t *testing.T) {
	for body, want := range map[string]string{
		`{"status":"ok","response":{"type":"cancel","data":{"statuses":["success"]}}}`:                    "",
		`{"status":"ok","response":{"type":"default"}}`:                                                   "unknown",
		`{"status":"ok","response":{"type":"cancel","data":{"statuses":["waiting"]}}}`:                    "unknown",
		`{"status":"ok","response":{"type":"cancel","data":{"statuses":["success","success"]}}}`:          "unknown",
		`{"status":"ok","response":{"type":"cancel","data":{"statuses":[{"error":"was never placed"}]}}}`: "missing",
		`{"status":"err","response":"Invalid nonce: duplicate nonce 7"}`:                                  "nonce",
		`{"status":"err"}`: "unknown",
	} {
		x := NewExchange(always(universe).adapter(), ExchangeConfig{}, upstream.Shared{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
		})})
		check := func(what string, err error, want string) {
			t.Helper()
			got := ""
			var refused *Refusal
			if unknown, ok := IsUnknown(err); ok {
				got = "unknown"
				if !unknown.ExpiresAt.Equal(present.Add(defaultLifetime)) {
					t.Errorf("%s: expires at %v", what, unknown.ExpiresAt)
				}
			} else if errors.As(err, &refused) {
				got = string(refused.Reason)
			} else if err != nil {
				t.Error(err)
			}
			if got != want {
				t.Errorf("%s answered %s: %v, want %q", what, body, err, want)
			}
		}
		check("cancellation", x.Cancel(t.Context(), keyOf(t, "any"), "BTC", ClientID{1}), want)
		if strings.Contains(body, "ok") {
			want = ""
		}
		check("leverage", x.UpdateLeverage(t.Context(), keyOf(t, "any"), "BTC", 3, true), want)
	}
}

func TestStatesOfOrders(t *testing.T) {
	state := func(status, left string) string {
		return `{"status":"order","order":{"order":{"coin":"BTC","side":"B","limitPx":"9","sz":"` + left + `","oid":5,"timestamp":1790000000000,"origSz":"4.0","cloid":"0x05000000000000000000000000000000"},"status":"` +
			status + `","statusTimestamp":1790000000000}}`
	}
	fresh := func(state string) string {
		return strings.ReplaceAll(state, "1790000000000", strconv.FormatInt(present.Add(-time.Second).UnixMilli(), 10))
	}
	filled := func(order, size string) string {
		return `{"coin":"BTC","px":"2.0","sz":"` + size + `","side":"B","time":1790000000000,"startPosition":"0.0","dir":"Open Long","closedPnl":"0.0","oid":` + order + `,"crossed":true,"fee":"0.5","feeToken":"0","tid":` + order + size[:1] + `}`
	}
	for _, test := range []struct {
		name, state, fills string
		want               OrderResult
		fails              bool
	}{
		{"filled", state("filled", "0.0"), list(filled("5", "1.0"), filled("6", "9.0"), filled("5", "3.0")), OrderResult{Status: Filled, FilledSize: 4, AveragePrice: 2, OrderID: 5}, false},
		{"partly", state("canceled", "3.0"), list(filled("5", "1.0")), OrderResult{Status: Filled, FilledSize: 1, AveragePrice: 2, OrderID: 5}, false},
		{"cancelled with nothing left", state("canceled", "0.0"), list(filled("6", "1.0")), OrderResult{Status: Rejected, Reason: ReasonOther, OrderID: 5}, false},
		{"not matched", state("iocCancelRejected", "4.0"), list(), OrderResult{Status: Rejected, Reason: ReasonNoMatch, OrderID: 5}, false},
		{"no margin", state("perpMarginRejected", "4.0"), list(), OrderResult{Status: Rejected, Reason: ReasonMargin, OrderID: 5}, false},
		{"open", state("open", "4.0"), list(), OrderResult{Status: Resting, OrderID: 5}, false},
		{"unknown", `{"status":"unknownOid"}`, list(), OrderResult{Status: NotFound}, false},
		{"fills that never came", state("filled", "0.0"), list(filled("5", "1.0")), OrderResult{Status: Filled, FilledSize: 1, AveragePrice: 2, OrderID: 5}, false},
		{"fills to come", fresh(state("filled", "0.0")), list(filled("5", "1.0")), OrderResult{}, true},
		{"no fill yet", fresh(state("canceled", "3.0")), list(), OrderResult{}, true},
		{"no fill ever", state("canceled", "3.0"), list(), OrderResult{}, true},
		{"more than was asked for", state("filled", "0.0"), list(filled("5", "5.0")), OrderResult{}, true},
		{"no list", state("filled", "0.0"), `null`, OrderResult{}, true},
		{"another order", strings.Replace(state("filled", "0.0"), "0x05", "0x06", 1), list(), OrderResult{}, true},
		{"no order", `{"status":"order"}`, list(), OrderResult{}, true},
		{"more left than there was", state("open", "5.0"), list(), OrderResult{}, true},
		{"nothing", `{}`, list(), OrderResult{}, true}, {"null", `null`, list(), OrderResult{}, true},
	} {
		v := &venue{answer: func(q asked) (int, string) {
			if q.Type == "orderStatus" {
				return 200, test.state
			}
			return 200, test.fills
		}}
		x := NewExchange(v.adapter(), ExchangeConfig{}, upstream.Shared{})
		got, err := x.OrderStatus(t.Context(), account, ClientID{5})
		if test.fails != (err != nil) || err == nil && (got.Status != test.want.Status || got.FilledSize != test.want.FilledSize ||
			got.OrderID != test.want.OrderID || got.Reason != test.want.Reason || got.FilledSize > 0 && got.AveragePrice != test.want.AveragePrice) {
			t.Errorf("%s: %+v, %v", test.name, got, err)
		}
	}
}

func FuzzExchangeAnswers(f *testing.F) {
	for _, seed := range []string{`{"status":"ok","response":{"type":"order","data":{"statuses":[{"filled":{"totalSz":"0.02","avgPx":"1891.4","oid":77747314}}]}}}`,
		`{"status":"ok","response":{"type":"cancel","data":{"statuses":["success",{"error":"x"}]}}}`, `{"status":"err","response":"Invalid nonce"}`, universe,
		`[{"name":"ok","address":"0x286edfa08c04f6899dab3bfdecf2dd133f9733b9","validUntil":1767776120478}]`, `[null,{"name":"xyz"}]`,
		`{"status":"order","order":{"order":{"sz":"1","oid":5,"origSz":"4.0","cloid":"0x05000000000000000000000000000000"},"status":"open"}}`} {
		f.Add(200, []byte(seed))
	}
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if read, err := readAnswer(status, body); err == nil {
			if got, err := read.order(3); err == nil {
				switch got.Status {
				case Filled:
					if !(got.FilledSize > 0) || got.FilledSize > 3.000001 || !(got.AveragePrice > 0) || math.IsInf(got.AveragePrice, 0) {
						t.Fatalf("%+v", got)
					}
				case Rejected:
					if got.Reason == "" || got.FilledSize != 0 || len(got.Text) > longestText {
						t.Fatalf("%+v", got)
					}
				case Resting:
				default:
					t.Fatalf("%+v", got)
				}
			}
		}
		r := &upstream.Response{Status: 200, Body: bytes.Clone(body)}
		if state, err := readOrderState(r, ClientID{5}); err == nil && state != nil && (number(state.Order.Order.ID) == 0 || state.Order.Status == "") {
			t.Fatalf("%+v", state)
		}
		if agents, _, err := readAgents(r); err == nil {
			for _, a := range agents {
				if a.ValidUntil.Year() < 1970 {
					t.Fatalf("%+v", a)
				}
			}
		}
		if read, err := readUniverse(r, 7); err == nil {
			for coin, c := range read {
				if coin == "" || c.Coin != coin || c.Asset < 7 || c.SizeDecimals < 0 || c.SizeDecimals > 6 || c.MaximumLeverage < 1 {
					t.Fatalf("%+v", c)
				}
			}
		}
		if place, err := placeOf(r, "xyz"); err == nil && place < 0 {
			t.Fatal(place)
		}
	})
}

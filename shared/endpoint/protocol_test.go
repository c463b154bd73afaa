package endpoint_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// letter is a protocol: {"to": path, "say": body} calls the path, and is answered by what it answered, with some of its headers.
func letter(callable ...endpoint.Endpoint) endpoint.Endpoint {
	return endpoint.Protocol(endpoint.Declaration{Name: "letters"}, callable, func(ctx context.Context, r *endpoint.Request, calls http.Handler) (endpoint.Spoken, error) {
		var sent struct {
			To   string          `json:"to"`
			Say  json.RawMessage `json:"say"`
			Fail string          `json:"fail"`
		}
		if err := json.Unmarshal(r.Body, &sent); err != nil {
			return endpoint.Spoken{}, err
		}
		switch sent.Fail {
		case "problem":
			return endpoint.Spoken{}, endpoint.Invalid("to", "Nobody lives there.")
		case "error":
			return endpoint.Spoken{}, errSecret
		case "panic":
			panic("oh")
		case "silence":
			return endpoint.Spoken{Status: http.StatusAccepted}, nil
		}
		asked := httptest.NewRequestWithContext(ctx, http.MethodPost, sent.To, strings.NewReader(string(sent.Say)))
		asked.Header.Set("Authorization", r.Header.Get("Authorization"))
		answer := httptest.NewRecorder()
		calls.ServeHTTP(answer, asked)
		return endpoint.Spoken{Status: answer.Code, Body: answer.Body.Bytes(), Header: http.Header{
			"X-Usage-Units": answer.Header()["X-Usage-Units"], "Ratelimit": answer.Header()["Ratelimit"],
		}}, nil
	})
}

// What is called in another protocol is charged and answered as if it had come by itself, under the id of the request it came in; the
// request costs nothing.
func TestProtocol(t *testing.T) {
	handler, f, provider := start(t, letter(score()))
	answer := post("/v1/letters", f.Key, `{"to":"/v1/trader-score","say":`+good+`}`).Do(t, handler)
	direct := post("/v1/trader-score", f.Key, good).Do(t, endpointtest.Undocumented{Handler: endpoint.NewHandler(f.Service, score())})
	if answer.Status != 200 || answer.Body != direct.Body || answer.Header.Get("X-Usage-Units") != "2" || provider.count() != 2 {
		t.Errorf("%d %v %s, want %s", answer.Status, answer.Header, answer.Body, direct.Body)
	}
	if limit := answer.Header["Ratelimit"]; len(limit) != 1 || !strings.HasPrefix(limit[0], `"fair-use";r=1198;`) {
		t.Errorf("RateLimit %q", limit)
	}
	for what, want := range map[string]int{
		"requests{endpoint,letters,code,ok}": 1, "requests{endpoint,trader-score,code,ok}": 2, "units{endpoint,trader-score}": 4, "units": 4,
	} {
		if got := f.Metrics.Total(what); got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	id := answer.Header.Get("X-Request-Id")
	if n := strings.Count(f.Log.String(), `"request":"`+id+`"`); id == "" || n != 2 {
		t.Errorf("%d lines are about %q", n, id)
	}
	usage, err := f.Store.Usage(t.Context(), endpointtest.Partner, f.Clock.Now())
	if err != nil || usage.Today != 4 || len(usage.ByEndpoint) != 1 {
		t.Errorf("%+v %v", usage, err)
	}
	// Nothing else can be called, itself among it.
	for _, to := range []string{"/v1/letters", "/v1/wallet-trades", "/api/v1/letters"} {
		answer := post("/v1/letters", f.Key, `{"to":"`+to+`","say":{}}`).Do(t, handler)
		if answer.Status != http.StatusNotFound || !strings.Contains(answer.Body, id[:len(id)-1]) {
			t.Errorf("%s: %d %s", to, answer.Status, answer.Body)
		}
	}
}

func TestProtocolRefusals(t *testing.T) {
	handler, f, provider := start(t, letter(score()))
	endpointtest.ProtocolRefusals(t, handler, letter(score()), f.Key)
	for fail, want := range map[string]string{"problem": "400 invalid_param", "error": "500 internal", "panic": "500 internal"} {
		call := post("/v1/letters", f.Key, `{"fail":"`+fail+`"}`)
		answer := call.Do(t, handler)
		var status int
		var code string
		_, _ = fmt.Sscan(want, &status, &code)
		endpointtest.CheckRefusal(t, call, answer, status, code)
		if strings.Contains(answer.Body, errSecret.Error()) {
			t.Errorf("%s tells %s", fail, answer.Body)
		}
	}
	silent := post("/v1/letters", f.Key, `{"fail":"silence"}`).Do(t, handler)
	if silent.Status != http.StatusAccepted || silent.Body != "" || silent.Header.Get("Content-Type") != "" || silent.Header.Get("X-Usage-Units") != "0" {
		t.Errorf("%d %v %q", silent.Status, silent.Header, silent.Body)
	}
	endpointtest.CheckRateLimit(t, silent)
	if provider.count() != 0 {
		t.Errorf("%d calls of providers", provider.count())
	}
}

// Requests in a protocol count among those that cost nothing, refused ones too, and so do the free calls inside them.
func TestProtocolRequestsAreBounded(t *testing.T) {
	f := endpointtest.New(t)
	f.Service.FreeByKey = endpoint.RequestLimit{PerSecond: 1, Burst: 5}
	handler := endpointtest.Undocumented{Handler: endpoint.NewHandler(f.Service, letter(endpoint.Usage(f.Store)))}
	for i := range 5 {
		call := post("/v1/letters", f.Key, []string{`{"fail":"silence"}`, `{"fail":"problem"}`, `[`}[i%3])
		if answer := call.Do(t, handler); answer.Status == http.StatusTooManyRequests {
			t.Fatalf("the %dth: %s", i+1, answer.Body)
		}
	}
	call := post("/v1/letters", f.Key, `{"fail":"silence"}`)
	endpointtest.CheckRefusal(t, call, call.Do(t, handler), http.StatusTooManyRequests, "rate_limited")
	f.Clock.Advance(time.Minute)
	refused := post("/v1/letters", f.Key, `{"to":"/v1/nowhere","say":{}}`)
	for i, want := range []int{http.StatusNotFound, http.StatusNotFound, http.StatusTooManyRequests} {
		if answer := refused.Do(t, handler); answer.Status != want {
			t.Errorf("the %dth: %d %s, want %d", i+1, answer.Status, answer.Body, want)
		}
	}
}

// The caller that hangs up ends what was called.
func TestProtocolHangsUp(t *testing.T) {
	begun, ended := make(chan struct{}), make(chan error, 1)
	slow := failing("slow", func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	})
	handler, f, _ := start(t, letter(slow))
	ctx, hangUp := context.WithCancel(t.Context())
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/letters", strings.NewReader(`{"to":"/v1/slow","say":`+good+`}`))
	r.Header.Set("Authorization", "Bearer "+f.Key)
	done := make(chan struct{})
	go func() {
		handler.ServeHTTP(httptest.NewRecorder(), r)
		close(done)
	}()
	<-begun
	hangUp()
	<-done
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A service without what a callable endpoint needs is a mistake in the program.
func TestProtocolIsValidated(t *testing.T) {
	f := endpointtest.New(t)
	defer func() {
		if cause := recover(); cause == nil || !strings.Contains(fmt.Sprint(cause), "trader-score needs") {
			t.Errorf("%v", cause)
		}
	}()
	endpoint.NewHandler(f.Service, letter(score()))
}

// A partner that has no units left can still speak, and is refused by what it calls.
func TestProtocolWithoutUnits(t *testing.T) {
	handler, f, _ := start(t, letter(score()))
	if err := f.Store.SetLimit(t.Context(), endpointtest.Partner, store.Limit{PerMinute: 60, Burst: 1}); err != nil {
		t.Fatal(err)
	}
	answer := post("/v1/letters", f.Key, `{"to":"/v1/trader-score","say":`+good+`}`).Do(t, handler)
	problem := answer.Problem(t)
	if problem.Error != "rate_limited" || problem.RequestID != answer.Header.Get("X-Request-Id") || answer.Header.Get("X-Usage-Units") != "0" {
		t.Errorf("%+v %v", problem, answer.Header)
	}
}

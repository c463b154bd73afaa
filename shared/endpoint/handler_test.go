package endpoint_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

type call = endpointtest.Call

// start makes a handler over a fixture with the counting provider.
func start(t endpointtest.T, endpoints ...endpoint.Endpoint) (http.Handler, *endpointtest.Fixture, *codeCounter) {
	t.Helper()
	f, provider := endpointtest.New(t), &codeCounter{}
	f.Service.Sources.Code = provider
	return endpointtest.Undocumented{Handler: endpoint.NewHandler(f.Service, endpoints...)}, f, provider
}

func post(path, key, body string) call {
	return call{Method: http.MethodPost, Path: path, Key: key, Body: body}
}

func TestRefusals(t *testing.T) {
	endpoints := ordinary()
	handler, f, provider := start(t, endpoints...)
	endpointtest.Refusals(t, handler, endpoints, f.Key, provider.count)
	if strings.Contains(f.Log.String(), f.Key[16:40]) {
		t.Error("a key's secret is in the log")
	}
}

func TestAnswers(t *testing.T) {
	handler, f, provider := start(t, ordinary()...)
	scored := `{"grade":"B","score":62.5,"reasons":["Wins <often> & ` + "\u2028" + ` calmly ` + "\U0001f600" + `."]}`
	agent := `{"venue":"dexvenue-spot","leader":"` + wallet + `","riskConfig":{"copyPercent":12.5,"maxUsd":"100.50"`
	for _, c := range []struct {
		name    string
		call    call
		body    string
		units   string
		status  int
		version string
	}{
		{"single", post("/v1/trader-score", f.Key, good), scored, "2", 200, endpoint.MethodVersion},
		{"alias of the chain", post("/v1/trader-score", f.Key, strings.Replace(good, "base", "ethereum", 1)), scored, "2", 200, endpoint.MethodVersion},
		{"checksum address", post("/v1/trader-score", f.Key, strings.Replace(good, wallet, "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", 1)), scored, "2", 200, endpoint.MethodVersion},
		{"escaped name", post("/v1/trader-score", f.Key, strings.Replace(good, "wallet", `w\u0061llet`, 1)), scored, "2", 200, endpoint.MethodVersion},
		{"white space", post("/v1/trader-score", f.Key, "\r\n\t "+good+" \n"), scored, "2", 200, endpoint.MethodVersion},
		{"defaults", post("/v1/wallet-trades", f.Key, good), `{"told":"20 of 12"}`, "2", 200, ""},
		{"clamped above", post("/v1/wallet-trades", f.Key, good[:len(good)-1]+`,"sample":1e300,"tradesLimit":1e1}`), `{"told":"10 of 20"}`, "2", 200, ""},
		{"clamped below", post("/v1/wallet-trades", f.Key, good[:len(good)-1]+`,"sample":-7,"tradesLimit":5.0}`), `{"told":"5 of 4"}`, "2", 200, ""},
		{"bundle", post("/v1/wallet-overview", f.Key, good[:len(good)-1]+`,"sample":6}`), `{"wallet":"` + wallet + `","chain":"base","bundle":"wallet-overview","traderScore":` + scored + `,"walletTrades":{"told":"20 of 6"}}`, "4", 200, endpoint.MethodVersion},
		{"bundle on an alias", post("/v1/wallet-overview", f.Key, strings.Replace(good, "base", "matic", 1)), `{"wallet":"` + wallet + `","chain":"polygon","bundle":"wallet-overview","traderScore":` + scored + `,"walletTrades":{"told":"20 of 12"}}`, "4", 200, endpoint.MethodVersion},
		{"query", call{Method: "GET", Path: "/v1/trader-board?chain=bnb&limit=7&mirrorableOnly=1&chainId=8453&", Key: f.Key}, `{"accepts":6}`, "1", 200, ""},
		{"no query", call{Method: "GET", Path: "/v1/trader-board?", Key: f.Key}, `{"accepts":6}`, "1", 200, ""},
		{"list", post("/v1/trader-leaderboard", f.Key, `{"chain":"eth","wallets":["`+wallet+`","`+wallet+`","`+wallet+`"]}`), `{"accepts":2}`, "6", 200, ""},
		{"value in the path", call{Method: "GET", Path: "/v1/copy/agents/ag_7-x", Key: f.Key}, `{"agentId":"ag_7-x"}`, "1", 200, ""},
		{"no body", call{Method: "POST", Path: "/v1/copy/agents/a/pause", Key: f.Key}, `{"accepts":1}`, "1", 200, ""},
		{"empty object", post("/v1/copy/agents/a/pause", f.Key, "{}"), `{"accepts":1}`, "1", 200, ""},
		{"list of objects", post("/v1/copy/agents/a/activate", f.Key, `{"results":[{"step":"sign","signature":"0x"},{"step":"send"}]}`), `["sign","send"]`, "1", 200, ""},
		{"object", post("/v1/copy/agents", f.Key, agent+`}}`), `{"chosen":false,"copyPercent":12.5,"excluded":0,"maxUsd":"100.50"}`, "1", 201, ""},
		{"object with a list", post("/v1/copy/agents", f.Key, agent+`,"excludeTokens":["`+wallet+`"]}}`), `{"chosen":true,"copyPercent":12.5,"excluded":1,"maxUsd":"100.50"}`, "1", 201, ""},
		{"delete", call{Method: "DELETE", Path: "/v1/webhooks", Key: f.Key}, `{"accepts":0}`, "1", 200, ""},
		{"open", call{Method: "GET", Path: "/v1/openapi.json"}, `{"openapi": "3.1.0"}`, "0", 200, ""},
		{"type with charset", call{Method: "POST", Path: "/v1/wallet-trades", Key: f.Key, Body: good, Header: http.Header{"Content-Type": {"Application/JSON; charset=UTF-8"}}}, `{"told":"20 of 12"}`, "2", 200, ""},
		{"no type", call{Method: "POST", Path: "/v1/wallet-trades", Key: f.Key, Body: good, Header: http.Header{"Content-Type": nil}}, `{"told":"20 of 12"}`, "2", 200, ""},
		{"scheme in lower case", call{Method: "POST", Path: "/v1/wallet-trades", Body: good, Header: http.Header{"Authorization": {"bearer  " + f.Key}}}, `{"told":"20 of 12"}`, "2", 200, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, prefix := range []string{"", "/api"} {
				c.call.Path = prefix + strings.TrimPrefix(c.call.Path, "/api")
				answer := c.call.Do(t, handler)
				if answer.Status != c.status || answer.Body != c.body {
					t.Fatalf("%s: %d %s\nwant %d %s", c.call.Path, answer.Status, answer.Body, c.status, c.body)
				}
				for name, want := range map[string]string{
					"X-Usage-Units": c.units, "X-Method-Version": c.version, "Content-Type": "application/json", "Cache-Control": "no-store",
					"X-Content-Type-Options": "nosniff", "Content-Length": fmt.Sprint(len(c.body)),
				} {
					if got := answer.Header.Get(name); got != want {
						t.Errorf("%s is %q, want %q", name, got, want)
					}
				}
				if answer.Header.Get("X-Request-Id") == "" {
					t.Error("no request id")
				}
				if c.name != "open" {
					endpointtest.CheckRateLimit(t, answer)
				}
				if c.call.Method == http.MethodGet {
					head := c.call
					head.Method = http.MethodHead
					if headed := head.Do(t, handler); headed.Status != c.status || headed.Body != "" || headed.Header.Get("Content-Length") != fmt.Sprint(len(c.body)) {
						t.Errorf("HEAD: %d %q %v", headed.Status, headed.Body, headed.Header)
					}
				}
			}
		})
	}
	before := provider.count()
	if post("/v1/wallet-overview", f.Key, good).Do(t, handler); provider.count() != before+1 {
		t.Errorf("a bundle asked for one fact %d times", provider.count()-before)
	}
}

func TestNestedParametersAreRefusedByTheirPath(t *testing.T) {
	handler, f, _ := start(t, ordinary()...)
	create := func(risk string) call {
		return post("/v1/copy/agents", f.Key, `{"venue":"dexvenue-spot","leader":"`+wallet+`","riskConfig":`+risk+`}`)
	}
	for _, c := range []struct {
		call            call
		code, parameter string
	}{
		{create(`{"maxUsd":"1"}`), "missing_param", "riskConfig.copyPercent"},
		{create(`{"maxUsd":"1","copyPercent":0}`), "invalid_param", "riskConfig.copyPercent"},
		{create(`{"maxUsd":"1","copyPercent":100.1}`), "invalid_param", "riskConfig.copyPercent"},
		{create(`{"maxUsd":"1","copyPercent":1,"copypercent":1}`), "unknown_param", "riskConfig.copypercent"},
		{create(`{"maxUsd":1,"copyPercent":1}`), "invalid_param", "riskConfig.maxUsd"},
		{create(`{"maxUsd":"1","copyPercent":1,"excludeTokens":["x"]}`), "invalid_address", "riskConfig.excludeTokens"},
		{create(`[]`), "invalid_param", "riskConfig"},
		{post("/v1/copy/agents/a/activate", f.Key, `{"results":[{"step":"sign"},{}]}`), "missing_param", "results[1].step"},
		{post("/v1/copy/agents/a/activate", f.Key, `{"results":[{"step":"sing"}]}`), "invalid_param", "results[0].step"},
		{post("/v1/copy/agents/a/activate", f.Key, `{"results":[1]}`), "invalid_param", "results"},
	} {
		problem := endpointtest.CheckRefusal(t, c.call, c.call.Do(t, handler), 400, c.code)
		if problem.Parameter != c.parameter {
			t.Errorf("%s: param %q, want %q", c.call.Body, problem.Parameter, c.parameter)
		}
	}
}

// endless is a body without an end; it counts what was read of it.
type endless struct{ read int }

func (e *endless) Read(buffer []byte) (int, error) {
	for i := range buffer {
		buffer[i] = ' '
	}
	e.read += len(buffer)
	return len(buffer), nil
}

func TestBodiesAreNotReadBeyondTheirLimit(t *testing.T) {
	handler, f, _ := start(t, score())
	for _, length := range []int64{-1, endpoint.MaximumBody + 1} {
		body := &endless{}
		request := httptest.NewRequest(http.MethodPost, "/v1/trader-score", body)
		request.ContentLength = length
		request.Header.Set("Authorization", "Bearer "+f.Key)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		if recorder.Code != http.StatusRequestEntityTooLarge || body.read > endpoint.MaximumBody+1024 || (length > 0 && body.read > 0) {
			t.Errorf("length %d: %d after reading %d bytes", length, recorder.Code, body.read)
		}
	}
	full := good + strings.Repeat(" ", endpoint.MaximumBody-len(good))
	if answer := post("/v1/trader-score", f.Key, full).Do(t, handler); answer.Status != 200 {
		t.Errorf("a body of just the limit: %d %s", answer.Status, answer.Body)
	}
}

func TestValuesInPaths(t *testing.T) {
	handler, f, _ := start(t, ordinary()...)
	for value, status := range map[string]int{
		"a": 200, "0_-z": 200, strings.Repeat("a", 64): 200, strings.Repeat("a", 65): 404, "a.b": 404, "A": 404, "%61": 404, "a%2fb": 404, "..": 404, "": 404,
	} {
		if answer := (call{Method: "GET", Path: "/v1/copy/agents/" + value, Key: f.Key}).Do(t, handler); answer.Status != status {
			t.Errorf("%q: %d, want %d", value, answer.Status, status)
		}
	}
}

func TestLengthsOfListsAreRanges(t *testing.T) {
	handler, f, _ := start(t, ordinary()...)
	many := strings.Repeat(`"`+wallet+`",`, 25) + `"` + wallet + `"`
	for body, code := range map[string]string{
		`{"chain":"base","wallets":[` + many + `]}`:       "too_many_wallets",
		`{"chain":"nowhere","wallets":[` + many + `]}`:    "invalid_chain",
		`{"chain":"nowhere","wallets":[` + many + `,""]}`: "invalid_address",
		`{"chain":"base","wallets":[]}`:                   "invalid_param",
	} {
		c := post("/v1/trader-leaderboard", f.Key, body)
		endpointtest.CheckRefusal(t, c, c.Do(t, handler), 400, code)
	}
}

func TestRoutesOfOtherProcesses(t *testing.T) {
	f := endpointtest.New(t)
	f.Service.Routes = append(endpoint.RoutesOf(ordinary()...), endpoint.Route{Method: "GET", Path: "/v1/copy/agents/latest"})
	handler := endpointtest.Undocumented{Handler: endpoint.NewHandler(f.Service)}
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"PATCH", "/v1/trader-score", 405, "POST"}, {"GET", "/api/v1/trader-score", 405, "POST"}, {"HEAD", "/v1/trader-score", 405, "POST"},
		{"POST", "/v1/copy/agents/x", 405, "GET"}, {"PUT", "/v1/copy/agents/latest", 405, "GET"}, {"POST", "/v1/webhooks", 405, "DELETE, PUT"},
		{"OPTIONS", "/v1/webhooks", 204, "OPTIONS, DELETE, PUT"}, {"OPTIONS", "/v1/nothing", 404, ""}, {"GET", "/v1/nothing", 404, ""},
	} {
		answer := call{Method: c.method, Path: c.path, Key: f.Key}.Do(t, handler)
		if answer.Status != c.status || answer.Header.Get("Allow") != c.allow {
			t.Errorf("%s %s: %d, Allow %q, want %d, %q", c.method, c.path, answer.Status, answer.Header.Get("Allow"), c.status, c.allow)
		}
		if c.status != 204 {
			endpointtest.CheckRateLimit(t, answer)
		}
	}
}

func TestFixedPathsComeBeforeValues(t *testing.T) {
	named := func(name, path string) endpoint.Endpoint {
		return endpoint.Operation(endpoint.Declaration{Name: name, Method: "GET", Path: path, Open: true},
			func(context.Context, *endpoint.Request) (string, error) { return name, nil })
	}
	handler, _, _ := start(t, named("one", "/v1/things/{id}"), named("all", "/v1/things/all"))
	for path, want := range map[string]string{"/v1/things/all": `"all"`, "/v1/things/al": `"one"`} {
		if got := (call{Method: "GET", Path: path}).Do(t, handler); got.Body != want {
			t.Errorf("%s: %s, want %s", path, got.Body, want)
		}
	}
}

func TestTestKeysReachTheSampleMarketOnly(t *testing.T) {
	f := endpointtest.New(t)
	f.Service.Sources.Code = &codeCounter{}
	key := f.Issue(t, endpointtest.Partner, store.ModeTest)
	live := endpointtest.Undocumented{Handler: endpoint.NewHandler(f.Service, score())}
	c := post("/v1/trader-score", key, good)
	answer := c.Do(t, live)
	endpointtest.CheckRefusal(t, c, answer, 403, "forbidden")
	endpointtest.CheckRateLimit(t, answer)
	f.Service.SampleMarket = true
	sampleMarket := endpointtest.Undocumented{Handler: endpoint.NewHandler(f.Service, score())}
	for _, key := range []string{key, f.Key} {
		if answer := post("/v1/trader-score", key, good).Do(t, sampleMarket); answer.Status != 200 {
			t.Errorf("the sample market answers %d %s", answer.Status, answer.Body)
		}
	}
}

func TestFailures(t *testing.T) {
	for _, c := range []struct {
		name   string
		fail   func(context.Context) error
		status int
		code   string
	}{
		{"provider", func(context.Context) error { return fmt.Errorf("%w: %w", market.ErrUnavailable, errSecret) }, 503, "provider_unavailable"},
		{"bug", func(context.Context) error { return errSecret }, 500, "internal"},
		{"panic", func(context.Context) error { panic(errSecret) }, 500, "internal"},
		{"not a token", func(context.Context) error {
			return fmt.Errorf("deep: %w", endpoint.NotAToken("No token lives there."))
		}, 404, "not_a_token"},
		{"resource", func(context.Context) error { return endpoint.NotFound("No such agent.") }, 404, "not_found"},
		{"late parameter", func(context.Context) error { return endpoint.Invalid("cursor", "The cursor is not ours.") }, 400, "invalid_param"},
		{"conflict", func(context.Context) error {
			return &endpoint.Problem{Status: 409, Code: "agent_expired", Message: "Activate it again."}
		}, 409, "agent_expired"},
	} {
		t.Run(c.name, func(t *testing.T) {
			handler, f, _ := start(t, failing("failing", c.fail), endpoint.Usage(nil))
			call := post("/v1/failing", f.Key, good)
			answer := call.Do(t, handler)
			problem := endpointtest.CheckRefusal(t, call, answer, c.status, c.code)
			endpointtest.CheckRateLimit(t, answer)
			if got := answer.Header.Get("RateLimit"); !strings.Contains(got, "r=1200;") {
				t.Errorf("a failure costs: RateLimit %s", got)
			}
			if strings.Contains(answer.Body, errSecret.Error()) {
				t.Errorf("details leak: %s", answer.Body)
			}
			if c.status >= 500 && (!strings.Contains(f.Log.String(), problem.RequestID) || !strings.Contains(f.Log.String(), errSecret.Error())) {
				t.Errorf("request %s and its cause are not in the log:\n%s", problem.RequestID, f.Log)
			}
		})
	}
}

func TestAnswersThatCannotBeEncodedAreInternal(t *testing.T) {
	handler, f, _ := start(t, endpoint.Operation(endpoint.Declaration{Name: "broken"}, func(context.Context, *endpoint.Request) (string, error) { return "\xff", nil }))
	c := post("/v1/broken", f.Key, "{}")
	endpointtest.CheckRefusal(t, c, c.Do(t, handler), 500, "internal")
}

func TestSinglesThatHangAreLeftBehind(t *testing.T) {
	for name, hang := range map[string]func(ctx context.Context, release chan struct{}) error{
		"minding its context":  func(ctx context.Context, _ chan struct{}) error { <-ctx.Done(); return ctx.Err() },
		"ignoring its context": func(_ context.Context, release chan struct{}) error { <-release; return nil },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				release := make(chan struct{})
				handler, f, _ := start(t, failing("hanging", func(ctx context.Context) error { return hang(ctx, release) }))
				began := time.Now()
				c := post("/v1/hanging", f.Key, good)
				endpointtest.CheckRefusal(t, c, c.Do(t, handler), 503, "provider_unavailable")
				if took := time.Since(began); took != 4*time.Second {
					t.Errorf("took %v", took)
				}
				close(release)
			})
		})
	}
}

func TestCheckComesAfterParametersAndBeforeUnits(t *testing.T) {
	e := score()
	e.Check = func(_ context.Context, r *endpoint.Request) error {
		if r.Header.Get("X-Wallet-Address") == wallet && r.Host == "example.com" && string(r.Body) == good {
			return nil
		}
		return &endpoint.Problem{Status: 401, Code: "wallet_signature_invalid", Message: "Sign in."}
	}
	handler, f, provider := start(t, e)
	c := post("/v1/trader-score", f.Key, good)
	endpointtest.CheckRefusal(t, c, c.Do(t, handler), 401, "wallet_signature_invalid")
	c.Body = "{}"
	endpointtest.CheckRefusal(t, c, c.Do(t, handler), 400, "missing_param")
	if _, err := f.Store.Take(t.Context(), endpointtest.Partner, store.Limit{PerMinute: 6000, Burst: 1200}, 1200, f.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	c.Body = good
	endpointtest.CheckRefusal(t, c, c.Do(t, handler), 401, "wallet_signature_invalid")
	c.Header = http.Header{"X-Wallet-Address": {wallet}}
	endpointtest.CheckRefusal(t, c, c.Do(t, handler), 429, "rate_limited")
	if provider.count() != 0 {
		t.Error("a refused request reached a provider")
	}
}

func TestRequestsDescribeTheWholeMinute(t *testing.T) {
	var seen []time.Time
	handler, f, _ := start(t, endpoint.Operation(endpoint.Declaration{Name: "clock"}, func(_ context.Context, r *endpoint.Request) (bool, error) {
		seen = append(seen, r.AsOf, r.ReceivedAt)
		return true, nil
	}))
	post("/v1/clock", f.Key, "{}").Do(t, handler)
	if want := []time.Time{time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC), f.Clock.Now()}; !slices.Equal(seen, want) {
		t.Errorf("saw %v, want %v", seen, want)
	}
}

func TestHandlersAreNotMadeFromPieces(t *testing.T) {
	f := endpointtest.New(t)
	keyless, timeless := f.Service, f.Service
	keyless.Keys, timeless.Clock = nil, nil
	for name, make := range map[string]func(){
		"a port without a source": func() { endpoint.NewHandler(f.Service, score()) },
		"no clock":                func() { endpoint.NewHandler(timeless) },
		"no keys":                 func() { endpoint.NewHandler(keyless, endpoint.Usage(f.Store)) },
		"one route twice":         func() { endpoint.NewHandler(f.Service, endpoint.Usage(f.Store), endpoint.Usage(f.Store)) },
		"two meanings of a parameter": func() {
			other := endpoint.Operation(endpoint.Declaration{Name: "other", Parameters: []endpoint.Parameter{endpoint.Integer("tradesLimit", "", 1, 10, 5)}},
				func(context.Context, *endpoint.Request) (bool, error) { return true, nil })
			endpoint.Bundle(endpoint.Declaration{Name: "both"}, endpoint.Wallet, trades(), other)
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			make()
		})
	}
}

package endpoint_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func setLimit(t *testing.T, f *endpointtest.Fixture, perMinute, burst int) {
	t.Helper()
	if err := f.Administration.SetLimit(t.Context(), endpointtest.Partner, store.Limit{PerMinute: perMinute, Burst: burst}); err != nil {
		t.Fatal(err)
	}
}

func TestLimitIsToldAndKept(t *testing.T) {
	handler, f, provider := start(t, score())
	setLimit(t, f, 60, 5)
	c := post("/v1/trader-score", f.Key, good)
	for i, want := range []string{`"fair-use";r=3;t=2`, `"fair-use";r=1;t=4`} {
		answer := c.Do(t, handler)
		if answer.Status != 200 || answer.Header.Get("RateLimit") != want || answer.Header.Get("RateLimit-Policy") != `"fair-use";q=60;w=60` {
			t.Errorf("request %d: %d %v", i, answer.Status, answer.Header)
		}
	}
	answer := c.Do(t, handler)
	problem := endpointtest.CheckRefusal(t, c, answer, 429, "rate_limited")
	if problem.RetryAfterSeconds != 1 || answer.Header.Get("RateLimit") != `"fair-use";r=1;t=1` {
		t.Errorf("retry after %d, %s", problem.RetryAfterSeconds, answer.Header.Get("RateLimit"))
	}
	if provider.count() != 2 {
		t.Errorf("%d provider calls, want 2", provider.count())
	}
	// A refusal tells the state too, and costs nothing.
	if refused := post("/v1/trader-score", f.Key, "{").Do(t, handler); refused.Header.Get("RateLimit") != `"fair-use";r=1;t=4` {
		t.Errorf("after a bad request: %s", refused.Header.Get("RateLimit"))
	}
	f.Clock.Advance(time.Duration(problem.RetryAfterSeconds) * time.Second)
	if answer := c.Do(t, handler); answer.Status != 200 {
		t.Errorf("after Retry-After: %d %s", answer.Status, answer.Body)
	}
}

func TestSecondsAreRoundedUp(t *testing.T) {
	handler, f, _ := start(t, score())
	setLimit(t, f, 50, 3) // 1.2 s a unit
	c := post("/v1/trader-score", f.Key, good)
	if got := c.Do(t, handler).Header.Get("RateLimit"); got != `"fair-use";r=1;t=3` {
		t.Errorf("RateLimit %s, want t=3 for 2.4 s", got)
	}
	if problem := c.Do(t, handler).Problem(t); problem.RetryAfterSeconds != 2 {
		t.Errorf("retry after %d s, want 2 for 1.2 s", problem.RetryAfterSeconds)
	}
}

func TestRequestsThatNeverFitTheBurst(t *testing.T) {
	handler, f, _ := start(t, ordinary()...)
	setLimit(t, f, 600, 5)
	c := post("/v1/trader-leaderboard", f.Key, `{"chain":"base","wallets":["`+wallet+`","`+wallet+`","`+wallet+`"]}`)
	answer := c.Do(t, handler)
	problem := endpointtest.CheckRefusal(t, c, answer, 429, "rate_limited")
	endpointtest.CheckRateLimit(t, answer)
	if !strings.Contains(problem.Message, "6 units") || !strings.Contains(problem.Message, "burst of 5") {
		t.Errorf("message %q", problem.Message)
	}
	if got := answer.Header.Get("RateLimit"); got != `"fair-use";r=5;t=60` {
		t.Errorf("RateLimit %s", got)
	}
	if f.Metrics.Total(endpoint.MetricMeterFallback) != 0 {
		t.Error("taken for a failure of the store")
	}
}

func TestUsageIsToldByEndpoint(t *testing.T) {
	f := endpointtest.New(t)
	f.Service.Sources.Code = &codeCounter{}
	handler := endpointtest.Undocumented{Handler: endpoint.NewHandler(f.Service, score(), trades(), endpoint.Usage(f.Store),
		failing("failing", func(context.Context) error { return errSecret }), endpoint.Bundle(endpoint.Declaration{Name: "both"}, endpoint.Wallet, score(), trades()))}
	usage := func() string {
		answer := call{Method: "GET", Path: "/v1/usage", Key: f.Key}.Do(t, handler)
		if answer.Status != 200 || answer.Header.Get("X-Usage-Units") != "0" {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
		return answer.Body
	}
	if got, want := usage(), `{"today":0,"thisMinute":0,"byEndpoint":[],"limit":{"perMinute":6000,"burst":1200},"left":1200}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, path := range []string{"trader-score", "wallet-trades", "both", "trader-score", "failing", "nowhere"} {
		post("/v1/"+path, f.Key, good).Do(t, handler)
	}
	if got, want := usage(), `{"today":10,"thisMinute":10,"byEndpoint":[{"endpoint":"both","units":4},{"endpoint":"trader-score","units":4},{"endpoint":"wallet-trades","units":2}],"limit":{"perMinute":6000,"burst":1200},"left":1190}`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	f.Clock.Advance(time.Minute)
	if got := usage(); !strings.HasPrefix(got, `{"today":10,"thisMinute":0,`) {
		t.Errorf("a minute later: %s", got)
	}
	f.Store.Trouble(func(context.Context) error { return errors.New("store is down") })
	c := call{Method: "GET", Path: "/v1/usage", Key: f.Key}
	endpointtest.CheckRefusal(t, c, c.Do(t, handler), 503, "provider_unavailable")
}

// However many ask at once, with two keys, a partner gets no more than its limit grants.
func TestConcurrentRequestsAreNeverOverGranted(t *testing.T) {
	const callers, each, perMinute, burst = 64, 8, 600, 100
	handler, f, provider := start(t, score())
	setLimit(t, f, perMinute, burst)
	keys := []string{f.Key, f.Issue(t, endpointtest.Partner, store.ModeLive)}
	begin := f.Clock.Now()
	var granted, refused atomic.Int64
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			for n := range each {
				if i == 0 {
					f.Clock.Advance(500 * time.Millisecond)
				}
				switch answer := post("/v1/trader-score", keys[(i+n)%2], good).Do(t, handler); answer.Status {
				case 200:
					granted.Add(2)
				case 429:
					refused.Add(1)
				default:
					t.Errorf("%d %s", answer.Status, answer.Body)
				}
			}
		})
	}
	all.Wait()
	most := int64(burst + f.Clock.Now().Sub(begin).Minutes()*perMinute)
	if granted.Load() > most || granted.Load() < burst {
		t.Errorf("granted %d units, want %d to %d", granted.Load(), burst, most)
	}
	if int64(provider.count()) != granted.Load()/2 {
		t.Errorf("%d provider calls for %d grants", provider.count(), granted.Load()/2)
	}
}

func TestStoreTroubleIsMeteredInMemory(t *testing.T) {
	for name, trouble := range map[string]func(context.Context) error{
		"failing":  func(context.Context) error { return errors.New("store is down") },
		"panicky":  func(context.Context) error { panic("store is broken") },
		"hanging":  func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
		"stubborn": func(ctx context.Context) error { <-ctx.Done(); time.Sleep(time.Hour); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				handler, f, _ := start(t, score())
				post("/v1/trader-score", f.Key, good).Do(t, handler) // the key is known from here on
				f.Store.Trouble(trouble)
				// A tenth of 1,200 units in bursts of 2.
				began, granted := time.Now(), 0
				for range 100 {
					switch answer := post("/v1/trader-score", f.Key, good).Do(t, handler); answer.Status {
					case 200:
						granted++
						endpointtest.CheckRateLimit(t, answer)
						if answer.Header.Get("X-Usage-Units") != "2" {
							t.Errorf("%s units", answer.Header.Get("X-Usage-Units"))
						}
					case 429:
						endpointtest.CheckRefusal(t, call{}, answer, 429, "rate_limited")
						endpointtest.CheckRateLimit(t, answer)
					default:
						t.Fatalf("%d %s", answer.Status, answer.Body)
					}
				}
				if granted != 60 {
					t.Errorf("granted %d requests of 2 units in memory, want 60", granted)
				}
				if took := time.Since(began); took > time.Second {
					t.Errorf("the store held up the answers for %v", took)
				}
				if f.Metrics.Total(endpoint.MetricMeterFallback) < 100 || f.Metrics.Total(endpoint.MetricUncounted) != 120 {
					t.Errorf("fallback %d, uncounted %d", f.Metrics.Total(endpoint.MetricMeterFallback), f.Metrics.Total(endpoint.MetricUncounted))
				}
				// Refusals take nothing: two units are back after a fifth of a second.
				f.Clock.Advance(200 * time.Millisecond)
				if answer := post("/v1/trader-score", f.Key, good).Do(t, handler); answer.Status != 200 {
					t.Errorf("after two units' time: %d", answer.Status)
				}
				f.Store.Trouble(nil)
				f.Clock.Advance(2 * time.Second)
				before := f.Metrics.Total(endpoint.MetricMeterFallback)
				if answer := post("/v1/trader-score", f.Key, good).Do(t, handler); answer.Status != 200 || f.Metrics.Total(endpoint.MetricMeterFallback) != before {
					t.Errorf("the store is not asked again: %d", answer.Status)
				}
				time.Sleep(2 * time.Hour) // of the bubble's own time: the stubborn calls end
			})
		})
	}
}

func TestKeysAreStillKnownWhileTheStoreFails(t *testing.T) {
	handler, f, _ := start(t, score())
	c := post("/v1/trader-score", f.Key, good)
	down := func(context.Context) error { return errors.New("store is down") }
	f.Store.Trouble(down)
	endpointtest.CheckRefusal(t, c, c.Do(t, handler), 503, "provider_unavailable")
	f.Store.Trouble(nil)
	if answer := c.Do(t, handler); answer.Status != 200 {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}
	f.Store.Trouble(down)
	f.Clock.Advance(4 * time.Minute)
	if answer := c.Do(t, handler); answer.Status != 200 {
		t.Errorf("four minutes into an outage: %d %s", answer.Status, answer.Body)
	}
	f.Clock.Advance(2 * time.Minute)
	endpointtest.CheckRefusal(t, c, c.Do(t, handler), 503, "provider_unavailable")
}

func left(t *testing.T, f *endpointtest.Fixture, limit store.Limit) int {
	t.Helper()
	grant, err := f.Store.Take(t.Context(), endpointtest.Partner, limit, 0, f.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return grant.Left
}

func TestRefundsAreBounded(t *testing.T) {
	limit := store.Limit{PerMinute: 60, Burst: 9}
	handler, f, _ := start(t, failing("failing", func(context.Context) error { return market.ErrUnavailable }))
	setLimit(t, f, limit.PerMinute, limit.Burst)
	for i, want := range []int{9, 9, 9, 6, 3, 0} {
		if answer := post("/v1/failing", f.Key, good).Do(t, handler); answer.Status != 503 || left(t, f, limit) != want {
			t.Errorf("failure %d: %d, %d units left, want %d", i, answer.Status, left(t, f, limit), want)
		}
	}
	c := post("/v1/failing", f.Key, good)
	endpointtest.CheckRefusal(t, c, c.Do(t, handler), 429, "rate_limited")
}

func TestThoseWhoHangUpPay(t *testing.T) {
	limit := store.Limit{PerMinute: 6000, Burst: 1200}
	started := make(chan struct{})
	handler, f, _ := start(t, failing("slow", func(ctx context.Context) error { close(started); <-ctx.Done(); return ctx.Err() }))
	ctx, hangUp := context.WithCancel(t.Context())
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "/v1/slow", strings.NewReader(good))
	request.Header.Set("Authorization", "Bearer "+f.Key)
	go func() { <-started; hangUp() }()
	handler.ServeHTTP(httptest.NewRecorder(), request)
	if got := left(t, f, limit); got != 1197 {
		t.Errorf("%d units left, want 1197", got)
	}
	// Nor does hanging up early look like trouble of the store, which would loosen everybody's limit.
	started = make(chan struct{})
	handler.ServeHTTP(httptest.NewRecorder(), request)
	if got := f.Metrics.Total(endpoint.MetricMeterFallback); got != 0 {
		t.Errorf("metered in memory %d times", got)
	}
}

func TestFreeRequestsAreBounded(t *testing.T) {
	f := endpointtest.New(t)
	f.Service.FreeByKey, f.Service.FreeByAddress = endpoint.RequestLimit{PerSecond: 1, Burst: 3}, endpoint.RequestLimit{PerSecond: 1, Burst: 2}
	f.Service.Sources.Code = &codeCounter{}
	handler := endpointtest.Undocumented{Handler: endpoint.NewHandler(f.Service, score())}
	other := f.Issue(t, endpointtest.Partner, store.ModeLive)
	bad, paid := post("/v1/trader-score", f.Key, "{"), post("/v1/trader-score", f.Key, good)
	for range 3 {
		if answer := paid.Do(t, handler); answer.Status != 200 {
			t.Fatal("paid requests are not free ones")
		}
		endpointtest.CheckRefusal(t, bad, bad.Do(t, handler), 400, "invalid_json")
	}
	calls := f.Store.Calls()
	answer := bad.Do(t, handler)
	endpointtest.CheckRateLimit(t, answer)
	if problem := endpointtest.CheckRefusal(t, bad, answer, 429, "rate_limited"); problem.RetryAfterSeconds != 1 {
		t.Errorf("retry after %d s", problem.RetryAfterSeconds)
	}
	if good := paid.Do(t, handler); good.Status != 429 {
		t.Errorf("a flood of bad requests is not held up by good ones among them: %d", good.Status)
	}
	if f.Store.Calls() != calls {
		t.Error("a flood reaches the store")
	}
	if answer := post("/v1/trader-score", other, good).Do(t, handler); answer.Status != 200 {
		t.Error("another key is held up")
	}
	f.Clock.Advance(time.Second)
	endpointtest.CheckRefusal(t, bad, bad.Do(t, handler), 400, "invalid_json")

	from := func(address string) int {
		request := httptest.NewRequest(http.MethodPost, "/v1/trader-score", nil)
		request.RemoteAddr = address
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, request)
		return recorder.Code
	}
	for i, c := range []struct {
		address string
		status  int
	}{
		{"192.0.2.1:1000", 401}, {"192.0.2.1:1001", 401}, {"192.0.2.1:1002", 429}, {"192.0.2.1", 429}, {"::ffff:192.0.2.1", 429}, {"192.0.2.2:1", 401},
		{"[2001:db8::1]:1", 401}, {"[2001:db8::2%eth0]:1", 401}, {"2001:db8::ffff", 429}, {"[2001:db8:0:1::1]:1", 401},
	} {
		if got := from(c.address); got != c.status {
			t.Errorf("request %d from %s: %d, want %d", i, c.address, got, c.status)
		}
	}
}

// A key that leaks into a log is found by its secret: no request, good or bad, may put it there, nor anything else it holds.
func TestNothingOfARequestIsLogged(t *testing.T) {
	const canary = "CANARYxCANARY"
	endpoints := append(ordinary(), failing("down", func(context.Context) error { return market.ErrUnavailable }), failing("buggy", func(context.Context) error { panic("bug") }))
	handler, f, _ := start(t, endpoints...)
	secret := f.Key[16:]
	paths := []string{"/v1/nowhere"}
	for i := range endpoints {
		paths = append(paths, strings.ReplaceAll(endpoints[i].Path, "{agentId}", "a"))
	}
	for _, trouble := range []func(context.Context) error{nil, func(context.Context) error { return errors.New("store is down") }} {
		f.Store.Trouble(trouble)
		f.Clock.Advance(10 * time.Minute)
		for _, path := range paths {
			for _, method := range []string{"GET", "POST", "PUT", "DELETE"} {
				for _, key := range []string{f.Key, f.Key + "x", "mw_live_" + canary, canary} {
					for _, body := range []string{good, `{"` + canary + `":1}`, `{"wallet":"` + canary + `","chain":"` + canary + `"}`, canary + secret, `{"wallet":"` + secret + `"}`} {
						call{Method: method, Path: path + "?" + canary + "=" + secret, Key: key, Body: body}.Do(t, handler)
						call{Method: method, Path: path, Key: key, Body: body, Header: http.Header{"X-Wallet-Signature": {canary}}}.Do(t, handler)
					}
				}
			}
		}
	}
	log := f.Log.String()
	for _, leak := range []string{canary, secret, "Bearer", wallet} {
		if at := strings.Index(log, leak); at >= 0 {
			t.Errorf("%q is in the log: %s", leak, log[max(0, at-200):at+40])
		}
	}
	if !strings.Contains(log, `"endpoint":"trader-score"`) || !strings.Contains(log, fmt.Sprintf("%q", endpointtest.Partner)) {
		t.Error("the log tells nothing")
	}
}

package defillama

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

type service struct {
	answer  func(*url.URL) (int, string)
	mu      sync.Mutex
	asked   []*url.URL
	dropped int
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL)
	s.mu.Unlock()
	status, body := s.answer(r.URL)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

func adapter(answer func(*url.URL) (int, string)) (*Adapter, *service) {
	s := &service{answer: answer}
	config := Defaults()
	config.PerMinute, config.Burst = 60_000, 1000
	return New(upstream.New(config, upstream.Shared{
		Transport: s, Clock: func() time.Time { return now }, Observe: func(c upstream.Call) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.dropped += c.Dropped
		},
	})), s
}

func ethereum() *chain.Chain { c, _ := chain.Parse("eth"); return c }

func address(n int) (a chain.Address) { a[0], a[18], a[19] = 0xab, byte(n>>8), byte(n); return a }

func ago(d time.Duration) time.Time { return now.Add(-d) }

func priced(at time.Time, price, confidence string) string {
	if confidence != "" {
		confidence = `,"confidence":` + confidence
	}
	return fmt.Sprintf(`{"timestamp":%d,"price":%s%s}`, at.Unix(), price, confidence)
}

func coins(members ...string) string { return `{"coins":{` + strings.Join(members, ",") + `}}` }

func series(coin string, points ...string) string {
	return fmt.Sprintf(`"%s":{"symbol":"AAA","prices":[%s]}`, coin, strings.Join(points, ","))
}

const day = 24 * time.Hour

func TestPricesTakeTheNearestTrustworthyPoint(t *testing.T) {
	token := address(1)
	a, s := adapter(func(*url.URL) (int, string) {
		// The service names coins as they were asked; a recording may hold another letter case.
		return 200, coins(series("ethereum:"+token.Checksum(),
			priced(ago(9*day+time.Hour), "7", "0.99"), priced(ago(10*day), "5", "0.99"), priced(ago(10*day+time.Minute), "4", "0.5"),
			priced(ago(8*day), `"6.5"`, ""), priced(ago(7*day), "-1", "1"), priced(ago(6*day), "1e13", "1"), priced(ago(-time.Hour), "3", "1"),
			`{"timestamp":"x","price":1}`, `7`, priced(ago(5*day), "2", `"bad"`)), series("ethereum:0xother"), `"ethereum:broken":5`)
	})
	times := []time.Time{
		ago(8 * day), ago(10*day + 2*time.Minute), ago(9 * day), ago(10*day - 4*time.Hour), ago(10*day - 4*time.Hour - time.Second),
		ago(7 * day), ago(6 * day), ago(5 * day), ago(8 * day),
	}
	got, err := a.Prices(t.Context(), ethereum(), []market.PriceRequest{{Asset: address(2), Times: times[:1]}, {Asset: token, Times: times}})
	if err != nil {
		t.Fatal(err)
	}
	want := []market.PricePoint{
		{Time: ago(10*day + 2*time.Minute), USD: 5}, {Time: ago(10*day - 4*time.Hour), USD: 5}, {Time: ago(9 * day), USD: 7}, {Time: ago(8 * day), USD: 6.5},
	}
	if len(got) != 2 || got[0].Asset != address(2) || len(got[0].Points) != 0 || !slices.Equal(got[1].Points, want) {
		t.Fatalf("got %v\nwant %v", got, want)
	}
	if s.dropped != 8 {
		t.Errorf("%d dropped", s.dropped)
	}
	query := s.asked[0].Query()
	var sent map[string][]int64
	if err := json.Unmarshal([]byte(query.Get("coins")), &sent); err != nil {
		t.Fatal(err)
	}
	if s.asked[0].Path != "/batchHistorical" || query.Get("searchWidth") != "4h" || len(sent["ethereum:"+token.String()]) != 8 || len(sent) != 2 {
		t.Error(s.asked[0])
	}
}

func TestTheNativeCoinFallsBackToItsWrappedForm(t *testing.T) {
	weth := ethereum().WrappedNative.Address
	a, s := adapter(func(*url.URL) (int, string) {
		return 200, coins(series("ethereum:"+chain.Native.String(), priced(ago(2*day), "2000", "")), series("ethereum:"+weth.String(),
			priced(ago(2*day), "1999", ""), priced(ago(day), "1998", "")))
	})
	got, err := a.Prices(t.Context(), ethereum(), []market.PriceRequest{{Asset: chain.Native, Times: []time.Time{ago(day), ago(2 * day), ago(3 * day)}}})
	want := []market.PricePoint{{Time: ago(2 * day), USD: 2000}, {Time: ago(day), USD: 1998}}
	if err != nil || !slices.Equal(got[0].Points, want) || len(s.asked) != 1 {
		t.Fatal(got, err)
	}
}

func TestQueriesAreBoundedAndLoseNothing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		wanted := make(map[string]map[int64]bool)
		var requests []market.PriceRequest
		for n := range rapid.IntRange(0, 30).Draw(r, "assets") {
			request := market.PriceRequest{Asset: address(n)}
			for _, hours := range rapid.SliceOfN(rapid.IntRange(0, 5000), 0, 700).Draw(r, "hours") {
				at := ago(time.Duration(hours) * time.Hour)
				request.Times = append(request.Times, at)
				name := coin("ethereum", request.Asset)
				if wanted[name] == nil {
					wanted[name] = make(map[int64]bool)
				}
				wanted[name][at.Unix()] = true
			}
			requests = append(requests, request)
		}
		for _, query := range plan(ethereum(), "ethereum", requests, now) {
			if length := len(url.QueryEscape(query)); length > queryLength {
				r.Fatalf("%d characters", length)
			}
			var sent map[string][]int64
			if err := json.Unmarshal([]byte(query), &sent); err != nil {
				r.Fatal(err, query)
			}
			for name, times := range sent {
				for _, at := range times {
					if !wanted[name][at] {
						r.Fatalf("%s at %d was not wanted, or twice", name, at)
					}
					delete(wanted[name], at)
				}
			}
		}
		for name, times := range wanted {
			if len(times) > 0 {
				r.Fatalf("%d times of %s are lost", len(times), name)
			}
		}
	})
}

func TestNothingIsAskedOfTheFuture(t *testing.T) {
	a, s := adapter(nil)
	got, err := a.Prices(t.Context(), ethereum(), []market.PriceRequest{{Asset: address(1), Times: []time.Time{now.Add(time.Hour), {}}}})
	if err != nil || len(got) != 1 || len(got[0].Points) != 0 || len(s.asked) != 0 {
		t.Fatal(got, err, s.asked)
	}
}

func TestCurrentPrices(t *testing.T) {
	weth := ethereum().WrappedNative.Address
	a, s := adapter(func(*url.URL) (int, string) {
		return 200, coins(
			`"ethereum:`+weth.String()+`":`+priced(ago(time.Hour), "2000", "0.99"), `"ethereum:`+address(1).String()+`":`+priced(ago(time.Minute), "1", "0.5"),
			`"ethereum:`+address(2).String()+`":`+priced(ago(5*time.Hour), "1", "1"), `"ethereum:`+address(3).Checksum()+`":`+priced(ago(time.Minute), "0.25", ""), `"x":null`)
	})
	assets := []chain.Address{chain.Native, address(1), address(2), address(3), address(4), address(3)}
	got, err := a.CurrentPrices(t.Context(), ethereum(), assets)
	if err != nil || len(got) != 2 || got[chain.Native] != 2000 || got[address(3)] != 0.25 || s.dropped != 2 {
		t.Fatal(got, err, s.dropped)
	}
	if s.asked[0].Path[:24] != "/prices/current/ethereum" || strings.Count(s.asked[0].Path, "0x") != 6 {
		t.Error(s.asked[0].Path)
	}
	for n := range 150 {
		assets = append(assets, address(n))
	}
	s.asked = nil
	if _, err = a.CurrentPrices(t.Context(), ethereum(), assets); err != nil || len(s.asked) != 3 {
		t.Error(err, len(s.asked))
	}
}

func TestFailuresAreUnavailable(t *testing.T) {
	for _, answer := range []struct {
		status int
		body   string
	}{{200, `{"coins":[]}`}, {200, `"no"`}, {404, `{}`}, {414, ``}, {200, `{}`},
		{200, `{"coins":{"a":{"prices":{}},"b":7}}`}, {200, `{"coins":{"a":{"price":{},"prices":[{"price":{},"timestamp":"then"}]}}}`}} {
		a, _ := adapter(func(*url.URL) (int, string) { return answer.status, answer.body })
		if _, err := a.Prices(t.Context(), ethereum(), []market.PriceRequest{{Asset: address(1), Times: []time.Time{ago(day)}}}); !errors.Is(err, market.ErrUnavailable) {
			t.Error(answer, err)
		}
		if _, err := a.CurrentPrices(t.Context(), ethereum(), []chain.Address{address(1)}); !errors.Is(err, market.ErrUnavailable) {
			t.Error(answer, err)
		}
	}
}

func FuzzPrices(f *testing.F) {
	token := address(1)
	f.Add([]byte(coins(series("ethereum:"+token.String(), priced(ago(day), "5", "0.9")))))
	f.Add([]byte(coins(series("ethereum:"+token.String(), priced(ago(day), "1e-400", `"1e400"`), `[]`), `"a":null`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		// What is no JSON would be asked for again, which takes time and tells nothing.
		if _, err := upstream.JSON[any](&upstream.Response{Status: 200, Body: body}); err != nil {
			return
		}
		a, _ := adapter(func(*url.URL) (int, string) { return 200, string(body) })
		got, err := a.Prices(t.Context(), ethereum(), []market.PriceRequest{{Asset: token, Times: []time.Time{ago(day), ago(2 * day)}}})
		if err != nil {
			return
		}
		for _, p := range got[0].Points {
			if !(p.USD > 0 && p.USD <= upstream.MaximumPriceUSD) {
				t.Error(p)
			}
		}
	})
}

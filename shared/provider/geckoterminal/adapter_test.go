package geckoterminal

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

var now = time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC)

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

func polygon() *chain.Chain { c, _ := chain.Parse("polygon"); return c }

var (
	token = chain.Address{1, 2}
	pool  = chain.Address{3, 4}
)

func request(from, to time.Time) market.CandleRequest {
	return market.CandleRequest{Pool: strings.ToUpper(pool.String()[2:]), Token: token, From: from, To: to}
}

func candles(rows ...string) string {
	return `{"data":{"id":"x","type":"ohlcv_request_response","attributes":{"ohlcv_list":[` + strings.Join(rows, ",") +
		`]}},"meta":{"base":{"address":"0x"}}}`
}

// history serves hourly candles, newest first, from the time of its beginning, as the service pages them.
func history(begin time.Time, free time.Duration) func(*url.URL) (int, string) {
	return func(address *url.URL) (int, string) {
		query := address.Query()
		before := now
		if text := query.Get("before_timestamp"); text != "" {
			seconds, _ := strconv.ParseInt(text, 10, 64)
			before = time.Unix(seconds, 0)
			if free >= 0 && now.Sub(before) > free {
				return 401, `{"status":{"error_code":401}}`
			}
		}
		limit, _ := strconv.Atoi(query.Get("limit"))
		var rows []string
		for at := before.Add(-1).Truncate(time.Hour); !at.Before(begin) && len(rows) < limit; at = at.Add(-time.Hour) {
			rows = append(rows, fmt.Sprintf(`[%d,1.5,2,1,1.75,1000.5]`, at.Unix()))
		}
		return 200, candles(rows...)
	}
}

func hoursAgo(n int) time.Time { return now.Truncate(time.Hour).Add(-time.Duration(n) * time.Hour) }

func TestCandlesArePagedOldestFirst(t *testing.T) {
	a, s := adapter(history(hoursAgo(5000), -1))
	asked := request(hoursAgo(2500), now)
	asked.Pool = pool.Checksum()
	got, err := a.Candles(t.Context(), polygon(), asked)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Hours) != 2501 || got.Truncated || !got.Hours[0].Time.Equal(hoursAgo(2500)) || !got.Hours[2500].Time.Equal(hoursAgo(0)) {
		t.Fatal(len(got.Hours), got.Truncated)
	}
	for i := 1; i < len(got.Hours); i++ {
		if got.Hours[i].Time.Sub(got.Hours[i-1].Time) != time.Hour {
			t.Fatal("a gap or a double", i)
		}
	}
	if got.Hours[0] != (market.Candle{Time: hoursAgo(2500), Open: 1.5, High: 2, Low: 1, Close: 1.75, VolumeUSD: 1000.5}) {
		t.Fatal(got.Hours[0])
	}
	first := s.asked[0]
	if first.Path != "/api/v2/networks/polygon_pos/pools/"+pool.String()+"/ohlcv/hour" || first.Query().Get("token") != token.String() ||
		first.Query().Get("currency") != "usd" || first.Query().Has("before_timestamp") || len(s.asked) != 3 {
		t.Fatal(first, len(s.asked))
	}
}

func TestTruncation(t *testing.T) {
	for name, test := range map[string]struct {
		begin, from int
		free        time.Duration
		hours       int
		truncated   bool
	}{
		"a pool younger than asked for":     {100, 500, -1, 101, false},
		"older than the free history":       {100, 5000, -1, 101, true},
		"refused beyond the first page":     {5000, 1500, 0, 1000, true},
		"refused where nothing more needed": {5000, 900, 0, 901, false},
	} {
		a, _ := adapter(history(hoursAgo(test.begin), test.free))
		asked := request(hoursAgo(test.from), now)
		asked.Pool = pool.String()
		got, err := a.Candles(t.Context(), polygon(), asked)
		if err != nil || len(got.Hours) != test.hours || got.Truncated != test.truncated {
			t.Errorf("%s: %d hours, truncated %v, %v", name, len(got.Hours), got.Truncated, err)
		}
	}
	// A border in the past is refused: the newest page may still hold what is wanted.
	a, s := adapter(history(hoursAgo(5000), 0))
	asked := market.CandleRequest{Pool: pool.String(), Token: chain.Native, From: hoursAgo(200), To: hoursAgo(100)}
	got, err := a.Candles(t.Context(), polygon(), asked)
	if err != nil || len(got.Hours) != 100 || got.Truncated || len(s.asked) != 2 {
		t.Error(len(got.Hours), got.Truncated, err)
	}
	if s.asked[0].Query().Get("token") != polygon().WrappedNative.Address.String() {
		t.Error("the native coin is priced by its wrapped form")
	}
}

func TestBrokenCandlesAreDropped(t *testing.T) {
	at := hoursAgo(10).Unix()
	row := func(i int, rest string) string { return fmt.Sprintf("[%d,%s]", at+int64(i)*3600, rest) }
	a, s := adapter(func(*url.URL) (int, string) {
		return 200, candles(
			row(0, `1,2,1,2,null`), row(1, `"1","2","1","2","7"`), row(2, `1,2,1,2,-1`), row(3, `0,2,0,2,5`), row(4, `1,1.5,1,2,5`),
			row(5, `1,2,1.5,2,5`), row(6, `1,2,1`), row(7, `null,2,1,2,5`), row(9, `1e13,2e13,1,2,5`), `[1795176301,1,2,1,2,5]`, `null`, `{"a":1}`,
			fmt.Sprintf(`[%d,1,2,1,2,5]`, at+1), row(0, `1,2,1,2,3`), row(8, `1.0000000001,1,1,1,5`))
	})
	asked := request(hoursAgo(20), now)
	asked.Pool = pool.String()
	got, err := a.Candles(t.Context(), polygon(), asked)
	if err != nil || len(got.Hours) != 3 {
		t.Fatal(got, err)
	}
	if got.Hours[0].VolumeUSD != 0 || got.Hours[1].VolumeUSD != 7 || got.Hours[2].High != 1.0000000001 {
		t.Errorf("%+v", got.Hours)
	}
	if s.dropped != 11 {
		t.Errorf("%d rows dropped", s.dropped)
	}
}

func TestWhatIsNotThere(t *testing.T) {
	asked := request(hoursAgo(10), now)
	if _, err := func() (*market.Candles, error) {
		a, _ := adapter(nil)
		return a.Candles(t.Context(), polygon(), asked)
	}(); err == nil || errors.Is(err, market.ErrUnavailable) {
		t.Error("not a pool:", err)
	}
	asked.Pool = pool.String() + strings.Repeat("0", 24)
	a, _ := adapter(func(*url.URL) (int, string) { return 404, `{"errors":[{"status":"404","title":"Not Found"}]}` })
	if got, err := a.Candles(t.Context(), polygon(), asked); err != nil || len(got.Hours) != 0 || got.Truncated {
		t.Error("unknown pool:", got, err)
	}
	a, s := adapter(nil)
	asked.To = asked.From
	if got, err := a.Candles(t.Context(), polygon(), asked); err != nil || len(got.Hours) != 0 || len(s.asked) != 0 {
		t.Error("no time:", got, err)
	}
	asked.To = now
	for _, answer := range []struct {
		status int
		body   string
	}{{200, `[]`}, {403, `denied`}, {200, `{"data":{"attributes":{"ohlcv_list":{}}}}`},
		{200, `{"data":{}}`}, {200, `{"data":{"attributes":{"ohlcv_list":[["1",{},2],[1e308,-1,1e309,-5,0,-1e308]]}}}`}} {
		a, _ := adapter(func(*url.URL) (int, string) { return answer.status, answer.body })
		if _, err := a.Candles(t.Context(), polygon(), asked); !errors.Is(err, market.ErrUnavailable) {
			t.Error(answer, err)
		}
	}
}

func poolRowText(id, base, attributes string) string {
	return fmt.Sprintf(`{"id":"polygon_pos_%[1]s","type":"pool","attributes":{"address":"%[1]s","name":"AAA / USDC 0.05%%"%[3]s},
		"relationships":{"base_token":{"data":{"id":"polygon_pos_%[2]s"}},"quote_token":{"data":{"id":"polygon_pos_0x3c499c542cef5e3811e1192ce70d8cc03d5c3359"}},
		"dex":{"data":{"id":"uniswap_v3_polygon_pos","type":"dex"}}}}`, id, base, attributes)
}

func TestPools(t *testing.T) {
	other := chain.Address{9}
	a, s := adapter(func(address *url.URL) (int, string) {
		if !strings.Contains(address.Path, token.String()) {
			return 404, `{}`
		}
		return 200, `{"data":[` + strings.Join([]string{
			poolRowText(other.String(), token.String(), `,"base_token_price_usd":"0.000000000000000000123456789012345","reserve_in_usd":"5"`),
			poolRowText(pool.String(), token.String(), `,"base_token_price_usd":"1.25","reserve_in_usd":"5000.75","pool_created_at":"2024-01-02T03:04:05Z",
				"volume_usd":{"h24":"77.5","h1":"7.5"},"transactions":{"h24":{"buys":3,"sells":4,"buyers":2},"h1":{"buys":1,"sells":2}},
				"market_cap_usd":"4500.5","fdv_usd":"5500.25"`),
			poolRowText(pool.String(), other.String(), `,"base_token_price_usd":"1"`), poolRowText("0x12", token.String(), ``),
			poolRowText(pool.String(), "nobody", ``), `"x"`,
		}, ",") + `]}`
	})
	got, err := a.Pools(t.Context(), polygon(), []chain.Address{token, other, token})
	if err != nil || len(got) != 1 || len(got[token]) != 2 || len(s.asked) != 2 || s.dropped != 3 {
		t.Fatal(got, err, len(s.asked), s.dropped)
	}
	usdc, _ := chain.ParseWireAddress("0x3c499c542cef5e3811e1192ce70d8cc03d5c3359")
	if want := (market.Pool{
		ID: pool.String(), Token: token, Quote: usdc, QuoteSymbol: "USDC", Exchange: "uniswap_v3_polygon_pos", PriceUSD: 1.25,
		LiquidityUSD: 5000.75, VolumeUSD24h: 77.5, Trades24h: 7, Buys24h: 3, Sells24h: 4,
		LastHour: market.PoolFlow{VolumeUSD: 7.5, Buys: 1, Sells: 2}, MarketCapUSD: 4500.5, FullyDilutedUSD: 5500.25, Version: market.ConcentratedPool,
		CreatedAt: time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC),
	}); got[token][0] != want {
		t.Errorf("got %+v\nwant %+v", got[token][0], want)
	}
	if p := got[token][1]; p.PriceUSD != 1.23456789012345e-19 || !math.IsNaN(p.MarketCapUSD) || !math.IsNaN(p.FullyDilutedUSD) {
		t.Error(got[token][1])
	}
}

func FuzzCandles(f *testing.F) {
	_, body := history(hoursAgo(5), -1)(&url.URL{RawQuery: "limit=10"})
	f.Add([]byte(body))
	f.Add([]byte(`{}`))
	f.Add([]byte(candles(`[1788847200,1e-320,"2","1",null,1e999]`, `[]`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		answer, err := upstream.JSON[candleAnswer](&upstream.Response{Status: 200, Body: body})
		if err != nil || answer.Data.Attributes.List == nil {
			return
		}
		page, _ := readPage(answer.Data.Attributes.List, now)
		for _, c := range page.hours {
			for _, price := range []float64{c.Open, c.High, c.Low, c.Close} {
				if !(price > 0 && price <= upstream.MaximumPriceUSD && price >= c.Low && price <= c.High) {
					t.Errorf("%+v", c)
				}
			}
			if !(c.VolumeUSD >= 0 && c.VolumeUSD <= upstream.MaximumUSD) || c.Time.After(now.Add(5*time.Minute)) {
				t.Errorf("%+v", c)
			}
		}
	})
}

func FuzzPools(f *testing.F) {
	f.Add([]byte(`{"data":[` + poolRowText(pool.String(), token.String(), `,"base_token_price_usd":"1.25","reserve_in_usd":"-0"`) + `]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		answer, err := upstream.JSON[poolAnswer](&upstream.Response{Status: 200, Body: body})
		if err != nil {
			return
		}
		pools, _ := readPools(answer, token, now)
		for _, p := range pools {
			if p.PriceUSD <= 0 || math.IsInf(p.PriceUSD, 0) || p.LiquidityUSD < 0 || math.IsInf(p.LiquidityUSD, 0) || !(p.VolumeUSD24h >= 0) || p.Trades24h < 0 || p.MarketCapUSD <= 0 || p.FullyDilutedUSD <= 0 {
				t.Errorf("%+v", p)
			}
		}
	})
}

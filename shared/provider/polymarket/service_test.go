package polymarket

import (
	"fmt"
	"io"
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

var (
	now    = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	wallet = chain.Address{0xaa, 19: 0x01}
)

// service answers all three hosts by path.
type service struct {
	answer  func(path string, query url.Values) (int, string)
	mu      sync.Mutex
	asked   []*url.URL
	dropped map[string]int
}

func (s *service) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.asked = append(s.asked, r.URL)
	s.mu.Unlock()
	status, body := s.answer(r.URL.Path, r.URL.Query())
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// calls counts the calls to paths with a prefix.
func (s *service) calls(prefix string) (count int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, asked := range s.asked {
		if strings.HasPrefix(asked.Path, prefix) {
			count++
		}
	}
	return count
}

func adapter(answer func(string, url.Values) (int, string)) (*Adapter, *service) {
	s := &service{answer: answer, dropped: make(map[string]int)}
	client := func(config upstream.Config) *upstream.Client {
		config.PerMinute, config.Burst = 600_000, 10_000
		return upstream.New(config, upstream.Shared{
			Transport: s, Clock: func() time.Time { return now }, Random: func() float64 { return 0 }, Observe: func(c upstream.Call) {
				s.mu.Lock()
				defer s.mu.Unlock()
				if c.Dropped > 0 {
					s.dropped[c.Path] += c.Dropped
				}
			},
		})
	}
	return New(client(DataDefaults()), client(GammaDefaults()), client(CLOBDefaults())), s
}

// always answers every path with one of the bodies, by the path's beginning; other paths with an empty list.
func always(bodies map[string]string) func(string, url.Values) (int, string) {
	return func(path string, _ url.Values) (int, string) {
		for prefix, body := range bodies {
			if strings.HasPrefix(path, prefix) {
				return 200, body
			}
		}
		return 200, "[]"
	}
}

func condition(n int) (hash market.Hash) {
	hash[0], hash[30], hash[31] = 0xc0, byte(n>>8), byte(n)
	return hash
}

func transaction(n int) (hash market.Hash) {
	hash[0], hash[30], hash[31] = 0x7a, byte(n>>8), byte(n)
	return hash
}

func asset(n int) string {
	return "7132104586308498136546998577062041252347074539" + strconv.Itoa(10_000+n)
}

func ago(d time.Duration) time.Time { return now.Add(-d) }

// object writes members as JSON; values are as they are to stand there.
func object(members ...string) string {
	var text strings.Builder
	for i := 0; i < len(members); i += 2 {
		fmt.Fprintf(&text, ",%q:%s", members[i], members[i+1])
	}
	return "{" + strings.TrimPrefix(text.String(), ",") + "}"
}

func quoted(text string) string { return strconv.Quote(text) }

func array(rows ...string) string { return "[" + strings.Join(rows, ",") + "]" }

// changed is a row with other members: of a repeated name the last counts.
func changed(row string, members ...string) string {
	if len(members) == 0 {
		return row
	}
	return strings.TrimSuffix(row, "}") + "," + strings.TrimPrefix(object(members...), "{")
}

// tradeRow is one of 100 shares at 0.4, which cost 40.5.
func tradeRow(n int, at time.Time) string {
	return object("proxyWallet", quoted(wallet.Checksum()), "timestamp", strconv.FormatInt(at.Unix(), 10), "conditionId", quoted(writeHash(condition(n))),
		"type", `"TRADE"`, "size", "100", "usdcSize", "40.5", "transactionHash", quoted(writeHash(transaction(n))), "price", "0.4",
		"asset", quoted(asset(n)), "side", `"BUY"`, "outcomeIndex", "1", "slug", `"a-market"`, "eventSlug", `"an-event"`, "name", `"somebody"`)
}

func moveRow(kind string, n int, at time.Time, members ...string) string {
	return changed(tradeRow(n, at), append([]string{"type", quoted(kind), "asset", `""`, "side", `""`, "price", "0", "outcomeIndex", "999"}, members...)...)
}

func activityOf(t *testing.T, activity, crossed string) (*market.PredictionActivity, *service) {
	t.Helper()
	a, s := adapter(always(map[string]string{activityPath: activity, tradesPath: crossed}))
	read, err := a.PredictionActivity(t.Context(), wallet)
	if err != nil {
		t.Fatal(err)
	}
	return read, s
}

package hyperliquid

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

var (
	present = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	account = chain.Address{0xAB, 19: 0xcd}
	other   = chain.Address{0x11, 19: 0x22}
)

// noon is a time as the venue writes it, so many milliseconds after one that is long past.
func noon(after int) int64 {
	return time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC).UnixMilli() + int64(after)
}

// asked is a question as it arrives at the venue.
type asked struct {
	Type      string `json:"type"`
	User      string `json:"user"`
	StartTime int64  `json:"startTime"`
	Dex       string `json:"dex"`
}

// venue answers questions and keeps them.
type venue struct {
	answer func(asked) (int, string)

	mu      sync.Mutex
	bodies  []string
	request *http.Request
	dropped int
}

func (v *venue) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var q asked
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	v.mu.Lock()
	v.bodies, v.request = append(v.bodies, string(body)), r
	v.mu.Unlock()
	status, answer := v.answer(q)
	return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer))}, nil
}

func (v *venue) adapter() *Adapter {
	config := Defaults()
	config.PerMinute, config.Burst = 1e9, 1e9
	return v.adapterWith(config)
}

func (v *venue) adapterWith(config upstream.Config) *Adapter {
	return New(upstream.New(config, upstream.Shared{
		Transport: v,
		Clock:     func() time.Time { return present },
		Random:    func() float64 { return 0 },
		Observe: func(c upstream.Call) {
			v.mu.Lock()
			defer v.mu.Unlock()
			v.dropped += c.Dropped
		},
	}))
}

// always answers everything with one body.
func always(body string) *venue {
	return &venue{answer: func(asked) (int, string) { return 200, body }}
}

func list(rows ...string) string { return "[" + strings.Join(rows, ",") + "]" }

// with gives a JSON object other members: pairs of a name and a JSON value, where an empty value takes the member out.
func with(t testing.TB, object string, changes ...string) string {
	t.Helper()
	var members map[string]json.RawMessage
	if err := json.Unmarshal([]byte(object), &members); err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(changes); i += 2 {
		if changes[i+1] == "" {
			delete(members, changes[i])
		} else {
			members[changes[i]] = json.RawMessage(changes[i+1])
		}
	}
	changed, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(changed)
}

// recorded is a row of a history that a venue keeps.
type recorded struct {
	at   int64
	text string
}

// keeper is a venue with a history, oldest first, which it gives as the real one does.
func keeper(rows []recorded, page, reachable int) *venue {
	return &venue{answer: func(q asked) (int, string) {
		reach := rows[max(0, len(rows)-reachable):]
		first, _ := slices.BinarySearchFunc(reach, q.StartTime, func(r recorded, start int64) int { return int(r.at - start) })
		reach = reach[first:]
		texts := make([]string, min(page, len(reach)))
		for i := range texts {
			texts[i] = reach[i].text
		}
		return 200, list(texts...)
	}}
}

func TestWhatIsAsked(t *testing.T) {
	v := &venue{answer: func(q asked) (int, string) {
		switch q.Type {
		case "clearinghouseState":
			return 200, nothingAtAll
		case "spotClearinghouseState":
			return 200, `{"balances":[]}`
		case "metaAndAssetCtxs":
			return 200, `[{"universe":[],"marginTables":[]},[]]`
		}
		return 200, `[]`
	}}
	a := v.adapter()
	check := func(err error, want ...string) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
		slices.Sort(v.bodies)
		if !slices.Equal(v.bodies, want) {
			t.Errorf("asked %q,\n want %q", v.bodies, want)
		}
		v.bodies = nil
	}
	_, err := a.PerpFills(t.Context(), account)
	check(err, `{"type":"userFillsByTime","user":"0xab000000000000000000000000000000000000cd","startTime":0}`)
	_, err = a.PerpAccount(t.Context(), account, []string{"xyz", "", "ab\"c", "xyz"})
	check(err,
		`{"type":"clearinghouseState","user":"0xab000000000000000000000000000000000000cd","dex":"ab\"c"}`,
		`{"type":"clearinghouseState","user":"0xab000000000000000000000000000000000000cd","dex":"xyz"}`,
		`{"type":"clearinghouseState","user":"0xab000000000000000000000000000000000000cd"}`,
		`{"type":"spotClearinghouseState","user":"0xab000000000000000000000000000000000000cd"}`)
	_, err = a.PerpFunding(t.Context(), account, time.UnixMilli(1700000000123))
	check(err, `{"type":"userFunding","user":"0xab000000000000000000000000000000000000cd","startTime":1700000000123}`)
	_, err = a.PerpFunding(t.Context(), account, time.Time{})
	check(err, `{"type":"userFunding","user":"0xab000000000000000000000000000000000000cd","startTime":0}`)
	_, err = a.PerpLedger(t.Context(), account)
	check(err, `{"type":"userNonFundingLedgerUpdates","user":"0xab000000000000000000000000000000000000cd","startTime":0}`)
	_, err = a.PerpMarkets(t.Context(), "")
	check(err, `{"type":"metaAndAssetCtxs"}`)
	_, err = a.PerpMarkets(t.Context(), "xyz")
	check(err, `{"type":"metaAndAssetCtxs","dex":"xyz"}`)
	_, err = a.PerpCandles(t.Context(), candleRequest("kPEPE", 1700000000000, 1700086400000))
	check(err, `{"type":"candleSnapshot","req":{"coin":"kPEPE","interval":"1d","startTime":1700000000000,"endTime":1700086399999}}`)
	if r := v.request; r.Method != "POST" || r.URL.String() != "https://api.hyperliquid.xyz/info" || r.Header.Get("Content-Type") != "application/json" {
		t.Error(r.Method, r.URL, r.Header)
	}
}

func TestWeights(t *testing.T) {
	if d := Defaults(); d.PerMinute+d.Burst > 1200 {
		t.Errorf("%d and %d at once are more than 1,200 in a minute", d.PerMinute, d.Burst)
	}
	rows := make([]string, 125)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"time":%d,"nested":[1,[2]]}`, i)
	}
	for body, want := range map[string]int{
		list(rows...): 6, list(rows[:19]...): 0, list(rows[:20]...): 1, `[]`: 0, `null`: 0, `{"a":[1,2]}`: 0, `Bad Request`: 0, ``: 0, `[1,`: 0,
	} {
		if w := weighed(rowsAWeight); w.Asking != 20 || w.Answer(&upstream.Response{Body: []byte(body)}) != want {
			t.Errorf("%.40s: %d, want %d", body, w.Answer(&upstream.Response{Body: []byte(body)}), want)
		}
	}
}

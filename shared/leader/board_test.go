package leader

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// noSources stand behind the ports of the comparison, for tests that do not ask for one.
func noSources() market.Sources { return newHistories().sources() }

// down is a store that does not answer.
type down struct{ store.Boards }

func (down) Current(context.Context, string) (store.Edition, error) {
	return store.Edition{}, errors.New("no store")
}

func TestRefusals(t *testing.T) {
	memory := memoryOf(t)
	f := endpointtest.New(t)
	nobody := newHistories()
	f.Service.Sources = nobody.sources()
	endpoints := Endpoints(memory)
	endpointtest.Refusals(t, endpoint.NewHandler(f.Service, endpoints...), endpoints, f.Key, nobody.calls)
}

// paths are the boards' with a parameter for their chain.
var paths = map[string]string{
	"/v1/trader-board": "chain=base", "/v1/copy/spot-leaders": "chain=base", "/v1/copy/top-traders": "chainId=8453", "/v1/copy/strategies": "chainId=8453",
}

// Before anything was published, and when nobody is found, graded or proven, boards are empty and say why.
func TestEmptyBoardsSayWhy(t *testing.T) {
	memory := memoryOf(t)
	r := readerOf(t, memory, noSources())
	expect := func(want string, publishedAt bool, boards ...string) {
		t.Helper()
		for _, path := range boards {
			for _, query := range []string{"", "?" + paths[path]} {
				b := r.read(t, path+query)
				if b.Rows == nil || b.NextCursor != nil || b.Note == nil || !strings.Contains(*b.Note, want) || (b.PublishedAt != nil) != publishedAt {
					t.Errorf("%s: %+v", path+query, b)
				}
			}
		}
	}
	all := []string{"/v1/trader-board", "/v1/copy/spot-leaders", "/v1/copy/top-traders", "/v1/copy/strategies"}
	expect("Nothing has been graded yet", false, all...)
	published(t, memory, now)
	expect("No leaders have been found yet", true, all...)
	waiting := rated(1, 40, 0.9, 0.9).early(false)
	waiting.graded = nil
	keep(t, memory, waiting)
	published(t, memory, now.Add(time.Hour))
	expect("wait for their first grade", true, all...)
	keep(t, memory, rated(2, 40, 0.9, 0.9), rated(3, 40, 0.9, 0.9).early(false))
	published(t, memory, now.Add(2*time.Hour))
	expect("of 2 wallets graded so far", true, "/v1/trader-board")
	expect("of 1 early buyer graded so far", true, "/v1/copy/spot-leaders")
	if b := r.read(t, "/v1/copy/spot-leaders?mirrorableOnly=1"); len(b.Rows) != 0 || b.Total != 0 || b.Note == nil {
		t.Errorf("%+v", b)
	}
}

func TestABoardTellsWhatItRestsOn(t *testing.T) {
	memory := memoryOf(t)
	keep(t, memory, crowd()...)
	published(t, memory, now.Add(1500*time.Millisecond))
	r := readerOf(t, memory, noSources())
	b := r.read(t, "/v1/trader-board?chain=base&limit=2")
	if len(b.Rows) != 2 || b.Total != 3 || b.Examined != 5 || b.MirrorWorthy != 2 || b.Note != nil || b.NextCursor == nil || *b.PublishedAt != "2026-11-20T12:30:01Z" {
		t.Errorf("%+v", b)
	}
	if b := r.read(t, "/v1/copy/top-traders?chainId=42161"); len(b.Rows) != 1 || b.Note == nil || !strings.Contains(*b.Note, "publish no profit") {
		t.Errorf("%+v", b)
	}
	if b := r.read(t, "/v1/copy/strategies"); b.Examined != 7 || b.MirrorWorthy != 3 || b.Total != 6+4+5 {
		t.Errorf("%+v", b)
	}
	// A chain's aliases are the chain; a board's rows go out as they are kept.
	if b, kept := r.read(t, "/v1/copy/spot-leaders?chain=arbitrum-one"), rowsOf(t, memory, "copy/spot-leaders/arbitrum"); len(b.Rows) != 1 || string(b.Rows[0]) != kept[0] {
		t.Errorf("%+v", b)
	}
}

func TestMirrorableOnlyIsTheFirstPartOfTheBoard(t *testing.T) {
	memory := memoryOf(t)
	for n := range 9 {
		keep(t, memory, rated(n+1, 60+float64(n), 0.5, 0.0001).early(n%3 == 0))
	}
	published(t, memory, now)
	r := readerOf(t, memory, noSources())
	everything, mirrorable := r.read(t, "/v1/copy/spot-leaders"), r.read(t, "/v1/copy/spot-leaders?mirrorableOnly=1")
	if len(everything.Rows) != 9 || len(mirrorable.Rows) != 3 || mirrorable.Total != 3 || mirrorable.NextCursor != nil {
		t.Fatalf("%d and %d rows", len(everything.Rows), len(mirrorable.Rows))
	}
	if everything.MirrorWorthy != 9 || mirrorable.MirrorWorthy != 3 {
		t.Errorf("%d and %d are called mirror-worthy", everything.MirrorWorthy, mirrorable.MirrorWorthy)
	}
	for i, row := range everything.Rows {
		var read SpotLeaderRow
		if err := json.Unmarshal(row, &read, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err)
		}
		if read.Assessment.Mirrorable != (i < 3) || read.Disclosure == "" || (i < 3 && string(row) != string(mirrorable.Rows[i])) {
			t.Errorf("row %d: %s", i, row)
		}
	}
	first := r.read(t, "/v1/copy/spot-leaders?mirrorableOnly=1&limit=2")
	rest := r.read(t, "/v1/copy/spot-leaders?mirrorableOnly=true&cursor="+*first.NextCursor)
	if len(first.Rows) != 2 || len(rest.Rows) != 1 || string(rest.Rows[0]) != string(mirrorable.Rows[2]) || rest.NextCursor != nil {
		t.Errorf("%d and %d rows", len(first.Rows), len(rest.Rows))
	}
	if b := r.read(t, "/v1/copy/spot-leaders?mirrorableOnly=0"); len(b.Rows) != 9 {
		t.Errorf("%d rows", len(b.Rows))
	}
}

// Pages put together are the edition that the first was read from, whatever is published meanwhile and however long pages are.
func TestPagesPutTogetherAreTheEdition(t *testing.T) {
	memory := memoryOf(t)
	r := readerOf(t, memory, noSources())
	r.handler = endpointtest.Undocumented{Handler: r.handler} // rows are numbered, and say nothing
	start := now
	rapid.Check(t, func(rt *rapid.T) {
		start = start.Add(10 * store.EditionLife) // what was published before is far behind
		at := start
		publishRows := func() (rows []string) {
			for i := range rapid.IntRange(0, 25).Draw(rt, "rows") {
				rows = append(rows, fmt.Sprintf(`{"row":%d,"at":%d}`, i, at.Unix()))
			}
			kept := make([][]byte, len(rows))
			for i := range rows {
				kept[i] = []byte(rows[i])
			}
			edition := store.Edition{Board: "trader-board/all", At: at, Rows: len(rows), Data: []byte(`{"found":30}`)}
			if err := memory.Boards.Publish(t.Context(), edition, kept); err != nil {
				rt.Fatal(err)
			}
			return rows
		}
		want := publishRows()
		var got []string
		cursor := ""
		for pages := 0; ; pages++ {
			page := r.read(rt, fmt.Sprintf("/v1/trader-board?limit=%d%s", rapid.IntRange(1, 9).Draw(rt, "limit"), cursor))
			for _, row := range page.Rows {
				got = append(got, string(row))
			}
			if page.Total != len(want) || *page.PublishedAt != start.Format(time.RFC3339) {
				rt.Fatalf("%+v", page)
			}
			if page.NextCursor == nil {
				break
			}
			if len(page.Rows) == 0 || pages > len(want) {
				rt.Fatal("pages do not come to an end")
			}
			cursor = "&cursor=" + *page.NextCursor
			// Within the life of an edition it can be read on.
			if rapid.Bool().Draw(rt, "published meanwhile") && at.Before(start.Add(store.EditionLife)) {
				at = at.Add(20 * time.Minute)
				publishRows()
			}
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%v, want %v", got, want)
		}
	})
}

func TestCursorsOfOtherRequestsAreRefused(t *testing.T) {
	memory := memoryOf(t)
	for n := range 4 {
		keep(t, memory, rated(n+1, 60, 0.9, 0.0001).early(true))
	}
	published(t, memory, now)
	r := readerOf(t, memory, noSources())
	next := *r.read(t, "/v1/copy/spot-leaders?limit=2").NextCursor
	refuse := func(path, text, says string) {
		t.Helper()
		call := endpointtest.Call{Method: http.MethodGet, Path: path + "cursor=" + url.QueryEscape(text), Key: r.Key}
		problem := endpointtest.CheckRefusal(t, call, call.Do(t, r.handler), http.StatusBadRequest, "invalid_param")
		if problem.Parameter != "cursor" || !strings.Contains(problem.Message, says) {
			t.Errorf("%s: %+v", call.Path, problem)
		}
	}
	const another = "nextCursor of an answer to this same request"
	for _, path := range []string{
		"/v1/copy/spot-leaders?mirrorableOnly=1&", "/v1/copy/spot-leaders?chain=base&", "/v1/copy/top-traders?", "/v1/trader-board?", "/v1/copy/strategies?", "/v1/traders/track-record?",
	} {
		refuse(path, next, another)
	}
	decoded, err := base64.RawURLEncoding.DecodeString(next)
	if err != nil {
		t.Fatal(err)
	}
	encode := func(old, new string) string {
		if !strings.Contains(string(decoded), old) {
			t.Fatalf("%q is not in %q", old, decoded)
		}
		return base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(decoded), old, new, 1)))
	}
	for _, text := range []string{
		"", "x", "=", next + "A", next[1:], next + "=", strings.ToUpper(next), base64.StdEncoding.EncodeToString(decoded), encode("#2", "#02"), encode("#2", "#+2"), encode("#2", "#0"), encode("#2", "#-1"),
		encode("#2", "#10000"), encode("#2", "#99999999999999999999"), encode("#2", "#2#"), encode("#2", ""), encode("17", "-17"), encode("17", "99999999999917"), encode("##", "#mirrorable#"),
	} {
		says := another
		if text == "" {
			says = "bytes"
		}
		refuse("/v1/copy/spot-leaders?", text, says)
	}
	refuse("/v1/copy/spot-leaders?", encode("#2", "#4"), "behind the end")
	refuse("/v1/copy/spot-leaders?", encode("17", "16"), "newer ones took its place")
}

// A cursor outlives its edition by two hours; then the reader is told to start again.
func TestAnEditionThatIsGone(t *testing.T) {
	memory := memoryOf(t)
	keep(t, memory, crowd()...)
	published(t, memory, now)
	r := readerOf(t, memory, noSources())
	path := "/v1/copy/top-traders?limit=2&cursor=" + *r.read(t, "/v1/copy/top-traders?limit=2").NextCursor
	published(t, memory, now.Add(time.Hour))
	published(t, memory, now.Add(time.Hour+store.EditionLife-time.Second))
	if b := r.read(t, path); len(b.Rows) != 2 {
		t.Errorf("%+v", b)
	}
	published(t, memory, now.Add(time.Hour+store.EditionLife))
	call := endpointtest.Call{Method: http.MethodGet, Path: path, Key: r.Key}
	if problem := endpointtest.CheckRefusal(t, call, call.Do(t, r.handler), http.StatusBadRequest, "invalid_param"); !strings.Contains(problem.Message, "start again") {
		t.Error(problem.Message)
	}
}

// A store that does not answer is not an empty board.
func TestAStoreThatIsDown(t *testing.T) {
	memory := memoryOf(t)
	r := readerOf(t, Memory{Boards: down{}, Leaders: memory.Leaders}, noSources())
	for path := range paths {
		call := endpointtest.Call{Method: http.MethodGet, Path: path, Key: r.Key}
		endpointtest.CheckRefusal(t, call, call.Do(t, r.handler), http.StatusServiceUnavailable, "provider_unavailable")
	}
}

func FuzzReadCursor(f *testing.F) {
	v := view{board: "trader-board/base"}
	f.Add(cursor{view: v, at: now, position: 20}.text())
	f.Add(cursor{view: view{board: "copy/spot-leaders/all", part: mirrorablePart}, at: now, position: 1}.text())
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := readCursor(text, v)
		var problem *endpoint.Problem
		switch {
		case err == nil && (c.text() != text || c.position < 1 || store.CheckTime("cursor", c.at) != nil):
			t.Errorf("%q was read as %+v", text, c)
		case err != nil && (!errors.As(err, &problem) || problem.Parameter != "cursor"):
			t.Errorf("%q: %v", text, err)
		}
	})
}

// A cursor is refused before anything is charged.
func TestACursorIsCheckedLikeAParameter(t *testing.T) {
	for _, e := range Endpoints(memoryOf(t)) {
		if e.Method != http.MethodGet {
			continue
		}
		r := endpoint.NewRequest("request", "acme", now, nil)
		if err := e.Check(t.Context(), r); err != nil {
			t.Errorf("%s without a cursor: %v", e.Name, err)
		}
		after.Set(r, "x")
		if err := e.Check(t.Context(), r); err == nil {
			t.Errorf("%s checks no cursor", e.Name)
		}
	}
}

// A parameter that means nothing for a venue is refused rather than ignored.
func TestLeadersToCopyAreToldApartByChainAtTheSpotVenueAlone(t *testing.T) {
	b := readerOf(t, memoryOf(t), noSources())
	for path, status := range map[string]int{
		"/v1/copy/leaders?venue=dexvenue-spot&chain=base": 200, "/v1/copy/leaders?venue=perpvenue-perps": 200,
		"/v1/copy/leaders?venue=perpvenue-perps&chain=base": 400, "/v1/copy/leaders?venue=predictvenue-markets&chain=polygon": 400,
	} {
		got := b.get(t, path)
		if got.Status != status || status == 400 && (got.Problem(t).Error != "invalid_param" || got.Problem(t).Parameter != "chain") {
			t.Errorf("%s: %+v", path, got)
		}
	}
}

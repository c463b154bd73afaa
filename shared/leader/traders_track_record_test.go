package leader

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/trackrecord"
)

const week = 7 * 24 * time.Hour

// forecast keeps what was said of a leader of base that was graded so long ago.
func forecast(t *testing.T, memory Memory, n int, ago time.Duration, mirrorable bool) {
	t.Helper()
	_, err := memory.TrackRecords.Forecast(t.Context(), store.Forecast{
		Source: spotLeaderGate, Chain: "base", Wallet: address(n), GradedAt: now.Add(-ago), Mirrorable: mirrorable, Probability: 0.5, BaseRate: 0.25,
		MethodVersion: "2026-11-1", Data: []byte(`{"medianGapHours":48}`),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// follow keeps an entry that a leader made so long ago, in a token of its own, with an outcome where it was due.
func follow(t *testing.T, memory Memory, n, entry int, ago time.Duration, net float64) {
	t.Helper()
	f := store.FollowUp{
		ID: fmt.Sprintf("%x-%d-%d", entry%16, n, entry), Source: spotLeaderGate, Chain: "base", Wallet: address(n), Token: address(1000*n + entry),
		EnteredAt: now.Add(-ago), DueAt: now.Add(week - ago), SeenAt: now.Add(time.Hour - ago), EntryPriceUSD: 1234.5,
	}
	if err := memory.TrackRecords.FollowUp(t.Context(), f); err != nil {
		t.Fatal(err)
	}
	if f.DueAt.After(now) {
		return
	}
	outcome := store.Outcome{At: f.DueAt.Add(time.Hour), Word: "resolved", Net: net}
	if err := memory.TrackRecords.Resolve(t.Context(), f.Source, f.Chain, f.Wallet, f.ID, outcome); err != nil {
		t.Fatal(err)
	}
}

func readRecord(t *testing.T, r reader, query string) (TrackRecord[jsontext.Value], string) {
	t.Helper()
	answer := r.get(t, "/v1/traders/track-record"+query)
	if answer.Status != http.StatusOK || answer.Header.Get("X-Usage-Units") != "1" || answer.Header.Get("X-Method-Version") == "" {
		t.Fatal(answer.Status, answer.Header, answer.Body)
	}
	var read TrackRecord[jsontext.Value]
	if err := json.Unmarshal([]byte(answer.Body), &read, json.RejectUnknownMembers(true)); err != nil {
		t.Fatal(err)
	}
	return read, answer.Body
}

func TestATrackRecordBeforeTheFirstGrading(t *testing.T) {
	memory := memoryOf(t)
	r := readerOf(t, memory, noSources())
	for range 2 {
		for _, query := range []string{"", "?source=spot-leader-gate&limit=5"} {
			read, body := readRecord(t, r, query)
			if read.Status != "accruing" || read.Source != "spot-leader-gate" || read.Rows == nil || read.Note == nil || read.Total != 0 || len(read.Reasons) == 0 || read.NextCursor != nil {
				t.Error(body)
			}
			for _, key := range []string{`"firstResolutionExpected":null`, `"mirrorable":{`, `"control":{`, `"gateValue":{`, `"calibration":[]`, `"rows":[]`} {
				if !strings.Contains(body, key) {
					t.Errorf("no %s in %s", key, body)
				}
			}
		}
		if _, err := publishTrackRecord(t.Context(), memory, now); err != nil {
			t.Fatal(err)
		}
	}
}

// Two mirrorable leaders and a gated-out one: by hand, 8 of 12 entries of the former won and 1 of 4 of the latter.
func TestTheTrackRecordIsThatOfAllEntries(t *testing.T) {
	memory := memoryOf(t)
	forecast(t, memory, 1, 30*24*time.Hour, true)
	forecast(t, memory, 2, 20*24*time.Hour, true)
	forecast(t, memory, 3, 40*24*time.Hour, false)
	forecast(t, memory, 4, time.Hour, true)
	for i := range 12 {
		net := 0.25
		if i%3 == 2 {
			net = -1
		}
		follow(t, memory, 1+i/11, i, 20*24*time.Hour-time.Duration(i)*time.Hour-24*time.Hour, net)
	}
	follow(t, memory, 1, 20, 2*24*time.Hour, math.NaN())
	for i := range 4 {
		follow(t, memory, 3, i, 20*24*time.Hour, []float64{0.1, -0.2, -0.3, -0.04}[i])
	}
	report, err := publishTrackRecord(t.Context(), memory, now)
	if err != nil || report.Failed() != nil || report[0].Items != 4 {
		t.Fatal(report, err)
	}
	r := readerOf(t, memory, noSources())
	read, body := readRecord(t, r, "")
	m, c := read.Mirrorable, read.Control
	if read.Status != "tracked" || m.Leaders != 3 || m.Resolved != 12 || m.Hits != 8 || m.Open != 1 || m.Lost != 4 || *m.HitRate != 0.667 || *m.BaseRate != 0.25 ||
		c.Leaders != 1 || c.Resolved != 4 || c.Hits != 1 || *read.GateValue.DifferencePct != 41.67 {
		t.Error(body)
	}
	if read.Total != 4 || read.Note != nil || *read.PublishedAt != "2026-11-20T12:30:00Z" || strings.Contains(body, "1234") {
		t.Error(body)
	}
	var rows []trackrecord.Entry
	for _, row := range read.Rows {
		var entry trackrecord.Entry
		if err := json.Unmarshal(row, &entry, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, entry)
	}
	if rows[0].Wallet != address(4) || rows[1].Wallet != address(2) || rows[2].Wallet != address(1) || rows[3].Wallet != address(3) {
		t.Errorf("%+v", rows)
	}
	if first := rows[0]; first.Status != "accruing" || first.FirstResolutionExpected == nil || !first.FirstResolutionExpected.Equal(now.Add(47*time.Hour+week)) || first.HitRate != nil {
		t.Errorf("%+v", first)
	}
	if tracked := rows[2]; tracked.Status != "tracked" || tracked.Resolved != 11 || tracked.Open != 1 || tracked.HitRate == nil {
		t.Errorf("%+v", tracked)
	}
	// Pages continue where the one before ended.
	page, _ := readRecord(t, r, "?limit=3")
	rest, _ := readRecord(t, r, "?limit=3&cursor="+*page.NextCursor)
	if both := append(page.Rows, rest.Rows...); rest.NextCursor != nil || !slices.EqualFunc(both, read.Rows, slices.Equal) {
		t.Errorf("%s", both)
	}
	// The row as it goes out, to the byte.
	if want := `{"wallet":"0x0000000000000000000000000000000000000004","chain":"base","gradedAt":"2026-11-20T11:30:00Z","mirrorable":true,"status":"accruing",` +
		`"firstResolutionExpected":"2026-11-29T11:30:00Z","winProbability":0.5,"baseProbability":0.25,"entries":0,"resolved":0,"open":0,"late":0,"hits":0,` +
		`"hitRate":null,"hitRateInterval":null,"medianNetPct":null}`; string(read.Rows[0]) != want {
		t.Errorf("%s\nwant\n%s", read.Rows[0], want)
	}
}

func TestPublishingTheTrackRecordAgain(t *testing.T) {
	memory := memoryOf(t)
	for n := range 30 {
		forecast(t, memory, n, time.Duration(n%7)*time.Hour, n%2 == 0)
	}
	if _, err := publishTrackRecord(t.Context(), memory, now); err != nil {
		t.Fatal(err)
	}
	before := rowsOf(t, memory, "track-record/spot-leader-gate")
	report, err := publishTrackRecord(t.Context(), memory, now)
	if err != nil || !report[0].Skipped || report.Failed() != nil {
		t.Error(report, err)
	}
	if report, err = publishTrackRecord(t.Context(), memory, now.Add(time.Hour)); err != nil || report[0].Items != 30 {
		t.Error(report, err)
	}
	// Nobody's part changed within the hour but the times that are still expected.
	if after := rowsOf(t, memory, "track-record/spot-leader-gate"); !slices.Equal(after, before) {
		t.Errorf("%v\n%v", after, before)
	}
}

// unreadable fails to list follow-ups.
type unreadable struct{ store.TrackRecords }

func (unreadable) FollowUps(context.Context, string, string, string, string, int) ([]store.FollowUp, error) {
	return nil, errors.New("no follow-ups")
}

// Half a track record is none: nothing is published.
func TestATrackRecordThatCannotBeRead(t *testing.T) {
	memory := memoryOf(t)
	forecast(t, memory, 1, time.Hour, true)
	memory.TrackRecords = unreadable{memory.TrackRecords}
	if _, err := publishTrackRecord(t.Context(), memory, now); err == nil {
		t.Error("it was published")
	}
	if _, err := memory.Boards.Current(t.Context(), "track-record/spot-leader-gate"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}

func TestTheOneSource(t *testing.T) {
	r := readerOf(t, memoryOf(t), noSources())
	call := endpointtest.Call{Method: http.MethodGet, Path: "/v1/traders/track-record?source=tea-leaves", Key: r.Key}
	problem := endpointtest.CheckRefusal(t, call, call.Do(t, r.handler), http.StatusBadRequest, "invalid_param")
	if problem.Parameter != "source" || !strings.Contains(problem.Message, "spot-leader-gate") {
		t.Errorf("%+v", problem)
	}
}

// long has more forecasts than are read at a time, one of them with more follow-ups.
type long struct {
	store.TrackRecords
	forecasts, followUps int
}

func (l long) Forecasts(_ context.Context, _, _, afterWallet string, limit int) (page []store.Forecast, _ error) {
	for n := range l.forecasts {
		if address(n) > afterWallet && len(page) < limit {
			page = append(page, store.Forecast{Chain: "base", Wallet: address(n)})
		}
	}
	return page, nil
}

func (l long) FollowUps(_ context.Context, _, _, wallet, after string, limit int) (page []store.FollowUp, _ error) {
	if wallet != address(7) {
		return nil, nil
	}
	for n := range l.followUps {
		if address(n) > after && len(page) < limit {
			page = append(page, store.FollowUp{ID: address(n)})
		}
	}
	return page, nil
}

func TestALongTrackRecordIsReadWhole(t *testing.T) {
	for _, n := range []int{recordedAtOnce - 1, recordedAtOnce, recordedAtOnce + 1, 2*recordedAtOnce + 3} {
		forecasts, followUps, err := readTrackRecord(t.Context(), long{forecasts: n, followUps: n}, spotLeaderGate)
		if err != nil || len(forecasts) != n || len(followUps) != n {
			t.Errorf("of %d: %d forecasts, %d follow-ups, %v", n, len(forecasts), len(followUps), err)
		}
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// season is a service on a market of its own, whose days pass. It is started anew for each look, as after a restart, on what it kept.
type season struct {
	config host.Config
	source []byte
	kept   *embedded.Store
	key    string
	market *samplemarket.Market
	clock  atomic.Int64
	begin  time.Time
}

// seasonChain is the one chain of the season's market: one on which the gate lets some through.
const seasonChain = chain.Arbitrum

// seasonHistory is enough for those who are early in launches to have a record.
const seasonHistory = 90 * 24 * time.Hour

func newSeason(t *testing.T) *season {
	t.Helper()
	config, err := host.ReadConfig(environment(t, "JOBS", "grade-leaders"))
	if err != nil {
		t.Fatal(err)
	}
	s := &season{config: config, begin: config.FixedClock}
	s.clock.Store(s.begin.Unix())
	if s.source, err = os.ReadFile(config.Template); err != nil {
		t.Fatal(err)
	}
	if s.kept, err = embedded.Open(filepath.Join(config.DataDir, "store.db")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.kept.Close() })
	administration := partnerkey.NewAdministration(s.kept.Keys(), testPepper, time.Now, zeros{})
	if _, err := administration.Create(t.Context(), localPartner, "Season", store.Limit{PerMinute: 10_000_000, Burst: 10_000_000}); err != nil {
		t.Fatal(err)
	}
	key, err := administration.Issue(t.Context(), localPartner, store.ModeTest, "")
	if err != nil {
		t.Fatal(err)
	}
	s.key = key.Reveal()
	s.market = samplemarket.New(samplemarket.Config{
		Seed: 1, Start: s.begin.Add(-seasonHistory), Clock: func() time.Time { return time.Unix(s.clock.Load(), 0) }, Chains: []string{string(seasonChain)},
	})
	providers := httptest.NewServer(s.market.Handler())
	t.Cleanup(func() {
		providers.CloseClientConnections()
		providers.Close()
	})
	s.config.Addresses = host.SampleAddresses(providers.URL)
	return s
}

// find has some of the market's traders found, as discovery finds them: everybody on one chain who picks launches well or, for
// comparison, not at all, and a few others and traders of the venues.
func (s *season) find(t *testing.T) {
	t.Helper()
	find := func(kind, place, address, source string, data any) {
		raw, err := json.Marshal(data)
		if err == nil {
			err = s.kept.Leaders().Find(t.Context(), store.Group{Kind: kind, Place: place}, address, store.Finding{Source: source, At: s.begin, Data: raw})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	count := make(map[string]int)
	for _, w := range s.market.Truth().Wallets {
		if w.Chain != string(seasonChain) {
			continue
		}
		count[w.Group]++
		address, err := chain.ParseAddress(w.Address)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case w.Group == "scout", w.Group == "early-crowd" && count[w.Group] <= 2:
			find(leader.Spot, w.Chain, w.Address, leader.EarlyBuyer, discovery.Finding{
				Wallet: address, Older: discovery.Evidence{Launches: 20, Rose: 9, Expected: 2.4, P: 0.0001}, Newer: discovery.Evidence{Launches: 8, Rose: 3, Expected: 1, P: 0.08},
				AdjustedP: 0.002, Tested: 400, HitRate: 0.3, BaseRate: 0.12, Confirmed: true,
			})
		case w.Group == "skilled-swing" && count[w.Group] <= 2, w.Group == "losing-swing" && count[w.Group] == 1:
			find(leader.Spot, w.Chain, w.Address, leader.ActiveBuyer, nil)
		}
	}
	samples := s.market.Samples()
	places := map[string]any{"places": []map[string]any{{"window": "month", "rank": 3, "pnlUsd": 1234.5}}}
	find(leader.Perp, leader.PerpVenue, samples.Perps[0].Address, leader.VenueLeaderboard, places)
	find(leader.Prediction, leader.PredictionVenue, samples.Predictions[0].Address, leader.VenueLeaderboard, places)
}

// look starts the service so many hours after the beginning, and has the jobs run when they are wanted.
func (s *season) look(t *testing.T, hours int, run bool) *look {
	t.Helper()
	at := s.begin.Add(time.Duration(hours) * time.Hour)
	s.clock.Store(at.Unix())
	config := s.config
	config.FixedClock = at
	started := &server{log: discardLog()}
	handler, err := started.newHandler(config, s.source, s.kept, testPepper)
	if err != nil {
		t.Fatal(err)
	}
	if run {
		settled, stop := started.jobs.run(t.Context())
		<-settled
		err := started.jobs.queues.idle(t.Context())
		stop()
		for _, q := range started.jobs.queues.states() {
			if err != nil || q.Dead > 0 {
				t.Fatalf("%v: %+v", err, q)
			}
		}
	}
	return &look{handler: described(handler), key: s.key}
}

// look is the service as partners meet it at one time.
type look struct {
	handler http.Handler
	key     string
}

func (l *look) send(method, path, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Authorization", "Bearer "+l.key)
	answer := httptest.NewRecorder()
	l.handler.ServeHTTP(answer, request)
	return answer
}

// object is a JSON object as a partner reads it.
type object map[string]any

// get reads a graded answer that costs so many units.
func (l *look) get(t *testing.T, path string, units string) object {
	t.Helper()
	answer := l.send(http.MethodGet, path, "")
	if answer.Code != http.StatusOK || answer.Header().Get("X-Usage-Units") != units || answer.Header().Get("X-Method-Version") != endpoint.MethodVersion {
		t.Fatalf("%s: %d %v %s", path, answer.Code, answer.Header(), answer.Body)
	}
	return read(t, answer)
}

func read(t *testing.T, answer *httptest.ResponseRecorder) (o object) {
	t.Helper()
	if err := json.Unmarshal(answer.Body.Bytes(), &o); err != nil {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	return o
}

func (o object) rows() []object {
	var rows []object
	for _, row := range o["rows"].([]any) {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}

// in is an object within another.
func (o object) in(name string) object { return o[name].(map[string]any) }

func (o object) names() string { return strings.Join(slices.Sorted(maps.Keys(o)), " ") }

// text writes some members, for comparison.
func (o object) text(names ...string) string {
	var text strings.Builder
	for _, name := range names {
		value, there := o[name]
		raw, _ := json.Marshal(value)
		fmt.Fprintf(&text, "%s=%s,%v ", name, raw, there)
	}
	return text.String()
}

// The members of the answers, as partners know them.
const (
	boardMembers      = "examined mirrorWorthy nextCursor note publishedAt rows total"
	standingMembers   = "adjustedP confidence grade gradedAt holdStyle lastEntryAt mirrorWorthy reasons sampleSize score subscores verdict"
	assessmentMembers = "discovery evidence forecast mirrorable reasons simulation"
	recordMembers     = "calibration control firstResolutionExpected gateValue mirrorable nextCursor note publishedAt reasons rows source status total"
	groupMembers      = "baseRate brier brierSkill entries evidence evidenceScore hitRate hitRateInterval hits independentEntries late leaders lift lost meanForecast meanNetPct medianNetPct open resolved tokens"
	entryMembers      = "baseProbability chain entries firstResolutionExpected gradedAt hitRate hitRateInterval hits late medianNetPct mirrorable open resolved status wallet winProbability"
	strategyMembers   = "about category chain chainId leaders leadersFound leadersGraded leadersMirrorWorthy strategyId title venue window"
	placeMembers      = "intel rank venuePnlUsd venueRank venueReturnPct venueSeenAt wallet window"
)

// with joins lists of members.
func with(lists ...string) string {
	all := strings.Fields(strings.Join(lists, " "))
	slices.Sort(all)
	return strings.Join(all, " ")
}

const trackRecord = "/v1/traders/track-record?source=spot-leader-gate"

var allBoards = []string{"/v1/trader-board", "/v1/copy/strategies", "/v1/copy/top-traders", "/v1/copy/spot-leaders"}

// A season of the boards: empty at first, filled by the jobs with what the traders' own pages say, and followed by a track record that
// fills as days pass and never rewrites what it said.
func TestASeasonOfTheBoards(t *testing.T) {
	s := newSeason(t)
	first := s.look(t, 0, false)
	for _, path := range allBoards {
		if b := first.get(t, path, "1"); b.names() != boardMembers || len(b.rows()) != 0 || b["note"] == nil || b["publishedAt"] != nil || b["nextCursor"] != nil {
			t.Errorf("%s before the first leaders: %v", path, b)
		}
	}
	if r := first.get(t, trackRecord, "1"); r.names() != recordMembers || len(r.rows()) != 0 || r["note"] == nil || r["status"] != "accruing" {
		t.Errorf("the track record before the first leaders: %v", r)
	}
	s.find(t)
	graded := s.look(t, 1, true)
	t.Run("rows equal pages", func(t *testing.T) { rowsEqualPages(t, graded) })
	t.Run("pages of a board", func(t *testing.T) { pagesOfABoard(t, graded) })
	t.Run("a comparison equals the scores", func(t *testing.T) { comparisonEqualsScores(t, graded) })
	before := graded.get(t, trackRecord, "1")
	forecasts := forecastsOf(t, before)
	if before["status"] != "accruing" || before["firstResolutionExpected"] == nil || before.in("mirrorable")["hitRate"] != nil || len(forecasts) < 4 {
		t.Errorf("the record of the first day: %v", before)
	}
	// Entries are followed once they were made, and resolved a week later.
	record := recordOf(t, s.look(t, 1+6*24, true), forecasts)
	if record.in("mirrorable")["resolved"] != 0.0 || record.in("control")["resolved"] != 0.0 || record.in("control")["entries"] == 0.0 {
		t.Errorf("the record of the first week: %v", record)
	}
	for days := 12; days <= 60 && record["status"] == "accruing"; days += 6 {
		if record.in("mirrorable")["resolved"].(float64) >= 10 {
			t.Errorf("accruing with %v", record)
		}
		record = recordOf(t, s.look(t, 1+24*days, true), forecasts)
	}
	if record["status"] != "tracked" || record["firstResolutionExpected"] != nil || record.in("mirrorable")["resolved"].(float64) < 10 ||
		record.in("gateValue")["differencePct"] == nil || record.in("mirrorable")["late"] != 0.0 {
		t.Errorf("the record of the season: %v", record)
	}
}

// rowsEqualPages compares every row with what the wallet's own page says at the same instant, and its members with those it must have.
func rowsEqualPages(t *testing.T, l *look) {
	page := func(path, body string) object {
		answer := l.send(http.MethodPost, path, body)
		if answer.Code != http.StatusOK {
			t.Fatalf("%s %s: %d %s", path, body, answer.Code, answer.Body)
		}
		return read(t, answer)
	}
	score := func(row, standing object) {
		t.Helper()
		own := page("/v1/trader-score", `{"wallet":"`+row["wallet"].(string)+`","chain":"arbitrum"}`)
		for _, name := range []string{"grade", "verdict", "score", "subscores", "confidence", "sampleSize"} {
			if standing.text(name) != own.text(name) {
				t.Errorf("%v: a row says %s, its page %s", row["wallet"], standing.text(name), own.text(name))
			}
		}
		if row["gradedAt"] != nil && row["gradedAt"] != "2026-09-01T13:00:00Z" {
			t.Errorf("graded at %v", row["gradedAt"])
		}
	}
	for _, row := range l.get(t, "/v1/trader-board?chain=arbitrum", "1").rows() {
		if row.names() != with(standingMembers, "chain found rank wallet") || row["verdict"] != "mirror-worthy" {
			t.Errorf("%v", row)
		}
		score(row, row)
	}
	top := l.get(t, "/v1/copy/top-traders?chainId=42161", "1").rows()
	if len(top) < 8 {
		t.Errorf("%d top traders", len(top))
	}
	for _, row := range top {
		if row.names() != "chain intel rank venue venuePnlUsd wallet" || row["venue"] != "dexvenue-spot" || row["venuePnlUsd"] != nil || row.in("intel").names() != with(standingMembers, "evidence mirrorable") {
			t.Errorf("%v", row)
		}
		score(row, row.in("intel"))
	}
	spot := l.get(t, "/v1/copy/spot-leaders?chain=arbitrum", "1")
	for _, row := range spot.rows() {
		if row.names() != with(standingMembers, "assessment chain disclosure rank wallet") || row.in("assessment").names() != assessmentMembers ||
			!strings.Contains(row["disclosure"].(string), "hindsight") || len(row.in("assessment")["reasons"].([]any)) == 0 {
			t.Errorf("%v", row)
		}
		score(row, row)
	}
	mirrorable := l.get(t, "/v1/copy/spot-leaders?chain=arbitrum&mirrorableOnly=1", "1")
	gatedOut := len(spot.rows()) - len(mirrorable.rows())
	if len(mirrorable.rows()) == 0 || gatedOut == 0 || mirrorable["total"] != float64(len(mirrorable.rows())) || mirrorable["mirrorWorthy"].(float64) > mirrorable["total"].(float64) {
		t.Errorf("%d mirrorable and %d gated out: %v", len(mirrorable.rows()), gatedOut, mirrorable)
	}
	for i, row := range spot.rows() {
		if want := i < len(mirrorable.rows()); row.in("assessment")["mirrorable"] != want || (want && row.text("wallet", "rank", "assessment") != mirrorable.rows()[i].text("wallet", "rank", "assessment")) {
			t.Errorf("row %d: %v", i, row)
		}
	}
	// The leaders to copy at the spot venue are those very rows, by the name that clients know them by.
	leaders := l.get(t, "/v1/copy/leaders?venue=dexvenue-spot&chain=arbitrum", "1")
	if len(leaders.rows()) != len(mirrorable.rows()) {
		t.Errorf("%d leaders to copy, want %d", len(leaders.rows()), len(mirrorable.rows()))
	}
	for i, row := range leaders.rows() {
		same := []string{"rank", "grade", "score", "assessment", "disclosure", "gradedAt", "reasons"}
		if row["address"] != mirrorable.rows()[i]["wallet"] || row.text(same...) != mirrorable.rows()[i].text(same...) || row["venue"] != "dexvenue-spot" {
			t.Errorf("leader %d: %v, want %v", i, row, mirrorable.rows()[i])
		}
	}
	shown := 0
	for _, row := range l.get(t, "/v1/copy/strategies", "1").rows() {
		if row.names() != strategyMembers {
			t.Errorf("%v", row)
		}
		for _, of := range row["leaders"].([]any) {
			one := object(of.(map[string]any))
			intel := one.in("intel")
			if one.names() != placeMembers || intel.names() != with(standingMembers, "evidence mirrorable") {
				t.Errorf("%v", one)
			}
			wallet := `{"wallet":"` + one["wallet"].(string) + `"}`
			switch row["venue"] {
			case "dexvenue-spot":
				score(one, intel)
				continue
			case "perpvenue-perps":
				if own := page("/v1/perp-wallet", wallet); intel["sampleSize"] != own["closedPositions"] {
					t.Errorf("%v: %v positions, its page has %v", one["wallet"], intel["sampleSize"], own["closedPositions"])
				}
			case "predictvenue-markets":
				if own := page("/v1/prediction-wallet", wallet); intel.text("grade", "verdict", "mirrorable") != own.text("grade", "verdict", "mirrorable") {
					t.Errorf("%v: %v, its page %v", one["wallet"], intel, own)
				}
			}
			if shown++; one["venuePnlUsd"] != 1234.5 || one["venueRank"] != 3.0 {
				t.Errorf("the venue's own figures: %v", one)
			}
		}
	}
	if shown < 2 {
		t.Errorf("%d leaders of venues are shown", shown)
	}
}

// pagesOfABoard reads boards page by page: every row comes once, in the order of the whole, at the older address too.
func pagesOfABoard(t *testing.T, l *look) {
	for _, path := range []string{"/v1/copy/leaders?venue=dexvenue-spot&limit=1", "/v1/copy/top-traders?chainId=42161&limit=2", "/v1/copy/spot-leaders?limit=1&mirrorableOnly=1", trackRecord + "&limit=3"} {
		whole := l.get(t, strings.NewReplacer("limit=1", "limit=100", "limit=2", "limit=100", "limit=3", "limit=100").Replace(path), "1")
		if whole["nextCursor"] != nil || float64(len(whole.rows())) != whole["total"] {
			t.Fatalf("%s: %v", path, whole)
		}
		var rows []object
		next, cursors := "", 0
		for more := true; more; cursors++ {
			page := l.get(t, path+next, "1")
			rows = append(rows, page.rows()...)
			var cursor string
			if cursor, more = page["nextCursor"].(string); more {
				next = "&cursor=" + cursor
			}
		}
		if fmt.Sprint(rows) != fmt.Sprint(whole.rows()) || cursors < 2 {
			t.Errorf("%s: %d pages hold\n%v, want\n%v", path, cursors, rows, whole.rows())
		}
		for i, row := range rows {
			if rank, ranked := row["rank"]; ranked && rank != float64(i+1) {
				t.Errorf("%s: row %d has rank %v", path, i, rank)
			}
		}
		if strings.HasPrefix(path, "/v1/traders") {
			continue
		}
		foreign := l.send(http.MethodGet, "/v1/trader-board?"+strings.TrimPrefix(next, "&"), "")
		if problem := read(t, foreign); foreign.Code != http.StatusBadRequest || problem["error"] != "invalid_param" || foreign.Header().Get("X-Usage-Units") != "0" {
			t.Errorf("another board's cursor: %d %v", foreign.Code, problem)
		}
		if older := l.send(http.MethodGet, "/api"+path, ""); older.Body.String() != l.send(http.MethodGet, path, "").Body.String() {
			t.Errorf("%s: the older address answers otherwise", path)
		}
	}
	if gone := l.send(http.MethodGet, "/v1/leaderboard", ""); gone.Code != http.StatusNotFound {
		t.Errorf("/v1/leaderboard: %d", gone.Code)
	}
}

// comparisonEqualsScores ranks the chain's traders and somebody nobody knows, and compares each with its own page.
func comparisonEqualsScores(t *testing.T, l *look) {
	wallets := []string{quietWallet}
	for _, row := range l.get(t, "/v1/copy/top-traders?chainId=42161&limit=4", "1").rows() {
		wallets = append(wallets, row["wallet"].(string))
	}
	body, err := json.Marshal(map[string]any{"chain": "arbitrum", "wallets": wallets})
	if err != nil {
		t.Fatal(err)
	}
	answer := l.send(http.MethodPost, "/v1/trader-leaderboard", string(body))
	if answer.Code != http.StatusOK || answer.Header().Get("X-Usage-Units") != fmt.Sprint(2*len(wallets)) {
		t.Fatalf("%d %v %s", answer.Code, answer.Header(), answer.Body)
	}
	compared := read(t, answer)
	if compared.names() != "rows" || len(compared.rows()) != len(wallets) {
		t.Fatalf("%v", compared)
	}
	names := []string{"grade", "verdict", "score", "subscores", "confidence", "sampleSize", "reasons"}
	for i, row := range compared.rows() {
		own := read(t, l.send(http.MethodPost, "/v1/trader-score", `{"wallet":"`+row["wallet"].(string)+`","chain":"arbitrum"}`))
		if row["rank"] != float64(i+1) || row.names() != with(strings.Join(names, " "), "rank wallet") || row.text(names...) != own.text(names...) {
			t.Errorf("row %d: %v\nits page: %v", i, row, own)
		}
	}
}

// forecastsOf are what a record's first gradings said, by wallet.
func forecastsOf(t *testing.T, record object) map[string]string {
	t.Helper()
	forecasts := make(map[string]string)
	for _, row := range record.rows() {
		if row.names() != entryMembers {
			t.Errorf("%v", row)
		}
		forecasts[row["wallet"].(string)] = row.text("chain", "gradedAt", "mirrorable", "winProbability", "baseProbability")
	}
	return forecasts
}

// recordOf reads the record, which must have the forecasts of the first day and add up.
func recordOf(t *testing.T, l *look, first map[string]string) object {
	t.Helper()
	record := l.get(t, trackRecord+"&limit=100", "1")
	if now := forecastsOf(t, record); !maps.Equal(now, first) {
		t.Errorf("forecasts were\n%v, and are\n%v", first, now)
	}
	for group, mirrorable := range map[string]bool{"mirrorable": true, "control": false} {
		whole := record.in(group)
		if whole.names() != groupMembers {
			t.Errorf("%s: %v", group, whole)
		}
		sums, hits, base := make(map[string]float64), 0.0, 0.0
		brier, brierBase := 0.0, 0.0
		for _, row := range record.rows() {
			if row["mirrorable"] != mirrorable {
				continue
			}
			sums["leaders"]++
			for _, name := range []string{"entries", "resolved", "open", "late", "hits"} {
				sums[name] += row[name].(float64)
			}
			if (row["status"] == "tracked") != (row["resolved"].(float64) >= 10) || (row["hitRate"] == nil) != (row["status"] == "accruing") {
				t.Errorf("%v", row)
			}
			n, won := row["resolved"].(float64), row["hits"].(float64)
			p, q := row["winProbability"].(float64), row["baseProbability"].(float64)
			hits, base = hits+won, base+n*q
			brier += won*(1-p)*(1-p) + (n-won)*p*p
			brierBase += won*(1-q)*(1-q) + (n-won)*q*q
		}
		for name, sum := range sums {
			if whole[name] != sum {
				t.Errorf("%s: %s is %v, its leaders' add up to %v", group, name, whole[name], sum)
			}
		}
		if sums["entries"] != sums["resolved"]+sums["open"]+sums["late"] {
			t.Errorf("%s: %v", group, whole)
		}
		n := sums["resolved"]
		if n == 0 {
			continue
		}
		for name, want := range map[string]float64{"hitRate": hits / n, "baseRate": base / n, "lift": hits / base, "brier": brier / n, "brierSkill": 1 - brier/brierBase} {
			if got := whole[name].(float64); !(math.Abs(got-want) < 0.006) { // the leaders' probabilities are rounded
				t.Errorf("%s: %s is %v, its leaders give %v", group, name, got, want)
			}
		}
		if whole["evidenceScore"].(float64) <= 0 || whole["independentEntries"].(float64) > n || whole["tokens"].(float64) > n {
			t.Errorf("%s: %v", group, whole)
		}
	}
	return record
}

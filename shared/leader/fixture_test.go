package leader

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// now is the instant of the tests' gradings, and of what they publish first.
var now = time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC)

// memoryOf opens a store of its own.
func memoryOf(t testing.TB) Memory {
	t.Helper()
	kept, err := embedded.Open(filepath.Join(t.TempDir(), "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := kept.Close(); err != nil {
			t.Error(err)
		}
	})
	return Memory{Leaders: kept.Leaders(), Boards: kept.Boards(), Launches: kept.Launches(), TrackRecords: kept.TrackRecords(), Peers: kept.Peers()}
}

func address(n int) string { return fmt.Sprintf("0x%040x", n) }

func pointer[T any](x T) *T { return &x }

// person is a leader of the tests.
type person struct {
	group   store.Group
	address string
	found   []store.Finding
	graded  *Graded
}

// on is the group of spot leaders of a chain.
func on(slug chain.Slug) store.Group { return store.Group{Kind: Spot, Place: string(slug)} }

// rated is a spot leader of base with a score, a confidence and a chance, found as an active buyer. Its verdict is mirror-worthy from a
// score of 58 on.
func rated(n int, score, confidence, chance float64) person {
	verdict, grade := trader.Watch, "C"
	if score >= 58 {
		verdict, grade = trader.MirrorWorthy, "B"
	}
	return person{
		group: on(chain.Base), address: address(n), found: []store.Finding{{Source: ActiveBuyer, At: now.Add(-time.Hour)}},
		graded: &Graded{
			AsOf: now, Chance: &chance, HoldStyle: "swing", LastEntryAt: now.Add(-50 * time.Hour),
			Score: wallet.TraderScoreAnswer{
				Grade: &grade, Verdict: verdict, Score: &score, Confidence: &confidence, SampleSize: 24,
				Subscores: &wallet.Subscores{WinRate: pointer(61.5), Profitability: pointer(70.1), Consistency: pointer(66.0)},
				Reasons:   []reason.Reason{{Text: "Won 15 of 24 closed positions."}, {Text: "Gained 2.1 times what it lost."}},
			},
		},
	}
}

// unrated is a spot leader of base with too little history.
func unrated(n int) person {
	p := rated(n, 50, 0.1, 0)
	p.graded.Chance, p.graded.HoldStyle, p.graded.LastEntryAt = nil, "", time.Time{}
	p.graded.Score = wallet.TraderScoreAnswer{
		Verdict: trader.Unrated, Confidence: pointer(0.1), SampleSize: 1, Reasons: []reason.Reason{{Text: "Only 1 closed position; 3 are needed."}},
	}
	return p
}

// early makes a leader one that was found among first buyers, mirrorable or gated out.
func (p person) early(mirrorable bool) person {
	p.found = append(p.found, store.Finding{Source: EarlyBuyer, At: now.Add(-2 * time.Hour)})
	p.graded.Assessment = &Assessment{
		Mirrorable: mirrorable, Evidence: closedTrades, Reasons: []reason.Reason{{Text: "A copier won 9 of 14."}, {Text: "Random entries won 27%."}},
		Simulation: &Simulated{Rated: true, Trades: 14, Tokens: 11, WinRate: pointer(0.643), BaseWinRate: pointer(0.27), MedianReturnPct: pointer(12.5)},
		Discovery:  &Found{Launches: 20, Rose: 6, Expected: pointer(2.4), AdjustedP: pointer(0.02)},
		Forecast:   &Expected{WinProbability: pointer(0.5), BaseProbability: pointer(0.27)},
	}
	return p
}

// at moves a leader to another chain.
func (p person) at(slug chain.Slug) person {
	p.group = on(slug)
	return p
}

// onVenue makes a leader one of a venue that stands on some of its boards.
func (p person) onVenue(kind, place string, seenAt time.Time, places ...venuePlace) person {
	data, err := json.Marshal(venuePlaces{places})
	if err != nil {
		panic(err)
	}
	p.group = store.Group{Kind: kind, Place: place}
	p.found = []store.Finding{{Source: VenueLeaderboard, At: seenAt, Data: data}}
	return p
}

func standing(window market.LeaderboardWindow, rank int, pnl float64) venuePlace {
	return venuePlace{venueBoard: venueBoard{Window: window}, Rank: rank, PnLUSD: pnl, Return: pointer(0.0222)}
}

// keep finds and grades leaders.
func keep(t testing.TB, memory Memory, people ...person) {
	t.Helper()
	for _, p := range people {
		if err := p.keep(t.Context(), memory.Leaders); err != nil {
			t.Fatal(err)
		}
	}
}

func (p person) keep(ctx context.Context, leaders store.Leaders) error {
	for _, f := range p.found {
		if err := leaders.Find(ctx, p.group, p.address, f); err != nil {
			return err
		}
	}
	if p.graded == nil {
		return nil
	}
	data, err := json.Marshal(p.graded)
	if err != nil {
		return err
	}
	grade := ""
	if p.graded.Score.Grade != nil {
		grade = *p.graded.Score.Grade
	}
	return leaders.Grade(ctx, p.group, p.address, time.Time{}, store.Grading{At: now, Pass: "pass", Grade: grade, Verdict: p.graded.Score.Verdict, Data: data})
}

// published publishes the boards of a few chains and of all, and checks that none failed.
func published(t testing.TB, memory Memory, at time.Time) {
	t.Helper()
	var few []*chain.Chain
	for _, slug := range []string{"base", "arbitrum", "polygon"} {
		on, _ := chain.Parse(slug)
		few = append(few, on)
	}
	report, err := publish(t.Context(), memory, few, at)
	if err != nil || report.Failed() != nil {
		t.Fatal(err, report.Failed())
	}
}

// rowsOf reads a whole board as it is kept.
func rowsOf(t testing.TB, memory Memory, board string) []string {
	t.Helper()
	edition, err := memory.Boards.Current(t.Context(), board)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for len(all) < edition.Rows {
		rows, err := memory.Boards.Rows(t.Context(), board, edition.At, len(all), store.MaximumListed)
		if err != nil || len(rows) == 0 {
			t.Fatal(len(rows), err)
		}
		for _, row := range rows {
			all = append(all, string(row))
		}
	}
	return all
}

// reader asks the endpoints of a memory over HTTP.
type reader struct {
	*endpointtest.Fixture
	handler http.Handler
}

func readerOf(t endpointtest.T, memory Memory, sources market.Sources) reader {
	t.Helper()
	f := endpointtest.New(t)
	f.Service.Sources = sources
	return reader{f, endpoint.NewHandler(f.Service, Endpoints(memory)...)}
}

func (r reader) get(t endpointtest.T, path string) endpointtest.Answer {
	t.Helper()
	return endpointtest.Call{Method: http.MethodGet, Path: path, Key: r.Key}.Do(t, r.handler)
}

// read reads a page of a board.
func (r reader) read(t endpointtest.T, path string) Board[jsontext.Value] {
	t.Helper()
	answer := r.get(t, path)
	if answer.Status != http.StatusOK || answer.Header.Get("X-Usage-Units") != "1" || answer.Header.Get("X-Method-Version") != endpoint.MethodVersion {
		t.Fatalf("%s: %d %v %s", path, answer.Status, answer.Header, answer.Body)
	}
	var page Board[jsontext.Value]
	if err := json.Unmarshal([]byte(answer.Body), &page, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s: %v in %s", path, err, answer.Body)
	}
	return page
}

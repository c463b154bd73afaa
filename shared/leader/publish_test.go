package leader

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// crowd is a few leaders of every sort.
func crowd() []person {
	return []person{
		rated(1, 81.2, 0.9, 0.0001).early(true), rated(2, 60, 0.6, 0.02), rated(3, 62, 0.7, 0.2), rated(4, 30.5, 0.8, 0.9).early(false),
		unrated(5), rated(6, 55, 0.5, 0.3).at(chain.Arbitrum).early(true),
		rated(11, 71, 0.8, 0.001).onVenue(Perp, PerpVenue, now.Add(-time.Hour), standing(market.DayWindow, 2, 1234.567), standing(market.WeekWindow, 1, -5)),
		unrated(12).onVenue(Perp, PerpVenue, now.Add(-time.Hour), standing(market.DayWindow, 1, 99_000)),
		rated(21, 60, 0.8, 0.01).onVenue(Prediction, PredictionVenue, now.Add(-time.Hour),
			venuePlace{venueBoard: venueBoard{Category: "POLITICS", Window: market.MonthWindow}, Rank: 4, PnLUSD: 10}),
	}
}

// The rows as they go out, to the byte.
func TestRows(t *testing.T) {
	memory := memoryOf(t)
	keep(t, memory, crowd()...)
	published(t, memory, now)
	for board, want := range map[string]string{
		"trader-board/base": `{"rank":1,"wallet":"0x0000000000000000000000000000000000000001","chain":"base","grade":"B","verdict":"mirror-worthy","score":81.2,` +
			`"subscores":{"winRate":61.5,"profitability":70.1,"consistency":66},"confidence":0.9,"sampleSize":24,"mirrorWorthy":true,"adjustedP":0.001,` +
			`"holdStyle":"swing","lastEntryAt":"2026-11-18T10:30:00Z","gradedAt":"2026-11-20T12:30:00Z","reasons":["Won 15 of 24 closed positions.",` +
			`"Gained 2.1 times what it lost.","Of 5 wallets looked at, some look this good by luck; allowing for that, the adjusted probability of luck is below 0.001, where a board accepts up to 0.1."],` +
			`"found":[{"source":"active-buyer","foundAt":"2026-11-20T11:30:00Z"},{"source":"early-buyer","foundAt":"2026-11-20T10:30:00Z"}]}`,
		"copy/spot-leaders/arbitrum": `{"rank":1,"wallet":"0x0000000000000000000000000000000000000006","chain":"arbitrum","grade":"C","verdict":"watch","score":55,` +
			`"subscores":{"winRate":61.5,"profitability":70.1,"consistency":66},"confidence":0.5,"sampleSize":24,"mirrorWorthy":false,"adjustedP":0.375,` +
			`"holdStyle":"swing","lastEntryAt":"2026-11-18T10:30:00Z","gradedAt":"2026-11-20T12:30:00Z","reasons":["Won 15 of 24 closed positions.","Gained 2.1 times what it lost."],` +
			`"assessment":{"mirrorable":true,"evidence":"closed-trades","reasons":["A copier won 9 of 14.","Random entries won 27%."],` +
			`"simulation":{"rated":true,"trades":14,"tokens":11,"winRate":0.643,"baseWinRate":0.27,"medianReturnPct":12.5,"compoundedReturnPct":null,"medianRunUpPct":null},` +
			`"discovery":{"launches":20,"rose":6,"expected":2.4,"adjustedP":0.02,"confirmedP":null,"hitRate":null,"baseRate":null,"siblings":0},` +
			`"forecast":{"winProbability":0.5,"baseProbability":0.27}},"disclosure":` +
			`"Simulated numbers are measured on tokens that did rise, a universe chosen with hindsight, and compounding stakes 10% of equity a trade. What entries made after the grading came to is in the track record."}`,
		"copy/top-traders/arbitrum": `{"rank":1,"wallet":"0x0000000000000000000000000000000000000006","chain":"arbitrum","venue":"dexvenue-spot","venuePnlUsd":null,` +
			`"intel":{"grade":"C","verdict":"watch","score":55,"subscores":{"winRate":61.5,"profitability":70.1,"consistency":66},"confidence":0.5,"sampleSize":24,` +
			`"mirrorWorthy":false,"adjustedP":0.375,"holdStyle":"swing","lastEntryAt":"2026-11-18T10:30:00Z","gradedAt":"2026-11-20T12:30:00Z",` +
			`"reasons":["Won 15 of 24 closed positions.","Gained 2.1 times what it lost."],"evidence":"closed-trades","mirrorable":true}}`,
		"copy/strategies/polygon": `{"strategyId":"early-buyers-polygon","venue":"dexvenue-spot","chain":"polygon","chainId":137,"title":"Early buyers on polygon",` +
			`"about":"Wallets that were among the first buyers of several tokens that rose, more often than chance gives, and whose entries gained in simulation for a copier ` +
			`who came up to an hour later. How their later entries fare is in the track record.","window":null,"category":null,"leadersFound":0,"leadersGraded":0,"leadersMirrorWorthy":0,"leaders":[]}`,
	} {
		if got := rowsOf(t, memory, board)[0]; got != want {
			t.Errorf("%s:\n%s\nwant\n%s", board, got, want)
		}
	}
}

// strategy reads a strategy from the board of all chains.
func strategy(t *testing.T, memory Memory, id string) StrategyRow {
	t.Helper()
	for _, row := range rowsOf(t, memory, "copy/strategies/all") {
		var read StrategyRow
		if err := json.Unmarshal([]byte(row), &read, json.RejectUnknownMembers(true)); err != nil {
			t.Fatal(err)
		}
		if read.StrategyID == id {
			return read
		}
	}
	t.Fatalf("no strategy %s", id)
	return StrategyRow{}
}

func TestStrategiesShowTheVenuesFiguresInTheOrderOfOurGrades(t *testing.T) {
	memory := memoryOf(t)
	keep(t, memory, crowd()...)
	// Who left the venue's board since is not shown; who waits for a grade is counted.
	gone := rated(13, 99, 1, 0.0001).onVenue(Perp, PerpVenue, now.Add(-time.Hour-oneReading), standing(market.DayWindow, 3, 7))
	fresh := unrated(14).onVenue(Perp, PerpVenue, now.Add(-time.Hour), standing(market.DayWindow, 4, 3))
	fresh.graded = nil
	keep(t, memory, gone, fresh)
	published(t, memory, now)

	day := strategy(t, memory, "perps-day")
	if day.Venue != "perpvenue-perps" || day.Chain != nil || day.ChainID != nil || *day.Window != market.DayWindow || day.LeadersFound != 3 || day.LeadersGraded != 2 || day.LeadersMirrorWorthy != 1 {
		t.Errorf("%+v", day)
	}
	if len(day.Leaders) != 2 || day.Leaders[0].Wallet != address(11) || day.Leaders[1].Wallet != address(12) {
		t.Fatalf("%+v", day.Leaders)
	}
	first, second := day.Leaders[0], day.Leaders[1]
	if first.Rank != 1 || *first.VenueRank != 2 || *first.VenuePnLUSD != 1234.57 || *first.VenueReturnPct != 2.22 || *first.VenueSeenAt != "2026-11-20T11:30:00Z" ||
		*first.Intel.Evidence != "closed-trades" || !first.Intel.MirrorWorthy || first.Intel.Mirrorable != nil {
		t.Errorf("%+v", first)
	}
	if *second.VenueRank != 1 || second.Intel.Grade != nil || second.Intel.Verdict != "unrated" || *second.Intel.Evidence != "venue-only" || second.Intel.AdjustedP != nil {
		t.Errorf("%+v", second)
	}
	if week := strategy(t, memory, "perps-week"); *week.Leaders[0].VenuePnLUSD != -5 || len(week.Leaders) != 1 {
		t.Errorf("%+v", week)
	}
	if politics := strategy(t, memory, "predictions-politics-month"); *politics.Category != "POLITICS" || politics.Title != "Prediction markets, politics: most profit in the last month" || len(politics.Leaders) != 1 {
		t.Errorf("%+v", politics)
	}
	if empty := strategy(t, memory, "predictions-all-time"); empty.LeadersFound != 0 || len(empty.Leaders) != 0 {
		t.Errorf("%+v", empty)
	}
	early := strategy(t, memory, "early-buyers-base")
	if early.LeadersFound != 2 || early.LeadersGraded != 2 || len(early.Leaders) != 1 || early.Leaders[0].Wallet != address(1) || *early.ChainID != 8453 ||
		early.Leaders[0].VenueRank != nil || early.Leaders[0].VenuePnLUSD != nil {
		t.Errorf("%+v", early)
	}
}

// A strategy shows ten leaders, and three reasons of each.
func TestStrategiesAreShort(t *testing.T) {
	memory := memoryOf(t)
	for n := range 12 {
		keep(t, memory, rated(n+1, 60+float64(n), 0.9, 0.001).onVenue(Perp, PerpVenue, now, standing(market.DayWindow, n+1, 100)))
	}
	published(t, memory, now)
	day := strategy(t, memory, "perps-day")
	if len(day.Leaders) != 10 || day.LeadersGraded != 12 || day.LeadersMirrorWorthy != 12 || day.Leaders[0].Wallet != address(12) || len(day.Leaders[0].Intel.Reasons) > 3 {
		t.Errorf("%+v", day)
	}
}

// wallets lists the wallets of a board's rows.
func walletsOf(t *testing.T, memory Memory, board string) string {
	t.Helper()
	var all []string
	for i, row := range rowsOf(t, memory, board) {
		var read struct {
			Rank   int    `json:"rank"`
			Wallet string `json:"wallet"`
		}
		if err := json.Unmarshal([]byte(row), &read); err != nil || read.Rank != i+1 {
			t.Fatal(row, err)
		}
		all = append(all, strings.TrimLeft(read.Wallet[2:], "0"))
	}
	return strings.Join(all, " ")
}

func TestWhoIsOnWhichBoard(t *testing.T) {
	memory := memoryOf(t)
	keep(t, memory, crowd()...)
	waiting := rated(7, 50, 0.5, 0.5)
	waiting.graded = nil
	keep(t, memory, waiting)
	published(t, memory, now)
	for board, want := range map[string]string{
		// Wallet 3 is mirror-worthy on its own page and not among so many: it comes after those that stay so.
		"trader-board/base": "1 2 3", "trader-board/arbitrum": "", "trader-board/all": "1 2 3",
		"copy/spot-leaders/base": "1 4", "copy/spot-leaders/all": "1 6 4",
		"copy/top-traders/base": "1 2 3 5 4", "copy/top-traders/all": "1 2 3 6 5 4", "copy/top-traders/polygon": "",
	} {
		if got := walletsOf(t, memory, board); got != want {
			t.Errorf("%s: %s, want %s", board, got, want)
		}
	}
	edition, err := memory.Boards.Current(t.Context(), "trader-board/base")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := summaryOf(edition); err != nil || got != (summary{Found: 6, Waiting: 1, Examined: 5, MirrorWorthy: 2, Mirrorable: 1, MirrorableWorthy: 1}) {
		t.Errorf("%+v %v", got, err)
	}
}

// The leaders of a venue are those that passed its gate, under the name that clients know them by.
func TestLeadersToCopyPassedTheGate(t *testing.T) {
	memory := memoryOf(t)
	keep(t, memory, crowd()...)
	passed := rated(16, 66, 0.7, 0.01).onVenue(Perp, PerpVenue, now.Add(-time.Hour), standing(market.DayWindow, 5, 10))
	passed.graded.Assessment = &Assessment{Mirrorable: true, Evidence: closedTrades, Reasons: []reason.Reason{{Code: "X", Text: "Won 30 of 40."}}}
	failed := rated(17, 67, 0.7, 0.01).onVenue(Perp, PerpVenue, now.Add(-time.Hour), standing(market.DayWindow, 6, 10))
	failed.graded.Assessment = &Assessment{Evidence: closedTrades}
	keep(t, memory, passed, failed)
	published(t, memory, now)
	for board, want := range map[string]string{
		"copy/leaders/dexvenue-spot/base": "1", "copy/leaders/dexvenue-spot/all": "1 6", "copy/leaders/perpvenue-perps/all": "10",
		"copy/leaders/predictvenue-markets/all": "",
	} {
		var got []string
		for i, row := range rowsOf(t, memory, board) {
			var read CopyLeaderRow
			if err := json.Unmarshal([]byte(row), &read, json.RejectUnknownMembers(true)); err != nil || read.Rank != i+1 || !read.Assessment.Mirrorable {
				t.Fatal(row, err)
			}
			if spot := read.Venue == spotVenue; spot != (read.Chain != nil) || spot != (read.Disclosure != nil) || !strings.Contains(board, read.Venue) {
				t.Error(row)
			}
			got = append(got, strings.TrimLeft(read.Address[2:], "0"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", board, got, want)
		}
	}
}

// Whom agents follow is nobody's business: a leader that nothing else found is on no board, and no row tells of it.
func TestBoardsDoNotTellWhoIsFollowed(t *testing.T) {
	memory := memoryOf(t)
	keep(t, memory, crowd()...)
	published(t, memory, now)
	before := rowsOf(t, memory, "trader-board/all")
	secret := rated(9, 99, 1, 0.0001)
	keep(t, memory, secret)
	if err := memory.Leaders.Remove(t.Context(), on(chain.Base), address(9), now); err != nil {
		t.Fatal(err)
	}
	for _, wallet := range []string{address(9), address(1)} {
		if err := memory.Leaders.Find(t.Context(), on(chain.Base), wallet, store.Finding{Source: Followed, At: now, Data: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	data, err := json.Marshal(secret.graded)
	if err != nil {
		t.Fatal(err)
	}
	if err := memory.Leaders.Grade(t.Context(), on(chain.Base), address(9), time.Time{}, store.Grading{At: now, Pass: "p", Verdict: "mirror-worthy", Data: data}); err != nil {
		t.Fatal(err)
	}
	published(t, memory, now.Add(time.Hour))
	if after := rowsOf(t, memory, "trader-board/all"); !slices.Equal(after, before) {
		t.Errorf("%v\nwant\n%v", after, before)
	}
}

// The same leaders make the same boards, whenever they are published.
func TestPublishingAgainGivesTheSameBytes(t *testing.T) {
	memory := memoryOf(t)
	keep(t, memory, crowd()...)
	published(t, memory, now)
	boards := []string{"trader-board/all", "copy/spot-leaders/all", "copy/top-traders/all", "copy/strategies/all", "trader-board/base"}
	before := make(map[string][]string)
	for _, board := range boards {
		before[board] = rowsOf(t, memory, board)
	}
	// An edition as new is there: nothing is done.
	report, err := publish(t.Context(), memory, chain.All()[1:2], now)
	if err != nil || len(report) != 5*2+2+1 {
		t.Fatal(len(report), err)
	}
	for _, part := range report {
		if !part.Skipped || part.Err != nil {
			t.Errorf("%+v", part)
		}
	}
	published(t, memory, now.Add(time.Hour))
	for _, board := range boards {
		edition, err := memory.Boards.Current(t.Context(), board)
		if err != nil || !edition.At.Equal(now.Add(time.Hour)) {
			t.Errorf("%s: %v %v", board, edition.At, err)
		}
		if got := rowsOf(t, memory, board); !slices.Equal(got, before[board]) {
			t.Errorf("%s changed", board)
		}
	}
}

// A pass over one chain publishes that chain's boards and those of all chains, which still have everybody.
func TestPublishingForOneChain(t *testing.T) {
	memory := memoryOf(t)
	keep(t, memory, crowd()...)
	base, _ := chain.Parse("base")
	report, err := publish(t.Context(), memory, []*chain.Chain{base}, now)
	if err != nil || report.Failed() != nil || len(report) != 5*2+2+1 {
		t.Fatal(report, err)
	}
	if got := walletsOf(t, memory, "copy/top-traders/all"); got != "1 2 3 6 5 4" {
		t.Error(got)
	}
	if _, err := memory.Boards.Current(t.Context(), "copy/top-traders/arbitrum"); !errors.Is(err, store.ErrNotFound) {
		t.Error(err)
	}
}

// The only dollars on any board are those that a venue publishes.
func TestNoBoardHasDollars(t *testing.T) {
	memory := memoryOf(t)
	keep(t, memory, crowd()...)
	published(t, memory, now)
	allowed := regexp.MustCompile(`"venuePnlUsd":(null|-?[0-9.]+)`)
	for _, board := range []string{traderBoard, spotLeaders, topTraders, strategies} {
		for _, row := range rowsOf(t, memory, boardOf(board, nil)) {
			if left := allowed.ReplaceAllString(row, ""); strings.Contains(left, "$") || strings.Contains(strings.ToLower(left), "usd") {
				t.Errorf("%s: %s", board, row)
			}
			for _, banned := range []string{"guaranteed", "safe", " will "} {
				if strings.Contains(row, banned) {
					t.Errorf("%s says %q: %s", board, banned, row)
				}
			}
		}
	}
}

// A grading or a finding that cannot be read counts as none, and takes no board with it.
func TestWhatCannotBeReadIsLeftOut(t *testing.T) {
	memory := memoryOf(t)
	keep(t, memory, crowd()...)
	broken := rated(8, 99, 1, 0.0001).early(true)
	broken.graded.Score.Verdict = "splendid"
	lost := rated(15, 70, 1, 0.0001).onVenue(Perp, PerpVenue, now, standing("decade", 1, 5))
	keep(t, memory, broken, lost)
	report, err := publish(t.Context(), memory, chain.All(), now)
	if err != nil || report.Failed() != nil {
		t.Fatal(err, report.Failed())
	}
	if last := report[len(report)-1]; last.Name != "gradings that cannot be read" || last.Items != 2 {
		t.Errorf("%+v", last)
	}
	if got := walletsOf(t, memory, "trader-board/base"); got != "1 2 3" {
		t.Error(got)
	}
	if day := strategy(t, memory, "perps-day"); day.LeadersFound != 2 {
		t.Errorf("%+v", day)
	}
}

// failing fails to list, or to publish one board.
type failing struct {
	store.Leaders
	store.Boards
	list  error
	board string
}

func (f failing) List(ctx context.Context, group store.Group, from, to string, limit int) ([]store.Leader, error) {
	if f.list != nil {
		return nil, f.list
	}
	return f.Leaders.List(ctx, group, from, to, limit)
}

func (f failing) Publish(ctx context.Context, edition store.Edition, rows [][]byte) error {
	if edition.Board == f.board {
		return errors.New("no room")
	}
	return f.Boards.Publish(ctx, edition, rows)
}

func TestABoardThatFailsHidesNoOther(t *testing.T) {
	memory := memoryOf(t)
	keep(t, memory, crowd()...)
	f := failing{Leaders: memory.Leaders, Boards: memory.Boards, board: "copy/top-traders/all"}
	report, err := publish(t.Context(), Memory{Leaders: f, Boards: f, Peers: memory.Peers}, chain.All(), now)
	if err != nil || report.Failed() == nil || report.Failed().Error() != "copy/top-traders/all: no room" {
		t.Fatal(report.Failed(), err)
	}
	if got := walletsOf(t, memory, "copy/spot-leaders/all"); got != "1 6 4" {
		t.Error(got)
	}
	f.list = errors.New("no list")
	if _, err := publish(t.Context(), Memory{Leaders: f, Boards: f, Peers: memory.Peers}, chain.All(), now.Add(time.Hour)); !errors.Is(err, f.list) {
		t.Error(err)
	}
}

// noPeers fails to keep a peer set.
type noPeers struct{ store.Peers }

func (noPeers) PutPeers(context.Context, string, store.PeerSet) error { return errors.New("no room") }

// The buyers that smart-money-flow compares with are those whom ActiveBuyer saw within a day, whoever else found them, as their own
// pages rate them.
func TestProvenBuyersAreCounted(t *testing.T) {
	seen := func(p person, ago time.Duration) person {
		p.found = []store.Finding{{Source: ActiveBuyer, At: now.Add(-ago)}}
		return p
	}
	notByResults := rated(5, 60, 1, 0.0001).early(true)
	notByResults.found = notByResults.found[1:]
	waiting := rated(6, 60, 1, 0.0001)
	waiting.graded = nil
	memory := memoryOf(t)
	keep(t, memory,
		// Counted; the second is too likely luck for a board and proven to its page, the last were found by results as well.
		seen(rated(1, 60, 1, 0.0001), time.Minute), seen(rated(2, 58, 1, 0.9), 24*time.Hour), rated(3, 50, 1, 0.5).at(chain.Arbitrum),
		rated(4, 70, 1, 0.0001).early(true), rated(7, 30, 1, 0.9).early(false),
		// Not counted: found by results alone, not graded yet, too thin to be rated, seen longer ago, traders of venues.
		notByResults, waiting, unrated(8), seen(rated(9, 60, 1, 0.0001), 24*time.Hour+1),
		rated(11, 70, 1, 0.0001).onVenue(Perp, PerpVenue, now, standing(market.DayWindow, 1, 100)),
	)
	conclude := func(memory Memory, at time.Time) job.Report {
		report, err := GradeLeaders(memory, market.Sources{}, chain.All()[:1]).Conclude(t.Context(), at, store.Pass{})
		if err != nil {
			t.Fatal(err)
		}
		return report
	}
	if report := conclude(memory, now); report.Failed() != nil || report[len(report)-1] != (job.Part{Name: "buyers rated", Items: 5}) {
		t.Errorf("%+v", report)
	}
	kept, err := memory.Peers.PeersOf(t.Context(), "active-buyers")
	if want := `{"v":1,"counts":[{"at":"2026-11-20T12:30:00Z","rated":5,"proven":3}]}`; err != nil || string(kept.Data) != want || !kept.At.Equal(now) {
		t.Errorf("%s at %v, %v; want %s", kept.Data, kept.At, err, want)
	}

	// What cannot be kept takes no board with it, and is tried again.
	broken := memory
	broken.Peers = noPeers{memory.Peers}
	if failed := conclude(broken, now.Add(time.Hour)).Failed(); failed == nil || failed.Error() != "buyers rated: no room" {
		t.Error(failed)
	}
	if edition, err := memory.Boards.Current(t.Context(), "trader-board/all"); err != nil || !edition.At.Equal(now.Add(time.Hour)) {
		t.Error(edition.At, err)
	}
}

// Groups of more leaders than are read at a time are read whole, each once.
func TestAllLeadersAreRead(t *testing.T) {
	for _, n := range []int{leadersAtOnce - 1, leadersAtOnce, leadersAtOnce + 1, 2*leadersAtOnce - 1, 2*leadersAtOnce + 5} {
		many := listed{group: on(chain.Base)}
		for i := range n {
			many.leaders = append(many.leaders, store.Leader{Group: many.group, Address: address(i)})
		}
		k, err := gather(t.Context(), many, now, Spot, 10, "base", "eth")
		if err != nil || k.places[0].found != n || k.places[0].waiting != n || k.places[1].found != 0 {
			t.Errorf("of %d: %+v %v", n, k.places, err)
		}
	}
}

// listed lists leaders of one group.
type listed struct {
	store.Leaders
	group   store.Group
	leaders []store.Leader
}

func (l listed) List(_ context.Context, group store.Group, from, _ string, limit int) ([]store.Leader, error) {
	if group != l.group {
		return nil, nil
	}
	i, _ := slices.BinarySearchFunc(l.leaders, from, func(x store.Leader, from string) int { return strings.Compare(x.Address, from) })
	return slices.Clone(l.leaders[i:min(len(l.leaders), i+limit)]), nil
}

// However many others do better, early buyers and those whose pages call them mirror-worthy are kept, for boards that list them.
func TestWhoIsListedIsKept(t *testing.T) {
	memory := memoryOf(t)
	for n := range 8 {
		keep(t, memory, rated(n, 57-float64(n)/10, 0.9, 0.9))
	}
	keep(t, memory, rated(20, 10, 0.9, 0.9).early(false), rated(21, 58, 0.1, 0.9))
	k, err := gather(t.Context(), memory.Leaders, now, Spot, 2, "base")
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, c := range k.places[0].candidates {
		kept = append(kept, c.address)
	}
	if !slices.Contains(kept, address(20)) || !slices.Contains(kept, address(21)) || !slices.Contains(kept, address(0)) || len(kept) > 2+2+1 {
		t.Error(kept)
	}
	if k.places[0].found != 10 || len(k.chances) != 10 {
		t.Errorf("%d found, %d examined", k.places[0].found, len(k.chances))
	}
}

// Sentences that are too long for a row cost a strategy its last leaders and no board.
func TestLongSentencesFit(t *testing.T) {
	memory := memoryOf(t)
	for n := range 10 {
		p := rated(n+1, 40, 0.9, 0.9).onVenue(Perp, PerpVenue, now, standing(market.DayWindow, n+1, 100))
		p.graded.Score.Reasons = []reason.Reason{{Text: strings.Repeat("x", 700)}, {Text: strings.Repeat("y", 700)}, {Text: strings.Repeat("z", 700)}}
		keep(t, memory, p)
	}
	published(t, memory, now)
	if day := strategy(t, memory, "perps-day"); len(day.Leaders) != 6 || day.LeadersGraded != 10 {
		t.Errorf("%d leaders of %d", len(day.Leaders), day.LeadersGraded)
	}
}

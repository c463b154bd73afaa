package leader

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/perprecord"
	"github.com/mirrorworthy/mirrorworthy/shared/predictionrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/predictionrecord/predictiontest"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// Every address is in exactly one part of its group, whenever a part's meaning is read.
func TestPartsShareTheAddressesOfEveryGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		groups := []store.Group{{Kind: Spot, Place: "base"}, {Kind: Spot, Place: "eth"}, {Kind: Perp, Place: PerpVenue}}
		counts := []int{rapid.IntRange(0, 2_000).Draw(t, "base"), rapid.IntRange(0, 1_000_000).Draw(t, "eth"), rapid.IntRange(0, 30).Draw(t, "perps")}
		plan := plannedFor(groups, counts)
		data, err := json.Marshal(plan)
		if err != nil || plan.parts() > store.MaximumParts || len(data) > store.MaximumPlan {
			t.Fatalf("%d parts, %d bytes, %v", plan.parts(), len(data), err)
		}
		var address chain.Address
		copy(address[:], rapid.SliceOfN(rapid.Byte(), 20, 20).Draw(t, "address"))
		in := make(map[string]int)
		// A few parts around the address's own are enough: parts are in order.
		for part := range min(plan.parts(), 300) {
			s, err := shardOf(data, part)
			if err != nil {
				t.Fatal(err)
			}
			if text := address.String(); text >= s.from && (s.to == "" || text < s.to) {
				in[s.group.Place]++
			}
			if s.to != "" && s.to <= s.from {
				t.Fatalf("part %d is %+v", part, s)
			}
		}
		for i, group := range groups {
			if want := min(counts[i], 1); plan.parts() <= 300 && in[group.Place] != want {
				t.Fatalf("%s is in %d parts of %s, want %d of %+v", address, in[group.Place], group.Place, want, plan)
			}
		}
		for _, beyond := range []int{-1, plan.parts()} {
			if _, err := shardOf(data, beyond); err == nil {
				t.Fatalf("part %d of %d means something", beyond, plan.parts())
			}
		}
	})
	if _, err := shardOf([]byte("x"), 0); err == nil {
		t.Error("what is no plan was read")
	}
}

// pass runs a whole pass of grade-leaders as of an instant, and gives its report.
func (s *scene) pass(t *testing.T, id string, at time.Time, sources market.Sources) job.Report {
	t.Helper()
	report, err := s.tryPass(t.Context(), id, at, sources)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func (s *scene) tryPass(ctx context.Context, id string, at time.Time, sources market.Sources) (job.Report, error) {
	spread := GradeLeaders(s.memory, sources, []*chain.Chain{s.on})
	plan, err := spread.Plan(ctx, at)
	if err != nil {
		return nil, err
	}
	pass := store.Pass{Job: spread.Name, ID: id, At: at, Parts: plan.Parts, Data: plan.Data}
	var report job.Report
	for part := range plan.Parts {
		told, err := spread.Part(ctx, at, pass, part)
		report = append(report, told...)
		if err != nil {
			return report, err
		}
	}
	if _, err := spread.Conclude(ctx, at, pass); err != nil {
		return report, err
	}
	return report, nil
}

func itemsOf(report job.Report) (items, failed int) {
	for _, p := range report {
		items += p.Items
		if p.Err != nil {
			failed++
		}
	}
	return items, failed
}

// A board says of a wallet what its page says at that minute.
func TestARowIsThePage(t *testing.T) {
	s := newScene(t)
	for i := range 60 {
		s.trades(walletNumber(i), i%14)
		s.find(t, walletNumber(i), ActiveBuyer, opening, struct{}{})
	}
	at := opening.Add(40 * time.Second)
	if items, failed := itemsOf(s.pass(t, "first", at, s.sources())); items != 60 || failed != 0 {
		t.Errorf("%d graded, %d failed", items, failed)
	}
	for i := range 60 {
		record, err := tradingrecord.Of(t.Context(), market.NewSession(t.Context(), s.sources()), s.on, walletNumber(i), opening)
		if err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(wallet.ScoreOf(record, opening), json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		leader := s.leader(t, walletNumber(i))
		graded, err := readGraded(&leader)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(graded.Score, json.Deterministic(true))
		if err != nil || string(got) != string(want) {
			t.Errorf("%s, the page says %s (%v)", got, want, err)
		}
		if !graded.AsOf.Equal(opening) || !leader.Grading.At.Equal(opening) || leader.Grading.Pass != "first" || leader.Grading.Verdict != graded.Score.Verdict {
			t.Errorf("%+v of %+v", leader.Grading, graded)
		}
		if rated := i%14 >= 3; (graded.Chance != nil) != rated || (graded.Score.Grade != nil) != rated || graded.LastEntryAt.IsZero() != (i%14 == 0) {
			t.Errorf("%d positions: %+v", i%14, graded)
		}
	}
	edition, err := s.memory.Boards.Current(t.Context(), boardOf(topTraders, s.on))
	if err != nil || edition.Rows != 60 {
		t.Errorf("%+v %v", edition, err)
	}
}

// A part that is delivered again grades nobody again; the next pass grades everybody.
func TestALeaderIsGradedOnceAPass(t *testing.T) {
	s := newScene(t)
	me := walletNumber(1)
	s.trades(me, 5)
	s.find(t, me, ActiveBuyer, opening, struct{}{})
	for range 3 {
		if items, failed := itemsOf(s.pass(t, "first", opening, s.sources())); items != 1 || failed != 0 {
			t.Errorf("%d graded, %d failed", items, failed)
		}
	}
	if n := s.timesAsked(me.String()); n != 1 {
		t.Errorf("its history was read %d times", n)
	}
	s.pass(t, "second", opening.Add(time.Hour), s.sources())
	if n, leader := s.timesAsked(me.String()), s.leader(t, me); n != 2 || leader.Grading.Pass != "second" || !leader.Grading.At.Equal(opening.Add(time.Hour)) {
		t.Errorf("read %d times, %+v", n, leader.Grading)
	}
	// An older pass that was held up changes nothing.
	s.pass(t, "late", opening.Add(30*time.Minute), s.sources())
	if leader := s.leader(t, me); leader.Grading.Pass != "second" {
		t.Errorf("%+v", leader.Grading)
	}
}

func (s *scene) said(t *testing.T) []store.Event {
	t.Helper()
	said, err := s.events.Said(t.Context(), opening, time.Time{}, "", 100)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

func TestAChangeOfGradeIsSaidOnce(t *testing.T) {
	s := newScene(t)
	me := walletNumber(1)
	s.trades(me, 2)
	s.find(t, me, ActiveBuyer, opening, struct{}{})
	s.pass(t, "first", opening, s.sources())
	s.pass(t, "same", opening.Add(time.Minute), s.sources())
	if said := s.said(t); len(said) != 0 {
		t.Errorf("a first grading and an equal one say %+v", said)
	}
	s.trades(me, 14)
	at := opening.Add(2 * time.Minute)
	for range 2 {
		s.pass(t, "changed", at, s.sources())
	}
	said := s.said(t)
	if len(said) != 1 || said[0].Type != "leader.grade_changed" || !said[0].At.Equal(at) {
		t.Fatalf("%+v", said)
	}
	leader := s.leader(t, me)
	want := fmt.Sprintf(`{"wallet":"%s","chain":"base","fromGrade":null,"toGrade":"%s","fromVerdict":"unrated","toVerdict":"%s","at":"2026-06-01T12:22:00Z"}`,
		me, leader.Grading.Grade, leader.Grading.Verdict)
	if string(said[0].Data) != want {
		t.Errorf("%s, want %s", said[0].Data, want)
	}
	other, err := changes(&store.Leader{Group: s.group(), Address: me.String(), Grading: store.Grading{At: opening, Grade: "B", Verdict: "watch"}}, store.Grading{At: at, Grade: "B", Verdict: "mirror-worthy"})
	if err != nil || len(other) != 1 || other[0].ID != said[0].ID || !strings.Contains(string(other[0].Data), `"toVerdict":"mirror-worthy"`) {
		t.Errorf("the same leader at the same time: %+v %v", other, err)
	}
	perp, err := changes(&store.Leader{Group: store.Group{Kind: Perp, Place: PerpVenue}, Address: me.String(), Grading: store.Grading{At: opening, Grade: "B", Verdict: "watch"}}, store.Grading{At: at, Verdict: "unrated"})
	if err != nil || len(perp) != 1 || perp[0].ID == said[0].ID || !strings.Contains(string(perp[0].Data), `"venue":"perpvenue-perps","fromGrade":"B","toGrade":null`) {
		t.Errorf("%+v %v", perp, err)
	}
}

// meanwhile does something once, before the first grading is written.
type meanwhile struct {
	store.Leaders
	do func()
}

func (m *meanwhile) Grade(ctx context.Context, group store.Group, address string, since time.Time, grading store.Grading, events ...store.Event) error {
	if do := m.do; do != nil {
		m.do = nil
		do()
	}
	return m.Leaders.Grade(ctx, group, address, since, grading, events...)
}

// Whoever else grades a leader or removes it at the same time: it is graded once a pass, and each change of its grade is said once.
func TestALeaderIsGradedBesideSomebodyElse(t *testing.T) {
	later := opening.Add(time.Hour)
	for name, c := range map[string]struct {
		other  string
		at     time.Time
		pass   string
		graded time.Time
	}{
		"in the same pass a minute before":                {"mine", later.Add(-time.Minute), "mine", later.Add(-time.Minute)},
		"in the same pass a minute after":                 {"mine", later.Add(time.Minute), "mine", later.Add(time.Minute)},
		"in the pass before, which was held up":           {"old", later.Add(-time.Minute), "mine", later},
		"in the pass before, as of the same minute":       {"old", later, "old", later},
		"in the pass after, while this one was held up":   {"next", later.Add(time.Minute), "next", later.Add(time.Minute)},
		"long before, so that nobody else is in its way":  {"", time.Time{}, "mine", later},
		"in the pass before, by whom it is removed later": {"removed", later.Add(-time.Minute), "", time.Time{}},
	} {
		s := newScene(t)
		me := walletNumber(1)
		s.trades(me, 2)
		s.find(t, me, ActiveBuyer, opening, struct{}{})
		s.pass(t, "first", opening, s.sources())
		s.trades(me, 14)
		kept := s.memory.Leaders
		s.memory.Leaders = &meanwhile{kept, func() { // for the pass that begins now
			s.memory.Leaders = kept
			if c.other != "" {
				s.pass(t, c.other, c.at, s.sources())
			}
			if c.other == "removed" {
				if err := kept.Remove(t.Context(), s.group(), me.String(), later); err != nil {
					t.Error(err)
				}
			}
		}}
		s.pass(t, "mine", later, s.sources())
		leader, err := kept.Leader(t.Context(), s.group(), me.String())
		if removed := c.pass == ""; removed != errors.Is(err, store.ErrNotFound) || leader.Grading.Pass != c.pass || !leader.Grading.At.Equal(c.graded) {
			t.Errorf("%s: %+v %v", name, leader.Grading, err)
		}
		if said := s.said(t); len(said) != 1 {
			t.Errorf("%s: %d changes are said", name, len(said))
		}
	}
}

// A pass that begins and ends within the minute in which the boards were published last has boards of its own.
func TestBoardsArePublishedTwiceAMinute(t *testing.T) {
	s := newScene(t)
	for i := range 2 {
		s.trades(walletNumber(i), 4)
		s.find(t, walletNumber(i), ActiveBuyer, opening, struct{}{})
		at := opening.Add(time.Duration(1+i) * time.Second)
		s.pass(t, fmt.Sprint("pass-", i), at, s.sources())
		if edition, err := s.memory.Boards.Current(t.Context(), boardOf(topTraders, s.on)); err != nil || edition.Rows != i+1 || !edition.At.Equal(at) {
			t.Errorf("%+v %v", edition, err)
		}
	}
}

// One wallet that cannot be graded is counted and keeps its grade. Where none can be, the part is to be done again.
func TestWalletsThatFail(t *testing.T) {
	s := newScene(t)
	for i := range 3 {
		s.trades(walletNumber(i), 4)
		s.find(t, walletNumber(i), ActiveBuyer, opening, struct{}{})
	}
	s.pass(t, "first", opening, s.sources())
	down := fmt.Errorf("down: %w", market.ErrUnavailable)
	s.failing[walletNumber(1).String()] = down
	items, failed := itemsOf(s.pass(t, "second", opening.Add(time.Hour), s.sources()))
	if items != 2 || failed != 1 {
		t.Errorf("%d graded, %d failed", items, failed)
	}
	if leader := s.leader(t, walletNumber(1)); leader.Grading.Pass != "first" {
		t.Errorf("%+v", leader.Grading)
	}
	for i := range 3 {
		s.failing[walletNumber(i).String()] = down
	}
	report, err := s.tryPass(t.Context(), "third", opening.Add(2*time.Hour), s.sources())
	if _, failed := itemsOf(report); !errors.Is(err, market.ErrUnavailable) || failed != 3 {
		t.Errorf("%v, %d failed", err, failed)
	}
	delete(s.failing, walletNumber(0).String())
	if items, failed := itemsOf(s.pass(t, "third", opening.Add(2*time.Hour), s.sources())); items != 1 || failed != 2 {
		t.Errorf("again: %d graded, %d failed", items, failed)
	}
	panicking := s.sources()
	panicking.Pools = nil
	if _, err := s.tryPass(t.Context(), "fourth", opening.Add(3*time.Hour), panicking); err == nil || !strings.Contains(err.Error(), "panic") {
		t.Errorf("a panic is %v", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := s.tryPass(ended, "fifth", opening.Add(4*time.Hour), s.sources()); !errors.Is(err, context.Canceled) {
		t.Errorf("without time: %v", err)
	}
}

// Whom no source finds any more is forgotten after thirty days; early buyers never are.
func TestLeadersAreForgotten(t *testing.T) {
	s := newScene(t)
	for i, found := range []time.Time{opening.Add(-30 * aDay), opening.Add(-30*aDay + time.Minute), opening.Add(-90 * aDay)} {
		source, data := ActiveBuyer, any(struct{}{})
		if i == 2 {
			source, data = EarlyBuyer, early(walletNumber(i))
		}
		s.find(t, walletNumber(i), source, found, data)
	}
	both := walletNumber(3)
	s.find(t, both, ActiveBuyer, opening.Add(-60*aDay), struct{}{})
	s.find(t, both, VenueLeaderboard, opening.Add(-time.Hour), venuePlaces{})
	if items, failed := itemsOf(s.pass(t, "first", opening, s.sources())); items != 3 || failed != 0 {
		t.Errorf("%d graded, %d failed", items, failed)
	}
	if _, err := s.memory.Leaders.Leader(t.Context(), s.group(), walletNumber(0).String()); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("after thirty days: %v", err)
	}
	for _, n := range []int{1, 2, 3} {
		if leader := s.leader(t, walletNumber(n)); leader.Grading.Pass != "first" {
			t.Errorf("wallet %d: %+v", n, leader.Grading)
		}
	}
}

// A prediction wallet's grade, and whether it can be mirrored, are its page's.
func TestPredictionLeadersAreAssessedLikeTheirPage(t *testing.T) {
	s := newScene(t)
	story := predictiontest.New()
	for i := range 30 {
		story.Bet(i, 0.4, i%3 != 0, time.Duration(40-i)*aDay)
	}
	group := store.Group{Kind: Prediction, Place: PredictionVenue}
	if err := s.memory.Leaders.Find(t.Context(), group, predictiontest.Wallet.String(), store.Finding{Source: VenueLeaderboard, At: predictiontest.Now, Data: []byte(`{"places":[]}`)}); err != nil {
		t.Fatal(err)
	}
	sources := story.Sources()
	s.pass(t, "first", predictiontest.Now, sources)
	leader, err := s.memory.Leaders.Leader(t.Context(), group, predictiontest.Wallet.String())
	if err != nil {
		t.Fatal(err)
	}
	graded, err := readGraded(&leader)
	if err != nil {
		t.Fatal(err)
	}
	record, err := predictionrecord.Of(t.Context(), market.NewSession(t.Context(), sources), predictiontest.Wallet, predictiontest.Now)
	if err != nil {
		t.Fatal(err)
	}
	want := predictionrecord.Assess(record, predictiontest.Now)
	if want.Grade == "" || leader.Grading.Grade != want.Grade || leader.Grading.Verdict != want.Verdict || graded.Assessment.Mirrorable != want.Mirrorable ||
		graded.Assessment.Evidence != closedTrades || graded.Score.SampleSize != want.SampleSize || len(graded.Assessment.Reasons) != len(want.Reasons) ||
		graded.Chance == nil || *graded.Chance != want.ChanceProbability {
		t.Errorf("%+v\n%+v", graded, want)
	}
}

// perpVenueOf stands behind the perpetuals venue's ports with one account.
type perpVenueOf struct{ fills market.PerpFills }

func (v *perpVenueOf) PerpFills(context.Context, chain.Address) (*market.PerpFills, error) {
	return &v.fills, nil
}

func (v *perpVenueOf) PerpAccount(context.Context, chain.Address, []string) (*market.PerpAccount, error) {
	return &market.PerpAccount{Clearinghouses: []market.PerpClearinghouse{{ValueUSD: 1000}}}, nil
}

func (v *perpVenueOf) PerpFunding(context.Context, chain.Address, time.Time) (*market.PerpFunding, error) {
	return &market.PerpFunding{}, nil
}

func (v *perpVenueOf) PerpLedger(context.Context, chain.Address) (*market.PerpLedger, error) {
	return &market.PerpLedger{}, nil
}

func (v *perpVenueOf) PerpMarkets(context.Context, string) ([]market.PerpMarket, error) {
	return nil, nil
}

// trade opens a position of one coin at 100 and closes it a day later at another price.
func (v *perpVenueOf) trade(coin string, at time.Time, price float64) {
	v.fills.Fills = append(v.fills.Fills,
		market.PerpFill{Coin: coin, Time: at, Buy: true, Price: 100, Size: 1, Order: int64(2*len(v.fills.Fills) + 1), Trade: int64(2*len(v.fills.Fills) + 1)},
		market.PerpFill{Coin: coin, Time: at.Add(aDay), Price: price, Size: 1, Before: 1, ClosedPnLUSD: price - 100, Order: int64(2*len(v.fills.Fills) + 2), Trade: int64(2*len(v.fills.Fills) + 2)})
}

// An account on the perpetuals venue is graded by its closed positions, and by nothing but the venue's word below three.
func TestPerpLeadersAreGradedByTheirClosedPositions(t *testing.T) {
	s := newScene(t)
	group := store.Group{Kind: Perp, Place: PerpVenue}
	me := walletNumber(7)
	if err := s.memory.Leaders.Find(t.Context(), group, me.String(), store.Finding{Source: VenueLeaderboard, At: opening, Data: []byte(`{"places":[]}`)}); err != nil {
		t.Fatal(err)
	}
	v := &perpVenueOf{}
	sources := market.Sources{PerpFills: v, PerpAccounts: v, PerpFunding: v, PerpLedgers: v, PerpMarkets: v}
	read := func(pass string, at time.Time) (store.Leader, *Graded) {
		s.pass(t, pass, at, sources)
		leader, err := s.memory.Leaders.Leader(t.Context(), group, me.String())
		if err != nil {
			t.Fatal(err)
		}
		graded, err := readGraded(&leader)
		if err != nil {
			t.Fatal(err)
		}
		return leader, graded
	}
	v.trade("C0", opening.Add(-40*aDay), 104)
	if leader, graded := read("thin", opening); leader.Grading.Grade != "" || leader.Grading.Verdict != "unrated" || graded.Chance != nil ||
		graded.Assessment.Evidence != venueOnly || graded.Assessment.Mirrorable {
		t.Errorf("%+v", graded)
	}
	for i := 1; i < 20; i++ {
		v.trade(fmt.Sprint("C", i), opening.Add(-time.Duration(40-i)*aDay), 103+float64(i%5))
	}
	leader, graded := read("rated", opening.Add(time.Hour))
	record, err := perprecord.Of(t.Context(), market.NewSession(t.Context(), sources), me, opening.Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	evidence := record.Evidence()
	measures := trader.Measure(evidence)
	want := trader.Rate(evidence, measures)
	if leader.Grading.Grade != want.Grade || leader.Grading.Verdict != want.Verdict || *graded.Score.Score != want.Score || graded.Score.SampleSize != 20 ||
		graded.Assessment.Evidence != closedTrades || graded.Assessment.Mirrorable != (want.Verdict == trader.MirrorWorthy) || *graded.Chance != 1-measures.PSRStarStrict ||
		graded.HoldStyle != "swing" || !graded.LastEntryAt.Equal(opening.Add(-21*aDay)) {
		t.Errorf("%+v of %+v, want %+v", leader.Grading, graded, want)
	}
}

func TestWhichFillsAreEntries(t *testing.T) {
	for _, c := range []struct {
		name   string
		before float64
		buy    bool
		size   float64
		want   bool
	}{
		{"opens a long", 0, true, 1, true}, {"opens a short", 0, false, 1, true}, {"adds to a long", 1, true, 1, true}, {"adds to a short", -1, false, 1, true},
		{"takes from a long", 2, false, 1, false}, {"takes from a short", -2, true, 1, false}, {"closes", 1, false, 1, false},
		{"turns around", 2, false, 3, true}, {"turns around the other way", -3, true, 4, true},
	} {
		if got := opens(market.PerpFill{Before: c.before, Buy: c.buy, Size: c.size}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

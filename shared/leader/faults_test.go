package leader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// files keeps the stores of a test in memory where the system has a place for that, since thousands of writes are flushed each.
type files struct {
	t      testing.TB
	folder string
	number int
}

func newFiles(t testing.TB) *files {
	t.Helper()
	folder, err := os.MkdirTemp("/dev/shm", "mirrorworthy-")
	if err != nil {
		return &files{t: t, folder: t.TempDir()}
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	return &files{t: t, folder: folder}
}

func (f *files) path() string {
	f.number++
	return filepath.Join(f.folder, fmt.Sprint("store-", f.number))
}

// with runs a function on a store that has what a copy of one has, nothing for none.
func (f *files) with(copied []byte, do func(kept *embedded.Store)) {
	f.t.Helper()
	path := f.path()
	if copied != nil {
		if err := os.WriteFile(path, copied, 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
	kept, err := embedded.Open(path)
	if err != nil {
		f.t.Fatal(err)
	}
	defer func() {
		if err := kept.Close(); err != nil {
			f.t.Error(err)
		}
		if err := os.Remove(path); err != nil {
			f.t.Error(err)
		}
	}()
	do(kept)
}

func (f *files) copyOf(kept *embedded.Store) []byte {
	f.t.Helper()
	path := f.path()
	if err := kept.Backup(f.t.Context(), path); err != nil {
		f.t.Fatal(err)
	}
	copied, err := os.ReadFile(path)
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		f.t.Fatal(err)
	}
	return copied
}

// restarts is after how many deaths one comes with which the queues are lost.
const restarts = 12

// Whoever dies, before any step or after it, in the middle of whatever else was under way: what is delivered again leaves the same to
// the byte as if nobody had died.
//
// A death before a step leaves what the step before it left, and one after a step what it left; a step that changes nothing leaves
// what was there. So there is a death for every step that changes something, and one before the first; but of what is done for each of
// the sixteen parts in which entries are resolved it is done for the first two, the last two and one between.
//
// After some of the deaths the queues are lost as well, as on one machine they are: what is unfinished goes on by itself at the next
// start, and once the schedules have fired again everybody is graded.
func TestKilledAtEveryStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, files := newFairground(), newFiles(t)
		files.with(nil, func(kept *embedded.Store) {
			s := newStage(f, kept, 1)
			s.prepare(t)
			left := make(map[string][]string) // deaths by what was left in the end
			seen := make(map[string]int)
			deaths, steps, failed := 0, 0, false
			dies := func(of string) {
				deaths++
				d := s.dies()
				files.with(files.copyOf(kept), func(kept *embedded.Store) {
					again := d.stage(f, kept, uint64(deaths))
					again.play()
					again.whole(t)
					text := f.mustInventory(t, kept)
					left[text] = append(left[text], of)
				})
				if failed || deaths%restarts > 0 {
					return
				}
				files.with(files.copyOf(kept), func(kept *embedded.Store) {
					again := d.stage(f, kept, uint64(deaths))
					again.restart(t)
					again.play()
					again.safe(t)
					again.calm(t)
					again.whole(t)
					if t.Failed() && !failed {
						failed = true
						t.Errorf("restarted after %q", of)
					}
				})
			}
			s.after = func(one *step) {
				steps++
				if !one.changes {
					return
				}
				what, _, _ := strings.Cut(one.name, " ")
				if one.of.got[0].job == resolveJob && what != "resolve" {
					if seen[what]++; seen[what] > 2 && seen[what] != resolveParts/2 && seen[what] < resolveParts-1 {
						return
					}
				}
				dies(one.of.name + ": " + one.name)
			}
			for _, act := range acts {
				s.now = act.at
				s.fire(act.job, act.id, act.at)
				dies("the beginning")
				s.play()
				s.whole(t)
				want := f.mustInventory(t, kept)
				for got, of := range left {
					if got != want {
						t.Errorf("killed after %q: %s", of, difference(got, want))
					}
				}
				clear(left)
				clear(seen)
			}
			t.Logf("%d steps, %d deaths", steps, deaths)
		})
	})
}

// Every message comes twice, to processes that run side by side, and when all is done every message and every event that there ever was
// comes once more: that changes nothing, to the byte.
func TestEverythingComesTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, files := newFairground(), newFiles(t)
		files.with(nil, func(kept *embedded.Store) {
			calm := newStage(f, kept, 1)
			calm.prepare(t)
			for _, act := range acts {
				before := files.copyOf(kept)
				calm.now = act.at
				calm.fire(act.job, act.id, act.at)
				calm.play()
				want := f.mustInventory(t, kept)
				for seed := range uint64(3) {
					files.with(before, func(kept *embedded.Store) {
						s := newStage(f, kept, seed)
						s.sideBySide, s.batch, s.now = 4, 2, act.at
						s.twice = func() bool { return true }
						s.fire(act.job, act.id, act.at)
						s.fire(act.job, act.id, act.at)
						s.play()
						s.whole(t)
						if got := f.mustInventory(t, kept); got != want {
							t.Errorf("%s twice, course %d: %s", act.id, seed, difference(got, want))
						}
					})
				}
				calm.letters = slices.Clone(calm.sent)
				calm.play()
				calm.whole(t)
				if got := f.mustInventory(t, kept); got != want {
					t.Errorf("%s, and all of it again: %s", act.id, difference(got, want))
				}
			}
		})
	})
}

// storms is how many courses of random mishaps are tried.
const storms = 10

// Processes overlap, die, are refused what they ask for and lose the answer to what they did; messages come twice, in any order, and
// days later; schedules fire twice; and whole queues are lost. Whatever the course of it, no leader is graded twice in a pass, every
// change of a grade is said once, nothing is resolved twice and no forecast changes; and once the weather is calm everybody is graded,
// every entry resolved, and the boards are those of the leaders as they are.
func TestStorms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, files := newFairground(), newFiles(t)
		var wanted string
		files.with(nil, func(kept *embedded.Store) {
			s := newStage(f, kept, 1)
			s.perform(t, acts)
			s.calm(t)
			wanted = f.outcomes(t, kept)
		})
		for seed := range uint64(storms) {
			files.with(nil, func(kept *embedded.Store) {
				s := newStage(f, kept, seed)
				s.prepare(t)
				s.storm(t, seed%2 == 0, acts)
				s.calm(t)
				s.whole(t)
				if got := f.outcomes(t, kept); seed%2 == 0 && got != wanted {
					t.Errorf("%s", difference(got, wanted))
				}
			})
			if t.Failed() {
				t.Fatalf("in storm %d", seed)
			}
		}
	})
}

// perform plays some acts, and what was before the first.
func (s *stage) perform(t *testing.T, some []act) {
	s.prepare(t)
	for _, act := range some {
		s.now = act.at
		s.fire(act.job, act.id, act.at)
		s.play()
		s.safe(t)
		s.settled(t)
	}
	s.whole(t)
}

func (s *stage) prepare(t *testing.T) {
	t.Helper()
	if err := s.market.prepare(t.Context(), s.kept.Launches()); err != nil {
		t.Fatal(err)
	}
}

// storm plays some acts in bad weather. Mild is one in which processes die and nothing else fails, and every act comes to its end.
func (s *stage) storm(t *testing.T, mild bool, some []act) {
	s.sideBySide, s.batch = 1+s.random.IntN(4), 1+s.random.IntN(3)
	fates := []fate{killed, killedAfter}
	if !mild {
		fates = append(fates, refused, refused, lost, lost)
	}
	mishaps, rarely := 0, 3+s.random.IntN(40)
	s.befalls = func(*step) fate {
		if mishaps == 0 || s.random.IntN(rarely) > 0 {
			return done
		}
		mishaps--
		return fates[s.random.IntN(len(fates))]
	}
	s.twice = func() bool { return s.random.IntN(4) == 0 }
	s.delivered = func() { s.now = s.now.Add(time.Duration(s.random.IntN(10)) * time.Second) }
	for _, act := range some {
		mishaps, s.now = 30, act.at
		for range min(len(s.sent), s.random.IntN(6)) { // of the days before
			s.letters = append(s.letters, s.sent[s.random.IntN(len(s.sent))])
		}
		for range 1 + s.random.IntN(2) {
			s.fire(act.job, act.id, act.at)
		}
		if mild {
			s.play()
			s.settled(t)
		} else {
			for _, name := range []string{discoverJob, gradeJob, resolveJob} {
				if s.random.IntN(2) == 0 {
					s.fire(name, act.id+"/"+name, act.at)
				}
			}
			if s.random.IntN(2) == 0 {
				s.playFor(s.random.IntN(300))
				s.forget()
			} else {
				s.play()
			}
		}
		s.safe(t)
	}
	s.befalls = nil
}

// calm plays an act in which nothing befalls anybody.
func (s *stage) calm(t *testing.T) {
	s.now = s.now.Add(2 * time.Hour)
	s.fire(discoverJob, "calm", s.now)
	s.play()
	s.safe(t)
	s.settled(t)
}

// safe checks what must hold at any time: what was forecast is as it was, and all changes of grades were said, each once.
func (s *stage) safe(t *testing.T) {
	t.Helper()
	forecasts, err := s.kept.TrackRecords().Forecasts(t.Context(), spotLeaderGate, "", "", 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, forecast := range forecasts {
		now := fmt.Sprint(forecast)
		if before, known := s.forecasts[forecast.Wallet]; known && before != now {
			t.Errorf("the forecast %s became %s", before, now)
		}
		s.forecasts[forecast.Wallet] = now
	}
	events, err := s.market.said(t.Context(), s.kept)
	if err != nil {
		t.Fatal(err)
	}
	said := make(map[string][]string)
	for _, event := range events {
		var change GradeChange
		if err := json.Unmarshal(event.Data, &change); err != nil {
			t.Fatal(err)
		}
		said[change.Wallet] = append(said[change.Wallet], fmt.Sprintf("%s %s to %s %s", wordOf(change.FromGrade), change.FromVerdict, wordOf(change.ToGrade), change.ToVerdict))
	}
	for wallet, grades := range s.grades {
		var want []string
		for i := 1; i < len(grades); i++ {
			if grades[i] != grades[i-1] {
				want = append(want, grades[i-1]+" to "+grades[i])
			}
		}
		if !slices.Equal(said[wallet], want) {
			t.Errorf("of %s is said %q, its grades were %q", wallet, said[wallet], grades)
		}
	}
}

// settled checks what must hold when the jobs are through: the passes are finished, everybody is graded in the latest, and what is
// published is what is to be said of the leaders and entries as they are.
func (s *stage) settled(t *testing.T) {
	t.Helper()
	for _, name := range []string{discoverJob, gradeJob, resolveJob} {
		if pass, err := s.kept.Passes().Latest(t.Context(), name); err != nil || !pass.Complete() || pass.FinishedAt.IsZero() {
			t.Errorf("the pass of %s is left as %+v (%v)", name, pass, err)
		}
	}
	latest, err := s.kept.Passes().Latest(t.Context(), gradeJob)
	if err != nil {
		return // said above
	}
	for _, group := range s.market.groups() {
		leaders, err := s.kept.Leaders().List(t.Context(), group, "", "", 100)
		if err != nil || len(leaders) == 0 {
			t.Errorf("%d leaders of %v (%v)", len(leaders), group, err)
		}
		for _, l := range leaders {
			if l.Grading.Pass != latest.ID {
				t.Errorf("%s was graded last in pass %q, not in %q", l.Address, l.Grading.Pass, latest.ID)
			}
		}
	}
	memory, now := memoryIn(s.kept), &printed{pages: make(map[string]string)}
	memory.Boards = now
	report, err := publish(t.Context(), memory, []*chain.Chain{s.market.on}, s.now)
	if err := errors.Join(err, report.Failed()); err != nil {
		t.Error(err)
	}
	recorded, _, err := boardIn(t.Context(), s.kept.Boards(), trackRecordBoard(spotLeaderGate))
	if err != nil || recorded.At.IsZero() {
		t.Errorf("no track record is published (%v)", err)
		return
	}
	if _, err := publishTrackRecord(t.Context(), memory, recorded.At); err != nil {
		t.Error(err)
	}
	for _, name := range s.market.boards() {
		edition, rows, err := boardIn(t.Context(), s.kept.Boards(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got := seenAt.ReplaceAllString(strings.Join(append(rows, string(edition.Data)), "\n"), ""); got != now.pages[name] {
			t.Errorf("board %s of %v: %s", name, edition.At, difference(got, now.pages[name]))
		}
	}
}

// seenAt is when somebody was found last, which may be later than a board was made.
var seenAt = regexp.MustCompile(`"(foundAt|venueSeenAt)":"[^"]*"`)

// printed are boards as they were published last, without seenAt.
type printed struct {
	store.Boards
	mu    sync.Mutex
	pages map[string]string
}

func (p *printed) Publish(_ context.Context, edition store.Edition, rows [][]byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages[edition.Board] = seenAt.ReplaceAllString(string(bytes.Join(append(rows, edition.Data), []byte("\n"))), "")
	return nil
}

// outcomes are what must be the same in the end, whatever the hour in which a minute was lost: who was found and how, what was examined,
// who has a forecast, and what became of each entry.
func (f *fairground) outcomes(t testing.TB, kept engine) string {
	t.Helper()
	var text strings.Builder
	for _, group := range f.groups() {
		leaders, err := kept.Leaders().List(t.Context(), group, "", "", 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range leaders {
			fmt.Fprintf(&text, "leader %s %s", l.Address, l.Grading.Verdict)
			for _, finding := range l.Findings {
				fmt.Fprint(&text, " ", finding.Source)
			}
			fmt.Fprintln(&text)
		}
	}
	for _, of := range f.open {
		launches, err := kept.Launches().OfDay(t.Context(), "base", of)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range launches {
			fmt.Fprintf(&text, "launch %s %s %s\n", l.Token, l.Data, l.Outcome)
		}
	}
	forecasts, err := kept.TrackRecords().Forecasts(t.Context(), spotLeaderGate, "", "", 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, forecast := range forecasts {
		fmt.Fprintln(&text, "forecast", forecast.Wallet, forecast.Mirrorable)
		followUps, err := kept.TrackRecords().FollowUps(t.Context(), spotLeaderGate, forecast.Chain, forecast.Wallet, "", 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range followUps {
			fmt.Fprintln(&text, "follow-up", u.ID, u.Token, u.EnteredAt, u.DueAt, u.EntryPriceUSD, string(u.Data), u.Outcome, u.Net)
		}
	}
	return text.String()
}

func (f *fairground) mustInventory(t testing.TB, kept engine) string {
	t.Helper()
	text, err := f.inventory(t.Context(), kept)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// difference is the first line in which a text differs from what was wanted.
func difference(got, want string) string {
	lines := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(lines) || line != lines[i] {
			return fmt.Sprintf("%s\nwant\n%s", line, strings.Join(lines[min(i, len(lines)):min(i+1, len(lines))], ""))
		}
	}
	return "it is shorter"
}

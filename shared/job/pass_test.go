package job_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func drawFaults(t *rapid.T) []fault {
	mostlyNone := []fault{none, none, none, none, refused, lost, panicked, panickedAfter, killed, killedAfter}
	return rapid.SliceOfN(rapid.SampledFrom(mostlyNone), 120, 120).Draw(t, "faults")
}

func drawChoices(t *rapid.T) []int {
	return rapid.SliceOfN(rapid.IntRange(0, 59), 300, 300).Draw(t, "choices")
}

func (w *world) verify(t *rapid.T) {
	for _, broken := range w.broken {
		t.Error(broken)
	}
	pass := w.passes[w.latest]
	if !pass.Complete() || pass.FinishedAt.IsZero() || pass.Items != 3*testParts || pass.Failed != testParts {
		t.Errorf("the pass is left as %+v", pass)
	}
	for part := range testParts {
		if w.effects[fmt.Sprint(pass.ID, part)] != 1 {
			t.Errorf("part %d has no effect", part)
		}
	}
	if w.woken[pass.ID+"/after"] == 0 {
		t.Error("the job after it was not woken")
	}
}

// Whatever is delivered twice, in any order, or killed at any step: every part is done and counted once, the pass is concluded, and
// the next job is woken.
func TestAPassIsDoneWhateverHappens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(drawFaults(t), drawChoices(t))
		for range rapid.IntRange(1, 3).Draw(t, "deliveries of the event") {
			w.fire(job.Event{ID: "first", Due: due})
		}
		w.settle()
		w.verify(t)
		if len(w.began) != 1 || len(w.woken) != 1 {
			t.Errorf("passes began at %v, woken by %v", w.began, w.woken)
		}
	})
}

// Events that come twice, late and out of order, while passes are under way and hang, begin passes that keep their distance, each
// event one at most; the last one is done whole.
func TestPassesFollowEachOther(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld(drawFaults(t), drawChoices(t))
		for i, wait := range rapid.SliceOfN(rapid.IntRange(0, 60), 1, 6).Draw(t, "minutes between events") {
			w.now = w.now.Add(time.Duration(wait) * time.Minute)
			event := job.Event{ID: fmt.Sprint("event-", i), Due: w.now}
			for range rapid.IntRange(1, 2).Draw(t, "deliveries") {
				w.fire(event)
			}
			for range rapid.IntRange(0, 60).Draw(t, "steps before the next event") {
				if len(w.waiting) > 0 && len(w.active) < 4 {
					w.deliver()
				}
				if len(w.active) == 0 {
					break
				}
				w.advance(w.active[w.choose(len(w.active))])
			}
		}
		w.settle()
		w.verify(t)
		for i := 1; i < len(w.began); i++ {
			if apart := w.began[i].Sub(w.began[i-1]); apart < w.spread.Gap {
				t.Errorf("passes began %v apart", apart)
			}
		}
	})
}

// bench is a spread job in a world without faults, with its log.
type bench struct {
	*world
	handler job.Function
	log     bytes.Buffer
}

func newBench(change func(*job.Spread)) *bench {
	b := &bench{world: newWorld(nil, nil)}
	change(&b.spread)
	b.handler = job.SpreadHandler(b.spread, b, b, func() time.Time { return b.now }, slog.New(slog.NewTextHandler(&b.log, nil)))
	b.world.handler = b.handler
	return b
}

func (b *bench) call(payload string) (answer json.RawMessage, err error) {
	b.invoke([]byte(payload), func(a json.RawMessage, e error) { answer, err = a, e })
	for len(b.active) > 0 {
		b.advance(b.active[0])
	}
	return answer, err
}

func (b *bench) tick(t *testing.T, id string) {
	t.Helper()
	b.fire(job.Event{ID: id, Due: b.now})
	for len(b.active) > 0 {
		b.advance(b.active[0])
	}
}

func records(bodies ...string) string {
	var all []string
	for i, body := range bodies {
		quoted, _ := json.Marshal(body)
		all = append(all, fmt.Sprintf(`{"messageId":"m%d","receiptHandle":"r","eventSource":"aws:sqs","attributes":{"ApproximateReceiveCount":"3"},"body":%s}`, i, quoted))
	}
	return `{"Records":[` + strings.Join(all, ",") + `]}`
}

// allParts are the messages of the pass "first".
var allParts = func() (all []string) {
	for part := range testParts {
		all = append(all, fmt.Sprintf(`{"pass":"first","part":%d}`, part))
	}
	return all
}()

func TestOneBadMessageFailsAlone(t *testing.T) {
	b := newBench(func(s *job.Spread) {
		part := s.Part
		s.Part = func(ctx context.Context, at time.Time, pass store.Pass, n int) (job.Report, error) {
			switch n {
			case 1:
				return nil, errors.New("provider is down")
			case 2:
				panic("index out of range")
			}
			return part(ctx, at, pass, n)
		}
	})
	b.tick(t, "first")
	answer, err := b.call(records(`{"pass":"first","part":0}`, `{"pass":"first","part":1}`, `{"pass":"first","part":2}`, `{"pass":"first","part":7}`,
		`{"pass":"first","part":-1}`, `{"pass":"first"}`, `{"part":3}`, `nonsense`, `{}`, `{"pass":"first","part":4}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := failuresIn(answer), []string{"m1", "m2", "m3", "m4", "m5", "m6", "m7", "m8"}; !slices.Equal(got, want) {
		t.Errorf("failed %v, want %v", got, want)
	}
	if done := b.passes["first"].Done; !slices.Equal(done, []int{0, 4}) {
		t.Errorf("done %v", done)
	}
	for _, want := range []string{"provider is down", "panic: index out of range", "received=3", "done=2 parts=7 left=5 items=6 failed=2", "counted, not tried again"} {
		if !strings.Contains(b.log.String(), want) {
			t.Errorf("the log does not say %q:\n%s", want, &b.log)
		}
	}
}

func TestWhatIsNoMessageIsRefusedWhole(t *testing.T) {
	for _, bad := range []string{``, `null`, `{}`, `{"Records":[]}`, `{"Records":[{"eventSource":"aws:s3","messageId":"m"}]}`, `{"Records":[{"eventSource":"aws:sqs"}]}`} {
		b := newBench(func(*job.Spread) {})
		if _, err := b.call(bad); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}

func TestAMessageOfAnotherPassIsDropped(t *testing.T) {
	b := newBench(func(*job.Spread) {})
	for _, began := range []bool{false, true} {
		if began {
			b.tick(t, "second")
		}
		answer, err := b.call(records(`{"pass":"first","part":1}`))
		if err != nil || len(failuresIn(answer)) != 0 || len(b.effects) != 0 {
			t.Errorf("%s %v, effects %v", answer, err, b.effects)
		}
	}
}

func TestNothingIsPlannedMeansNoPass(t *testing.T) {
	b := newBench(func(s *job.Spread) {
		s.Plan = func(context.Context, time.Time) (job.Plan, error) { return job.Plan{}, nil }
	})
	b.tick(t, "first")
	if len(b.passes) != 0 || len(b.waiting) != 0 {
		t.Errorf("%v %v", b.passes, b.waiting)
	}
}

// A schedule leaves a young pass alone, and concludes an old one with what is there before it begins the next.
func TestAnUnfinishedPassIsConcludedByTheNext(t *testing.T) {
	var concluded, finished []store.Pass
	b := newBench(func(s *job.Spread) {
		s.Conclude = func(_ context.Context, _ time.Time, pass store.Pass) (job.Report, error) {
			concluded = append(concluded, pass)
			return nil, nil
		}
		s.Finished = func(pass store.Pass, at time.Time) {
			finished = append(finished, pass)
			if !at.Equal(due.Add(50 * time.Minute)) {
				t.Errorf("finished at %v", at)
			}
		}
	})
	b.tick(t, "first")
	if _, err := b.call(records(`{"pass":"first","part":5}`)); err != nil {
		t.Fatal(err)
	}
	sent := len(b.waiting)
	b.now = due.Add(49 * time.Minute)
	b.tick(t, "young")
	if len(b.passes) != 1 || len(b.waiting) != sent {
		t.Errorf("a tick after 49 minutes changed the pass: %+v", b.passes)
	}
	b.now = due.Add(50 * time.Minute)
	b.tick(t, "old")
	if len(concluded) != 1 || !slices.Equal(concluded[0].Done, []int{5}) || b.woken["first/after"] != 1 || b.latest != "old" {
		t.Errorf("concluded %+v, woken %v, latest %s", concluded, b.woken, b.latest)
	}
	if len(finished) != 1 || finished[0].Complete() || !slices.Equal(finished[0].Done, []int{5}) {
		t.Errorf("told of %+v", finished)
	}
	if !strings.Contains(b.log.String(), `missing=6 among="[0 1 2 3 4 6]"`) {
		t.Errorf("the log does not say what is missing:\n%s", &b.log)
	}
	b.now = due.Add(3 * time.Hour)
	b.fire(job.Event{ID: "first", Due: due})
	for len(b.active) > 0 {
		b.advance(b.active[0])
	}
	if b.latest != "old" {
		t.Error("an event that is hours late began a pass, although one began after it was due")
	}
}

// A pass is concluded as of when its last part is done, which may take a while.
func TestAPassIsConcludedAsOfTheEndOfItsParts(t *testing.T) {
	var as []time.Time
	var b *bench
	b = newBench(func(s *job.Spread) {
		part := s.Part
		s.Part = func(ctx context.Context, at time.Time, pass store.Pass, n int) (job.Report, error) {
			as = append(as, at)
			b.now = b.now.Add(time.Minute)
			return part(ctx, at, pass, n)
		}
		s.Conclude = func(_ context.Context, at time.Time, _ store.Pass) (job.Report, error) {
			as = append(as, at)
			return nil, nil
		}
	})
	b.tick(t, "first")
	if _, err := b.call(records(allParts...)); err != nil || len(as) != testParts+1 {
		t.Fatal(as, err)
	}
	for i, at := range as {
		if want := due.Add(time.Duration(i) * time.Minute); !at.Equal(want) {
			t.Errorf("step %d is done as of %v, want %v", i, at, want)
		}
	}
}

func TestAPassThatCannotBeConcludedEndsNothing(t *testing.T) {
	b := newBench(func(s *job.Spread) {
		s.Conclude = func(context.Context, time.Time, store.Pass) (job.Report, error) {
			return job.Report{{Name: "all", Err: errors.New("no board")}}, nil
		}
	})
	b.tick(t, "first")
	answer, err := b.call(records(allParts...))
	if err != nil || !slices.Equal(failuresIn(answer), []string{"m6"}) || !b.passes["first"].FinishedAt.IsZero() || len(b.woken) != 0 {
		t.Errorf("%s %v %+v %v", answer, err, b.passes["first"], b.woken)
	}
	b.now = due.Add(time.Hour)
	b.tick(t, "second")
	if b.latest != "second" || len(b.waiting) != 2*testParts {
		t.Errorf("the next pass did not begin: %s", &b.log)
	}
}

// The message that one job sends to wake another is taken by it as an event of its schedule.
func TestAWokenJobBegins(t *testing.T) {
	b := newBench(func(*job.Spread) {})
	body, err := job.WriteEvent(job.Event{ID: "discover/grade", Due: due})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		answer, err := b.call(records(string(body)))
		if err != nil || len(failuresIn(answer)) != 0 {
			t.Fatal(string(answer), err)
		}
	}
	if b.latest != "discover/grade" || len(b.began) != 1 || len(b.waiting) != 2*testParts {
		t.Errorf("latest %q, %d messages", b.latest, len(b.waiting))
	}
}

func TestNoMessageIsBegunWithoutTime(t *testing.T) {
	b := newBench(func(*job.Spread) {})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b.ctx = ctx
	answer, err := b.call(records(`{"pass":"first","part":1}`))
	if err != nil || !slices.Equal(failuresIn(answer), []string{"m0"}) {
		t.Errorf("%s %v", answer, err)
	}
}

// An event that is delivered again concludes a pass whose last message was given up.
func TestAnEventThatComesAgainConcludes(t *testing.T) {
	down := true
	b := newBench(func(s *job.Spread) {
		conclude := s.Conclude
		s.Conclude = func(ctx context.Context, at time.Time, pass store.Pass) (job.Report, error) {
			if down {
				return nil, errors.New("no board")
			}
			return conclude(ctx, at, pass)
		}
	})
	b.tick(t, "first")
	if _, err := b.call(records(allParts...)); err != nil || !b.passes["first"].Complete() {
		t.Fatalf("%+v %v", b.passes, err)
	}
	down = false
	b.tick(t, "first")
	if b.passes["first"].FinishedAt.IsZero() || b.woken["first/after"] != 1 {
		t.Errorf("%+v, woken %v", b.passes, b.woken)
	}
	b.tick(t, "first")
	if b.woken["first/after"] != 1 {
		t.Error("a finished pass was concluded again")
	}
}

// What a pass was doing when the next one began is no failure: nobody waits for it any more.
func TestAPassThatIsOvertakenFailsNothing(t *testing.T) {
	overtake := func(b *bench) { b.passes["next"], b.latest = store.Pass{ID: "next", At: b.now, Parts: 1}, "next" }
	for _, concluding := range []bool{false, true} {
		var b *bench
		b = newBench(func(s *job.Spread) {
			part, conclude := s.Part, s.Conclude
			s.Part = func(ctx context.Context, at time.Time, pass store.Pass, n int) (job.Report, error) {
				if !concluding {
					overtake(b)
				}
				return part(ctx, at, pass, n)
			}
			s.Conclude = func(ctx context.Context, at time.Time, pass store.Pass) (job.Report, error) {
				overtake(b)
				return conclude(ctx, at, pass)
			}
		})
		b.tick(t, "first")
		answer, err := b.call(records(allParts...))
		if err != nil || len(failuresIn(answer)) != 0 {
			t.Errorf("%s %v\n%s", answer, err, &b.log)
		}
	}
}

// What a queue forgot is sent again by the event that began the pass, while the pass is young and not at its end.
func TestWhatIsUnfinishedGoesOnByItsOwnEvent(t *testing.T) {
	b := newBench(func(*job.Spread) {})
	unfinished := func() (event job.Event, ok bool) {
		b.do(func() {
			var err error
			if event, ok, err = job.Unfinished(t.Context(), b.spread, b, b.now); err != nil {
				t.Error(err)
			}
		})
		return event, ok
	}
	if _, ok := unfinished(); ok {
		t.Error("something is unfinished before the first pass")
	}
	b.tick(t, "first")
	b.now = due.Add(49 * time.Minute)
	if event, ok := unfinished(); !ok || event.ID != "first" || !event.Due.Equal(due) {
		t.Errorf("%+v %v", event, ok)
	}
	b.waiting = nil
	if _, err := b.call(records(`{"pass":"first","part":5}`)); err != nil {
		t.Fatal(err)
	}
	b.tick(t, "first")
	var sent []string
	for _, m := range b.waiting {
		sent = append(sent, string(m.body))
	}
	if want := slices.Delete(slices.Clone(allParts), 5, 6); !slices.Equal(sent, want) {
		t.Errorf("sent %v, want %v", sent, want)
	}
	b.now = due.Add(50 * time.Minute)
	if _, ok := unfinished(); ok {
		t.Error("a pass as old as the gap is to go on")
	}
	b.now = due
	if _, err := b.call(records(allParts...)); err != nil {
		t.Fatal(err)
	}
	if _, ok := unfinished(); ok {
		t.Error("a finished pass is to go on")
	}
}

func FuzzSpreadHandler(f *testing.F) {
	f.Add([]byte(records(`{"pass":"first","part":1}`)))
	f.Add([]byte(records(`{"pass":"first","part":1e9}`, `{"pass":"first","part":null}`, `[]`)))
	f.Add([]byte(scheduled))
	f.Fuzz(func(t *testing.T, payload []byte) {
		b := newBench(func(*job.Spread) {})
		b.passes["first"], b.latest = store.Pass{Job: "grade", ID: "first", At: due, Parts: testParts, Data: []byte("plan")}, "first"
		if _, err := b.call(string(payload)); err == nil && len(b.broken) > 0 {
			t.Error(b.broken)
		}
		for effect := range b.effects {
			if !strings.HasPrefix(effect, "first") || len(effect) != len("first1") {
				t.Errorf("%q had the effect %q", payload, effect)
			}
		}
	})
}

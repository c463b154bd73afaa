package job_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// fault is what befalls one step.
type fault int

const (
	none fault = iota
	refused
	// lost: the step was done, and its acknowledgement did not come back.
	lost
	panicked
	panickedAfter
	// killed ends the invocation at once: nothing in it can tell.
	killed
	killedAfter
)

// world is a store, queues and a scheduler around one spread job. Invocations of its function run side by side and are halted
// before every step that leaves the function; which goes on, and what befalls its step, is read from scripts. Once a script is
// at its end nothing fails any more.
type world struct {
	spread  job.Spread
	handler job.Function
	ctx     context.Context
	now     time.Time
	faults  []fault
	choices []int

	passes   map[string]store.Pass
	latest   string
	began    []time.Time
	effects  map[string]int // by pass and part
	waiting  []sent         // in the job's own queue
	woken    map[string]int // events sent to the queue of the job after it
	finished map[string]bool
	number   int
	broken   []string // promises that were found broken

	active  []*invocation
	running *invocation
}

// sent is a message in a queue.
type sent struct {
	id   string
	body []byte
	got  int
}

// invocation is a call of the function that is under way.
type invocation struct {
	resume, halted chan struct{}
	done           bool
	settle         func(answer json.RawMessage, err error)
	answer         json.RawMessage
	err            error
}

const testParts = 7

func newWorld(faults []fault, choices []int) *world {
	w := &world{
		ctx: context.Background(), now: due, faults: faults, choices: choices, passes: make(map[string]store.Pass), effects: make(map[string]int),
		woken: make(map[string]int), finished: make(map[string]bool),
	}
	w.spread = job.Spread{Name: "grade", Gap: 50 * time.Minute, Then: []string{"after"}, Plan: w.plan, Part: w.part, Conclude: w.conclude}
	w.handler = job.SpreadHandler(w.spread, w, w, func() time.Time { return w.now }, slog.New(slog.DiscardHandler))
	return w
}

func (w *world) breaks(format string, values ...any) {
	w.broken = append(w.broken, fmt.Sprintf(format, values...))
}

// choose reads a number below n from the script.
func (w *world) choose(n int) int {
	if len(w.choices) == 0 {
		return 0
	}
	choice := w.choices[0] % n
	w.choices = w.choices[1:]
	return choice
}

// step halts the invocation, then does a step with what befalls it.
func (w *world) step(effect func() error) error {
	me := w.running
	me.halted <- struct{}{}
	<-me.resume
	var befalls fault
	if len(w.faults) > 0 {
		befalls, w.faults = w.faults[0], w.faults[1:]
	}
	switch befalls {
	case refused:
		return errors.New("refused")
	case panicked:
		panic("lost its head")
	case killed:
		runtime.Goexit()
	}
	err := effect()
	switch befalls {
	case lost:
		return errors.New("no answer")
	case panickedAfter:
		panic("lost its head afterwards")
	case killedAfter:
		runtime.Goexit()
	}
	return err
}

// do does something outside of the function that has steps too.
func (w *world) do(what func()) {
	handler := w.handler
	defer func() { w.handler = handler }()
	w.handler = func(context.Context, json.RawMessage) (json.RawMessage, error) {
		what()
		return nil, nil
	}
	w.invoke(nil, func(json.RawMessage, error) {})
	for len(w.active) > 0 {
		w.advance(w.active[0])
	}
}

// invoke begins a call of the function. Settle is told what came of it: an error when it was killed.
func (w *world) invoke(payload []byte, settle func(json.RawMessage, error)) {
	i := &invocation{resume: make(chan struct{}), halted: make(chan struct{}), settle: settle, err: errors.New("killed")}
	w.active = append(w.active, i)
	go func() {
		defer func() {
			i.done = true
			i.halted <- struct{}{}
		}()
		<-i.resume
		i.answer, i.err = w.handler(w.ctx, payload)
	}()
}

// advance lets an invocation go on to its next step or its end.
func (w *world) advance(i *invocation) {
	w.running = i
	i.resume <- struct{}{}
	<-i.halted
	if i.done {
		w.active = slices.DeleteFunc(w.active, func(other *invocation) bool { return other == i })
		i.settle(i.answer, i.err)
	}
}

// fire delivers an event of the schedule until it is acknowledged.
func (w *world) fire(event job.Event) {
	payload, err := job.WriteEvent(event)
	if err != nil {
		panic(err)
	}
	w.invoke(payload, func(_ json.RawMessage, err error) {
		if err != nil {
			w.fire(event)
		}
	})
}

// deliver hands some of the waiting messages to the function, in any order; what it names as failed goes back.
func (w *world) deliver() {
	var batch []sent
	type record map[string]any
	var records []record
	for range 1 + w.choose(3) {
		if len(w.waiting) == 0 {
			break
		}
		at := w.choose(len(w.waiting))
		message := w.waiting[at]
		message.got++
		w.waiting = slices.Delete(w.waiting, at, at+1)
		batch = append(batch, message)
		records = append(records, record{
			"messageId": message.id, "eventSource": "aws:sqs", "body": string(message.body),
			"attributes": map[string]string{"ApproximateReceiveCount": strconv.Itoa(message.got)},
		})
	}
	payload, err := json.Marshal(map[string]any{"Records": records})
	if err != nil {
		panic(err)
	}
	w.invoke(payload, func(answer json.RawMessage, err error) {
		if err != nil {
			w.waiting = append(w.waiting, batch...)
			return
		}
		for _, id := range failuresIn(answer) {
			w.waiting = append(w.waiting, batch[slices.IndexFunc(batch, func(m sent) bool { return m.id == id })])
		}
	})
}

func failuresIn(answer json.RawMessage) []string {
	var failures struct {
		BatchItemFailures []struct{ ItemIdentifier string }
	}
	if err := json.Unmarshal(answer, &failures); err != nil || failures.BatchItemFailures == nil {
		panic(fmt.Sprintf("answered %s: %v", answer, err))
	}
	ids := []string{}
	for _, failure := range failures.BatchItemFailures {
		ids = append(ids, failure.ItemIdentifier)
	}
	return ids
}

// settle runs everything until no message waits and no invocation is under way.
func (w *world) settle() {
	for steps := 0; len(w.active) > 0 || len(w.waiting) > 0; steps++ {
		if steps > 50_000 {
			w.breaks("it never comes to an end")
			return
		}
		if len(w.waiting) > 0 && len(w.active) < 4 && (len(w.active) == 0 || w.choose(3) == 0) {
			w.deliver()
		}
		w.advance(w.active[w.choose(len(w.active))])
	}
}

// What the job does.

func (w *world) plan(context.Context, time.Time) (job.Plan, error) {
	return job.Plan{Parts: testParts, Data: []byte("plan")}, w.step(func() error { return nil })
}

func (w *world) part(_ context.Context, _ time.Time, pass store.Pass, part int) (job.Report, error) {
	if string(pass.Data) != "plan" {
		w.breaks("part %d gets the plan %q", part, pass.Data)
	}
	err := w.step(func() error {
		w.effects[fmt.Sprint(pass.ID, part)] = 1 // the same once more when it is there already
		return nil
	})
	return job.Report{{Name: "some", Items: 2}, {Name: "one", Items: 1, Err: errors.New("counted, not tried again")}}, err
}

func (w *world) conclude(_ context.Context, at time.Time, pass store.Pass) (job.Report, error) {
	for _, part := range pass.Done {
		if w.effects[fmt.Sprint(pass.ID, part)] == 0 {
			w.breaks("part %d of %s is done without its effect", part, pass.ID)
		}
	}
	if !pass.Complete() && at.Sub(pass.At) < w.spread.Gap {
		w.breaks("%s is concluded with %v done", pass.ID, pass.Done)
	}
	return nil, w.step(func() error { return nil })
}

// Send is the queue: messages get there up to five times, some of them even when it fails.
func (w *world) Send(_ context.Context, name string, messages ...job.Message) error {
	for _, message := range messages {
		if err := w.step(func() error {
			if name == "after" {
				event, err := job.ReadEvent(message.Body)
				if err != nil {
					w.breaks("woken by %s: %v", message.Body, err)
				}
				w.woken[event.ID]++
				return nil
			}
			for range 1 + w.choose(5) {
				w.number++
				w.waiting = append(w.waiting, sent{id: strconv.Itoa(w.number), body: message.Body})
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// What keeps the passes.

func (w *world) Begin(_ context.Context, pass store.Pass, gap time.Duration) (current store.Pass, begun bool, err error) {
	err = w.step(func() error {
		if err := pass.Validate(); err != nil {
			return err
		}
		latest, known := w.passes[w.latest]
		if known && (latest.ID == pass.ID || pass.At.Sub(latest.At) < gap) {
			current = latest
			return nil
		}
		if _, again := w.passes[pass.ID]; again {
			w.breaks("%s began a second pass", pass.ID)
		}
		w.passes[pass.ID], w.latest, current, begun = pass, pass.ID, pass, true
		w.began = append(w.began, pass.At)
		return nil
	})
	return current, begun, err
}

func (w *world) Latest(context.Context, string) (pass store.Pass, err error) {
	err = w.step(func() error {
		var known bool
		if pass, known = w.passes[w.latest]; !known {
			return store.ErrNotFound
		}
		pass.Done = slices.Clone(pass.Done)
		return nil
	})
	return pass, err
}

func (w *world) CompletePart(_ context.Context, _, id string, part, items, failed int) (pass store.Pass, err error) {
	err = w.step(func() error {
		if id != w.latest {
			return store.ErrConflict
		}
		pass = w.passes[id]
		if at, done := slices.BinarySearch(pass.Done, part); !done {
			pass.Done = slices.Insert(slices.Clone(pass.Done), at, part)
			pass.Items += items
			pass.Failed += failed
			w.passes[id] = pass
		}
		return nil
	})
	return pass, err
}

func (w *world) Finish(_ context.Context, _, id string, at time.Time) error {
	return w.step(func() error {
		if w.woken[id+"/after"] == 0 {
			w.breaks("%s is finished, and nobody was woken", id)
		}
		if id != w.latest {
			return store.ErrConflict
		}
		pass := w.passes[id]
		if pass.FinishedAt.IsZero() {
			pass.FinishedAt = at
		}
		w.passes[id], w.finished[id] = pass, true
		return nil
	})
}

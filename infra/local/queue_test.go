package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// work is a consumer of a queue "f", as most tests want it.
var work = consumer{Function: "f", Queue: "FQueue", Receives: 5, Batch: 1, Concurrency: 2, Timeout: time.Minute}

// each makes a function of what to do with each message; its error fails that message alone.
func each(do func(ctx context.Context, m events.SQSMessage) error) job.Function {
	return func(ctx context.Context, payload json.RawMessage) (json.RawMessage, error) {
		var batch events.SQSEvent
		if err := json.Unmarshal(payload, &batch); err != nil {
			return nil, err
		}
		answer := events.SQSEventResponse{BatchItemFailures: []events.SQSBatchItemFailure{}}
		for _, m := range batch.Records {
			if err := do(ctx, m); err != nil {
				answer.BatchItemFailures = append(answer.BatchItemFailures, events.SQSBatchItemFailure{ItemIdentifier: m.MessageId})
			}
		}
		return json.Marshal(answer)
	}
}

func numbered(n int) []job.Message {
	var all []job.Message
	for i := range n {
		all = append(all, job.Message{Body: fmt.Append(nil, i)})
	}
	return all
}

func send(t *testing.T, q *queues, name string, messages ...job.Message) {
	t.Helper()
	if err := q.Send(t.Context(), name, messages...); err != nil {
		t.Fatal(err)
	}
}

func TestWhatFailedComesAgainAfterLongerAndLongerPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		q := newQueues([]consumer{work}, slog.New(slog.NewTextHandler(&log, nil)))
		start := time.Now()
		var at []time.Duration
		var received []string
		stop := q.run(t.Context(), map[string]job.Function{"f": each(func(_ context.Context, m events.SQSMessage) error {
			if m.Body == "good" {
				return nil
			}
			at, received = append(at, time.Since(start)), append(received, m.Attributes["ApproximateReceiveCount"])
			return errors.New("no")
		})})
		defer stop()
		send(t, q, "f", job.Message{Body: []byte("bad")}, job.Message{Body: []byte("good")})
		if err := q.idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := []time.Duration{0, time.Second, 3 * time.Second, 7 * time.Second, 15 * time.Second}; !slices.Equal(at, want) {
			t.Errorf("delivered at %v, want %v", at, want)
		}
		if want := []string{"1", "2", "3", "4", "5"}; !slices.Equal(received, want) {
			t.Errorf("counted %v", received)
		}
		state := q.states()[0]
		if state.Dead != 1 || state.Done != 1 || state.Waiting+state.Delayed+state.UnderWay != 0 || len(state.DeadLetters) != 1 ||
			state.DeadLetters[0].Body != "bad" || state.DeadLetters[0].Received != 5 {
			t.Errorf("%+v", state)
		}
		if !strings.Contains(log.String(), "dead letter") || !strings.Contains(log.String(), "body=bad") {
			t.Error(log.String())
		}
	})
	if pause(7) != time.Minute || pause(60) != time.Minute || pause(6) != 32*time.Second {
		t.Error(pause(6), pause(7), pause(60))
	}
}

// An error fails a whole batch, and so does an answer that names what was not in it; an empty answer fails nothing.
func TestAnswersAreReadAsLambdaReadsThem(t *testing.T) {
	for answer, want := range map[string]int{
		"":     1,
		"null": 1, `{"batchItemFailures":[]}`: 1,
		`{"batchItemFailures":[{"itemIdentifier":"other"}]}`: 5, `{"batchItemFailures":[{"itemIdentifier":""}]}`: 5, `nonsense`: 5, "error": 5,
	} {
		synctest.Test(t, func(t *testing.T) {
			c := work
			c.Batch = 10
			q := newQueues([]consumer{c}, discardLog())
			var called atomic.Int64
			send(t, q, "f", numbered(3)...)
			stop := q.run(t.Context(), map[string]job.Function{"f": func(context.Context, json.RawMessage) (json.RawMessage, error) {
				called.Add(1)
				if answer == "error" {
					return nil, errors.New("no")
				}
				return json.RawMessage(answer), nil
			}})
			defer stop()
			err := q.idle(t.Context())
			calls := int(called.Load())
			if err != nil || calls < want || (want == 1 && calls != 1) {
				t.Errorf("%q: %d calls, want %d (%v)", answer, calls, want, err)
			}
			if state := q.states()[0]; (state.Dead == 3) != (want == 5) || state.Done+state.Dead != 3 {
				t.Errorf("%q: %+v", answer, state)
			}
		})
	}
}

func TestAQueueKeepsToItsBatchesAndItsConcurrency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := work
		c.Batch, c.Concurrency = 4, 3
		q := newQueues([]consumer{c}, discardLog())
		var mu sync.Mutex
		under, most, largest, total := 0, 0, 0, 0
		send(t, q, "f", numbered(50)...)
		stop := q.run(t.Context(), map[string]job.Function{"f": func(_ context.Context, payload json.RawMessage) (json.RawMessage, error) {
			var batch events.SQSEvent
			err := json.Unmarshal(payload, &batch)
			mu.Lock()
			under++
			most, largest, total = max(most, under), max(largest, len(batch.Records)), total+len(batch.Records)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			under--
			mu.Unlock()
			return nil, err
		}})
		defer stop()
		if err := q.idle(t.Context()); err != nil || most != 3 || largest != 4 || total != 50 {
			t.Errorf("%d at a time, %d in a batch, %d in all, %v", most, largest, total, err)
		}
	})
}

func TestACallHasTheTimeOfItsFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueues([]consumer{work}, discardLog())
		start := time.Now()
		var took time.Duration
		stop := q.run(t.Context(), map[string]job.Function{"f": each(func(ctx context.Context, _ events.SQSMessage) error {
			<-ctx.Done()
			took = time.Since(start)
			return nil
		})})
		defer stop()
		send(t, q, "f", numbered(1)...)
		if err := q.idle(t.Context()); err != nil || took != time.Minute {
			t.Errorf("%v %v", took, err)
		}
	})
}

// A queue that is full refuses at once, even the worker that would make room, and takes all or nothing.
func TestAFullQueueRefusesAndNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueues([]consumer{work}, discardLog())
		send(t, q, "f", numbered(queueCapacity-1)...)
		if err := q.Send(t.Context(), "f", numbered(2)...); err == nil || q.left() != queueCapacity-1 {
			t.Errorf("%d messages, %v", q.left(), err)
		}
		send(t, q, "f", numbered(1)...)
		var refused error
		var called atomic.Bool
		stop := q.run(t.Context(), map[string]job.Function{"f": each(func(ctx context.Context, _ events.SQSMessage) error {
			if called.CompareAndSwap(false, true) {
				refused = q.Send(ctx, "f", numbered(1)...)
				time.Sleep(time.Second)
			}
			return nil
		})})
		defer stop()
		if err := q.idle(t.Context()); err != nil || refused == nil {
			t.Errorf("%v, and the worker was told %v", err, refused)
		}
		send(t, q, "f", numbered(1)...)
		if err := q.Send(t.Context(), "g", numbered(1)...); err == nil {
			t.Error("a queue that is not there took a message")
		}
	})
}

// The end cuts short what is under way, waits for it, and calls nothing dead.
func TestTheEndWaitsForMessagesAndLosesTrackOfNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := work
		c.Receives = 1
		q := newQueues([]consumer{c}, discardLog())
		var ended atomic.Int64
		stop := q.run(t.Context(), map[string]job.Function{"f": each(func(ctx context.Context, _ events.SQSMessage) error {
			<-ctx.Done()
			time.Sleep(time.Second)
			ended.Add(1)
			return ctx.Err()
		})})
		send(t, q, "f", numbered(7)...)
		time.Sleep(time.Second)
		stop()
		if n := ended.Load(); n != 1 && n != 2 {
			t.Errorf("%d calls ended before the stop", n)
		}
		if left := q.left(); left != 7 || q.states()[0].Dead != 0 {
			t.Errorf("%d messages left, %+v", left, q.states())
		}
		if err := q.idle(t.Context()); err == nil {
			t.Error("closed queues with messages are idle")
		}
		if err := q.Send(t.Context(), "f", numbered(1)...); err == nil {
			t.Error("closed queues took a message")
		}
	})
}

func TestWaitingForTheQueuesEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueues([]consumer{work}, discardLog())
		send(t, q, "f", numbered(1)...)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := q.idle(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// Whatever fails how often: every message is done once or dead after its last receive, and none is done after it was done.
func TestEveryMessageIsDoneOnceOrDead(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		c := work
		c.Batch, c.Concurrency, c.Receives = rapid.IntRange(1, 5).Draw(rt, "batch"), rapid.IntRange(0, 3).Draw(rt, "concurrency"), rapid.IntRange(1, 4).Draw(rt, "receives")
		failures := rapid.SliceOfN(rapid.IntRange(0, 5), 0, 20).Draw(rt, "failures")
		synctest.Test(t, func(t *testing.T) {
			q := newQueues([]consumer{c}, discardLog())
			var mu sync.Mutex
			got, done := make(map[string]int), make(map[string]int)
			stop := q.run(t.Context(), map[string]job.Function{"f": each(func(_ context.Context, m events.SQSMessage) error {
				mu.Lock()
				defer mu.Unlock()
				got[m.Body]++
				var n int
				_, _ = fmt.Sscan(m.Body, &n)
				if got[m.Body] <= failures[n] {
					return errors.New("not yet")
				}
				done[m.Body]++
				return nil
			})})
			defer stop()
			send(t, q, "f", numbered(len(failures))...)
			if err := q.idle(t.Context()); err != nil {
				rt.Fatal(err)
			}
			for i, n := range failures {
				body := fmt.Sprint(i)
				if n < c.Receives && (done[body] != 1 || got[body] != n+1) || n >= c.Receives && (done[body] != 0 || got[body] != c.Receives) {
					rt.Errorf("message %d fails %d times, was received %d of %d times, done %d times", i, n, got[body], c.Receives, done[body])
				}
			}
		})
	})
}

// Two jobs on queues: a chain of passes runs to its end from one event, with parts that fail now and then.
func TestAChainOfJobs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		done := make(map[string]int)
		spread := func(name string, parts int, then ...string) job.Spread {
			return job.Spread{
				Name: name, Gap: 50 * time.Minute, Then: then,
				Plan: func(context.Context, time.Time) (job.Plan, error) { return job.Plan{Parts: parts}, nil },
				Part: func(_ context.Context, _ time.Time, _ store.Pass, part int) (job.Report, error) {
					mu.Lock()
					defer mu.Unlock()
					key := fmt.Sprint(name, part)
					done[key]++
					if done[key] == 1 && part%3 == 0 {
						return nil, errors.New("not at the first try")
					}
					return job.Report{{Items: 1}}, nil
				},
				Conclude: func(_ context.Context, _ time.Time, pass store.Pass) (job.Report, error) {
					if pass.Items != parts {
						t.Errorf("%s is concluded with %+v", name, pass)
					}
					return nil, nil
				},
			}
		}
		first, second := work, work
		first.Function, second.Function, second.Batch = "first", "second", 3
		deployed := template{
			Consumers: []consumer{first, second},
			Schedules: []schedule{{Name: "First.Hourly", Function: "first", Every: time.Hour}},
		}
		passes := &memoryPasses{}
		j, err := jobsHere(deployed, []job.Spread{spread("first", 40, "second"), spread("second", 10)}, passes)
		if err != nil {
			t.Fatal(err)
		}
		settled, stop := j.run(t.Context())
		<-settled
		if err := j.queues.idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		stop()
		for _, name := range []string{"first", "second"} {
			if pass := passes.latest[name]; !pass.Complete() || pass.FinishedAt.IsZero() {
				t.Errorf("%s is left as %+v", name, pass)
			}
		}
		if len(done) != 50 || done["first0"] != 2 || done["second1"] != 1 {
			t.Errorf("done %v", done)
		}
		if passes.latest["second"].ID != passes.latest["first"].ID+"/second" {
			t.Errorf("woken as %s", passes.latest["second"].ID)
		}
	})
}

// What a process leaves behind is taken up by the next: the parts that are missing, and no other.
func TestARestartGoesOnWithAPass(t *testing.T) {
	passes := &memoryPasses{}
	var did []int
	hang := true
	spread := job.Spread{
		Name: "f", Gap: 50 * time.Minute,
		Plan: func(context.Context, time.Time) (job.Plan, error) { return job.Plan{Parts: 6}, nil },
		Part: func(ctx context.Context, _ time.Time, _ store.Pass, part int) (job.Report, error) {
			if hang && part >= 2 {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			did = append(did, part)
			return nil, nil
		},
		Conclude: func(context.Context, time.Time, store.Pass) (job.Report, error) { return nil, nil },
	}
	c := work
	c.Concurrency = 1
	deployed := template{Consumers: []consumer{c}, Schedules: []schedule{{Name: "F.Hourly", Function: "f", Every: time.Hour}}}
	for range 2 {
		synctest.Test(t, func(t *testing.T) {
			j, err := jobsHere(deployed, []job.Spread{spread}, passes)
			if err != nil {
				t.Fatal(err)
			}
			_, stop := j.run(t.Context())
			time.Sleep(10 * time.Second)
			stop()
		})
		hang = false
	}
	if want := []int{0, 1, 2, 3, 4, 5}; !slices.Equal(did, want) || passes.begun != 1 || passes.latest["f"].FinishedAt.IsZero() {
		t.Errorf("did %v, %d passes, left as %+v", did, passes.begun, passes.latest["f"])
	}
}

func TestJobsAndQueuesBelongTogether(t *testing.T) {
	spread := []job.Spread{{Name: "f"}}
	for what, wrong := range map[string]struct {
		deployed template
		spread   []job.Spread
	}{
		"f has no queue":              {template{}, spread},
		"there is no job f":           {template{Consumers: []consumer{work}}, nil},
		"F.Hourly: there is no job g": {template{Consumers: []consumer{work}, Schedules: []schedule{{Name: "F.Hourly", Function: "g"}}}, spread},
	} {
		if _, err := jobsHere(wrong.deployed, wrong.spread, nil); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%v, want %q", err, what)
		}
	}
}

// jobsHere are jobs that run in this process.
func jobsHere(deployed template, spread []job.Spread, passes store.Passes) (*jobs, error) {
	to := newQueues(deployed.Consumers, discardLog())
	return newJobs(deployed, to, inProcess(nil, spread, passes, to, time.Now, discardLog()), spread, passes, time.Now, discardLog())
}

// memoryPasses keeps passes in memory.
type memoryPasses struct {
	mu     sync.Mutex
	latest map[string]store.Pass
	begun  int
}

func (m *memoryPasses) Begin(_ context.Context, pass store.Pass, gap time.Duration) (store.Pass, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if latest, ok := m.latest[pass.Job]; ok && (latest.ID == pass.ID || pass.At.Sub(latest.At) < gap) {
		return latest, false, nil
	}
	if m.latest == nil {
		m.latest = make(map[string]store.Pass)
	}
	m.latest[pass.Job] = pass
	m.begun++
	return pass, true, nil
}

func (m *memoryPasses) Latest(_ context.Context, name string) (store.Pass, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pass, ok := m.latest[name]
	if !ok {
		return pass, store.ErrNotFound
	}
	return pass, nil
}

func (m *memoryPasses) CompletePart(_ context.Context, name, id string, part, items, failed int) (store.Pass, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	pass := m.latest[name]
	if pass.ID != id {
		return pass, store.ErrConflict
	}
	if at, done := slices.BinarySearch(pass.Done, part); !done {
		pass.Done = slices.Insert(slices.Clone(pass.Done), at, part)
		pass.Items, pass.Failed = pass.Items+items, pass.Failed+failed
		m.latest[name] = pass
	}
	return pass, nil
}

func (m *memoryPasses) Finish(_ context.Context, name, id string, at time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	pass := m.latest[name]
	if pass.ID != id {
		return store.ErrConflict
	}
	pass.FinishedAt = at
	m.latest[name] = pass
	return nil
}

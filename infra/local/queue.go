package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// queueCapacity bounds what waits in one queue. It has room for all parts of a pass several times over.
	queueCapacity = 4 * store.MaximumParts
	// deadLettersKept is how many of a queue's latest dead letters can be looked at.
	deadLettersKept = 100
	// What failed is delivered again after a second, then after twice as long each time, up to the longest pause.
	firstPause, longestPause = time.Second, time.Minute
)

// queues stands in for SQS and for Lambda's pollers: each queue of the template delivers to its function, at least once, batch by
// batch, as many batches at a time as the template allows. A message that failed comes again after a pause, and is a dead letter
// when it failed too often.
//
// They are kept in memory. What they lose when the process ends is sent again at the next start: a pass says which of its parts
// are missing.
type queues struct {
	log *slog.Logger

	mu      sync.Mutex
	changed *sync.Cond
	byName  map[string]*queue
	open    int // messages that are neither done nor dead
	ended   bool
}

// queue is one of them; its lock is that of all.
type queue struct {
	consumer
	waiting           []*message
	delayed, underWay int
	done, dead        int
	deadLetters       []deadLetter
	// handles are the messages under way by the receipt handles of their deliveries.
	handles map[string]*message
}

type message struct {
	id, body string
	received int
	// hidden is how long the message stays hidden if it fails now; zero for what the queues choose.
	hidden time.Duration
}

// handle is the receipt handle of the latest delivery.
func (m *message) handle() string { return fmt.Sprint(m.id, "/", m.received) }

// deadLetter is a message that failed too often.
type deadLetter struct {
	ID       string `json:"id"`
	Body     string `json:"body"`
	Received int    `json:"received"`
}

// newQueues makes a queue for each consumer, named like its function.
func newQueues(consumers []consumer, log *slog.Logger) *queues {
	q := &queues{log: log, byName: make(map[string]*queue)}
	q.changed = sync.NewCond(&q.mu)
	for _, c := range consumers {
		q.byName[c.Function] = &queue{consumer: c, handles: make(map[string]*message)}
	}
	return q
}

// Send puts messages into a queue: all of them, or none and an error when there is no room. It never waits for room, because those
// who make it may be the senders.
func (q *queues) Send(ctx context.Context, name string, messages ...job.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := q.send(name, messages...)
	return err
}

// errNoQueue is a queue that there is not.
var errNoQueue = errors.New("there is no queue")

// send is Send, and gives the messages' ids.
func (q *queues) send(name string, messages ...job.Message) (ids []string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	to := q.byName[name]
	switch {
	case to == nil:
		return nil, fmt.Errorf("%w %s", errNoQueue, name)
	case q.ended:
		return nil, errors.New("the queues are closed")
	case len(to.waiting)+to.delayed+to.underWay+len(messages) > queueCapacity:
		return nil, fmt.Errorf("queue %s is full: it holds %d messages", name, queueCapacity)
	}
	for _, m := range messages {
		ids = append(ids, uuid.NewString())
		to.waiting = append(to.waiting, &message{id: ids[len(ids)-1], body: string(m.Body)})
	}
	q.open += len(messages)
	q.changed.Broadcast()
	return ids, nil
}

// hide sets how long a message of a delivery stays hidden if it fails. It reports false when that delivery is over.
func (q *queues) hide(name, handle string, hidden time.Duration) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	to := q.byName[name]
	if to == nil || to.handles[handle] == nil {
		return false
	}
	to.handles[handle].hidden = hidden
	return true
}

// run delivers to the functions, by their names, until ctx ends or it is stopped; stop ends what is under way and waits for it.
func (q *queues) run(ctx context.Context, functions map[string]job.Function) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.ended = true
		q.changed.Broadcast()
	})
	var workers sync.WaitGroup
	for name, from := range q.byName {
		side := from.Concurrency
		if side == 0 {
			side = runtime.GOMAXPROCS(0)
		}
		for range side {
			workers.Go(func() {
				for batch := q.receive(from); batch != nil; batch = q.receive(from) {
					failed, err := invoke(ctx, functions[name], from.consumer, batch)
					q.settle(from, batch, failed, err)
				}
			})
		}
	}
	return func() {
		cancel()
		workers.Wait()
		if left := q.left(); left > 0 {
			q.log.Info("queues closed; what is left is sent again at the next start", "messages", left)
		}
	}
}

// receive waits for messages and takes a batch of them; nil when the queues are closed.
func (q *queues) receive(from *queue) []*message {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(from.waiting) == 0 && !q.ended {
		q.changed.Wait()
	}
	if q.ended {
		return nil
	}
	n := min(from.Batch, len(from.waiting))
	batch := slices.Clone(from.waiting[:n])
	clear(from.waiting[:n])
	from.waiting = from.waiting[n:]
	from.underWay += n
	for _, m := range batch {
		m.received++
		m.hidden = 0
		from.handles[m.handle()] = m
	}
	return batch
}

// invoke hands a batch to a function as Lambda does, and reads which messages failed. An error, and an answer that names what was
// not in the batch, fails all.
func invoke(ctx context.Context, function job.Function, c consumer, batch []*message) (failed []string, err error) {
	var event events.SQSEvent
	for _, m := range batch {
		event.Records = append(event.Records, events.SQSMessage{
			MessageId: m.id, ReceiptHandle: m.handle(), Body: m.body, EventSource: "aws:sqs", Attributes: map[string]string{"ApproximateReceiveCount": strconv.Itoa(m.received)},
		})
	}
	payload, err := json.Marshal(event)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	answer, err := function(ctx, payload)
	if err != nil || len(answer) == 0 {
		return nil, err
	}
	var named events.SQSEventResponse
	if err := json.Unmarshal(answer, &named); err != nil {
		return nil, fmt.Errorf("%s answers %.200s: %w", c.Function, answer, err)
	}
	for _, failure := range named.BatchItemFailures {
		if !slices.ContainsFunc(batch, func(m *message) bool { return m.id == failure.ItemIdentifier }) {
			return nil, fmt.Errorf("%s names a message %q that it did not get", c.Function, failure.ItemIdentifier)
		}
		failed = append(failed, failure.ItemIdentifier)
	}
	return failed, nil
}

// settle does away with what was done, and has what failed delivered again after a pause, or calls it dead.
func (q *queues) settle(of *queue, batch []*message, failed []string, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	of.underWay -= len(batch)
	for _, m := range batch {
		delete(of.handles, m.handle())
		switch {
		case err == nil && !slices.Contains(failed, m.id):
			of.done++
			q.open--
		case m.received >= of.Receives && !q.ended:
			of.dead++
			q.open--
			of.deadLetters = append(of.deadLetters[max(0, len(of.deadLetters)-deadLettersKept+1):], deadLetter{ID: m.id, Body: m.body, Received: m.received})
			q.log.Error("dead letter", "queue", of.Function, "message", m.id, "received", m.received, "body", m.body)
		default:
			of.delayed++
			hidden := m.hidden
			if hidden == 0 {
				hidden = pause(m.received)
			}
			time.AfterFunc(hidden, func() {
				q.mu.Lock()
				defer q.mu.Unlock()
				of.delayed--
				of.waiting = append(of.waiting, m)
				q.changed.Broadcast()
			})
		}
	}
	if err != nil && !q.ended {
		q.log.Error("batch failed", "queue", of.Function, "messages", len(batch), "error", err)
	}
	q.changed.Broadcast()
}

// pause is how long a message waits after it failed for the n-th time.
func pause(n int) time.Duration {
	if n > 6 {
		return longestPause
	}
	return min(firstPause<<(n-1), longestPause)
}

// idle waits until no message is left, but for dead ones: in the queues of those names, or in any queue where none is named. The error
// is that of ctx when it ends first, or that the queues were closed.
func (q *queues) idle(ctx context.Context, names ...string) error {
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.changed.Broadcast()
	})()
	q.mu.Lock()
	defer q.mu.Unlock()
	open := func() int {
		if len(names) == 0 {
			return q.open
		}
		n := 0
		for _, name := range names {
			if of := q.byName[name]; of != nil {
				n += len(of.waiting) + of.delayed + of.underWay
			}
		}
		return n
	}
	for open() > 0 && !q.ended && ctx.Err() == nil {
		q.changed.Wait()
	}
	switch {
	case open() == 0:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return errors.New("the queues are closed")
}

// left is how many messages are neither done nor dead.
func (q *queues) left() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.open
}

// queueState is what can be seen of a queue from outside.
type queueState struct {
	Queue    string `json:"queue"`
	Waiting  int    `json:"waiting"`
	Delayed  int    `json:"delayed"`
	UnderWay int    `json:"underWay"`
	Done     int    `json:"done"`
	Dead     int    `json:"dead"`
	// DeadLetters are the latest.
	DeadLetters []deadLetter `json:"deadLetters"`
}

// states tells of every queue, in order of name.
func (q *queues) states() []queueState {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := []queueState{}
	for name, of := range q.byName {
		all = append(all, queueState{
			Queue: name, Waiting: len(of.waiting), Delayed: of.delayed, UnderWay: of.underWay, Done: of.done, Dead: of.dead,
			DeadLetters: append([]deadLetter{}, of.deadLetters...),
		})
	}
	slices.SortFunc(all, func(a, b queueState) int { return strings.Compare(a.Queue, b.Queue) })
	return all
}

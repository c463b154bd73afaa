package jobs

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// stubSQS speaks SQS's JSON protocol on loopback and keeps what it is sent.
type stubSQS struct {
	address string

	mu       sync.Mutex
	calls    int
	largest  int
	bodies   map[string][]string // by queue
	hastened map[string]int      // seconds by receipt
	// refuse says how an entry's id is answered in the n-th call: "" takes it, "sender" and "service" fail it.
	refuse func(call int, id string) string
	status int
}

func newStubSQS(t *testing.T) *stubSQS {
	t.Helper()
	s := &stubSQS{bodies: make(map[string][]string), hastened: make(map[string]int), refuse: func(int, string) string { return "" }, status: http.StatusOK}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.address = server.URL
	return s
}

func (s *stubSQS) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	var asked struct {
		QueueURL string `json:"QueueUrl"`
		Entries  []struct {
			ID         string `json:"Id"`
			Body       string `json:"MessageBody"`
			Receipt    string `json:"ReceiptHandle"`
			Visibility int    `json:"VisibilityTimeout"`
		}
	}
	body, err := io.ReadAll(r.Body)
	if err = errors.Join(err, json.Unmarshal(body, &asked)); err != nil || !strings.Contains(r.Header.Get("Authorization"), "/eu-central-1/sqs/aws4_request") {
		http.Error(w, `{"__type":"com.amazonaws.sqs#InvalidRequest"}`, http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	if s.status != http.StatusOK {
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, `{"__type":"com.amazonaws.sqs#QueueDoesNotExist","message":"no such queue"}`)
		return
	}
	s.largest = max(s.largest, len(asked.Entries))
	answer := map[string][]map[string]any{"Successful": {}, "Failed": {}}
	seen := make(map[string]bool)
	for _, e := range asked.Entries {
		if seen[e.ID] {
			http.Error(w, `{"__type":"com.amazonaws.sqs#BatchEntryIdsNotDistinct"}`, http.StatusBadRequest)
			return
		}
		seen[e.ID] = true
		if fault := s.refuse(s.calls, e.ID); fault != "" {
			answer["Failed"] = append(answer["Failed"], map[string]any{"Id": e.ID, "SenderFault": fault == "sender", "Code": "Refused", "Message": "not now"})
			continue
		}
		answer["Successful"] = append(answer["Successful"], map[string]any{"Id": e.ID, "MessageId": e.ID, "MD5OfMessageBody": fmt.Sprintf("%x", md5.Sum([]byte(e.Body)))})
		switch r.Header.Get("X-Amz-Target") {
		case "AmazonSQS.SendMessageBatch":
			s.bodies[asked.QueueURL] = append(s.bodies[asked.QueueURL], e.Body)
		case "AmazonSQS.ChangeMessageVisibilityBatch":
			s.hastened[e.Receipt] = e.Visibility
		default:
			panic(r.Header.Get("X-Amz-Target"))
		}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// config is a configuration with the stub's queues.
func (s *stubSQS) config() host.Config {
	return host.Config{Region: "eu-central-1", SQSEndpoint: s.address, Queues: map[string]string{
		"grade-leaders": s.address + "/1/grade", "resolve-track-record": s.address + "/1/resolve",
	}}
}

func (s *stubSQS) open(log *slog.Logger) *Queue {
	queue := OpenQueue(s.config(), func(name string) string { return "credential-" + name }, log)
	queue.pause = func() backoff.BackOff { return &backoff.ZeroBackOff{} }
	return queue
}

func bodies(n int) []job.Message {
	var all []job.Message
	for i := range n {
		all = append(all, job.Message{Body: fmt.Appendf(nil, `{"part":%d}`, i)})
	}
	return all
}

func TestMessagesAreSentTenAtATime(t *testing.T) {
	stub := newStubSQS(t)
	queue := stub.open(slog.New(slog.DiscardHandler))
	if err := queue.Send(t.Context(), "grade-leaders", bodies(23)...); err != nil {
		t.Fatal(err)
	}
	got := stub.bodies[stub.address+"/1/grade"]
	if len(got) != 23 || got[22] != `{"part":22}` || stub.calls != 3 || stub.largest != 10 {
		t.Errorf("%d calls of up to %d: %v", stub.calls, stub.largest, got)
	}
	if err := queue.Send(t.Context(), "grade-leaders"); err != nil || stub.calls != 3 {
		t.Errorf("nothing was sent in %d calls: %v", stub.calls-3, err)
	}
	if err := queue.Send(t.Context(), "discover-leaders", bodies(1)...); err == nil || !strings.Contains(err.Error(), "QUEUE_DISCOVER_LEADERS is not set") {
		t.Error(err)
	}
}

// What is not taken is sent again, and only that.
func TestWhatSQSDidNotTakeIsSentAgain(t *testing.T) {
	stub := newStubSQS(t)
	stub.refuse = func(call int, id string) string {
		if call <= 2 && (id == "3" || id == "7") {
			return "service"
		}
		return ""
	}
	if err := stub.open(slog.New(slog.DiscardHandler)).Send(t.Context(), "grade-leaders", bodies(10)...); err != nil {
		t.Fatal(err)
	}
	got := stub.bodies[stub.address+"/1/grade"]
	slices.Sort(got)
	if len(got) != 10 || len(slices.Compact(got)) != 10 || stub.calls != 3 {
		t.Errorf("%d calls, taken %v", stub.calls, got)
	}
}

func TestWhatSQSNeverTakesIsAnError(t *testing.T) {
	for fault, calls := range map[string]int{"service": 1 + sendRetries, "sender": 1} {
		stub := newStubSQS(t)
		stub.refuse = func(_ int, id string) string {
			if id == "1" {
				return fault
			}
			return ""
		}
		err := stub.open(slog.New(slog.DiscardHandler)).Send(t.Context(), "grade-leaders", bodies(2)...)
		if err == nil || !strings.Contains(err.Error(), "Refused: not now") || stub.calls != calls {
			t.Errorf("%s: %d calls, want %d: %v", fault, stub.calls, calls, err)
		}
	}
	stub := newStubSQS(t)
	stub.status = http.StatusBadRequest
	if err := stub.open(slog.New(slog.DiscardHandler)).Send(t.Context(), "grade-leaders", bodies(2)...); err == nil || stub.calls != 1 {
		t.Errorf("%d calls: %v", stub.calls, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := stub.open(slog.New(slog.DiscardHandler)).Send(ended, "grade-leaders", bodies(2)...); !errors.Is(err, context.Canceled) || stub.calls != 1 {
		t.Errorf("%d calls: %v", stub.calls, err)
	}
}

const threeMessages = `{"Records":[
{"messageId":"a","receiptHandle":"receipt-a","eventSource":"aws:sqs","body":"{}","attributes":{"ApproximateReceiveCount":"1"}},
{"messageId":"b","receiptHandle":"receipt-b","eventSource":"aws:sqs","body":"{}","attributes":{"ApproximateReceiveCount":"3"}},
{"messageId":"c","receiptHandle":"receipt-c","eventSource":"aws:sqs","body":"{}","attributes":{"ApproximateReceiveCount":"4"}}]}`

func TestWhatFailedIsDeliveredAgainSoon(t *testing.T) {
	stub := newStubSQS(t)
	var log bytes.Buffer
	queue := stub.open(slog.New(slog.NewTextHandler(&log, nil)))
	answered := `{"batchItemFailures":[{"itemIdentifier":"b"},{"itemIdentifier":"c"}]}`
	function := queue.retrying("grade-leaders", func(context.Context, json.RawMessage) (json.RawMessage, error) { return json.RawMessage(answered), nil })
	call := func() {
		t.Helper()
		if answer, err := function(t.Context(), json.RawMessage(threeMessages)); err != nil || string(answer) != answered {
			t.Errorf("%s %v", answer, err)
		}
	}
	call()
	if len(stub.hastened) != 2 || stub.hastened["receipt-b"] != 120 || stub.hastened["receipt-c"] != 240 || log.Len() > 0 {
		t.Errorf("%v %s", stub.hastened, &log)
	}
	// That it cannot be hastened changes no answer.
	stub.refuse = func(int, string) string { return "service" }
	call()
	stub.status = http.StatusBadRequest
	call()
	if got := strings.Count(log.String(), "wait for the visibility time-out"); got != 2 {
		t.Errorf("said %d times:\n%s", got, &log)
	}
	calls := stub.calls
	answered = `{"batchItemFailures":[]}`
	call()
	if stub.calls != calls {
		t.Error("nothing failed, and SQS was asked")
	}
	for n, want := range map[int]time.Duration{0: 8 * time.Minute, 1: 30 * time.Second, 2: time.Minute, 5: 8 * time.Minute, 1000: 8 * time.Minute} {
		if got := retryAfter(n); got != want {
			t.Errorf("after %d receives: %v, want %v", n, got, want)
		}
	}
}

// A schedule's event goes through to the job, whose messages get to its queue, and nothing is hastened.
func TestAFunctionServesScheduleAndQueue(t *testing.T) {
	stub := newStubSQS(t)
	spread := job.Spread{
		Name: "grade-leaders", Gap: time.Hour, Then: []string{"resolve-track-record"},
		Plan: func(context.Context, time.Time) (job.Plan, error) { return job.Plan{Parts: 3}, nil },
		Part: func(context.Context, time.Time, store.Pass, int) (job.Report, error) {
			return nil, errors.New("no provider answers")
		},
	}
	log := slog.New(slog.DiscardHandler)
	function, err := spreadFunction(spread, stub.config(), onePass{}, stub.open(log), log)
	if err != nil {
		t.Fatal(err)
	}
	event, err := job.WriteEvent(job.Event{ID: "first", Due: time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := function(t.Context(), event); answer != nil || err != nil {
		t.Errorf("%s %v", answer, err)
	}
	sent := stub.bodies[stub.address+"/1/grade"]
	if len(sent) != 3 || len(stub.hastened) != 0 {
		t.Fatalf("sent %v", sent)
	}
	quoted, _ := json.Marshal(sent[1])
	answer, err := function(t.Context(), json.RawMessage(`{"Records":[{"messageId":"a","receiptHandle":"r","eventSource":"aws:sqs","body":`+string(quoted)+`,"attributes":{"ApproximateReceiveCount":"2"}}]}`))
	if err != nil || !strings.Contains(string(answer), `"itemIdentifier":"a"`) || stub.hastened["r"] != 60 {
		t.Errorf("%s %v %v", answer, err, stub.hastened)
	}
	config := stub.config()
	delete(config.Queues, "resolve-track-record")
	if _, err := spreadFunction(spread, config, nil, nil, log); err == nil || !strings.Contains(err.Error(), "QUEUE_RESOLVE_TRACK_RECORD") {
		t.Error(err)
	}
}

// onePass is a store in which the pass "first" has just begun.
type onePass struct{ store.Passes }

func (onePass) Latest(context.Context, string) (store.Pass, error) {
	return store.Pass{ID: "first", At: time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC), Parts: 3}, nil
}

func TestJobsOfAllKindsAreFoundByName(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	p := host.Process{Config: host.Config{Queues: make(map[string]string)}, Parts: host.Parts{Log: log}}
	all := host.Jobs{Single: []job.Job{{Name: "alone"}}, Spread: []job.Spread{{Name: "spread", Then: []string{"next"}}}}
	if function, err := functionOf("alone", p, all); err != nil || function == nil {
		t.Error(err)
	}
	for _, missing := range []string{"QUEUE_SPREAD", "QUEUE_NEXT"} {
		if _, err := functionOf("spread", p, all); err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%v, want %s", err, missing)
		}
		p.Config.Queues[strings.ToLower(strings.TrimPrefix(missing, "QUEUE_"))] = "http://127.0.0.1/queue"
	}
	if function, err := functionOf("spread", p, all); err != nil || function == nil {
		t.Error(err)
	}
	if _, err := functionOf("missing", p, all); err == nil {
		t.Error("a job that is not there runs")
	}
}

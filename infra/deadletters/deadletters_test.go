package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const prefix = "/123456789012/"

// stand is an SQS with some queues, which speaks its JSON protocol.
type stand struct {
	t       *testing.T
	address string
	letters map[string][]string // messages by the queue's name
	moved   map[string]int      // messages that were moved back, by the queue's name
	fails   string              // the operation that is refused
	deleted bool
}

func newStand(t *testing.T) *stand {
	s := &stand{t: t, moved: make(map[string]int), letters: map[string][]string{
		"trial-grade-leaders": {"{}"}, "trial-grade-leaders-dead-letters": {`{"pass":"p","part":7}`, `{"pass":"p","part":9}`},
		"trial-mirror-trades": nil, "trial-mirror-trades-dead-letters": nil, "trial-schedule-dead-letters": {`{"source":"aws.scheduler"}`},
		"trials-grade-leaders-dead-letters": {"not ours"},
	}}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	s.address = server.URL
	return s
}

func (s *stand) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	operation := strings.TrimPrefix(r.Header.Get("X-Amz-Target"), "AmazonSQS.")
	var asked struct {
		QueueNamePrefix, QueueUrl, SourceArn, DestinationArn string
		VisibilityTimeout                                    *int
	}
	body, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(body, &asked); err != nil || operation == s.fails {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"__type":"com.amazonaws.sqs#UnsupportedOperation","message":"refused"}`)
		return
	}
	name := strings.TrimPrefix(asked.QueueUrl, s.address+prefix)
	of := asked.SourceArn[strings.LastIndexByte(asked.SourceArn, ':')+1:]
	answer := map[string]any{}
	switch operation {
	case "ListQueues":
		var urls []string
		for queue := range s.letters {
			if strings.HasPrefix(queue, asked.QueueNamePrefix) {
				urls = append(urls, s.address+prefix+queue)
			}
		}
		answer["QueueUrls"] = urls
	case "GetQueueAttributes":
		answer["Attributes"] = map[string]string{
			"QueueArn": "arn:aws:sqs:eu-central-1:123456789012:" + name, "ApproximateNumberOfMessages": fmt.Sprint(len(s.letters[name])),
		}
	case "ReceiveMessage":
		if asked.VisibilityTimeout == nil || *asked.VisibilityTimeout != 1 {
			s.t.Errorf("messages that are looked at are hidden for long: %s", body)
		}
		var messages []map[string]string
		for i, text := range s.letters[name] {
			messages = append(messages, map[string]string{"MessageId": fmt.Sprint(i), "Body": text})
		}
		answer["Messages"] = messages
	case "ListMessageMoveTasks":
		if strings.Contains(of, "schedule") {
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"__type":"com.amazonaws.sqs#InvalidParameterValue","message":"no dead-letter queue"}`)
			return
		}
		if n := s.moved[of]; n > 0 {
			answer["Results"] = []map[string]any{{"Status": "COMPLETED", "ApproximateNumberOfMessagesMoved": n, "ApproximateNumberOfMessagesToMove": n}}
		}
	case "StartMessageMoveTask":
		if asked.DestinationArn != "" {
			s.t.Errorf("moved to %s, not to where they came from", asked.DestinationArn)
		}
		s.moved[of] += len(s.letters[of])
		s.letters[of] = nil
		answer["TaskHandle"] = "task"
	default:
		s.deleted = true
	}
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	_ = json.NewEncoder(w).Encode(answer)
}

func (s *stand) run(line ...string) (string, error) {
	environment := map[string]string{
		"STACK": "trial", "AWS_REGION": "eu-central-1", "SQS_ENDPOINT": s.address, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b",
	}
	var out bytes.Buffer
	err := run(s.t.Context(), line, func(name string) string { return environment[name] }, &out)
	return out.String(), err
}

func TestDeadLettersAreListedShownAndMovedBack(t *testing.T) {
	s := newStand(t)
	listed, err := s.run("list")
	want := "grade-leaders          2 dead letters\nmirror-trades          0 dead letters\nschedule               1 dead letters\n"
	if err != nil || listed != want {
		t.Errorf("%q %v", listed, err)
	}
	if shown, err := s.run("show", "grade-leaders"); err != nil || shown != `{"pass":"p","part":7}`+"\n"+`{"pass":"p","part":9}`+"\n2 shown of 2\n" {
		t.Errorf("%q %v", shown, err)
	}
	if len(s.letters["trial-grade-leaders-dead-letters"]) != 2 || s.deleted {
		t.Error("looking at dead letters changed them")
	}
	if said, err := s.run("redrive", "grade-leaders"); err != nil || !strings.Contains(said, "about 2 dead letters of grade-leaders are being moved back") {
		t.Errorf("%q %v", said, err)
	}
	if s.moved["trial-grade-leaders-dead-letters"] != 2 || len(s.moved) != 1 {
		t.Errorf("moved %v", s.moved)
	}
	if listed, err := s.run("list"); err != nil || !strings.Contains(listed, "grade-leaders          0 dead letters, last moved back: 2 of 2, completed\n") {
		t.Errorf("%q %v", listed, err)
	}
	if said, err := s.run("redrive", "mirror-trades"); err != nil || said != "mirror-trades has no dead letters\n" || len(s.moved) != 1 {
		t.Errorf("%q %v %v", said, err, s.moved)
	}
}

func TestWhatCannotBeMovedIsSaid(t *testing.T) {
	for want, line := range map[string][]string{
		"want: list, show QUEUE or redrive QUEUE": {}, "with a job's name": {"redrive"}, "came from no queue": {"redrive", "schedule"},
		"QUEUE=nobody: want one of grade-leaders, mirror-trades, schedule": {"redrive", "nobody"},
	} {
		s := newStand(t)
		if _, err := s.run(line...); err == nil || !strings.Contains(err.Error(), want) || len(s.moved) > 0 {
			t.Errorf("%v: %v, want %q", line, err, want)
		}
	}
	s := newStand(t)
	s.fails = "StartMessageMoveTask"
	if said, err := s.run("redrive", "grade-leaders"); err == nil || said != "" {
		t.Errorf("%q %v", said, err)
	}
	s.letters = nil
	if _, err := s.run("list"); err == nil || !strings.Contains(err.Error(), `begin with "trial-"`) {
		t.Error(err)
	}
	if err := run(t.Context(), []string{"list"}, func(string) string { return "" }, io.Discard); err == nil || !strings.Contains(err.Error(), "AWS_REGION") {
		t.Error(err)
	}
}

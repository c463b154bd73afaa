package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	hostjobs "github.com/mirrorworthy/mirrorworthy/shared/host/jobs"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
)

// What the functions' own client of SQS sends is in the queue, whole and in order.
func TestFunctionsReachTheQueues(t *testing.T) {
	q := newQueues([]consumer{work}, discardLog())
	server := httptest.NewServer(&queueService{q, discardLog()})
	defer server.Close()
	config := host.Config{SQSEndpoint: server.URL, Region: localRegion, Queues: map[string]string{"f": server.URL + "/1/f", "g": server.URL + "/1/g"}}
	client := hostjobs.OpenQueue(config, func(string) string { return "local" }, discardLog())
	var messages []job.Message
	for i := range 25 {
		messages = append(messages, job.Message{Body: json.RawMessage(fmt.Sprintf(`{"part":%d,"text":"<ü>"}`, i))})
	}
	if err := client.Send(t.Context(), "f", messages...); err != nil {
		t.Fatal(err)
	}
	got := q.byName["f"].waiting
	for i, m := range got {
		if m.body != string(messages[i].Body) {
			t.Errorf("message %d is %s", i, m.body)
		}
	}
	if len(got) != len(messages) || q.left() != len(messages) {
		t.Errorf("%d messages of %d", len(got), len(messages))
	}
	if err := client.Send(t.Context(), "g", messages[0]); err == nil || !strings.Contains(err.Error(), "QueueDoesNotExist") {
		t.Errorf("a queue that there is not: %v", err)
	}
}

// ask sends a request of SQS's protocol.
func (s *queueService) ask(operation, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	request.Header.Set("X-Amz-Target", "AmazonSQS."+operation)
	answer := httptest.NewRecorder()
	s.ServeHTTP(answer, request)
	return answer
}

func TestWrongRequestsToQueuesAreRefused(t *testing.T) {
	q := newQueues([]consumer{work}, discardLog())
	s := &queueService{q, discardLog()}
	many := strings.Repeat(`{"Id":"a","MessageBody":"x"},`, 10)
	for want, request := range map[string][2]string{
		"InvalidMessageContents":       {"SendMessageBatch", `{`},
		"EmptyBatchRequest":            {"SendMessageBatch", `{"QueueUrl":"http://x/1/f"}`},
		"TooManyEntriesInBatchRequest": {"SendMessageBatch", `{"QueueUrl":"http://x/1/f","Entries":[` + many + `{"Id":"b","MessageBody":"x"}]}`},
		"BatchEntryIdsNotDistinct":     {"SendMessageBatch", `{"QueueUrl":"http://x/1/f","Entries":[{"Id":"a"},{"Id":"a"}]}`},
		"BatchRequestTooLong":          {"SendMessageBatch", `{"QueueUrl":"http://x/1/f","Entries":[{"Id":"a","MessageBody":"` + strings.Repeat("x", maximumBatchBytes+1) + `"}]}`},
		"QueueDoesNotExist":            {"SendMessageBatch", `{"QueueUrl":"http://x/1/h","Entries":[{"Id":"a"}]}`},
		"UnsupportedOperation":         {"PurgeQueue", `{"QueueUrl":"http://x/1/f","Entries":[{"Id":"a"}]}`},
	} {
		if got := s.ask(request[0], request[1]); got.Code != http.StatusBadRequest || !strings.Contains(got.Body.String(), "com.amazonaws.sqs#"+want) {
			t.Errorf("%s: %d %s", want, got.Code, got.Body)
		}
	}
	if q.left() != 0 {
		t.Errorf("%d messages", q.left())
	}
}

// A function says when what failed is to come again; what it does not say the queues choose.
func TestFailedMessagesComeAgainWhenTheFunctionSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := work
		c.Batch, c.Concurrency, c.Receives, c.Partial = 1, 1, 3, true
		q := newQueues([]consumer{c}, discardLog())
		s := &queueService{q, discardLog()}
		begin := time.Now()
		var came []time.Duration
		var stale string
		stop := q.run(t.Context(), map[string]job.Function{"f": func(_ context.Context, payload json.RawMessage) (json.RawMessage, error) {
			came = append(came, time.Since(begin))
			var batch struct {
				Records []struct{ MessageID, ReceiptHandle string }
			}
			if err := json.Unmarshal(payload, &batch); err != nil {
				return nil, err
			}
			hide := func(handle string, seconds int) string {
				return s.ask("ChangeMessageVisibilityBatch", fmt.Sprintf(`{"QueueUrl":"http://x/1/f","Entries":[{"Id":"a","ReceiptHandle":%q,"VisibilityTimeout":%d}]}`, handle, seconds)).Body.String()
			}
			one := batch.Records[0]
			if len(came) == 1 {
				stale = one.ReceiptHandle
				for _, wrong := range []string{hide(one.ReceiptHandle, -1), hide(one.ReceiptHandle, 43_201), hide("other", 30)} {
					if !strings.Contains(wrong, `"SenderFault":true`) {
						t.Errorf("answer %s", wrong)
					}
				}
				if taken := hide(one.ReceiptHandle, 300); !strings.Contains(taken, `"Successful":[{"Id":"a"}]`) {
					t.Errorf("answer %s", taken)
				}
			} else if late := hide(stale, 600); !strings.Contains(late, "ReceiptHandleIsInvalid") {
				t.Errorf("a delivery that is over: %s", late)
			}
			return json.RawMessage(fmt.Sprintf(`{"batchItemFailures":[{"itemIdentifier":%q}]}`, one.MessageID)), nil
		}})
		defer stop()
		if err := q.Send(t.Context(), "f", job.Message{Body: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
		if err := q.idle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := []time.Duration{0, 300 * time.Second, 300*time.Second + pause(2)}; fmt.Sprint(came) != fmt.Sprint(want) {
			t.Errorf("came at %v, want %v", came, want)
		}
	})
}

package webhook

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// testTimeout bounds the attempt of a test, so that its outcome can be told within the time of a request.
const testTimeout = 3 * time.Second

// testData is the data of a webhook.test event.
const testData = `{"message":"This is a test. Nothing happened."}`

// TestAnswer tells what became of a test.
type TestAnswer struct {
	// Delivered is true when the receiver answered with a status of success.
	Delivered bool `json:"delivered"`
	// Status is the HTTP status that the receiver answered with; null for no answer.
	Status *int `json:"status"`
	// DurationMs is how long that took, in milliseconds.
	DurationMs int64 `json:"durationMs"`
	// Reason says in a sentence what happened.
	Reason string `json:"reason"`
}

// test sends one event that nobody said. A disabled webhook is tried too: to find out whether it works again is what a test is for.
func (s Service) test(ctx context.Context, r *endpoint.Request) (TestAnswer, error) {
	w, err := s.existing(ctx, r.Partner)
	if err != nil {
		return TestAnswer{}, err
	}
	name := make([]byte, 16)
	if _, err := io.ReadFull(s.Random, name); err != nil {
		return TestAnswer{}, fmt.Errorf("the name of a test: %w", err)
	}
	at := s.Clock().UTC()
	event := store.Event{ID: "evt_" + hex.EncodeToString(name), Type: testType, Partner: r.Partner, At: at, Data: jsontext.Value(testData)}
	payload, err := encode(event)
	if err != nil {
		return TestAnswer{}, err
	}
	secrets, err := s.open(w, at)
	if err != nil {
		return TestAnswer{}, err
	}
	o := s.Sender.send(ctx, message{id: messageID(event.ID), url: w.URL, payload: payload, secrets: secrets}, testTimeout)
	if o.ours && ctx.Err() != nil {
		return TestAnswer{}, fmt.Errorf("a test: %w", ctx.Err())
	}
	answer := TestAnswer{Delivered: o.delivered, DurationMs: o.took.Milliseconds(), Reason: o.reason}
	if o.status != 0 {
		answer.Status = &o.status
	}
	if o.late {
		answer.Reason += fmt.Sprintf(" Events are given %d.", int(sendTimeout.Seconds()))
	}
	return answer, nil
}

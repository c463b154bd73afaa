package agent

import (
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/digest"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Types of events that partners are told of.
const (
	EventActivated         = "agent.activated"
	EventPaused            = "agent.paused"
	EventResumed           = "agent.resumed"
	EventSessionExpiring   = "agent.session_expiring"
	EventExpired           = "agent.expired"
	EventStopped           = "agent.stopped"
	EventExecutionExecuted = "execution.executed"
	EventExecutionPartial  = "execution.partial"
	EventExecutionSkipped  = "execution.skipped"
	EventExecutionFailed   = "execution.failed"
)

// NewEvent makes an event for a partner. Its ID is made of its type and its names alone, so that the same thing said twice is one
// event: the names tell it from every other of its type.
func NewEvent(partner, kind string, at time.Time, data any, names ...string) (store.Event, error) {
	encoded, err := json.Marshal(data, json.Deterministic(true))
	if err != nil {
		return store.Event{}, fmt.Errorf("event %s: %w", kind, err)
	}
	return store.Event{ID: "evt_" + digest.Of(append([]string{kind, partner}, names...)...)[:32], Type: kind, Partner: partner, At: at, Data: encoded}, nil
}

// event tells of a change that the agent's version stands for.
func (a *Agent) event(kind string, at time.Time) (store.Event, error) {
	return NewEvent(a.Partner, kind, at, a.answer(), a.ID, strconv.FormatInt(a.Version, 10))
}

// expiryEvent tells that credentials lapse; it is the same however often it is said for the same credentials and the same notice.
func (a *Agent) expiryEvent(kind string, notice time.Duration, at time.Time) (store.Event, error) {
	return NewEvent(a.Partner, kind, at, a.answer(), a.ID, a.CredentialsExpireAt.UTC().Format(time.RFC3339Nano), notice.String())
}

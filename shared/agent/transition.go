package agent

import (
	"errors"
	"fmt"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/activation"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Why an agent cannot go where it is sent.
var (
	// ErrState: not from the state that it is in.
	ErrState = errors.New("the agent is in another state")
	// ErrExpired: its credentials have lapsed, and only activation brings it back.
	ErrExpired = errors.New("the agent has expired")
)

// notices are how long before its credentials lapse the owner of an agent is warned, the earliest first.
var notices = [...]time.Duration{72 * time.Hour, 24 * time.Hour}

// dueAt is when somebody must look at the agent: to warn its owner, or to let it expire. Zero for never.
func (a *Agent) dueAt() time.Time {
	if !a.Follows() || a.CredentialsExpireAt.IsZero() {
		return time.Time{}
	}
	for _, notice := range notices {
		if a.Warned == 0 || notice < a.Warned {
			return a.CredentialsExpireAt.Add(-notice)
		}
	}
	return a.CredentialsExpireAt
}

// lapsed tells whether the agent's credentials no longer hold.
func (a *Agent) lapsed(at time.Time) bool {
	return !a.CredentialsExpireAt.IsZero() && !at.Before(a.CredentialsExpireAt)
}

// change is an agent as it is to be kept, and what is said of it.
type change struct {
	agent  Agent
	events []store.Event
}

// moved is the change to a status, with an event that tells of it.
func (a *Agent) moved(to Status, kind string, at time.Time) (change, error) {
	next := *a
	next.Status, next.ChangedAt = to, at
	next.Version++
	said, err := next.event(kind, at)
	return change{next, []store.Event{said}}, err
}

// pause has an active agent open nothing more; it still mirrors the leader's closes.
func (a *Agent) pause(at time.Time) (change, error) {
	switch {
	case a.Status == Expired || a.Follows() && a.lapsed(at):
		return change{}, ErrExpired
	case a.Status != Active:
		return change{}, ErrState
	}
	return a.moved(Paused, EventPaused, at)
}

// resume has a paused agent open copies again.
func (a *Agent) resume(at time.Time) (change, error) {
	switch {
	case a.Status == Expired || a.Follows() && a.lapsed(at):
		return change{}, ErrExpired
	case a.Status != Paused:
		return change{}, ErrState
	}
	return a.moved(Active, EventResumed, at)
}

// stop ends an agent for good.
func (a *Agent) stop(at time.Time) (change, error) {
	if a.Status == Stopped {
		return change{}, ErrState
	}
	return a.moved(Stopped, EventStopped, at)
}

// begin opens a new activation: only an agent that waits for its first, or one that has expired, can be activated.
func (a *Agent) begin(progress activation.Progress, at time.Time) (change, error) {
	if !a.activatable(at) {
		return change{}, ErrState
	}
	next := *a
	next.Activation, next.ChangedAt = progress, at
	next.Version++
	return change{agent: next}, nil
}

// activatable tells whether steps can be done for the agent.
func (a *Agent) activatable(at time.Time) bool {
	return a.Status == PendingActivation || a.Status == Expired || a.Follows() && a.lapsed(at)
}

// advance keeps the steps of a round that were done, and activates the agent when none is left.
func (a *Agent) advance(progress activation.Progress, complete bool, at time.Time) (change, error) {
	if !a.activatable(at) {
		return change{}, ErrState
	}
	if !complete {
		return a.begin(progress, at)
	}
	if !progress.CredentialsExpireAt.After(at) {
		return change{}, fmt.Errorf("%w: what was signed holds no longer", ErrState)
	}
	activated := *a
	activated.Activation, activated.ActivatedAt = progress, at
	activated.CredentialsExpireAt, activated.Warned = progress.CredentialsExpireAt, 0
	return activated.moved(Active, EventActivated, at)
}

// expire lets an agent whose credentials have lapsed expire.
func (a *Agent) expire(at time.Time) (change, error) {
	if !a.Follows() || !a.lapsed(at) {
		return change{}, ErrState
	}
	next := *a
	next.Status, next.ChangedAt = Expired, at
	next.Version++
	said, err := next.expiryEvent(EventExpired, 0, at)
	return change{next, []store.Event{said}}, err
}

// warn tells the owner of an agent that its credentials lapse, once for each notice that is due; of several that are, the latest is
// enough.
func (a *Agent) warn(at time.Time) (change, error) {
	if !a.Follows() || a.lapsed(at) {
		return change{}, ErrState
	}
	var due time.Duration
	for _, notice := range notices {
		if (a.Warned == 0 || notice < a.Warned) && !at.Before(a.CredentialsExpireAt.Add(-notice)) {
			due = notice
		}
	}
	if due == 0 {
		return change{}, ErrState
	}
	next := *a
	next.Warned, next.ChangedAt = due, at
	next.Version++
	said, err := next.expiryEvent(EventSessionExpiring, due, at)
	return change{next, []store.Event{said}}, err
}

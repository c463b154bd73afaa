package webhook

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// tooMuchStrain is when a receiver is left alone for the rest of a run: after so many failures with no success among them, of which
	// one without an answer in time counts as lateStrain, because it holds up everybody else.
	tooMuchStrain, lateStrain = 16, 4
	// A receiver that is left alone is tried again after restShare of the time that it has been failing for, at least shortestRest and
	// at most longestRest: what waits for it is read and written the less often the longer it fails.
	restShare, shortestRest, longestRest = 0.25, time.Minute, time.Hour
	// ownFaultRest is how long a delivery waits that cannot be made because of something on our side.
	ownFaultRest = 5 * time.Minute
)

// strain is how a receiver does in a run.
type strain struct {
	mu sync.Mutex
	// sum is of the failures since the last success.
	sum int
	// restUntil is until when the receiver wants to be left alone; zero for not.
	restUntil time.Time
}

// add notes what became of an attempt.
func (s *strain) add(o outcome, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case o.delivered:
		s.sum = 0
	case o.late:
		s.sum += lateStrain
	case !o.ours:
		s.sum++
	}
	if until := at.Add(o.retryAfter); o.retryAfter > 0 && until.After(s.restUntil) {
		s.restUntil = until
	}
}

// rest is until when the receiver is to be left alone; zero for not at all.
func (s *strain) rest(at, failingSince time.Time) time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	until := s.restUntil
	if s.sum >= tooMuchStrain {
		failing := time.Duration(0)
		if !failingSince.IsZero() {
			failing = at.Sub(failingSince)
		}
		rested := at.Add(min(max(time.Duration(restShare*float64(failing)), shortestRest), longestRest))
		if rested.After(until) {
			until = rested
		}
	}
	if !until.After(at) {
		return time.Time{}
	}
	return until
}

// receiver is where one partner's deliveries of a batch go.
type receiver struct {
	*run
	*registration
	strain  *strain
	secrets [][]byte

	mu sync.Mutex
	// gone says that the webhook was disabled because the receiver is gone. failed is when it failed first, zero for not; reached says
	// that something was delivered.
	gone, reached bool
	failed        time.Time
}

// serve works on the deliveries to one partner.
func (r *run) serve(partner string, deliveries []store.Delivery, known *strain) error {
	w, err := r.read(r.work, partner)
	if r.work.Err() != nil {
		return nil
	}
	var secrets [][]byte
	if err == nil {
		secrets, err = r.open(w, r.Clock())
	}
	if err != nil {
		return errors.Join(err, r.putOff(deliveries))
	}
	to := &receiver{run: r, registration: w, strain: known, secrets: secrets}
	group := parallel.NewGroup()
	group.SetLimit(atOncePerReceiver)
	for _, delivery := range deliveries {
		group.Go(func() error { return to.handle(delivery) })
	}
	return errors.Join(group.Wait(), to.settle())
}

// putOff leaves deliveries for later that cannot be made because of something on our side, so that they are not in the way of others.
func (r *run) putOff(deliveries []store.Delivery) error {
	for _, delivery := range deliveries {
		if err := r.move(r.outbox.Postpone(r.ctx, delivery, delivery.Attempts, later(delivery, r.Clock().UTC().Add(ownFaultRest)))); err != nil {
			return err
		}
	}
	return nil
}

// later is the time, or just after the delivery was due when a clock that was set back says an earlier one: a due time never goes back.
func later(delivery store.Delivery, at time.Time) time.Time {
	if at.After(delivery.DueAt) {
		return at
	}
	return delivery.DueAt.Add(time.Second)
}

// handle deals with one delivery: it is done, parked, put off or tried.
func (t *receiver) handle(delivery store.Delivery) error {
	switch {
	case t.work.Err() != nil:
		return nil
	case !t.wants(delivery.Event.Type):
		return t.move(t.outbox.Done(t.ctx, delivery))
	case t.Disabled != "" || delivery.Attempts >= len(steps()):
		return t.park(delivery)
	}
	if t.slots.Acquire(t.work, 1) != nil {
		return nil
	}
	defer t.slots.Release(1)
	at := t.Clock().UTC()
	if t.isGone() {
		return t.park(delivery)
	}
	if until := t.strain.rest(at, t.FailingSince); !until.IsZero() {
		return t.move(t.outbox.Postpone(t.ctx, delivery, delivery.Attempts, later(delivery, until)))
	}
	return t.try(delivery, at)
}

// try makes one attempt at a delivery.
func (t *receiver) try(delivery store.Delivery, at time.Time) error {
	payload, err := encode(delivery.Event)
	if err != nil {
		// No attempt can ever be made. It is kept where somebody finds it.
		t.Log.Error("an event cannot be sent", slog.String("partner", t.partner), slog.String("delivery", delivery.ID), slog.Any("error", err))
		return t.park(delivery)
	}
	tried := delivery
	tried.Attempts++
	tried.DueAt = later(delivery, at.Add(nextAttempt(tried.Attempts, t.Jitter())))
	if err := t.outbox.Postpone(t.ctx, delivery, tried.Attempts, tried.DueAt); err != nil {
		return t.move(err)
	}
	t.moved.Add(1)
	o := t.Sender.send(t.ctx, message{id: messageID(delivery.ID), url: t.URL, payload: payload, secrets: t.secrets}, sendTimeout)
	return t.conclude(tried, o)
}

// conclude writes down what became of an attempt. A failure is written already: the next attempt is due.
func (t *receiver) conclude(tried store.Delivery, o outcome) error {
	at := t.Clock().UTC()
	t.note(o, at)
	if o.delivered {
		if err := t.outbox.Done(t.ctx, tried); err != nil {
			return fmt.Errorf("delivery %s to %s is made: %w", tried.ID, t.partner, err)
		}
		t.delivered.Add(1)
		return nil
	}
	t.Log.Info("a webhook was not delivered", slog.String("partner", t.partner), slog.String("delivery", tried.ID),
		slog.Int("attempt", tried.Attempts), slog.Int("status", o.status), slog.String("reason", o.reason))
	if o.status == http.StatusGone {
		if disabled, err := t.disable(reasonGone, at); err != nil {
			return err
		} else if disabled {
			return t.park(tried)
		}
	}
	if tried.Attempts >= len(steps()) {
		return t.park(tried)
	}
	if until := at.Add(o.retryAfter); o.retryAfter > 0 && until.After(tried.DueAt) {
		return t.move(t.outbox.Postpone(t.ctx, tried, tried.Attempts, until))
	}
	return nil
}

// park gives a delivery up.
func (t *receiver) park(delivery store.Delivery) error {
	t.Log.Warn("a webhook is parked", slog.String("partner", t.partner), slog.String("delivery", delivery.ID), slog.Int("attempts", delivery.Attempts))
	return t.move(t.outbox.Park(t.ctx, delivery))
}

// note keeps in mind what became of an attempt.
func (t *receiver) note(o outcome, at time.Time) {
	t.strain.add(o, at)
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case o.delivered:
		t.reached = true
	case !o.ours && t.failed.IsZero():
		t.failed = at
	}
}

func (t *receiver) isGone() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.gone
}

// disable has nothing sent to the receiver anymore. It is not disabled when its partner changed the webhook meanwhile, because what failed
// was not what is there now.
func (t *receiver) disable(reason string, at time.Time) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return true, nil
	}
	written, err := t.amend(at, func(k *kept) {
		k.Disabled = reason
		if k.FailingSince.IsZero() {
			k.FailingSince = t.failed
		}
	})
	if written {
		t.gone = true
		t.Log.Warn("a webhook is disabled", slog.String("partner", t.partner), slog.String("reason", reason))
	}
	return written, err
}

// settle keeps since when the receiver fails, once for all the attempts of a batch, and disables the webhook when that is too long.
func (t *receiver) settle() error {
	if t.gone || t.Disabled != "" {
		return nil
	}
	var err error
	at := t.Clock().UTC()
	switch {
	case t.reached:
		if !t.FailingSince.IsZero() {
			_, err = t.amend(at, func(k *kept) { k.FailingSince = time.Time{} })
		}
	case t.failed.IsZero():
	case t.FailingSince.IsZero():
		_, err = t.amend(at, func(k *kept) { k.FailingSince = t.failed })
	case t.failed.Sub(t.FailingSince) >= failingLife:
		_, err = t.disable(reasonFailing, at)
	}
	return err
}

// amend changes the registration as it was read. It changes nothing when somebody else did so meanwhile.
func (t *receiver) amend(at time.Time, change func(*kept)) (bool, error) {
	amended := *t.registration
	change(&amended.kept)
	err := t.write(t.ctx, &amended, at)
	if errors.Is(err, store.ErrConflict) {
		return false, nil
	}
	return err == nil, err
}

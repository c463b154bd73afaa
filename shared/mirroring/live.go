package mirroring

import (
	"context"
	"errors"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// ErrRefused is wrapped by an executor's errors that mean for certain that nothing was traded and nothing will be. Its text goes into
// the execution's reason.
var ErrRefused = errors.New("the venue refused the order")

// Executor trades at a venue.
type Executor interface {
	// Submit sends an order once and says what was filled. An error that wraps ErrRefused means that nothing was; any other means that
	// nobody knows.
	Submit(ctx context.Context, order Order) (Fill, error)
	// Find looks an order up by its client ID. found is false where the venue knows no such order.
	Find(ctx context.Context, order Order) (fill Fill, found bool, err error)
}

// lostAfter is how long after an order was sent the venue must know it.
const lostAfter = 2 * time.Minute

// live sends an order: written down, written down as sent, sent, and written down as what came of it.
func (t *turn) live(ctx context.Context, k *kept) error {
	executor := t.executors[t.agent.Venue]
	if executor == nil {
		k.failed("Orders cannot be sent to " + string(t.agent.Venue) + " yet; nothing was traded.")
		return t.add(ctx, k)
	}
	t.account.UnderWay = append(t.account.UnderWay, underWay{k.Answer.ExecutionID, k.Order.Cost})
	if err := t.add(ctx, k); err != nil {
		return err
	}
	if err := t.flush(ctx); err != nil {
		return err
	}
	return t.send(ctx, executor, k)
}

// send sends an order that is written down as detected, which nobody has sent. Whoever writes down first that it is sent sends it.
func (t *turn) send(ctx context.Context, executor Executor, k *kept) error {
	if why, err := t.forbiddenNow(ctx, k); err != nil {
		return err
	} else if why != "" {
		reason := "The agent was paused before the order was sent."
		if why == AgentExpired {
			reason = "The agent's credentials lapsed before the order was sent."
		}
		t.account.release(k.Answer.ExecutionID)
		k.skipped(why, reason)
		if err := t.add(ctx, k); err != nil {
			return err
		}
		return t.flush(ctx)
	}
	// Whoever is held up after writing down that the order is sent must not send it once others take it for lost.
	sending, cancel := context.WithTimeout(ctx, lostAfter/2)
	defer cancel()
	at := t.clock().UTC()
	k.Answer.Status, k.SubmittedAt, k.Answer.SubmittedAt = Submitted, at, textOf(at)
	if err := t.add(ctx, k); err != nil {
		return err
	}
	if err := t.flush(ctx); err != nil {
		return err
	}
	fill, err := executor.Submit(sending, *k.Order)
	switch {
	case errors.Is(err, ErrRefused):
		return t.refused(ctx, k, err)
	case err != nil:
		return errWait
	}
	return t.done(ctx, k, &fill)
}

// forbiddenNow tells whether the owner has taken back meanwhile what an order rests on.
func (t *turn) forbiddenNow(ctx context.Context, k *kept) (SkipReason, error) {
	record, err := t.memory.Agents.Agent(ctx, t.agent.Key())
	if err != nil {
		return "", err
	}
	switch status := agent.Status(record.Status); {
	case status == agent.Expired:
		return AgentExpired, nil
	case k.Order.Leg == Open && status != agent.Active:
		return AgentPaused, nil
	case status == agent.Stopped:
		return AgentPaused, nil
	}
	return "", nil
}

// done writes down what an order came to.
func (t *turn) done(ctx context.Context, k *kept, fill *Fill) error {
	t.account.release(k.Answer.ExecutionID)
	if !(fill.Quantity > 0) {
		if fill.Why == "" {
			fill.Why = "Nothing was filled within the limit."
		}
		if fill.Skip != "" {
			k.skipped(fill.Skip, fill.Why)
		} else {
			k.failed(fill.Why)
		}
		if c := t.account.copyOf(k.Order.Asset.Key); c != nil && k.Order.Leg == Close {
			c.Owed = max(c.Owed, k.Order.Part)
		}
	} else {
		// No fill costs more than was reserved for it: its quantity was made for the worst price.
		fill.Cost = min(fill.Cost, k.Order.Cost)
		k.filled(fill, t.settle(k.Order, fill))
	}
	if err := t.add(ctx, k); err != nil {
		return err
	}
	return t.flush(ctx)
}

func (t *turn) refused(ctx context.Context, k *kept, why error) error {
	return t.done(ctx, k, &Fill{At: t.clock().UTC(), Why: "The venue refused the order: " + plainReason(why)})
}

// plainReason is an executor's reason as it can be shown: letters, digits and plain punctuation, cut short.
func plainReason(err error) string {
	const most = 160
	text := make([]rune, 0, most)
	for _, r := range err.Error() {
		if len(text) == most {
			break
		}
		if r >= ' ' && r <= '~' && r != '<' && r != '>' {
			text = append(text, r)
		}
	}
	return string(text) + "."
}

// resume goes on with the orders that an earlier pass left under way: those written down as sent are looked up, those that nobody sent are
// sent.
func (t *turn) resume(ctx context.Context) error {
	for _, u := range append([]underWay(nil), t.account.UnderWay...) {
		row, err := t.memory.Executions.Execution(ctx, t.agent.Key(), u.Execution)
		if err != nil {
			return err
		}
		k, err := readKept(&row)
		if err != nil {
			return err
		}
		executor := t.executors[t.agent.Venue]
		switch {
		case executor == nil:
			return errWait
		case k.Answer.Status == Detected:
			err = t.send(ctx, executor, k)
		case k.Answer.Status == Submitted:
			err = t.lookUp(ctx, executor, k)
		default: // another worker was faster, and this book is old
			return store.ErrConflict
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// lookUp asks the venue what became of an order. One that it does not know some time after it was sent never reached it.
func (t *turn) lookUp(ctx context.Context, executor Executor, k *kept) error {
	fill, found, err := executor.Find(ctx, *k.Order)
	switch {
	case err != nil:
		return errWait
	case found:
		return t.done(ctx, k, &fill)
	case t.clock().Sub(k.SubmittedAt) < lostAfter:
		return errWait
	}
	return t.done(ctx, k, &Fill{At: t.clock().UTC(), Why: "The order never reached the venue; nothing was traded."})
}

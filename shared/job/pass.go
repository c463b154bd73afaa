package job

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// SpreadHandler runs a spread job for each event of its schedule and each batch of messages of its queue. Clock tells the time that
// the work is done as of.
//
// Whatever is killed between two steps is taken up by the next delivery of the same event or message: a pass that has begun keeps
// what it planned, a part counts once it is complete, and a pass is finished only after it was concluded and the jobs after it were
// woken.
func SpreadHandler(s Spread, passes store.Passes, queue Queue, clock func() time.Time, log *slog.Logger) Function {
	r := &spreadRun{Spread: s, passes: passes, queue: queue, clock: clock, log: log.With("job", s.Name)}
	return func(ctx context.Context, payload json.RawMessage) (json.RawMessage, error) {
		messages, err := readMessages(payload)
		if err == nil && len(messages) > 0 {
			return r.receive(ctx, messages)
		}
		var event Event
		if err == nil {
			event, err = ReadEvent(payload)
		}
		if err != nil {
			r.log.Error("job refused", "error", err)
			return nil, err
		}
		if err := whole(func() error { return r.begin(ctx, event) }); err != nil {
			r.log.Error("job failed", "event", event.ID, "error", err)
			return nil, fmt.Errorf("%s: %w", s.Name, err)
		}
		return nil, nil
	}
}

// Unfinished is the event that began a job's latest pass, when that pass is neither finished nor so old that another can begin:
// delivered again, it has everything sent that is missing. It is for a queue that forgot its messages; ok is false when there is
// nothing to go on with.
func Unfinished(ctx context.Context, s Spread, passes store.Passes, at time.Time) (event Event, ok bool, err error) {
	latest, err := passes.Latest(ctx, s.Name)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return Event{}, false, nil
	case err != nil:
		return Event{}, false, err
	case !latest.FinishedAt.IsZero() || at.Sub(latest.At) >= s.Gap:
		return Event{}, false, nil
	}
	return Event{ID: latest.ID, Due: latest.At}, true, nil
}

// spreadRun is a spread job with what it runs on.
type spreadRun struct {
	Spread
	passes store.Passes
	queue  Queue
	clock  func() time.Time
	log    *slog.Logger
}

// receive does what each message asks for, and names those that failed.
func (r *spreadRun) receive(ctx context.Context, messages []wireMessage) (json.RawMessage, error) {
	answer := wireFailures{Failures: []wireFailure{}}
	for _, message := range messages {
		if err := whole(func() error { return r.do(ctx, []byte(message.Body)) }); err != nil {
			r.log.Error("message failed", "message", message.ID, "received", message.Attributes.Received, "body", message.Body, "error", err)
			answer.Failures = append(answer.Failures, wireFailure{ID: message.ID})
		}
	}
	return json.Marshal(answer)
}

// do does what one message asks for.
func (r *spreadRun) do(ctx context.Context, body []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	asked, err := readTask(body)
	switch {
	case err != nil:
		return err
	case asked.wake != nil:
		return r.begin(ctx, *asked.wake)
	}
	pass, err := r.passes.Latest(ctx, r.Name)
	if errors.Is(err, store.ErrNotFound) || err == nil && pass.ID != asked.pass {
		r.dropped(asked)
		return nil
	}
	if err != nil {
		return err
	}
	return r.part(ctx, pass, asked)
}

// part does a part of the latest pass, unless it is done.
func (r *spreadRun) part(ctx context.Context, pass store.Pass, asked task) error {
	if asked.part >= pass.Parts {
		return fmt.Errorf("part %d of a pass of %d", asked.part, pass.Parts)
	}
	at := r.clock().UTC()
	if slices.Contains(pass.Done, asked.part) {
		r.log.Info("part was done before", "pass", pass.ID, "part", asked.part)
	} else {
		report, err := r.Part(ctx, at, pass, asked.part)
		items, failed := r.tell(report)
		if err != nil {
			return fmt.Errorf("part %d: %w", asked.part, err)
		}
		pass, err = r.passes.CompletePart(ctx, r.Name, pass.ID, asked.part, items, failed)
		if errors.Is(err, store.ErrConflict) {
			r.dropped(asked)
			return nil
		}
		if err != nil {
			return fmt.Errorf("part %d: %w", asked.part, err)
		}
		level := slog.LevelDebug
		if isTold(len(pass.Done), pass.Parts) {
			level = slog.LevelInfo
		}
		r.log.Log(ctx, level, "part done", "pass", pass.ID, "part", asked.part, "done", len(pass.Done), "parts", pass.Parts,
			"left", pass.Parts-len(pass.Done), r.counts(), pass.Items, "failed", pass.Failed)
	}
	if pass.Complete() && pass.FinishedAt.IsZero() {
		return r.conclude(ctx, pass)
	}
	return nil
}

// begin does what a schedule asks for: it begins a pass, or goes on with the one that this event began.
func (r *spreadRun) begin(ctx context.Context, event Event) error {
	at := r.clock().UTC()
	r.log.Info("job started", "event", event.ID, "due", event.Due, "late", at.Sub(event.Due).Round(time.Second).String())
	latest, err := r.passes.Latest(ctx, r.Name)
	switch {
	case errors.Is(err, store.ErrNotFound):
	case err != nil:
		return err
	case latest.ID == event.ID:
		return r.goOn(ctx, latest)
	case event.Due.Before(latest.At) || at.Sub(latest.At) < r.Gap:
		// A pass that began after the event was due is all that the event could ask for.
		r.log.Info("nothing to begin", "event", event.ID, "pass", latest.ID, "began", latest.At, "left", latest.Parts-len(latest.Done))
		return nil
	case latest.FinishedAt.IsZero():
		// What the old pass lacks must not keep the next one from beginning.
		if err := r.conclude(ctx, latest); err != nil {
			r.log.Error("an unfinished pass was not concluded", "pass", latest.ID, "error", err)
		}
	}
	plan, err := r.Plan(ctx, at)
	if err != nil {
		return fmt.Errorf("plan: %w", err)
	}
	if plan.Parts == 0 {
		r.log.Info("nothing to do", "event", event.ID)
		return nil
	}
	current, begun, err := r.passes.Begin(ctx, store.Pass{Job: r.Name, ID: event.ID, At: at, Parts: plan.Parts, Data: plan.Data}, r.Gap)
	switch {
	case err != nil:
		return err
	case current.ID != event.ID:
		r.log.Info("another pass has begun", "event", event.ID, "pass", current.ID)
		return nil
	case begun:
		r.log.Info("pass began", "pass", current.ID, "parts", current.Parts)
	}
	return r.goOn(ctx, current)
}

// goOn sends a message for every part that is missing.
func (r *spreadRun) goOn(ctx context.Context, pass store.Pass) error {
	missing := missingParts(pass)
	if len(missing) == 0 {
		if pass.FinishedAt.IsZero() {
			return r.conclude(ctx, pass)
		}
		return nil
	}
	messages := make([]Message, len(missing))
	for i, part := range missing {
		var err error
		if messages[i], err = partMessage(pass.ID, part); err != nil {
			return err
		}
	}
	return r.queue.Send(ctx, r.Name, messages...)
}

// conclude ends a pass. To be finished comes last: until then every delivery concludes it again. It is done as of its own beginning,
// so that of several the later one knows all that the earlier one did, and what it makes of that is newer.
func (r *spreadRun) conclude(ctx context.Context, pass store.Pass) error {
	at := r.clock().UTC()
	if missing := missingParts(pass); len(missing) > 0 {
		r.log.Warn("pass is concluded without some parts", "pass", pass.ID, "began", pass.At, "parts", pass.Parts, "missing", len(missing), "among", missing[:min(len(missing), 20)])
	}
	report, err := r.Conclude(ctx, at, pass)
	r.tell(report)
	if err := errors.Join(err, report.Failed()); err != nil {
		return fmt.Errorf("conclude: %w", err)
	}
	for _, next := range r.Then {
		body, err := WriteEvent(Event{ID: pass.ID + "/" + next, Due: at})
		if err != nil {
			return err
		}
		if err := r.queue.Send(ctx, next, Message{Body: body}); err != nil {
			return fmt.Errorf("wake %s: %w", next, err)
		}
	}
	if err := r.passes.Finish(ctx, r.Name, pass.ID, at); err != nil && !errors.Is(err, store.ErrConflict) {
		return err
	}
	finished := r.clock().UTC()
	r.log.Info("job done", "pass", pass.ID, "parts", len(pass.Done), r.counts(), pass.Items, "failed", pass.Failed,
		"took", finished.Sub(pass.At).Round(time.Second).String())
	if r.Finished != nil {
		r.Finished(pass, finished)
	}
	return nil
}

// isTold tells whether the log says at its usual level that so many parts of all are done: with each tenth of a pass.
func isTold(done, of int) bool { return done*10/of > (done-1)*10/of }

// counts is the log's word for items.
func (r *spreadRun) counts() string { return cmp.Or(r.Counts, "items") }

// tell logs a report and adds it up.
func (r *spreadRun) tell(report Report) (items, failed int) {
	for _, part := range report {
		items += part.Items
		if part.Err != nil {
			failed++
			r.log.Warn("job part failed", "part", part.Name, "items", part.Items, "error", part.Err)
			continue
		}
		r.log.Debug("job part done", "part", part.Name, "items", part.Items, "skipped", part.Skipped)
	}
	return items, failed
}

// missingParts are the parts of a pass that are not done, in order.
func missingParts(pass store.Pass) []int {
	var missing []int
	done := pass.Done
	for part := range pass.Parts {
		if len(done) > 0 && done[0] == part {
			done = done[1:]
			continue
		}
		missing = append(missing, part)
	}
	return missing
}

// dropped says that a message came too late.
func (r *spreadRun) dropped(asked task) {
	r.log.Info("part of another pass dropped", "pass", asked.pass, "part", asked.part)
}

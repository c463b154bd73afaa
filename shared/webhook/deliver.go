package webhook

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	// deliverEvery is how long after a pass the next can begin; the schedule fires each minute.
	deliverEvery = 50 * time.Second
	// workFor is how long a part takes up deliveries at most. What is still due then is the next pass's.
	workFor = 45 * time.Second
	// finishFor is what a part needs to end what it began: an attempt, and to write down what became of it.
	finishFor = sendTimeout + 5*time.Second
	// atOnce bounds the attempts of a part that are under way, and atOncePerReceiver those to one receiver.
	atOnce, atOncePerReceiver = 16, 4
)

// DeliverJob is the name of the job that delivers.
const DeliverJob = "deliver-webhooks"

// Deliver is the job that works on the outbox, a part for each of its shards. It wants to run each minute, and its function more than
// a minute and 15 seconds of time.
//
// What goes to all is first made a delivery to each partner. An attempt begins by postponing the delivery to when the next is due, so
// that nobody else makes it too, and so that it is tried again if nothing is heard of this one. A delivery is done when the receiver has
// answered with 200 to 299. After its last attempt, or when the webhook is disabled, it is parked.
func Deliver(s Service, outbox store.Outbox) job.Spread {
	d := &deliverer{Service: s, outbox: outbox}
	return job.Spread{
		Name: DeliverJob, Counts: "delivered", Gap: deliverEvery, Plan: d.plan, Part: d.part,
		Conclude: func(context.Context, time.Time, store.Pass) (job.Report, error) { return nil, nil },
	}
}

type deliverer struct {
	Service
	outbox store.Outbox
}

// plan makes no pass while nothing is due. It looks at what has been due the longest in each shard, and says for how long.
func (d *deliverer) plan(ctx context.Context, at time.Time) (job.Plan, error) {
	var plan job.Plan
	var lag time.Duration
	for shard := range store.OutboxShards {
		due, err := d.outbox.Due(ctx, shard, at, 1)
		if err != nil {
			return job.Plan{}, fmt.Errorf("what is due: %w", err)
		}
		for i := range due {
			plan.Parts = store.OutboxShards
			lag = max(lag, at.Sub(due[i].DueAt))
		}
	}
	if d.Lag != nil {
		d.Lag(lag)
	}
	return plan, nil
}

// part works on a shard until nothing is due or the time is up.
func (d *deliverer) part(ctx context.Context, _ time.Time, _ store.Pass, shard int) (job.Report, error) {
	if shard < 0 || shard >= store.OutboxShards {
		return nil, fmt.Errorf("part %d of %d", shard, store.OutboxShards)
	}
	work, cancel := context.WithTimeout(ctx, workFor)
	defer cancel()
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		work, cancel = context.WithDeadline(work, deadline.Add(-finishFor))
		defer cancel()
	}
	r := &run{deliverer: d, ctx: ctx, work: work, slots: semaphore.NewWeighted(atOnce), strains: make(map[string]*strain)}
	err := r.shard(shard)
	return job.Report{{Name: fmt.Sprintf("shard %d", shard), Items: int(r.delivered.Load())}}, err
}

// run is one part at work.
type run struct {
	*deliverer
	// ctx is for what was begun; once work is over, nothing else begins.
	ctx, work context.Context
	slots     *semaphore.Weighted
	// strains are how the receivers do, by partner.
	strains map[string]*strain
	// everyone are all registrations; nil before something goes to all.
	everyone []*registration
	// moved counts what is not due anymore because of this run, delivered what was delivered.
	moved, delivered atomic.Int64
}

func (r *run) shard(shard int) error {
	for r.work.Err() == nil {
		due, err := r.outbox.Due(r.work, shard, r.Clock().UTC(), store.MaximumListed)
		if r.work.Err() != nil || err == nil && len(due) == 0 {
			return nil
		}
		if err != nil {
			return fmt.Errorf("what is due: %w", err)
		}
		before := r.moved.Load()
		if err := r.batch(due); err != nil {
			return err
		}
		if r.moved.Load() == before {
			return nil
		}
	}
	return nil
}

// batch works on deliveries: those to all first, then those to each partner, side by side. An error of one keeps none of the others.
func (r *run) batch(due []store.Delivery) error {
	var failed []error
	byPartner := make(map[string][]store.Delivery)
	for _, delivery := range due {
		if delivery.Partner != "" {
			byPartner[delivery.Partner] = append(byPartner[delivery.Partner], delivery)
		} else if r.work.Err() == nil {
			failed = append(failed, r.fanOut(delivery))
		}
	}
	group := parallel.NewGroup()
	failures := make(chan error, len(byPartner))
	for partner, deliveries := range byPartner {
		known := r.strains[partner]
		if known == nil {
			known = &strain{}
			r.strains[partner] = known
		}
		group.Go(func() error {
			failures <- r.serve(partner, deliveries, known)
			return nil
		})
	}
	failed = append(failed, group.Wait())
	close(failures)
	for err := range failures {
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

// fanOut makes of a delivery to all one to each partner that wants it. When it is cut short and done again, those that are there already
// are left as they are.
func (r *run) fanOut(delivery store.Delivery) error {
	if r.everyone == nil {
		all, err := r.registrations()
		if err != nil {
			return err
		}
		r.everyone = all
	}
	group := parallel.NewGroup()
	group.SetLimit(atOnce)
	for _, w := range r.everyone {
		if !w.wants(delivery.Event.Type) {
			continue
		}
		group.Go(func() error {
			own := delivery
			own.Partner, own.DueAt, own.Attempts = w.partner, r.Clock().UTC(), 0
			return r.outbox.Add(r.ctx, own)
		})
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("delivery %s to all: %w", delivery.ID, err)
	}
	return r.move(r.outbox.Done(r.ctx, delivery))
}

// registrations lists all partners' registrations. One that cannot be read counts as one that wants everything, so that it keeps nobody
// else from being told, and nothing is lost for its partner.
func (r *run) registrations() ([]*registration, error) {
	all, after := []*registration{}, ""
	for {
		page, err := r.Webhooks.List(r.ctx, after, store.MaximumListed)
		if err != nil {
			return nil, fmt.Errorf("all webhooks: %w", err)
		}
		for _, record := range page {
			after = record.Partner
			w, err := readRegistration(record)
			if err != nil {
				r.Log.Error("a webhook is unreadable", slog.String("partner", record.Partner), slog.Any("error", err))
				w = &registration{partner: record.Partner}
			}
			all = append(all, w)
		}
		if len(page) < store.MaximumListed {
			return all, nil
		}
	}
}

// move counts a delivery that is not due anymore. store.ErrConflict says that somebody else works on it, which is as good.
func (r *run) move(err error) error {
	if err != nil && !errors.Is(err, store.ErrConflict) {
		return err
	}
	r.moved.Add(1)
	return nil
}

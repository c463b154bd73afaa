package webhook_test

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// memory keeps webhooks and the outbox, as the engines do but without a disk.
type memory struct {
	mu       sync.Mutex
	webhooks map[string]store.Webhook
	// waiting are the deliveries that are not parked, by shard.
	waiting [store.OutboxShards]map[[2]string]store.Delivery
	parked  map[[2]string]store.Delivery
	// fail, when set, is asked before each step.
	fail func(step string) error
}

func newMemory() *memory {
	m := &memory{webhooks: make(map[string]store.Webhook), parked: make(map[[2]string]store.Delivery)}
	for i := range m.waiting {
		m.waiting[i] = make(map[[2]string]store.Delivery)
	}
	return m
}

func nameOf(d store.Delivery) [2]string { return [2]string{d.ID, d.Partner} }

// begin locks the memory for a step.
func (m *memory) begin(ctx context.Context, step string) (func(), error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	if m.fail != nil {
		if err := m.fail(step); err != nil {
			m.mu.Unlock()
			return nil, err
		}
	}
	return m.mu.Unlock, nil
}

func (m *memory) Put(ctx context.Context, w store.Webhook) error {
	end, err := m.begin(ctx, "Put")
	if err != nil {
		return err
	}
	defer end()
	if err := w.Validate(); err != nil {
		return err
	}
	if m.webhooks[w.Partner].Version != w.Version-1 {
		return store.ErrConflict
	}
	m.webhooks[w.Partner] = w
	return nil
}

func (m *memory) Webhook(ctx context.Context, partner string) (store.Webhook, error) {
	end, err := m.begin(ctx, "Webhook")
	if err != nil {
		return store.Webhook{}, err
	}
	defer end()
	w, found := m.webhooks[partner]
	if !found {
		return w, store.ErrNotFound
	}
	return w, nil
}

func (m *memory) Delete(context.Context, string) error { panic("a webhook's record stays") }

func (m *memory) List(ctx context.Context, after string, limit int) ([]store.Webhook, error) {
	end, err := m.begin(ctx, "List")
	if err != nil {
		return nil, err
	}
	defer end()
	var all []store.Webhook
	for _, partner := range slices.Sorted(maps.Keys(m.webhooks)) {
		if partner > after && len(all) < limit {
			all = append(all, m.webhooks[partner])
		}
	}
	return all, nil
}

func (m *memory) Due(ctx context.Context, shard int, at time.Time, limit int) ([]store.Delivery, error) {
	end, err := m.begin(ctx, "Due")
	if err != nil {
		return nil, err
	}
	defer end()
	var due []store.Delivery
	for _, d := range m.waiting[shard] {
		if !d.DueAt.After(at) {
			due = append(due, d)
		}
	}
	order := func(a, b store.Delivery) int {
		return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Partner, b.Partner))
	}
	if limit == 1 && len(due) > 0 {
		return []store.Delivery{slices.MinFunc(due, order)}, nil
	}
	slices.SortFunc(due, order)
	return due[:min(limit, len(due))], nil
}

func (m *memory) Add(ctx context.Context, d store.Delivery) error {
	end, err := m.begin(ctx, "Add")
	if err != nil {
		return err
	}
	defer end()
	if err := d.Validate(); err != nil {
		return err
	}
	waiting := m.waiting[store.OutboxShard(d.Partner)]
	if _, parked := m.parked[nameOf(d)]; parked {
		return nil
	}
	if _, there := waiting[nameOf(d)]; !there {
		waiting[nameOf(d)] = d
	}
	return nil
}

func (m *memory) Postpone(ctx context.Context, was store.Delivery, attempts int, dueAt time.Time) error {
	end, err := m.begin(ctx, "Postpone")
	if err != nil {
		return err
	}
	defer end()
	if err := store.CheckPostpone(was, attempts, dueAt); err != nil {
		return err
	}
	waiting := m.waiting[store.OutboxShard(was.Partner)]
	d, there := waiting[nameOf(was)]
	if !there || d.Attempts != was.Attempts || !d.DueAt.Equal(was.DueAt) {
		return store.ErrConflict
	}
	d.Attempts, d.DueAt = attempts, dueAt
	waiting[nameOf(was)] = d
	return nil
}

func (m *memory) Done(ctx context.Context, d store.Delivery) error {
	end, err := m.begin(ctx, "Done")
	if err != nil {
		return err
	}
	defer end()
	delete(m.waiting[store.OutboxShard(d.Partner)], nameOf(d))
	return nil
}

func (m *memory) Park(ctx context.Context, d store.Delivery) error {
	end, err := m.begin(ctx, "Park")
	if err != nil {
		return err
	}
	defer end()
	waiting := m.waiting[store.OutboxShard(d.Partner)]
	if there, found := waiting[nameOf(d)]; found {
		m.parked[nameOf(d)] = there
		delete(waiting, nameOf(d))
	}
	return nil
}

func (m *memory) Parked(ctx context.Context, partner, after string, limit int) ([]store.Delivery, error) {
	end, err := m.begin(ctx, "Parked")
	if err != nil {
		return nil, err
	}
	defer end()
	var all []store.Delivery
	for name, d := range m.parked {
		if name[1] == partner && name[0] > after {
			all = append(all, d)
		}
	}
	slices.SortFunc(all, func(a, b store.Delivery) int { return cmp.Compare(a.ID, b.ID) })
	return all[:min(limit, len(all))], nil
}

func (m *memory) Replay(ctx context.Context, partner, id string, dueAt time.Time) error {
	end, err := m.begin(ctx, "Replay")
	if err != nil {
		return err
	}
	defer end()
	d, found := m.parked[[2]string{id, partner}]
	if !found {
		return store.ErrNotFound
	}
	delete(m.parked, nameOf(d))
	d.Attempts, d.DueAt = 0, dueAt
	m.waiting[store.OutboxShard(partner)][nameOf(d)] = d
	return nil
}

// left counts what is still to be delivered.
func (m *memory) left() (left int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, waiting := range m.waiting {
		left += len(waiting)
	}
	return left
}

// next is when the next delivery is due; zero for none.
func (m *memory) next() (next time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, waiting := range m.waiting {
		for _, d := range waiting {
			if next.IsZero() || d.DueAt.Before(next) {
				next = d.DueAt
			}
		}
	}
	return next
}

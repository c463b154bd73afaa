package dynamo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/guregu/dynamo/v2"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Passes returns the passes of the tables.
func (s *Store) Passes() store.Passes { return passes{s} }

type passes struct{ *Store }

type passRow struct {
	Partition  string `dynamo:"pk"`
	Sort       string `dynamo:"sk"`
	ID         string `dynamo:"id"`
	At         string `dynamo:"at"`
	Parts      int    `dynamo:"parts"`
	Data       []byte `dynamo:"data,allowempty"`
	Done       []int  `dynamo:"done,set"` // and noPart
	Items      int    `dynamo:"items"`
	Failed     int    `dynamo:"failed"`
	FinishedAt string `dynamo:"finishedAt,omitempty"`
}

// noPart is in the set of parts that are done because a set cannot be empty.
const noPart = -1

func passKey(job string) rowKey { return rowKey{"PASSES#" + job, "LATEST"} }

// A pass begins in a transaction of one, although a conditional put would do, so that one whose answer was lost is not taken for
// somebody else's.
func (p passes) Begin(ctx context.Context, pass store.Pass, gap time.Duration) (current store.Pass, begun bool, err error) {
	if err := errors.Join(ctx.Err(), store.CheckBegin(pass, gap)); err != nil {
		return store.Pass{}, false, err
	}
	key, at := passKey(pass.Job), sortableTime(pass.At)
	row := passRow{Partition: key.partition, Sort: key.sort, ID: pass.ID, At: at, Parts: pass.Parts, Data: pass.Data, Done: []int{noPart}}
	err = retryConflicts(ctx, func() error {
		return p.db.WriteTx().Put(p.records.Put(row).If(
			"attribute_not_exists(pk) OR ($ <> ? AND $ < ? AND $ <= ?)",
			"id", pass.ID, "at", at, "at", sortableTime(pass.At.Add(-gap)),
		)).Run(ctx)
	})
	switch {
	case failedCondition(err) >= 0:
		current, err := p.Latest(ctx, pass.Job)
		return current, false, err
	case err != nil:
		return store.Pass{}, false, fmt.Errorf("begin pass %s of %s: %w", pass.ID, pass.Job, err)
	}
	row.Data = slices.Clone(row.Data)
	current, err = row.pass(pass.Job)
	return current, err == nil, err
}

func (p passes) Latest(ctx context.Context, job string) (store.Pass, error) {
	if err := errors.Join(ctx.Err(), store.CheckID("job", job)); err != nil {
		return store.Pass{}, err
	}
	var row passRow
	err := get(p.records, passKey(job)).One(ctx, &row)
	switch {
	case errors.Is(err, dynamo.ErrNotFound):
		return store.Pass{}, fmt.Errorf("passes of %s: %w", job, store.ErrNotFound)
	case err != nil:
		return store.Pass{}, fmt.Errorf("read pass of %s: %w", job, err)
	}
	return row.pass(job)
}

// CompletePart is one write on the condition that the part is not done, which any number of callers can make at the same time. A
// refused write brings back the row that refused it.
func (p passes) CompletePart(ctx context.Context, job, id string, part, items, failed int) (store.Pass, error) {
	if err := errors.Join(ctx.Err(), store.CheckPart(job, id, part, items, failed)); err != nil {
		return store.Pass{}, err
	}
	var row passRow
	err := retryConflicts(ctx, func() error {
		row = passRow{}
		err := update(p.records, passKey(job)).Add("done", []int{part}).Add("items", items).Add("failed", failed).
			If("$ = ? AND $ > ? AND NOT contains($, ?)", "id", id, "parts", part, "done", part).
			IncludeItemInCondCheckFail(true).Value(ctx, &row)
		if err == nil {
			return nil
		}
		_, err = refused(err, &row)
		return err
	})
	if err != nil {
		return store.Pass{}, fmt.Errorf("complete part %d of pass %s of %s: %w", part, id, job, err)
	}
	if err := row.check(job, id); err != nil {
		return store.Pass{}, err
	}
	if part >= row.Parts {
		return store.Pass{}, fmt.Errorf("part %d of pass %s of %s: %w", part, id, job, store.ErrNotFound)
	}
	return row.pass(job)
}

func (p passes) Finish(ctx context.Context, job, id string, at time.Time) error {
	if err := errors.Join(ctx.Err(), store.CheckFinish(job, id, at)); err != nil {
		return err
	}
	var row passRow
	err := retryConflicts(ctx, func() error {
		row = passRow{ID: id}
		err := update(p.records, passKey(job)).Set("finishedAt", sortableTime(at)).
			If("$ = ? AND attribute_not_exists(finishedAt)", "id", id).IncludeItemInCondCheckFail(true).Run(ctx)
		if err == nil {
			return nil
		}
		row = passRow{}
		_, err = refused(err, &row)
		return err
	})
	if err != nil {
		return fmt.Errorf("finish pass %s of %s: %w", id, job, err)
	}
	return row.check(job, id)
}

// check reports ErrNotFound if the row is none, ErrConflict if it is of another pass.
func (r passRow) check(job, id string) error {
	switch r.ID {
	case id:
		return nil
	case "":
		return fmt.Errorf("passes of %s: %w", job, store.ErrNotFound)
	}
	return fmt.Errorf("pass %s of %s, the latest is %s: %w", id, job, r.ID, store.ErrConflict)
}

func (r passRow) pass(job string) (store.Pass, error) {
	pass := store.Pass{Job: job, ID: r.ID, Parts: r.Parts, Data: r.Data, Items: r.Items, Failed: r.Failed}
	pass.Done = slices.DeleteFunc(append([]int{}, r.Done...), func(part int) bool { return part == noPart })
	slices.Sort(pass.Done)
	var err, finishedErr error
	pass.At, err = time.Parse(sortedTime, r.At)
	if r.FinishedAt != "" {
		pass.FinishedAt, finishedErr = time.Parse(sortedTime, r.FinishedAt)
	}
	if err := errors.Join(err, finishedErr); err != nil {
		return store.Pass{}, fmt.Errorf("read pass of %s: %w", job, err)
	}
	return pass, nil
}

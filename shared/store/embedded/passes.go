package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/bits"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Passes returns the passes of the file.
func (s *Store) Passes() store.Passes { return passes{s} }

type passes struct{ store *Store }

// passRow is a pass without its Data, which never changes and lies in a bucket of its own.
type passRow struct {
	ID         string    `json:"id"`
	At         time.Time `json:"at"`
	Parts      int       `json:"parts"`
	Done       []byte    `json:"done"` // a bit for each part
	Items      int       `json:"items"`
	Failed     int       `json:"failed"`
	FinishedAt time.Time `json:"finishedAt,omitzero"`
}

func (p passes) Begin(ctx context.Context, pass store.Pass, gap time.Duration) (current store.Pass, begun bool, err error) {
	if err := store.CheckBegin(pass, gap); err != nil {
		return store.Pass{}, false, err
	}
	row := passRow{ID: pass.ID, At: pass.At.UTC(), Parts: pass.Parts, Done: make([]byte, (pass.Parts+7)/8)}
	err = p.store.write(ctx, func(tx *bbolt.Tx) error {
		latest, found, err := readPass(tx, pass.Job)
		if err != nil {
			return err
		}
		begun = !found || latest.ID != row.ID && row.At.After(latest.At) && row.At.Sub(latest.At) >= gap
		if !begun {
			current = latest.pass(tx, pass.Job)
			return nil
		}
		if err := tx.Bucket(bucketPlans).Put([]byte(pass.Job), pass.Data); err != nil {
			return err
		}
		current = row.pass(tx, pass.Job)
		return row.write(tx, pass.Job)
	})
	if err != nil {
		return store.Pass{}, false, err
	}
	return current, begun, nil
}

func (p passes) Latest(ctx context.Context, job string) (store.Pass, error) {
	if err := store.CheckID("job", job); err != nil {
		return store.Pass{}, err
	}
	var pass store.Pass
	err := p.store.read(ctx, func(tx *bbolt.Tx) error {
		row, found, err := readPass(tx, job)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("passes of %s: %w", job, store.ErrNotFound)
		}
		pass = row.pass(tx, job)
		return nil
	})
	return pass, err
}

func (p passes) CompletePart(ctx context.Context, job, id string, part, items, failed int) (store.Pass, error) {
	if err := store.CheckPart(job, id, part, items, failed); err != nil {
		return store.Pass{}, err
	}
	var pass store.Pass
	err := p.change(ctx, job, id, func(tx *bbolt.Tx, row *passRow) (changed bool, err error) {
		if part >= row.Parts {
			return false, fmt.Errorf("part %d of pass %s of %s: %w", part, id, job, store.ErrNotFound)
		}
		if bit := byte(1) << (part % 8); row.Done[part/8]&bit == 0 {
			row.Done[part/8] |= bit
			row.Items += items
			row.Failed += failed
			changed = true
		}
		pass = row.pass(tx, job)
		return changed, nil
	})
	if err != nil {
		return store.Pass{}, err
	}
	return pass, nil
}

func (p passes) Finish(ctx context.Context, job, id string, at time.Time) error {
	if err := store.CheckFinish(job, id, at); err != nil {
		return err
	}
	return p.change(ctx, job, id, func(_ *bbolt.Tx, row *passRow) (changed bool, err error) {
		if !row.FinishedAt.IsZero() {
			return false, nil
		}
		row.FinishedAt = at.UTC()
		return true, nil
	})
}

// change changes a pass if it is the job's latest.
func (p passes) change(ctx context.Context, job, id string, change func(*bbolt.Tx, *passRow) (changed bool, err error)) error {
	return p.store.write(ctx, func(tx *bbolt.Tx) error {
		row, found, err := readPass(tx, job)
		switch {
		case err != nil:
			return err
		case !found:
			return fmt.Errorf("passes of %s: %w", job, store.ErrNotFound)
		case row.ID != id:
			return fmt.Errorf("pass %s of %s, the latest is %s: %w", id, job, row.ID, store.ErrConflict)
		}
		changed, err := change(tx, &row)
		if err != nil || !changed {
			return err
		}
		return row.write(tx, job)
	})
}

func readPass(tx *bbolt.Tx, job string) (row passRow, found bool, err error) {
	data := tx.Bucket(bucketPasses).Get([]byte(job))
	if data == nil {
		return passRow{}, false, nil
	}
	if err := json.Unmarshal(data, &row); err != nil {
		return passRow{}, false, fmt.Errorf("read pass of %s: %w", job, err)
	}
	if len(row.Done) != (row.Parts+7)/8 {
		return passRow{}, false, fmt.Errorf("read pass of %s: %d parts in %d bytes", job, row.Parts, len(row.Done))
	}
	return row, true, nil
}

func (r passRow) write(tx *bbolt.Tx, job string) error {
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write pass of %s: %w", job, err)
	}
	return tx.Bucket(bucketPasses).Put([]byte(job), data)
}

func (r passRow) pass(tx *bbolt.Tx, job string) store.Pass {
	pass := store.Pass{
		Job: job, ID: r.ID, At: r.At, Parts: r.Parts, Data: bytes.Clone(tx.Bucket(bucketPlans).Get([]byte(job))),
		Done: []int{}, Items: r.Items, Failed: r.Failed, FinishedAt: r.FinishedAt,
	}
	for i, eight := range r.Done {
		for ; eight != 0; eight &= eight - 1 {
			pass.Done = append(pass.Done, i*8+bits.TrailingZeros8(eight))
		}
	}
	return pass
}

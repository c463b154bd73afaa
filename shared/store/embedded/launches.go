package embedded

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Launches returns the launches of the file.
func (s *Store) Launches() store.Launches { return launches{s} }

type launches struct{ store *Store }

type launchRow struct {
	At         time.Time `json:"at"`
	Data       []byte    `json:"data"`
	ExaminedAt time.Time `json:"examinedAt,omitzero"`
	Outcome    []byte    `json:"outcome,omitempty"`
}

// launchDaysKept is how many days of launches a chain has: as many as LaunchLife reaches into, and the one that begins.
const launchDaysKept = int(store.LaunchLife/(24*time.Hour)) + 2

// launchDay names a chain's day; names of one chain sort by day.
func launchDay(chain string, day time.Time) []byte {
	return joinKey(chain, day.UTC().Format(time.DateOnly))
}

func (l launches) Register(ctx context.Context, chain string, day time.Time, launches []store.Launch, knownUntil time.Time) error {
	if err := store.CheckLaunches(chain, day, launches, knownUntil); err != nil {
		return err
	}
	rows := make([][]byte, len(launches))
	for i, launch := range launches {
		row, err := json.Marshal(launchRow{At: launch.At.UTC(), Data: launch.Data})
		if err != nil {
			return fmt.Errorf("register launch %s on %s: %w", launch.Token, chain, err)
		}
		rows[i] = row
	}
	name := launchDay(chain, day)
	return l.store.write(ctx, func(tx *bbolt.Tx) error {
		of, err := openLaunchDay(tx, chain, name)
		if err != nil {
			return err
		}
		for i, launch := range launches {
			if token := []byte(launch.Token); of.Get(token) == nil {
				if err := of.Put(token, rows[i]); err != nil {
					return err
				}
			}
		}
		known, err := knownUntilOf(tx, name)
		if err != nil || !knownUntil.After(known) {
			return err
		}
		return tx.Bucket(bucketLaunchesKnown).Put(name, knownUntil.UTC().AppendFormat(nil, time.RFC3339Nano))
	})
}

// openLaunchDay returns the bucket of a day. To make a new one it deletes the chain's oldest, so that no more than launchDaysKept
// are kept: by number and not by age, because one wrong clock could otherwise delete them all.
func openLaunchDay(tx *bbolt.Tx, chain string, name []byte) (*bbolt.Bucket, error) {
	all := tx.Bucket(bucketLaunches)
	if day := all.Bucket(name); day != nil {
		return day, nil
	}
	var days [][]byte
	prefix := joinKey(chain, "")
	cursor := all.Cursor()
	for day, _ := cursor.Seek(prefix); bytes.HasPrefix(day, prefix); day, _ = cursor.Next() {
		days = append(days, bytes.Clone(day))
	}
	for len(days) >= launchDaysKept && bytes.Compare(days[0], name) < 0 {
		if err := all.DeleteBucket(days[0]); err != nil {
			return nil, fmt.Errorf("delete launches of %s: %w", days[0], err)
		}
		if err := tx.Bucket(bucketLaunchesKnown).Delete(days[0]); err != nil {
			return nil, fmt.Errorf("delete what is known of %s: %w", days[0], err)
		}
		days = days[1:]
	}
	return all.CreateBucket(name)
}

func (l launches) KnownUntil(ctx context.Context, chain string, day time.Time) (time.Time, error) {
	if err := store.CheckLaunchDay(chain, day); err != nil {
		return time.Time{}, err
	}
	var known time.Time
	err := l.store.read(ctx, func(tx *bbolt.Tx) (err error) {
		known, err = knownUntilOf(tx, launchDay(chain, day))
		return err
	})
	return known, err
}

// knownUntilOf is the zero time for a day that nobody looked at.
func knownUntilOf(tx *bbolt.Tx, day []byte) (time.Time, error) {
	text := tx.Bucket(bucketLaunchesKnown).Get(day)
	if text == nil {
		return time.Time{}, nil
	}
	known, err := time.Parse(time.RFC3339Nano, string(text))
	if err != nil {
		return time.Time{}, fmt.Errorf("read what is known of %s: %w", day, err)
	}
	return known, nil
}

func (l launches) OfDay(ctx context.Context, chain string, day time.Time) ([]store.Launch, error) {
	if err := store.CheckLaunchDay(chain, day); err != nil {
		return nil, err
	}
	of := []store.Launch{}
	err := l.store.read(ctx, func(tx *bbolt.Tx) error {
		launches := tx.Bucket(bucketLaunches).Bucket(launchDay(chain, day))
		if launches == nil {
			return nil
		}
		return launches.ForEach(func(token, data []byte) error {
			row, err := decodeLaunch(chain, token, data)
			of = append(of, store.Launch{
				Chain: chain, Token: string(token), At: row.At, Data: row.Data, ExaminedAt: row.ExaminedAt, Outcome: row.Outcome,
			})
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	return of, nil
}

func (l launches) Examine(ctx context.Context, launch store.Launch) error {
	if err := store.CheckExamined(launch); err != nil {
		return err
	}
	return l.store.write(ctx, func(tx *bbolt.Tx) error {
		token := []byte(launch.Token)
		of := tx.Bucket(bucketLaunches).Bucket(launchDay(launch.Chain, launch.At))
		if of == nil || of.Get(token) == nil {
			return fmt.Errorf("launch %s on %s: %w", launch.Token, launch.Chain, store.ErrNotFound)
		}
		row, err := decodeLaunch(launch.Chain, token, of.Get(token))
		if err != nil {
			return err
		}
		if !row.ExaminedAt.IsZero() {
			return fmt.Errorf("outcome of launch %s on %s: %w", launch.Token, launch.Chain, store.ErrConflict)
		}
		row.ExaminedAt, row.Outcome = launch.ExaminedAt.UTC(), launch.Outcome
		data, err := json.Marshal(row)
		if err != nil {
			return fmt.Errorf("examine launch %s on %s: %w", launch.Token, launch.Chain, err)
		}
		return of.Put(token, data)
	})
}

func decodeLaunch(chain string, token, data []byte) (launchRow, error) {
	var row launchRow
	if err := json.Unmarshal(data, &row); err != nil {
		return launchRow{}, fmt.Errorf("read launch %s on %s: %w", token, chain, err)
	}
	return row, nil
}

package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Leaders returns the leaders of the file.
func (s *Store) Leaders() store.Leaders { return leaders{s} }

type leaders struct{ store *Store }

func leaderPrefix(group store.Group) []byte { return joinKey(group.Kind, group.Place+"#") }

func leaderKey(group store.Group, address string) []byte {
	return append(leaderPrefix(group), address...)
}

func (l leaders) Find(ctx context.Context, group store.Group, address string, finding store.Finding) error {
	if err := errors.Join(store.CheckLeader(group, address), finding.Validate()); err != nil {
		return err
	}
	found := findingRow{Source: finding.Source, At: finding.At.UTC(), Size: len(finding.Data), data: finding.Data}
	return l.store.write(ctx, func(tx *bbolt.Tx) error {
		row, err := readLeader(tx, group, address)
		if errors.Is(err, store.ErrNotFound) {
			row, err = leaderRow{FoundAt: found.At}, nil
		}
		if err != nil {
			return err
		}
		i, known := slices.BinarySearchFunc(row.Findings, found.Source, func(f findingRow, source string) int {
			return strings.Compare(f.Source, source)
		})
		switch {
		case known && found.At.Before(row.Findings[i].At):
			return nil
		case known:
			row.Findings[i] = found
		case len(row.Findings) == store.MaximumSources:
			return fmt.Errorf("%w: leader %s has %d sources already", store.ErrInvalid, address, store.MaximumSources)
		default:
			row.Findings = slices.Insert(row.Findings, i, found)
		}
		return writeLeader(tx, group, address, row)
	})
}

func (l leaders) Leader(ctx context.Context, group store.Group, address string) (store.Leader, error) {
	if err := store.CheckLeader(group, address); err != nil {
		return store.Leader{}, err
	}
	var leader store.Leader
	err := l.store.read(ctx, func(tx *bbolt.Tx) error {
		row, err := readLeader(tx, group, address)
		leader = row.leader(group, address)
		return err
	})
	if err != nil {
		return store.Leader{}, err
	}
	return leader, nil
}

func (l leaders) List(ctx context.Context, group store.Group, from, to string, limit int) ([]store.Leader, error) {
	if err := store.CheckLeaders(group, from, to, limit); err != nil {
		return nil, err
	}
	listed := []store.Leader{}
	err := l.store.read(ctx, func(tx *bbolt.Tx) error {
		prefix := leaderPrefix(group)
		cursor := tx.Bucket(bucketLeaders).Cursor()
		for key, data := cursor.Seek(leaderKey(group, from)); bytes.HasPrefix(key, prefix) && len(listed) < limit; key, data = cursor.Next() {
			address := string(key[len(prefix):])
			if to != "" && address >= to {
				return nil
			}
			row, err := decodeLeader(address, bytes.Clone(data))
			if err != nil {
				return err
			}
			listed = append(listed, row.leader(group, address))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return listed, nil
}

func (l leaders) Grade(ctx context.Context, group store.Group, address string, since time.Time, grading store.Grading, events ...store.Event) error {
	if err := store.CheckGrade(group, address, since, grading, events); err != nil {
		return err
	}
	graded := gradingRow{
		At: grading.At.UTC(), Pass: grading.Pass, Grade: grading.Grade, Verdict: grading.Verdict,
		Size: len(grading.Data), data: grading.Data,
	}
	return l.store.write(ctx, func(tx *bbolt.Tx) error {
		row, err := readLeader(tx, group, address)
		if err != nil {
			return err
		}
		if !row.Grading.At.Equal(since) || !graded.At.After(since) {
			return fmt.Errorf("grading of leader %s as of %v after %v: %w", address, graded.At, since, store.ErrConflict)
		}
		row.Grading = graded
		return errors.Join(writeLeader(tx, group, address, row), say(tx, events))
	})
}

func (l leaders) Remove(ctx context.Context, group store.Group, address string, notFoundSince time.Time) error {
	if err := errors.Join(store.CheckLeader(group, address), store.CheckTime("notFoundSince", notFoundSince)); err != nil {
		return err
	}
	return l.store.write(ctx, func(tx *bbolt.Tx) error {
		row, err := readLeader(tx, group, address)
		if errors.Is(err, store.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if slices.ContainsFunc(row.Findings, func(f findingRow) bool { return f.At.After(notFoundSince) }) {
			return nil
		}
		return tx.Bucket(bucketLeaders).Delete(leaderKey(group, address))
	})
}

func readLeader(tx *bbolt.Tx, group store.Group, address string) (leaderRow, error) {
	data := tx.Bucket(bucketLeaders).Get(leaderKey(group, address))
	if data == nil {
		return leaderRow{}, fmt.Errorf("leader %s of %v: %w", address, group, store.ErrNotFound)
	}
	return decodeLeader(address, bytes.Clone(data))
}

func writeLeader(tx *bbolt.Tx, group store.Group, address string, row leaderRow) error {
	data, err := row.encode()
	if err != nil {
		return fmt.Errorf("write leader %s: %w", address, err)
	}
	return tx.Bucket(bucketLeaders).Put(leaderKey(group, address), data)
}

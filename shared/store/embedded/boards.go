package embedded

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/internal/editions"
)

// Boards returns the boards of the file.
func (s *Store) Boards() store.Boards { return boards{s} }

type boards struct{ store *Store }

type editionRow struct {
	At   time.Time `json:"at"`
	Rows int       `json:"rows"`
	Data []byte    `json:"data"`
}

// In the bucket of a board, the edition of a time has its editionRow under the time, and its rows in a bucket under rowsOf.
func editionKey(at time.Time) []byte { return at.UTC().AppendFormat(nil, sortedTime) }

// rowsOf names the bucket of an edition's rows. It sorts after the keys of all editions, which begin with a digit.
func rowsOf(edition []byte) []byte { return append([]byte("rows#"), edition...) }

func rowKey(position int) []byte { return binary.BigEndian.AppendUint32(nil, uint32(position)) }

func (b boards) Publish(ctx context.Context, edition store.Edition, rows [][]byte) error {
	if err := edition.Validate(rows); err != nil {
		return err
	}
	key := editionKey(edition.At)
	data, err := json.Marshal(editionRow{At: edition.At.UTC(), Rows: edition.Rows, Data: edition.Data})
	if err != nil {
		return fmt.Errorf("publish board %s: %w", edition.Board, err)
	}
	return b.store.write(ctx, func(tx *bbolt.Tx) error {
		board, err := tx.Bucket(bucketBoards).CreateBucketIfNotExists([]byte(edition.Board))
		if err != nil {
			return err
		}
		if current, _ := currentEdition(board); bytes.Compare(current, key) >= 0 {
			return fmt.Errorf("edition of board %s of %v: %w", edition.Board, edition.At, store.ErrConflict)
		}
		kept, err := board.CreateBucket(rowsOf(key))
		if err != nil {
			return err
		}
		kept.FillPercent = 1 // rows come in order, and none later
		for i, row := range rows {
			if err := kept.Put(rowKey(i), row); err != nil {
				return err
			}
		}
		if err := board.Put(key, data); err != nil {
			return err
		}
		return forgetEditions(board)
	})
}

// currentEdition returns a board's newest edition; nothing if it has none.
func currentEdition(board *bbolt.Bucket) (key, data []byte) {
	cursor := board.Cursor()
	cursor.Seek(rowsOf(nil))
	return cursor.Prev()
}

// forgetEditions removes the editions that are gone.
func forgetEditions(board *bbolt.Bucket) error {
	var keys [][]byte
	var times []time.Time
	cursor := board.Cursor()
	for key, data := cursor.First(); data != nil; key, data = cursor.Next() { // a bucket has no data
		at, err := time.Parse(sortedTime, string(key))
		if err != nil {
			return fmt.Errorf("read editions: %w", err)
		}
		keys, times = append(keys, bytes.Clone(key)), append(times, at)
	}
	for _, key := range keys[:editions.Gone(times)] {
		if err := board.Delete(key); err != nil {
			return err
		}
		if err := board.DeleteBucket(rowsOf(key)); err != nil {
			return fmt.Errorf("delete rows of edition %s: %w", key, err)
		}
	}
	return nil
}

func (b boards) Current(ctx context.Context, name string) (store.Edition, error) {
	if err := store.CheckID("board", name); err != nil {
		return store.Edition{}, err
	}
	return b.edition(ctx, name, func(board *bbolt.Bucket) []byte {
		_, data := currentEdition(board)
		return data
	})
}

func (b boards) Edition(ctx context.Context, name string, at time.Time) (store.Edition, error) {
	if err := store.CheckEdition(name, at); err != nil {
		return store.Edition{}, err
	}
	return b.edition(ctx, name, func(board *bbolt.Bucket) []byte { return board.Get(editionKey(at)) })
}

func (b boards) edition(ctx context.Context, name string, choose func(board *bbolt.Bucket) []byte) (store.Edition, error) {
	edition := store.Edition{Board: name}
	err := b.store.read(ctx, func(tx *bbolt.Tx) error {
		board := tx.Bucket(bucketBoards).Bucket([]byte(name))
		if board == nil {
			return fmt.Errorf("board %s: %w", name, store.ErrNotFound)
		}
		data := choose(board)
		if data == nil {
			return fmt.Errorf("edition of board %s: %w", name, store.ErrNotFound)
		}
		var row editionRow
		if err := json.Unmarshal(data, &row); err != nil {
			return fmt.Errorf("read edition of board %s: %w", name, err)
		}
		edition.At, edition.Rows, edition.Data = row.At, row.Rows, row.Data
		return nil
	})
	if err != nil {
		return store.Edition{}, err
	}
	return edition, nil
}

func (b boards) Rows(ctx context.Context, name string, at time.Time, from, limit int) ([][]byte, error) {
	if err := store.CheckRows(name, at, from, limit); err != nil {
		return nil, err
	}
	rows := [][]byte{}
	err := b.store.read(ctx, func(tx *bbolt.Tx) error {
		var kept *bbolt.Bucket
		if board := tx.Bucket(bucketBoards).Bucket([]byte(name)); board != nil {
			kept = board.Bucket(rowsOf(editionKey(at)))
		}
		if kept == nil {
			return fmt.Errorf("edition of board %s of %v: %w", name, at, store.ErrNotFound)
		}
		cursor := kept.Cursor()
		for key, row := cursor.Seek(rowKey(min(from, store.MaximumBoardRows))); key != nil && len(rows) < limit; key, row = cursor.Next() {
			rows = append(rows, bytes.Clone(row))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

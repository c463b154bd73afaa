package embedded

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"go.etcd.io/bbolt"
)

// ascend goes through the keys of a bucket with a prefix, in order, that come after one (empty for the first).
func ascend(bucket *bbolt.Bucket, prefix, after []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		cursor, first := bucket.Cursor(), prefix
		if bytes.Compare(after, prefix) > 0 {
			first = after
		}
		key, value := cursor.Seek(first)
		if len(after) > 0 && bytes.Equal(key, after) {
			key, value = cursor.Next()
		}
		for ; key != nil && bytes.HasPrefix(key, prefix); key, value = cursor.Next() {
			if !yield(key, value) {
				return
			}
		}
	}
}

// descend goes through the keys of a bucket with a prefix that ends with '#', in reverse order, that come before one (empty for the
// last).
func descend(bucket *bbolt.Bucket, prefix, before []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		end := before
		if len(end) == 0 {
			end = bytes.Clone(prefix)
			end[len(end)-1]++
		}
		cursor := bucket.Cursor()
		step := cursor.Prev
		if key, _ := cursor.Seek(end); key == nil {
			step = cursor.Last
		}
		for key, value := step(); bytes.HasPrefix(key, prefix); key, value = cursor.Prev() {
			if !yield(key, value) {
				return
			}
		}
	}
}

// forgottenAtOnce is how many rows that have expired are deleted for one that is added: more than one, so that they get fewer.
const forgottenAtOnce = 2

// forget deletes the first rows of an order by time, and those of a bucket that they stand for: at most forgottenAtOnce, of times
// before one. A key of the order is a time, '#' and the row's key.
func forget(order, rows *bbolt.Bucket, before time.Time) error {
	end := before.UTC().AppendFormat(nil, sortedTime)
	for range forgottenAtOnce {
		key, _ := order.Cursor().First()
		if key == nil || bytes.Compare(key, end) >= 0 {
			return nil
		}
		_, row, _ := bytes.Cut(bytes.Clone(key), []byte("#"))
		if err := errors.Join(order.Delete(key), rows.Delete(row)); err != nil {
			return err
		}
	}
	return nil
}

// timedKey is the key of an order by time.
func timedKey(at time.Time, key []byte) []byte {
	return append(at.UTC().AppendFormat(nil, sortedTime+"#"), key...)
}

// readRow reads a row into one, and reports whether it is there.
func readRow(bucket *bbolt.Bucket, what string, key []byte, row any) (found bool, err error) {
	data := bucket.Get(key)
	if data == nil {
		return false, nil
	}
	if err := json.Unmarshal(data, row); err != nil {
		return true, fmt.Errorf("read %s %s: %w", what, key, err)
	}
	return true, nil
}

func writeRow(bucket *bbolt.Bucket, what string, key []byte, row any) error {
	data, err := json.Marshal(row)
	if err != nil {
		return fmt.Errorf("write %s %s: %w", what, key, err)
	}
	return bucket.Put(key, data)
}

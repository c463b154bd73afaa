// Package dynamo keeps everything in two DynamoDB tables, shared by any number of machines.
//
// It holds what is written to DynamoDB and on which condition; the rows are listed in package store, the tables are defined in
// template.yaml (package tables reads them from there). It makes no client and reads no configuration.
package dynamo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/cenkalti/backoff/v4"
	"github.com/guregu/dynamo/v2"
	"github.com/guregu/dynamo/v2/dynamodbiface"
)

// Tables are the names of the tables.
type Tables struct {
	Records string
	Meters  string
}

// Store is a pair of tables. Its methods may be called from any number of goroutines.
type Store struct {
	db              *dynamo.DB
	records, meters dynamo.Table
}

// Open returns the store in these tables, which exist, through this client, whose retries are the only ones for a lost
// connection or a throttled request. It makes no call.
func Open(client dynamodbiface.DynamoDBAPI, tables Tables) *Store {
	db := dynamo.NewFromIface(client)
	return &Store{db: db, records: db.Table(tables.Records), meters: db.Table(tables.Meters)}
}

// Names of the attributes of a key, the same in both tables.
const (
	partitionKey = "pk"
	sortKey      = "sk"
)

// sortedTime is RFC 3339 with all nine digits of a second: as texts such times sort as they do, and conditions can compare them.
const sortedTime = "2006-01-02T15:04:05.000000000Z07:00"

func sortableTime(at time.Time) string { return at.UTC().Format(sortedTime) }

// notThere is the condition that no row of this key exists.
const notThere = "attribute_not_exists(pk)"

// rowKey is the key of a row. It is a dynamo.Keyed.
type rowKey struct{ partition, sort string }

func (k rowKey) HashKey() any  { return k.partition }
func (k rowKey) RangeKey() any { return k.sort }

func get(table dynamo.Table, key rowKey) *dynamo.Query {
	return table.Get(partitionKey, key.partition).Range(sortKey, dynamo.Equal, key.sort).Consistent(true)
}

func update(table dynamo.Table, key rowKey) *dynamo.Update {
	return table.Update(partitionKey, key.partition).Range(sortKey, key.sort)
}

// Waits between attempts that met another transaction on the same rows. A transaction takes some 10 ms.
const (
	conflictFirstWait = 10 * time.Millisecond
	conflictMaxWait   = 500 * time.Millisecond
	conflictRetries   = 20
)

// retryConflicts runs an attempt again, after a random and growing wait, while it meets another transaction on the same rows.
func retryConflicts(ctx context.Context, attempt func() error) error {
	waits := backoff.NewExponentialBackOff(backoff.WithInitialInterval(conflictFirstWait), backoff.WithMaxInterval(conflictMaxWait))
	return backoff.Retry(func() error {
		err := attempt()
		if err == nil || isTransactionConflict(err) {
			return err
		}
		return backoff.Permanent(err)
	}, backoff.WithContext(backoff.WithMaxRetries(waits, conflictRetries), ctx))
}

// transact runs a transaction, again while it meets another on the same rows. fill gives it its writes, the same whenever it is called.
// A transaction that is still under way is repeated under its own token, by which DynamoDB knows it and does it once: whoever lost the
// answer to its write is not told that somebody else was first.
func (s *Store) transact(ctx context.Context, fill func(tx *dynamo.WriteTx)) error {
	var tx *dynamo.WriteTx
	return retryConflicts(ctx, func() error {
		if tx == nil {
			tx = s.db.WriteTx().Idempotent(true)
			fill(tx)
		}
		err := tx.Run(ctx)
		if progress := (*types.TransactionInProgressException)(nil); !errors.As(err, &progress) {
			tx = nil
		}
		return err
	})
}

// isTransactionConflict reports whether a write was refused, and nothing written, only because a transaction was under way on
// one of its rows.
func isTransactionConflict(err error) bool {
	if conflict := (*types.TransactionConflictException)(nil); errors.As(err, &conflict) {
		return true
	}
	if progress := (*types.TransactionInProgressException)(nil); errors.As(err, &progress) {
		return true
	}
	for _, reason := range cancellationReasons(err) {
		if reason == reasonConflict {
			return true
		}
	}
	return false
}

// Codes of the reasons for which a transaction is cancelled.
const (
	reasonConflict  = "TransactionConflict"
	reasonCondition = "ConditionalCheckFailed"
)

// cancellationReasons returns the code for each row of a cancelled transaction, in the order of its writes; nothing if err is
// another error.
func cancellationReasons(err error) []string {
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		return nil
	}
	codes := make([]string, len(cancelled.CancellationReasons))
	for i, reason := range cancelled.CancellationReasons {
		if reason.Code != nil {
			codes[i] = *reason.Code
		}
	}
	return codes
}

// failedCondition returns which write of a transaction failed its condition first, in their order; -1 if none did.
func failedCondition(err error) int {
	for i, code := range cancellationReasons(err) {
		if code == reasonCondition {
			return i
		}
	}
	return -1
}

// refused reports whether a single write failed its condition, and reads the row as it stood into current, which stays as it
// was if there is no row. The write must have asked for it (IncludeItemInCondCheckFail).
func refused(err error, current any) (bool, error) {
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		return false, err
	}
	if len(failed.Item) == 0 {
		return true, nil
	}
	if err := dynamo.UnmarshalItem(failed.Item, current); err != nil {
		return true, fmt.Errorf("read the row that refused a write: %w", err)
	}
	return true, nil
}

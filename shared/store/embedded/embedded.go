// Package embedded keeps everything in one file on this machine, crash-safe, for one process at a time.
//
// It is the store of a single machine; several machines share store/dynamo. A write is acknowledged when it is on the disk.
// Writes that wait at the same time share one transaction and one flush, which is what carries thousands of them a second.
//
// The file is a bbolt database: one bucket for each kind of row (see the key layout in package store), named in this package.
package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// ErrInUse: another process, or another Store of this one, has the file open.
var ErrInUse = errors.New("store file is in use")

// Buckets of the file.
var (
	bucketMeta          = []byte("meta")          // format → the format's number
	bucketPartners      = []byte("partners")      // partner → partnerRow
	bucketKeys          = []byte("keys")          // key → keyRow
	bucketKeysOf        = []byte("keysOf")        // partner#key → mode
	bucketTokens        = []byte("tokens")        // partner → token bucket
	bucketUsage         = []byte("usage")         // UTC day → bucket: partner#endpoint → usageRow
	bucketLatest        = []byte("latest")        // partner#chain#token → the latest snapshotRow
	bucketSnapshots     = []byte("snapshots")     // partner#chain#token#version → snapshotRow
	bucketObservations  = []byte("observations")  // chain#token#hour → observationRow
	bucketPeers         = []byte("peers")         // chain → peersRow
	bucketPasses        = []byte("passes")        // job → passRow
	bucketPlans         = []byte("plans")         // job → what its latest pass planned
	bucketLeaders       = []byte("leaders")       // kind#place#address → leaderRow
	bucketEvents        = []byte("events")        // UTC day → bucket: time#event → eventRow
	bucketBoards        = []byte("boards")        // board → bucket: time → editionRow, rows#time → bucket: position → row
	bucketLaunches      = []byte("launches")      // chain#UTC day → bucket: token → launchRow
	bucketLaunchesKnown = []byte("launchesKnown") // chain#UTC day → up to when its launches are known
	bucketForecasts     = []byte("forecasts")     // source#chain wallet → forecastRow
	bucketFollowUps     = []byte("followUps")     // source#chain#wallet#id → followUpRow
	bucketDue           = []byte("due")           // source#due time#id → key of the open followUpRow
	bucketAgents        = []byte("agents")        // partner#agent → agentRow
	bucketAgentsOf      = []byte("agentsOf")      // partner#owner#time of creation#agent → nothing
	bucketAgentsDue     = []byte("agentsDue")     // due time#partner agent → key of the agentRow
	bucketFollowed      = []byte("followed")      // kind place leader → nothing
	bucketFollowers     = []byte("followers")     // kind#place#leader#partner agent → key of the agentRow
	bucketBooks         = []byte("books")         // partner#agent → bookRow
	bucketExecutions    = []byte("executions")    // partner#agent#execution → executionRow
	bucketExecutionsAt  = []byte("executionsAt")  // partner#agent#time#execution → status
	bucketReadings      = []byte("readings")      // kind#place#leader → readingRow
	bucketRequests      = []byte("requests")      // partner#key → requestRow
	bucketRequestsBegun = []byte("requestsBegun") // time of beginning#partner#key → nothing
	bucketNonces        = []byte("nonces")        // scope#nonce → nonceRow
	bucketNoncesUntil   = []byte("noncesUntil")   // end of the claim#scope#nonce → nothing
	bucketWebhooks      = []byte("webhooks")      // partner → webhookRow
	bucketDeliveries    = []byte("deliveries")    // id#partner → deliveryRow
	bucketDeliveriesDue = []byte("deliveriesDue") // shard#due time#id partner → key of the deliveryRow that is not parked
	bucketParked        = []byte("parked")        // partner#id → key of the deliveryRow that is parked

	topLevelBuckets = [][]byte{
		bucketMeta, bucketPartners, bucketKeys, bucketKeysOf, bucketTokens, bucketUsage,
		bucketLatest, bucketSnapshots, bucketObservations, bucketPeers,
		bucketPasses, bucketPlans, bucketLeaders, bucketEvents, bucketBoards,
		bucketLaunches, bucketLaunchesKnown, bucketForecasts, bucketFollowUps, bucketDue,
		bucketAgents, bucketAgentsOf, bucketAgentsDue, bucketFollowed, bucketFollowers,
		bucketBooks, bucketExecutions, bucketExecutionsAt, bucketReadings,
		bucketRequests, bucketRequestsBegun, bucketNonces, bucketNoncesUntil,
		bucketWebhooks, bucketDeliveries, bucketDeliveriesDue, bucketParked,
	}
	keyFormat        = []byte("format")
	formatThatWeRead = []byte("1")
)

const (
	fileMode = 0o600

	// initialMap is address space, not memory: a file below it grows without stopping the readers.
	initialMap = 64 << 20
)

// Store is an open file. Its methods may be called from any number of goroutines.
type Store struct {
	db     *bbolt.DB
	writer writer
}

// Open opens the file, and makes it, for its owner alone, if it is not there. The folder must exist. ErrInUse is returned at once
// when the file is open already. A file that is not ours, or of a format that this version does not know, is refused and left as
// it was.
func Open(path string) (*Store, error) {
	db, err := bbolt.Open(path, fileMode, &bbolt.Options{
		Timeout:         time.Nanosecond, // do not wait for the lock
		NoFreelistSync:  true,            // less to flush for each write, a slower Open instead
		FreelistType:    bbolt.FreelistMapType,
		InitialMmapSize: initialMap,
	})
	if errors.Is(err, bbolterrors.ErrTimeout) {
		return nil, fmt.Errorf("%w: %s; stop the other process, or give this one another file", ErrInUse, path)
	}
	if err != nil {
		return nil, fmt.Errorf("open store file %s: %w", path, err)
	}
	if err := prepare(db); err != nil {
		return nil, errors.Join(fmt.Errorf("open store file %s: %w", path, err), db.Close())
	}
	return &Store{db: db, writer: writer{db: db}}, nil
}

// prepare makes what is missing in the file, and refuses a format that is not ours.
func prepare(db *bbolt.DB) error {
	return db.Update(func(tx *bbolt.Tx) error {
		if meta := tx.Bucket(bucketMeta); meta != nil {
			if format := meta.Get(keyFormat); string(format) != string(formatThatWeRead) {
				return fmt.Errorf("format %q, this version reads format %s", format, formatThatWeRead)
			}
		} else if name, _ := tx.Cursor().First(); name != nil {
			return fmt.Errorf("not a store file: it holds a bucket %q of something else", name)
		}
		for _, name := range topLevelBuckets {
			if _, err := tx.CreateBucketIfNotExists(name); err != nil {
				return fmt.Errorf("create bucket %s: %w", name, err)
			}
		}
		return tx.Bucket(bucketMeta).Put(keyFormat, formatThatWeRead)
	})
}

// Close waits for the writes under way and closes the file. Calls after it fail.
func (s *Store) Close() error { return s.db.Close() }

// Backup writes a consistent copy of the file to path, for its owner alone, while the store is in use.
func (s *Store) Backup(ctx context.Context, path string) error {
	return s.read(ctx, func(tx *bbolt.Tx) error {
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fileMode)
		if err != nil {
			return err
		}
		if _, err := tx.WriteTo(file); err != nil {
			return errors.Join(err, file.Close(), os.Remove(path))
		}
		return errors.Join(file.Sync(), file.Close())
	})
}

// read runs a function on one consistent state of the file. What bbolt returns is valid inside only.
func (s *Store) read(ctx context.Context, view func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.db.View(view)
}

// write runs a function on the latest state and returns once what it wrote is on the disk. An error of the function undoes what
// it wrote. The function shares a transaction with others, and runs again when one of them fails: it must set its results
// afresh each time, and must not wait for anything.
func (s *Store) write(ctx context.Context, update func(*bbolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.writer.write(ctx, update)
}

// decide writes like write does. Its function may refuse as long as it has written nothing: a refusal, unlike an error, undoes nothing
// of what others write in the same transaction, so that many who are refused cost no more than many who are not.
func (s *Store) decide(ctx context.Context, update func(*bbolt.Tx) (refusal, err error)) error {
	var refusal error
	err := s.write(ctx, func(tx *bbolt.Tx) (err error) {
		refusal, err = update(tx)
		return err
	})
	if err != nil {
		return err
	}
	return refusal
}

// sortedTime is RFC 3339 with all nine digits of a second: as texts such times sort as they do.
const sortedTime = "2006-01-02T15:04:05.000000000Z07:00"

// joinKey joins the parts of a key.
func joinKey(first, second string) []byte {
	key := make([]byte, 0, len(first)+1+len(second))
	key = append(key, first...)
	key = append(key, '#')
	return append(key, second...)
}

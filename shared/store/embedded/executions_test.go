package embedded_test

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// TestExpiredRowsAreForgotten: requests and nonces that nobody may see any more are deleted as others come, with what they are found by.
func TestExpiredRowsAreForgotten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	opened, err := embedded.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	const old, young = 40, 30
	add := func(i int, at time.Time) {
		t.Helper()
		name := fmt.Sprint(i)
		_, mine, err := opened.Idempotency().Begin(t.Context(), store.KeyedRequest{
			Partner: "acme", Key: name, Fingerprint: []byte{1}, Token: name, BegunAt: at, LeaseUntil: at.Add(time.Minute),
		})
		if err != nil || !mine {
			t.Fatalf("request %d: mine %v, %v", i, mine, err)
		}
		if err := opened.Nonces().Claim(t.Context(), "scope", name, "holder", at.Add(time.Minute), at); err != nil {
			t.Fatal(err)
		}
	}
	for i := range old {
		add(i, epoch.Add(time.Duration(i)))
	}
	for i := range young {
		add(old+i, epoch.Add(30*24*time.Hour))
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(func(tx *bbolt.Tx) error {
		for _, bucket := range []string{"requests", "requestsBegun", "nonces", "noncesUntil"} {
			if rows := tx.Bucket([]byte(bucket)).Stats().KeyN; rows != young {
				t.Errorf("%d rows in %s, want the %d young ones", rows, bucket, young)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestManyEntriesAtOnce: what many callers enter into many books at the same time is all there, and each book has its own.
func TestManyEntriesAtOnce(t *testing.T) {
	opened := open(t, filepath.Join(t.TempDir(), "store.db"))
	const callers, each = 64, 20
	var failed atomic.Int64
	enterAll(t, opened, callers, each, &failed)
	if failed.Load() != 0 {
		t.Fatalf("%d calls failed", failed.Load())
	}
	for caller := range callers {
		book, err := opened.Executions().Book(t.Context(), crashAgent(fmt.Sprint(caller)))
		if err != nil || book.Version != each {
			t.Errorf("book of version %d, %v, want %d", book.Version, err, each)
		}
		listed, err := opened.Executions().List(t.Context(), book.Agent, "planned", time.Time{}, "", store.MaximumListed)
		if err != nil || len(listed) != each {
			t.Errorf("%d executions, %v, want %d", len(listed), err, each)
		}
	}
}

// enterAll enters from many goroutines at once, each into a book of its own.
func enterAll(t testing.TB, opened *embedded.Store, callers, each int, failed *atomic.Int64) {
	var done sync.WaitGroup
	for caller := range callers {
		done.Go(func() {
			for range each {
				if err := enterNext(opened, caller); err != nil {
					t.Log(err)
					failed.Add(1)
				}
			}
		})
	}
	done.Wait()
}

// BenchmarkEnter is one new execution into one of 64 books, each with a caller of its own, on the disk.
func BenchmarkEnter(b *testing.B) {
	opened := open(b, filepath.Join(b.TempDir(), "store.db"))
	const callers = 64
	var failed atomic.Int64
	b.ReportAllocs()
	for b.Loop() {
		enterAll(b, opened, callers, 1, &failed)
	}
	b.ReportMetric(float64(b.N*callers)/b.Elapsed().Seconds(), "entries/s")
	if failed.Load() != 0 {
		b.Errorf("%d calls failed", failed.Load())
	}
}

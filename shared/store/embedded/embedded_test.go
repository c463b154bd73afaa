package embedded_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/conformance"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// open opens the store of a file and closes it when the test ends.
func open(t testing.TB, path string) *embedded.Store {
	t.Helper()
	opened, err := embedded.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return opened
}

func TestConformance(t *testing.T) {
	conformance.Run(t, func(t *testing.T) conformance.Stores {
		opened := open(t, filepath.Join(t.TempDir(), "store.db"))
		return conformance.Stores{
			Keys: opened.Keys(), Meter: opened.Meter(),
			Snapshots: opened.Snapshots(), Observations: opened.Observations(), Peers: opened.Peers(),
			Passes: opened.Passes(), Leaders: opened.Leaders(), Events: opened.Events(), Boards: opened.Boards(),
			Launches: opened.Launches(), TrackRecords: opened.TrackRecords(),
			Agents: opened.Agents(), Executions: opened.Executions(), Readings: opened.Readings(), Idempotency: opened.Idempotency(),
			Nonces: opened.Nonces(), Webhooks: opened.Webhooks(), Outbox: opened.Outbox(),
		}
	})
}

var epoch = time.Date(2026, 3, 14, 15, 9, 26, 535_897_932, time.UTC)

func partner(id string) store.Partner {
	return store.Partner{ID: id, Name: "Partner " + id, Limit: store.Limit{PerMinute: 6000, Burst: 1200}, CreatedAt: epoch}
}

func TestOpenRefusesASecondOpener(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	first := open(t, path)
	second, err := embedded.Open(path)
	if !errors.Is(err, embedded.ErrInUse) || second != nil {
		t.Fatalf("second Open: %v, %v; want ErrInUse", second, err)
	}
	if !bytes.Contains([]byte(err.Error()), []byte(path)) {
		t.Errorf("error %q does not name the file", err)
	}
	if err := first.Keys().CreatePartner(t.Context(), partner("acme")); err != nil {
		t.Errorf("the first opener was disturbed: %v", err)
	}
}

func TestFileIsForItsOwnerAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	opened := open(t, path)
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := opened.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{path, backup} {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, want 0600", file, info.Mode().Perm())
		}
	}
}

func TestReopenedStoreHoldsEverything(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	first, err := embedded.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	acme := partner("acme")
	key := store.Key{ID: "aaaa1111", PartnerID: "acme", Mode: store.ModeLive, Hash: []byte{1, 2}, CreatedAt: epoch}
	_, takeErr := first.Meter().Take(t.Context(), "acme", acme.Limit, 200, epoch)
	if err := errors.Join(
		first.Keys().CreatePartner(t.Context(), acme), first.Keys().AddKey(t.Context(), key), takeErr,
		first.Meter().Count(t.Context(), "acme", "token-intel", 3, epoch), first.Close(),
	); err != nil {
		t.Fatal(err)
	}
	if err := first.Keys().CreatePartner(t.Context(), partner("late")); err == nil {
		t.Error("a closed store acknowledged a write")
	}
	if _, err := first.Keys().Partner(t.Context(), "acme"); err == nil {
		t.Error("a closed store answered")
	}

	again := open(t, path)
	if got, err := again.Keys().Partner(t.Context(), "acme"); err != nil || got != acme {
		t.Errorf("partner %+v, %v", got, err)
	}
	if got, err := again.Keys().Key(t.Context(), key.ID); err != nil || !bytes.Equal(got.Hash, key.Hash) || !got.Live() {
		t.Errorf("key %+v, %v", got, err)
	}
	if got, err := again.Meter().Take(t.Context(), "acme", acme.Limit, 0, epoch); err != nil || got.Left != 1000 {
		t.Errorf("bucket %+v, %v; want 1,000 left", got, err)
	}
	if got, err := again.Meter().Usage(t.Context(), "acme", epoch); err != nil || got.Today != 3 {
		t.Errorf("usage %+v, %v; want 3", got, err)
	}
}

func TestBackupIsAStore(t *testing.T) {
	original := open(t, filepath.Join(t.TempDir(), "store.db"))
	if err := original.Keys().CreatePartner(t.Context(), partner("acme")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "backup.db")
	if err := original.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if err := original.Backup(t.Context(), path); err == nil {
		t.Error("Backup wrote over a file")
	}
	if err := original.Keys().CreatePartner(t.Context(), partner("later")); err != nil {
		t.Fatal(err)
	}
	partners, err := open(t, path).Keys().Partners(t.Context())
	if err != nil || len(partners) != 1 || partners[0] != partner("acme") {
		t.Errorf("backup holds %+v, %v", partners, err)
	}
}

func TestOpenRefusesWhatItCannotRead(t *testing.T) {
	folder := t.TempDir()
	text := filepath.Join(folder, "text")
	if err := os.WriteFile(text, bytes.Repeat([]byte("not a database\n"), 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	database := func(name string, fill func(tx *bbolt.Tx) error) string {
		path := filepath.Join(folder, name)
		db, err := bbolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(db.Update(fill), db.Close()); err != nil {
			t.Fatal(err)
		}
		return path
	}
	foreign := database("foreign", func(tx *bbolt.Tx) error {
		_, err := tx.CreateBucket([]byte("somebody else's"))
		return err
	})
	newer := database("newer", func(tx *bbolt.Tx) error {
		meta, err := tx.CreateBucket([]byte("meta"))
		if err != nil {
			return err
		}
		return meta.Put([]byte("format"), []byte("2"))
	})
	for _, path := range []string{text, foreign, newer, filepath.Join(folder, "no", "such", "folder"), folder} {
		before, _ := os.ReadFile(path)
		opened, err := embedded.Open(path)
		if err == nil {
			_ = opened.Close()
			t.Errorf("%s was opened", path)
			continue
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
			t.Errorf("%s was changed", path)
		}
	}
}

// TestDamagedRowsAreErrors: a row that cannot be read is an error, never a full bucket, an unused day or a partner without a name.
func TestDamagedRowsAreErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	opened, err := embedded.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	limit, history := partner("acme").Limit, store.History{Partner: "acme", Chain: "base", Token: "0x1"}
	_, takeErr := opened.Meter().Take(t.Context(), "acme", limit, 1, epoch)
	if err := errors.Join(
		opened.Keys().CreatePartner(t.Context(), partner("acme")), takeErr,
		opened.Keys().AddKey(t.Context(), store.Key{ID: "aaaa1111", PartnerID: "acme", Mode: store.ModeLive, Hash: []byte{1}, CreatedAt: epoch}),
		opened.Meter().Count(t.Context(), "acme", "token-intel", 3, epoch),
		opened.Snapshots().Append(t.Context(), history, store.Snapshot{Version: 1, At: epoch, Data: []byte("{}")}),
		opened.Observations().Observe(t.Context(), "base", "0x1", store.Observation{At: epoch, Data: []byte("{}")}),
		opened.Peers().PutPeers(t.Context(), "base", store.PeerSet{At: epoch, Data: []byte("{}")}), opened.Close(),
	); err != nil {
		t.Fatal(err)
	}
	for _, damage := range [][]byte{[]byte("{"), make([]byte, 23), bytes.Repeat([]byte{0xff}, 24)} {
		db, err := bbolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *bbolt.Tx) error {
			return errors.Join(
				tx.Bucket([]byte("partners")).Put([]byte("acme"), damage), tx.Bucket([]byte("keys")).Put([]byte("aaaa1111"), damage),
				tx.Bucket([]byte("tokens")).Put([]byte("acme"), damage),
				tx.Bucket([]byte("latest")).Put([]byte("acme#base#0x1"), damage),
				tx.Bucket([]byte("observations")).Put([]byte("base#0x1#2026-03-14T15"), damage),
				tx.Bucket([]byte("peers")).Put([]byte("base"), damage),
				tx.Bucket([]byte("usage")).Bucket([]byte("2026-03-14")).Put([]byte("acme#token-intel"), damage[:min(len(damage), 23)]),
			)
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		again, err := embedded.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		_, partnerErr := again.Keys().Partner(t.Context(), "acme")
		_, partnersErr := again.Keys().Partners(t.Context())
		_, keyErr := again.Keys().Key(t.Context(), "aaaa1111")
		_, keysErr := again.Keys().KeysOf(t.Context(), "acme")
		_, takeErr := again.Meter().Take(t.Context(), "acme", limit, 1, epoch)
		_, usageErr := again.Meter().Usage(t.Context(), "acme", epoch)
		_, latestErr := again.Snapshots().Latest(t.Context(), history)
		_, listErr := again.Snapshots().List(t.Context(), history, 2)
		_, observedErr := again.Observations().Observed(t.Context(), "base", "0x1", epoch)
		_, peersErr := again.Peers().PeersOf(t.Context(), "base")
		for what, err := range map[string]error{
			"Latest": latestErr, "List": listErr, "Observed": observedErr, "PeersOf": peersErr,
			"Append":   again.Snapshots().Append(t.Context(), history, store.Snapshot{Version: 1, At: epoch, Data: []byte("{}")}),
			"PutPeers": again.Peers().PutPeers(t.Context(), "base", store.PeerSet{At: epoch.Add(1), Data: []byte("{}")}),
			"Partner":  partnerErr, "Partners": partnersErr, "Key": keyErr, "KeysOf": keysErr, "Take": takeErr, "Usage": usageErr,
			"SetLimit": again.Keys().SetLimit(t.Context(), "acme", limit), "RevokeKey": again.Keys().RevokeKey(t.Context(), "aaaa1111", epoch),
			"Return": again.Meter().Return(t.Context(), "acme", limit, 1, epoch),
			"Count":  again.Meter().Count(t.Context(), "acme", "token-intel", 1, epoch),
		} {
			if err == nil {
				t.Errorf("%s read a row of %q", what, damage)
			}
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOldUsageIsDeleted: the file does not grow for ever, and one wrong clock does not delete everything.
func TestOldUsageIsDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	opened, err := embedded.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	count := func(at time.Time) {
		t.Helper()
		if err := opened.Meter().Count(t.Context(), "acme", "token-intel", 1, at); err != nil {
			t.Fatal(err)
		}
	}
	const days = 30
	for day := range days {
		count(epoch.AddDate(0, 0, day))
	}
	last := epoch.AddDate(0, 0, days-1)
	count(epoch.AddDate(100, 0, 0))
	if usage, err := opened.Meter().Usage(t.Context(), "acme", last); err != nil || usage.Today != 1 {
		t.Errorf("usage of the last day after a clock was 100 years ahead: %+v, %v", usage, err)
	}
	count(epoch) // a straggler older than everything deletes nothing younger than itself
	if usage, err := opened.Meter().Usage(t.Context(), "acme", last.AddDate(0, 0, 2-store.KeepUsageDays)); err != nil || usage.Today != 1 {
		t.Errorf("usage of the oldest day that is kept: %+v, %v", usage, err)
	}
	if err := opened.Close(); err != nil {
		t.Fatal(err)
	}

	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	err = db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("usage")).ForEachBucket(func(day []byte) error {
			kept = append(kept, string(day))
			return nil
		})
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	if len(kept) != store.KeepUsageDays+1 {
		t.Errorf("days kept: %s, want %d and the straggler's", kept, store.KeepUsageDays)
	}
}

// TestManyWritersShareFlushes: writes that wait together are acknowledged together, each with its own outcome.
func TestManyWritersShareFlushes(t *testing.T) {
	opened := open(t, filepath.Join(t.TempDir(), "store.db"))
	const writers = 256
	outcomes := make(chan error, writers)
	for i := range writers {
		go func() {
			// Every fourth is refused, and takes none of its company down with it.
			err := opened.Keys().CreatePartner(t.Context(), partner(fmt.Sprint("p", i/4*4+max(i%4, 1))))
			outcomes <- err
		}()
	}
	created, refused := 0, 0
	for range writers {
		switch err := <-outcomes; {
		case err == nil:
			created++
		case errors.Is(err, store.ErrConflict):
			refused++
		default:
			t.Error(err)
		}
	}
	partners, err := opened.Keys().Partners(t.Context())
	if err != nil || created != writers*3/4 || refused != writers/4 || len(partners) != created {
		t.Errorf("%d created, %d refused, %d kept, %v", created, refused, len(partners), err)
	}
}

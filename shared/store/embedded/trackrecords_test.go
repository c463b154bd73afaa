package embedded_test

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

var (
	launched  = store.Launch{Chain: "base", Token: "0x1", At: epoch, Data: []byte("{}")}
	forecast  = store.Forecast{Source: "gate", Chain: "base", Wallet: "0xw", GradedAt: epoch, Probability: math.NaN(), BaseRate: 0.5, MethodVersion: "1"}
	followUp  = store.FollowUp{ID: "a", Source: "gate", Chain: "base", Wallet: "0xw", Token: "0x1", EnteredAt: epoch, DueAt: epoch.Add(time.Hour), SeenAt: epoch}
	toNothing = store.Outcome{At: epoch, Word: "dead", Net: -1}
)

// writeRecords fills a new file with a launch, a forecast and an open follow-up, and closes it.
func writeRecords(t *testing.T, path string) {
	t.Helper()
	opened, err := embedded.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	_, forecastErr := opened.TrackRecords().Forecast(t.Context(), forecast)
	if err := errors.Join(
		opened.Launches().Register(t.Context(), "base", epoch, []store.Launch{launched}, epoch), forecastErr,
		opened.TrackRecords().FollowUp(t.Context(), followUp), opened.Close(),
	); err != nil {
		t.Fatal(err)
	}
}

// TestReopenedStoreHoldsTrackRecords: the track record of yesterday is there today, what nobody knows too.
func TestReopenedStoreHoldsTrackRecords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	writeRecords(t, path)
	opened := open(t, path)
	kept, err := opened.TrackRecords().Forecasts(t.Context(), "gate", "", "", 10)
	if err != nil || len(kept) != 1 || !math.IsNaN(kept[0].Probability) || kept[0].BaseRate != 0.5 {
		t.Errorf("forecasts %+v, %v", kept, err)
	}
	due, err := opened.TrackRecords().Due(t.Context(), "gate", followUp.DueAt, time.Time{}, "", 10)
	if err != nil || len(due) != 1 || due[0].ID != "a" || !math.IsNaN(due[0].Net) {
		t.Errorf("due %+v, %v", due, err)
	}
	known, err := opened.Launches().KnownUntil(t.Context(), "base", epoch)
	if err != nil || !known.Equal(epoch) {
		t.Errorf("known until %v, %v", known, err)
	}
}

// TestDamagedRecordsAreErrors: a row that cannot be read is an error, never a forecast of nothing or a day without launches.
func TestDamagedRecordsAreErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	writeRecords(t, path)
	for _, damage := range [][]byte{[]byte("{"), make([]byte, 23), bytes.Repeat([]byte{0xff}, 24)} {
		db, err := bbolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *bbolt.Tx) error {
			return errors.Join(
				tx.Bucket([]byte("launches")).Bucket([]byte("base#2026-03-14")).Put([]byte("0x1"), damage),
				tx.Bucket([]byte("launchesKnown")).Put([]byte("base#2026-03-14"), damage),
				tx.Bucket([]byte("forecasts")).Put([]byte("gate#base 0xw"), damage),
				tx.Bucket([]byte("followUps")).Put([]byte("gate#base#0xw#a"), damage),
			)
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		again, err := embedded.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		launches, records := again.Launches(), again.TrackRecords()
		examined := launched
		examined.ExaminedAt, examined.Outcome = epoch, []byte("pumped")
		_, knownErr := launches.KnownUntil(t.Context(), "base", epoch)
		_, dayErr := launches.OfDay(t.Context(), "base", epoch)
		_, forecastErr := records.Forecast(t.Context(), forecast)
		_, forecastsErr := records.Forecasts(t.Context(), "gate", "", "", 1)
		_, followUpsErr := records.FollowUps(t.Context(), "gate", "base", "0xw", "", 1)
		_, dueErr := records.Due(t.Context(), "gate", followUp.DueAt, time.Time{}, "", 1)
		for what, err := range map[string]error{
			"KnownUntil": knownErr, "OfDay": dayErr, "Forecast": forecastErr, "Forecasts": forecastsErr, "FollowUps": followUpsErr, "Due": dueErr,
			"Register": launches.Register(t.Context(), "base", epoch, nil, epoch), "Examine": launches.Examine(t.Context(), examined),
			"Resolve": records.Resolve(t.Context(), "gate", "base", "0xw", "a", toNothing),
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

// TestOldLaunchesAreDeleted: the file does not grow for ever, no chain costs another its days, and one wrong clock does not delete
// everything.
func TestOldLaunchesAreDeleted(t *testing.T) {
	opened := open(t, filepath.Join(t.TempDir(), "store.db"))
	launches := opened.Launches()
	register := func(chain string, day time.Time) {
		t.Helper()
		launch := launched
		launch.Chain, launch.At = chain, day
		if err := launches.Register(t.Context(), chain, day, []store.Launch{launch}, day); err != nil {
			t.Fatal(err)
		}
	}
	kept := func(chain string, day time.Time) bool {
		t.Helper()
		of, err := launches.OfDay(t.Context(), chain, day)
		known, knownErr := launches.KnownUntil(t.Context(), chain, day)
		if err != nil || knownErr != nil || known.IsZero() != (len(of) == 0) {
			t.Fatalf("%d launches on %v, known until %v: %v, %v", len(of), day, known, err, knownErr)
		}
		return len(of) == 1
	}
	const days = 205
	register("bas", epoch.AddDate(0, 0, -days))
	for day := range days {
		register("base", epoch.AddDate(0, 0, day))
	}
	register("base", epoch.AddDate(100, 0, 0))
	last := epoch.AddDate(0, 0, days-1)
	if !kept("base", last) || !kept("base", last.Add(-store.LaunchLife)) || !kept("bas", epoch.AddDate(0, 0, -days)) {
		t.Error("a day that is promised is gone")
	}
	if kept("base", epoch) {
		t.Error("the oldest day is kept for ever")
	}
	register("base", epoch) // a straggler older than everything deletes nothing younger than itself
	if !kept("base", epoch) || !kept("base", last.Add(-store.LaunchLife)) {
		t.Error("a straggler cost a day")
	}
}

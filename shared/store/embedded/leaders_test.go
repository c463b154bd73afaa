package embedded_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// TestDamagedLeadersAreErrors: a row that cannot be read is an error, never a job that may begin, a leader that nobody graded or a
// board without an edition.
func TestDamagedLeadersAreErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	opened, err := embedded.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	group := store.Group{Kind: "spot", Place: "base"}
	finding := store.Finding{Source: "source", At: epoch}
	grading := store.Grading{At: epoch, Pass: "pass", Verdict: "graded", Data: []byte("{}")}
	event := store.Event{ID: "event", Type: "graded", At: epoch, Data: []byte("{}")}
	pass := store.Pass{Job: "job", ID: "pass", At: epoch, Parts: 9}
	edition := store.Edition{Board: "board", At: epoch, Data: []byte("{}")}
	_, _, err = opened.Passes().Begin(t.Context(), pass, 0)
	if err := errors.Join(
		err, opened.Leaders().Find(t.Context(), group, "0x1", finding), opened.Leaders().Grade(t.Context(), group, "0x1", time.Time{}, grading, event),
		opened.Boards().Publish(t.Context(), edition, nil), opened.Close(),
	); err != nil {
		t.Fatal(err)
	}
	leaderDamage := []string{"{", "\x00\x00\x00\xff{}", "\x00\x00\x00\x25{\"findings\":[{\"size\":2},{\"size\":-1}]}x"}
	for i, damage := range []string{"{", `{"parts":9,"done":"AA==","at":1}`, `{"parts":9,"done":"AA=="}`} {
		db, err := bbolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		rows, leader := []byte("{"), []byte(leaderDamage[i])
		err = db.Update(func(tx *bbolt.Tx) error {
			return errors.Join(
				tx.Bucket([]byte("passes")).Put([]byte("job"), []byte(damage)), tx.Bucket([]byte("leaders")).Put([]byte("spot#base#0x1"), leader),
				tx.Bucket([]byte("events")).Bucket([]byte("2026-03-14")).Put([]byte("2026-03-14T15:09:26.535897932Z#event"), rows),
				tx.Bucket([]byte("boards")).Bucket([]byte("board")).Put([]byte("2026-03-14T15:09:26.535897932Z"), rows),
			)
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
		again, err := embedded.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		pass.ID, pass.At, grading.At = "next", epoch.Add(time.Hour), epoch.Add(time.Hour)
		_, _, beginErr := again.Passes().Begin(t.Context(), pass, 0)
		_, latestErr := again.Passes().Latest(t.Context(), "job")
		_, partErr := again.Passes().CompletePart(t.Context(), "job", "pass", 0, 0, 0)
		_, leaderErr := again.Leaders().Leader(t.Context(), group, "0x1")
		_, listErr := again.Leaders().List(t.Context(), group, "", "", 1)
		_, saidErr := again.Events().Said(t.Context(), epoch, time.Time{}, "", 1)
		_, currentErr := again.Boards().Current(t.Context(), "board")
		_, editionErr := again.Boards().Edition(t.Context(), "board", epoch)
		for what, err := range map[string]error{
			"Begin": beginErr, "Latest": latestErr, "CompletePart": partErr, "Finish": again.Passes().Finish(t.Context(), "job", "pass", epoch),
			"Find": again.Leaders().Find(t.Context(), group, "0x1", finding), "Leader": leaderErr, "List": listErr,
			"Grade":  again.Leaders().Grade(t.Context(), group, "0x1", epoch, grading, event),
			"Remove": again.Leaders().Remove(t.Context(), group, "0x1", epoch), "Said": saidErr, "Current": currentErr, "Edition": editionErr,
		} {
			if err == nil || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrConflict) {
				t.Errorf("%s of a row of %q: %v", what, damage, err)
			}
		}
		if err := again.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

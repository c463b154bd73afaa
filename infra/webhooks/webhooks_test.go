package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// kept makes a data folder in which three events are parked for acme and one for another partner.
func kept(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	file, err := embedded.Open(filepath.Join(folder, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, partner := range []string{"acme", "other"} {
		if err := file.Keys().CreatePartner(t.Context(), store.Partner{ID: partner, Name: partner, Limit: store.Limit{PerMinute: 1, Burst: 1}, CreatedAt: now}); err != nil {
			t.Fatal(err)
		}
	}
	for id, partner := range map[string]string{"a": "acme", "b": "acme", "c": "acme", "d": "other"} {
		delivery := store.Delivery{
			ID: id, Partner: partner, Event: store.Event{ID: id, Type: "agent.paused", Partner: partner, At: now, Data: []byte("{}")}, DueAt: now, FirstDueAt: now,
		}
		if err := file.Outbox().Add(t.Context(), delivery); err != nil {
			t.Fatal(err)
		}
		if err := file.Outbox().Park(t.Context(), delivery); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestReplayMakesWhatWasGivenUpDueAgain(t *testing.T) {
	folder := kept(t)
	run := func(arguments ...string) (string, error) {
		var out strings.Builder
		err := command(t.Context(), arguments, func(name string) string { return map[string]string{"DATA_DIR": folder}[name] }, func() time.Time { return now.Add(time.Hour) }, &out)
		return out.String(), err
	}
	for _, bad := range [][]string{{}, {"replay"}, {"replay", ""}, {"send", "acme"}, {"replay", "acme", "more"}, {"replay", "nobody"}} {
		if _, err := run(bad...); err == nil {
			t.Errorf("%v was taken", bad)
		}
	}
	if out, err := run("replay", "acme"); err != nil || out != "3 events of acme are due again\n" {
		t.Error(out, err)
	}
	if out, err := run("replay", "acme"); err != nil || out != "0 events of acme are due again\n" {
		t.Error(out, err)
	}
	file, err := embedded.Open(filepath.Join(folder, "store.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	due, err := file.Outbox().Due(t.Context(), store.OutboxShard("acme"), now.Add(time.Hour), 10)
	if err != nil || len(due) != 3 || due[0].Attempts != 0 {
		t.Error(due, err)
	}
	if parked, err := file.Outbox().Parked(t.Context(), "other", "", 10); err != nil || len(parked) != 1 {
		t.Error(parked, err)
	}
}

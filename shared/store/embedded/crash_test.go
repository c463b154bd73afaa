package embedded_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// crashFile names the file to a copy of this test that writes until it is killed.
const crashFile, crashRound = "EMBEDDED_CRASH_FILE", "EMBEDDED_CRASH_ROUND"

func TestMain(m *testing.M) {
	if path := os.Getenv(crashFile); path != "" {
		err := writeUntilKilled(path, os.Getenv(crashRound))
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

const crashWriters = 8

// writeUntilKilled writes partners and usage with several goroutines and says on standard output what was acknowledged.
func writeUntilKilled(path, round string) error {
	opened, err := embedded.Open(path)
	if err != nil {
		return err
	}
	var output sync.Mutex
	failures := make(chan error)
	for writer := range crashWriters {
		go func() {
			for n := 0; ; n++ {
				id := fmt.Sprintf("r%s-w%d-%d", round, writer, n)
				err := errors.Join(
					opened.Keys().CreatePartner(context.Background(), partner(id)),
					opened.Meter().Count(context.Background(), "counted", fmt.Sprint(writer), 1, epoch),
					appendNext(opened.Snapshots(), store.History{Partner: "scans", Chain: "base", Token: fmt.Sprint(writer)}),
					gradeAndPublish(opened, writer),
					enterNext(opened, writer),
				)
				if err != nil {
					failures <- err
					return
				}
				output.Lock()
				fmt.Println(writer, id)
				output.Unlock()
			}
		}()
	}
	return <-failures
}

// appendNext adds the next version to a history.
func appendNext(snapshots store.Snapshots, history store.History) error {
	latest, err := snapshots.Latest(context.Background(), history)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	next := latest.Version + 1
	return snapshots.Append(context.Background(), history, store.Snapshot{Version: next, At: epoch, Data: fmt.Append(nil, next)})
}

// TestAcknowledgedWritesSurviveKill kills a process that writes, again and again, and looks for everything it had acknowledged.
func TestAcknowledgedWritesSurviveKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	acknowledged := map[string]bool{}
	counted := map[string]int64{}
	const rounds = 8
	for round := range rounds {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
		child.Env = append(os.Environ(), crashFile+"="+path, fmt.Sprint(crashRound, "=", round))
		child.Stderr = os.Stderr
		output, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(output)
		for seen := 0; lines.Scan(); seen++ {
			var writer, id string
			if _, err := fmt.Sscan(lines.Text(), &writer, &id); err != nil {
				continue // cut off by the kill
			}
			acknowledged[id] = true
			counted[writer]++
			if seen == 40+37*round {
				if err := child.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := child.Wait(); err == nil || child.ProcessState.ExitCode() != -1 {
			t.Fatalf("the writing process ended by itself: %v", err)
		}

		opened, err := embedded.Open(path)
		if err != nil {
			t.Fatalf("after kill %d: %v", round, err)
		}
		partners, err := opened.Keys().Partners(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		kept := map[string]bool{}
		for _, partner := range partners {
			kept[partner.ID] = true
		}
		for id := range acknowledged {
			if !kept[id] {
				t.Errorf("after kill %d: partner %s was acknowledged and is lost", round, id)
			}
		}
		usage, err := opened.Meter().Usage(t.Context(), "counted", epoch)
		if err != nil {
			t.Fatal(err)
		}
		keptUnits := map[string]int64{}
		for _, endpoint := range usage.ByEndpoint {
			keptUnits[endpoint.Endpoint] = endpoint.Units
		}
		for writer, units := range counted {
			// What was written and killed before it could be said may be there too: one a round.
			if kept := keptUnits[writer]; kept < units || kept > units+int64(round+1) {
				t.Errorf("after kill %d: writer %s counted %d, kept %d", round, writer, units, kept)
			}
			checkHistory(t, opened.Snapshots(), writer, uint64(units), uint64(round+1))
			checkEntered(t, opened, writer, int(units), round+1)
			if writer == crashGrader {
				checkGraded(t, opened, int(units), round+1)
			}
		}
		if err := opened.Close(); err != nil {
			t.Fatal(err)
		}
		checkFile(t, path)
	}
	if len(acknowledged) < rounds*40 {
		t.Fatalf("only %d writes were acknowledged", len(acknowledged))
	}
}

// checkHistory looks for a history whole: its latest row and its versions are written together or not at all.
func checkHistory(t *testing.T, snapshots store.Snapshots, writer string, acknowledged, unsaid uint64) {
	t.Helper()
	listed, err := snapshots.List(t.Context(), store.History{Partner: "scans", Chain: "base", Token: writer}, store.MaximumListed)
	if err != nil {
		t.Fatal(err)
	}
	if latest := listed[0].Version; latest < acknowledged || latest > acknowledged+unsaid || len(listed) != int(min(latest, store.MaximumListed)) {
		t.Errorf("writer %s: %d versions were acknowledged; the latest is %d, %d are listed", writer, acknowledged, latest, len(listed))
	}
	for i, snapshot := range listed {
		if want := listed[0].Version - uint64(i); snapshot.Version != want || string(snapshot.Data) != fmt.Sprint(want) {
			t.Fatalf("writer %s: version %d with %q at place %d", writer, snapshot.Version, snapshot.Data, i)
		}
	}
}

// checkFile checks the structure of the file, page by page.
func checkFile(t *testing.T, path string) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(func(tx *bbolt.Tx) error {
		var damage []error
		for err := range tx.Check() {
			damage = append(damage, err)
		}
		return errors.Join(damage...)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Errorf("damaged file: %v", err)
	}
}

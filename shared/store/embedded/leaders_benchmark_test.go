package embedded_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	benchmarkLeaders = 10_000
	// What a leader and a row of a board hold in practice, in bytes.
	benchmarkFinding, benchmarkGrading, benchmarkRow = 300, 4_000, 2_000
)

func benchmarkAddress(i int) string { return fmt.Sprintf("0x%040x", i*7919) }

// openLeaders opens a store with many leaders, each found by one source and graded once.
func openLeaders(b *testing.B) (store.Leaders, store.Group) {
	leaders, group := open(b, filepath.Join(b.TempDir(), "store.db")).Leaders(), store.Group{Kind: "spot", Place: "base"}
	atOnce(b, benchmarkLeaders, 256, func(i int) error {
		finding := store.Finding{Source: "early-buyer", At: epoch, Data: bytes.Repeat([]byte("f"), benchmarkFinding)}
		if err := leaders.Find(b.Context(), group, benchmarkAddress(i), finding); err != nil {
			return err
		}
		return leaders.Grade(b.Context(), group, benchmarkAddress(i), time.Time{}, benchmarkGradingAt(epoch))
	})
	return leaders, group
}

func benchmarkGradingAt(at time.Time) store.Grading {
	return store.Grading{At: at, Pass: "pass", Grade: "B", Verdict: "mirrorable", Data: bytes.Repeat([]byte("g"), benchmarkGrading)}
}

// atOnce makes n calls by a number of callers.
func atOnce(b *testing.B, n, callers int, call func(i int) error) {
	var wait sync.WaitGroup
	for caller := range callers {
		wait.Go(func() {
			for i := caller; i < n; i += callers {
				if err := call(i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wait.Wait()
}

// BenchmarkListLeaders lists all leaders of a group, the largest number at a time.
func BenchmarkListLeaders(b *testing.B) {
	leaders, group := openLeaders(b)
	b.ReportAllocs()
	for b.Loop() {
		listed, from := 0, ""
		for {
			page, err := leaders.List(b.Context(), group, from, "", store.MaximumLeaders)
			if err != nil {
				b.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			listed += len(page)
			from = page[len(page)-1].Address + "!"
		}
		if listed != benchmarkLeaders {
			b.Fatalf("%d leaders were listed", listed)
		}
	}
	b.ReportMetric(float64(b.N*benchmarkLeaders)/b.Elapsed().Seconds(), "leaders/s")
}

// BenchmarkGradeLeaders grades leaders and says so, by a number of callers at once.
func BenchmarkGradeLeaders(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			leaders, group := openLeaders(b)
			b.ResetTimer()
			atOnce(b, b.N, callers, func(i int) error {
				since := epoch.Add(time.Duration(i / benchmarkLeaders))
				at := since.Add(1)
				event := store.Event{ID: benchmarkAddress(i), Type: "leader.grade_changed", At: at, Data: []byte("{}")}
				return leaders.Grade(b.Context(), group, benchmarkAddress(i%benchmarkLeaders), since, benchmarkGradingAt(at), event)
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "leaders/s")
		})
	}
}

// BenchmarkBoards publishes the largest board, and reads pages of one.
func BenchmarkBoards(b *testing.B) {
	rows := make([][]byte, store.MaximumBoardRows)
	for i := range rows {
		rows[i] = bytes.Repeat([]byte("r"), benchmarkRow)
	}
	boards := open(b, filepath.Join(b.TempDir(), "store.db")).Boards()
	at := epoch
	publish := func(b *testing.B) {
		at = at.Add(time.Hour)
		if err := boards.Publish(b.Context(), store.Edition{Board: "spot", At: at, Rows: len(rows), Data: []byte("{}")}, rows); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("publish", func(b *testing.B) {
		for b.Loop() {
			publish(b)
		}
	})
	b.Run("page", func(b *testing.B) {
		publish(b)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			page, err := boards.Rows(b.Context(), "spot", at, i%100*100, store.MaximumListed)
			if err != nil || len(page) != store.MaximumListed {
				b.Fatalf("%d rows, %v", len(page), err)
			}
		}
	})
}

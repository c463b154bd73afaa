package leader

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/endpointtest"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// populate keeps so many leaders of base, of whom a tenth are mirror-worthy and a tenth early buyers.
func populate(b *testing.B, memory Memory, n int) {
	b.Helper()
	group := parallel.NewGroup()
	group.SetLimit(256) // the file is flushed once for all that write at a time
	for i := range n {
		p := rated(i, 30+float64(i%27), 0.6, 0.5)
		if i%10 == 0 {
			p = rated(i, 60+float64(i%20), 0.8, float64(i%97)/2000)
		}
		if i%10 == 1 {
			p = p.early(i%20 == 1)
		}
		group.Go(func() error { return p.keep(b.Context(), memory.Leaders) })
	}
	if err := group.Wait(); err != nil {
		b.Fatal(err)
	}
}

// Publishing all boards of so many leaders: reading, correcting, ranking, writing. live-KB is how much more of the heap was in use than
// before, at most, when a board was about to be kept; it stops growing once the boards are as long as they get.
func BenchmarkPublish(b *testing.B) {
	for _, n := range []int{1000, 10_000, 100_000} {
		b.Run(fmt.Sprintf("leaders=%d", n), func(b *testing.B) {
			memory := memoryOf(b)
			populate(b, memory, n)
			before := liveHeap()
			looking := &lookingBoards{Boards: memory.Boards}
			at := now
			if report, err := publish(b.Context(), Memory{Leaders: memory.Leaders, Boards: looking, Peers: memory.Peers}, chain.All(), at); err != nil || report.Failed() != nil {
				b.Fatal(err, report.Failed())
			}
			b.ReportAllocs()
			for b.Loop() {
				at = at.Add(time.Hour)
				report, err := publish(b.Context(), memory, chain.All(), at)
				if err != nil || report.Failed() != nil {
					b.Fatal(err, report.Failed())
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "leaders/s")
			b.ReportMetric(float64(looking.most-before)/1024, "live-KB")
		})
	}
}

// lookingBoards looks at the heap whenever a board is about to be kept.
type lookingBoards struct {
	store.Boards
	mu   sync.Mutex
	most uint64
}

func (l *lookingBoards) Publish(ctx context.Context, edition store.Edition, rows [][]byte) error {
	l.mu.Lock()
	l.most = max(l.most, liveHeap())
	l.mu.Unlock()
	return l.Boards.Publish(ctx, edition, rows)
}

// Reading a page of a board of 10,000 rows over HTTP, first and last.
func BenchmarkReadPage(b *testing.B) {
	memory := memoryOf(b)
	populate(b, memory, 10_000)
	published(b, memory, now)
	r := readerOf(b, memory, noSources())
	last := cursor{view: view{board: "copy/top-traders/all"}, at: now, position: 9_900}
	for name, query := range map[string]string{"first": "?limit=20", "last": "?limit=100&cursor=" + last.text()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Clock.Advance(time.Second) // a partner's limit is not what is measured
				answer := endpointtest.Call{Method: http.MethodGet, Path: "/v1/copy/top-traders" + query, Key: r.Key}.Do(b, r.handler)
				if answer.Status != http.StatusOK {
					b.Fatal(answer.Body)
				}
			}
		})
	}
}

package hyperliquid

import (
	"sync"
	"testing"
	"time"
)

func TestNoncesGrowAndAreNeverTheSame(t *testing.T) {
	now := time.UnixMilli(1_790_000_000_000)
	n := nonces{now: func() time.Time { return now }}
	var mu sync.Mutex
	seen := make(map[uint64]bool)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			last := uint64(0)
			for range 500 {
				next, err := n.next()
				if err != nil || next <= last {
					t.Errorf("%d after %d, %v", next, last, err)
				}
				last = next
				mu.Lock()
				if seen[next] {
					t.Errorf("%d twice", next)
				}
				seen[next] = true
				mu.Unlock()
			}
		})
	}
	group.Wait()
	for i := range uint64(4000) {
		if !seen[1_790_000_000_000+i] {
			t.Fatalf("no %d", i)
		}
	}
	now = now.Add(time.Hour)
	if next, err := n.next(); err != nil || next != uint64(now.UnixMilli()) {
		t.Errorf("an hour on: %d, %v", next, err)
	}
}

func TestNoncesAreOnesThatTheVenueAccepts(t *testing.T) {
	start := time.UnixMilli(1_790_000_000_000)
	now := start
	n := nonces{now: func() time.Time { return now }}
	if _, err := n.next(); err != nil {
		t.Fatal(err)
	}
	for back, fine := range map[time.Duration]bool{time.Hour: true, 23 * time.Hour: true, 24*time.Hour + time.Second: false, 999 * time.Hour: false} {
		now = start.Add(-back)
		next, err := n.next()
		if fine != (err == nil) || fine && (next <= uint64(start.UnixMilli()) || next >= uint64(now.Add(24*time.Hour).UnixMilli())) {
			t.Errorf("%v back: %d, %v", back, next, err)
		}
	}
	now = time.Time{}
	if next, err := (&nonces{now: n.now}).next(); err == nil {
		t.Error(next, "at no time")
	}
}

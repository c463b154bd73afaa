package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func wantPeers(t tester, s Stores, chain string, want store.PeerSet) {
	t.Helper()
	got, err := s.Peers.PeersOf(t.Context(), chain)
	mustDo(t, err)
	if !got.At.Equal(want.At) || got.At.Location() != time.UTC || !bytes.Equal(got.Data, want.Data) {
		t.Errorf("peers of %s: %v, %d bytes; want %v, %d bytes", chain, got.At, len(got.Data), want.At, len(want.Data))
	}
}

func checkPeers(t *testing.T, s Stores) {
	ctx := t.Context()
	_, err := s.Peers.PeersOf(ctx, "base")
	wantError(t, "peers before the first set", err, store.ErrNotFound)

	first := store.PeerSet{At: epoch.In(time.FixedZone("behind", -7200)), Data: []byte("{\"first\":\"\x00\xff\"}")}
	mustDo(t, s.Peers.PutPeers(ctx, "base", first))
	wantPeers(t, s, "base", first)

	// One nanosecond decides, at either side of a whole second.
	for _, at := range []time.Time{epoch, epoch.Add(-1), epoch.Truncate(time.Second), epoch.Add(-time.Hour)} {
		mustDo(t, s.Peers.PutPeers(ctx, "base", store.PeerSet{At: at, Data: []byte("late")}))
		wantPeers(t, s, "base", first)
	}
	for _, at := range []time.Time{epoch.Add(1), epoch.Truncate(time.Second).Add(time.Second), epoch.Add(time.Hour)} {
		next := store.PeerSet{At: at, Data: fmt.Append(nil, at)}
		mustDo(t, s.Peers.PutPeers(ctx, "base", next))
		wantPeers(t, s, "base", next)
	}

	largest := store.PeerSet{At: epoch, Data: bytes.Repeat([]byte{0xfe}, store.MaximumPeerSet)}
	mustDo(t, s.Peers.PutPeers(ctx, "base-2", largest))
	wantPeers(t, s, "base-2", largest)

	// What goes in and what comes out is the caller's.
	passed := bytes.Clone(first.Data)
	mustDo(t, s.Peers.PutPeers(ctx, "eth", store.PeerSet{At: epoch, Data: passed}))
	clear(passed)
	got := must[store.PeerSet](t)(s.Peers.PeersOf(ctx, "eth"))
	clear(got.Data)
	wantPeers(t, s, "eth", store.PeerSet{At: epoch, Data: first.Data})
}

// checkConcurrentPeers: of sets that come at once the newest stays, whatever the order.
func checkConcurrentPeers(t *testing.T, s Stores) {
	ctx := t.Context()
	set := func(i int) store.PeerSet {
		return store.PeerSet{At: epoch.Add(time.Duration(i)), Data: fmt.Append(nil, i)}
	}
	atOnce(goroutines, func(i int) {
		if err := s.Peers.PutPeers(ctx, "rush", set(i)); err != nil {
			t.Errorf("PutPeers: %v", err)
		}
	})
	wantPeers(t, s, "rush", set(goroutines-1))
}

func checkInvalidPeers(t *testing.T, s Stores) {
	ctx := t.Context()
	good := store.PeerSet{At: epoch, Data: []byte("{}")}
	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		wantError(t, "PutPeers", s.Peers.PutPeers(ctx, id, good), store.ErrInvalid)
		_, err := s.Peers.PeersOf(ctx, id)
		wantError(t, "PeersOf", err, store.ErrInvalid)
	}
	for what, bad := range map[string]store.PeerSet{
		"no time": {Data: good.Data}, "no data": {At: epoch}, "too much data": {At: epoch, Data: make([]byte, store.MaximumPeerSet+1)},
	} {
		wantError(t, what, s.Peers.PutPeers(ctx, "invalid", bad), store.ErrInvalid)
	}
	_, err := s.Peers.PeersOf(ctx, "invalid")
	wantError(t, "peers after invalid sets", err, store.ErrNotFound)
}

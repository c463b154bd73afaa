package token

import (
	"bytes"
	"testing"
	"time"
)

func FuzzDecodePeers(f *testing.F) {
	f.Add([]byte(`{"v":1,"peers":[{"token":"0x00000000000000000000000000000000000000aa","liquidity":2.5,"logHolders":7,"holdersAt":"2026-11-21T12:00:00Z"}]}`))
	f.Add([]byte(`{"v":1,"peers":[{"token":"0x1"}]}`))
	f.Add([]byte(`{"v":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		peers, err := decodePeers(data)
		if err != nil {
			if peers != nil {
				t.Fatalf("%d peers beside %v", len(peers), err)
			}
			return
		}
		once, err := encodePeers(peers)
		if err != nil {
			t.Fatalf("%s was read and cannot be written: %v", data, err)
		}
		again, err := decodePeers(once)
		if err != nil {
			t.Fatalf("%s cannot be read again: %v", once, err)
		}
		if twice, err := encodePeers(again); err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s became %s (%v)", once, twice, err)
		}
	})
}

func FuzzDecodeLevels(f *testing.F) {
	f.Add([]byte(`{"v":1,"levels":{"price":{"number":1.5,"before":1,"at":"2026-11-21T12:00:00Z"},"risk":{"word":"low","at":"2026-11-21T12:00:00Z"}}}`))
	f.Add([]byte(`{"v":1}`))
	f.Add([]byte{})
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	now := scanned{numbers: map[string]float64{}, words: map[string]string{}}
	for i := range metrics {
		now.numbers[metrics[i].name] = 1
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before, err := decodeLevels(data)
		if err != nil {
			return
		}
		after, _ := before.compare(now, at)
		if _, err := after.encode(); err != nil {
			t.Fatalf("the levels after %s cannot be kept: %v", data, err)
		}
	})
}

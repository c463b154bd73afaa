package conformance

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func newObservation(at time.Time) store.Observation {
	return store.Observation{At: at, Data: fmt.Appendf(nil, "{\"at\":%q,\"bytes\":\"\x00\xff\"}", at.UTC().Format(time.RFC3339Nano))}
}

func wantObserved(t tester, s Stores, chain, token string, from time.Time, want ...store.Observation) {
	t.Helper()
	got, err := s.Observations.Observed(t.Context(), chain, token, from)
	mustDo(t, err)
	if got == nil || len(got) != len(want) {
		t.Fatalf("%d observations of %s on %s from %v, want %d, and never nil", len(got), token, chain, from, len(want))
	}
	for i := range want {
		if !got[i].At.Equal(want[i].At) || got[i].At.Location() != time.UTC || !bytes.Equal(got[i].Data, want[i].Data) {
			t.Errorf("observation %d of %s: %v %s, want %v %s", i, token, got[i].At, got[i].Data, want[i].At, want[i].Data)
		}
	}
}

func checkObservations(t *testing.T, s Stores) {
	ctx, token := t.Context(), unique("0x")
	hour := epoch.Truncate(time.Hour)
	wantObserved(t, s, "base", token, hour)

	// Only the first of an hour is kept, whatever the zone of the clock says.
	first := newObservation(hour.Add(time.Minute).In(time.FixedZone("half", 19_800)))
	mustDo(t, s.Observations.Observe(ctx, "base", token, first))
	mustDo(t, s.Observations.Observe(ctx, "base", token, newObservation(hour)))
	mustDo(t, s.Observations.Observe(ctx, "base", token, newObservation(hour.Add(time.Hour-1))))
	wantObserved(t, s, "base", token, hour, first)

	// They come in order, however they went in.
	late, early := newObservation(hour.Add(30*time.Hour)), newObservation(hour.Add(-20*time.Hour))
	mustDo(t, s.Observations.Observe(ctx, "base", token, late))
	mustDo(t, s.Observations.Observe(ctx, "base", token, early))
	wantObserved(t, s, "base", token, hour.Add(-100*time.Hour), early, first, late)
	wantObserved(t, s, "base", token, first.At, first, late)
	wantObserved(t, s, "base", token, first.At.Add(1), late)
	wantObserved(t, s, "base", token, late.At.Add(1))

	// The largest is kept, and other tokens and chains have nothing of it.
	largest := store.Observation{At: hour, Data: bytes.Repeat([]byte{0xfe}, store.MaximumObservation)}
	mustDo(t, s.Observations.Observe(ctx, "eth", token, largest))
	wantObserved(t, s, "eth", token, hour, largest)
	wantObserved(t, s, "base", token+"0", hour)
	wantObserved(t, s, "base", token[:len(token)-1], hour)
}

// checkObservationLife: what is much older than the newest cannot be read, even when it comes late.
func checkObservationLife(t *testing.T, s Stores) {
	ctx, token := t.Context(), unique("0x")
	oldest, kept, newest := newObservation(epoch), newObservation(epoch.Add(time.Hour)), newObservation(epoch.Add(store.ObservationLife))
	for _, observation := range []store.Observation{oldest, kept, newest} {
		mustDo(t, s.Observations.Observe(ctx, "base", token, observation))
	}
	wantObserved(t, s, "base", token, epoch.Add(-time.Hour), kept, newest)
	mustDo(t, s.Observations.Observe(ctx, "base", token, newObservation(epoch.Add(-24*time.Hour))))
	wantObserved(t, s, "base", token, epoch.Add(-48*time.Hour), kept, newest)
}

// checkConcurrentObservations: of those that observe one hour at once one is kept, and stays.
func checkConcurrentObservations(t *testing.T, s Stores) {
	ctx, token := t.Context(), unique("0x")
	hour := epoch.Truncate(time.Hour)
	atOnce(goroutines, func(i int) {
		if err := s.Observations.Observe(ctx, "base", token, newObservation(hour.Add(time.Duration(i)*time.Second))); err != nil {
			t.Errorf("Observe: %v", err)
		}
	})
	kept := must[[]store.Observation](t)(s.Observations.Observed(ctx, "base", token, hour))
	if len(kept) != 1 {
		t.Fatalf("%d observations of one hour", len(kept))
	}
	wantObserved(t, s, "base", token, hour, newObservation(kept[0].At))
}

// checkObservationModel compares random observations with a map of hours.
func checkObservationModel(t *testing.T, s Stores) {
	ctx := t.Context()
	rapid.Check(t, func(t *rapid.T) {
		token := unique("0x")
		kept := map[int64]store.Observation{}
		for range rapid.IntRange(1, 20).Draw(t, "observations") {
			observation := newObservation(epoch.Add(time.Duration(rapid.Int64Range(0, int64(10*time.Hour)).Draw(t, "at"))))
			mustDo(t, s.Observations.Observe(ctx, "base", token, observation))
			if hour := observation.At.Unix() / 3600; kept[hour].Data == nil {
				kept[hour] = observation
			}
		}
		from := epoch.Add(time.Duration(rapid.Int64Range(0, int64(10*time.Hour)).Draw(t, "from")))
		var want []store.Observation
		for hour := epoch.Unix() / 3600; hour <= epoch.Unix()/3600+11; hour++ {
			if observation, found := kept[hour]; found && !observation.At.Before(from) {
				want = append(want, observation)
			}
		}
		wantObserved(t, s, "base", token, from, want...)
	})
}

func checkInvalidObservations(t *testing.T, s Stores) {
	ctx := t.Context()
	for _, id := range []string{"", "a b", "a#b", strings.Repeat("x", 129)} {
		for _, names := range [][2]string{{id, "token"}, {"base", id}} {
			wantError(t, "Observe", s.Observations.Observe(ctx, names[0], names[1], newObservation(epoch)), store.ErrInvalid)
			_, err := s.Observations.Observed(ctx, names[0], names[1], epoch)
			wantError(t, "Observed", err, store.ErrInvalid)
		}
	}
	for what, bad := range map[string]store.Observation{
		"no time": newObservation(time.Time{}), "no data": {At: epoch}, "too much data": {At: epoch, Data: make([]byte, store.MaximumObservation+1)},
	} {
		wantError(t, what, s.Observations.Observe(ctx, "base", "invalid", bad), store.ErrInvalid)
	}
	_, err := s.Observations.Observed(ctx, "base", "invalid", time.Time{})
	wantError(t, "Observed from no time", err, store.ErrInvalid)
	wantObserved(t, s, "base", "invalid", epoch.Add(-time.Hour))
}

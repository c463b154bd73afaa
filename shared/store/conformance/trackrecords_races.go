package conformance

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// checkSimilarTrackRecords: leaders whose names begin alike do not see each other, and come in order.
func checkSimilarTrackRecords(t *testing.T, s Stores) {
	ctx := t.Context()
	long := strings.Repeat("~", 128)
	// By chain and wallet: '!' and '"' sort before what separates the parts of a key.
	leaders := [][2]string{
		{"B", "w"}, {"b", "!"}, {"b", "W"}, {"b", "w"}, {"b", "w!"}, {"b", "ww"}, {"b!", "!"}, {"b\"", "w"}, {"b-1", "w"}, {"bb", "w"}, {long, long},
	}
	sources := []string{"s", "s!", "ss", long}
	for i, source := range sources {
		for j := range leaders {
			leader := leaders[(j*5+3)%len(leaders)] // in another order
			must[store.Forecast](t)(s.TrackRecords.Forecast(ctx, newForecast(source, leader[0], leader[1])))
			if i < 2 {
				for _, id := range []string{"a", long[8:]} {
					mustDo(t, s.TrackRecords.FollowUp(ctx, newFollowUp(source, leader[0], leader[1], fmt.Sprint(id, i, ".", j))))
				}
			}
		}
	}
	for i, source := range sources {
		var all []store.Forecast
		for _, leader := range leaders {
			all = append(all, newForecast(source, leader[0], leader[1]))
			followUps := must[[]store.FollowUp](t)(s.TrackRecords.FollowUps(ctx, source, leader[0], leader[1], "", 10))
			if want := map[bool]int{true: 2}[i < 2]; len(followUps) != want {
				t.Errorf("%d follow-ups of %v by %q, want %d", len(followUps), leader, source, want)
			}
			for _, followUp := range followUps {
				if followUp.Source != source || followUp.Chain != leader[0] || followUp.Wallet != leader[1] {
					t.Errorf("a follow-up of %+v among those of %v by %q", followUp, leader, source)
				}
			}
		}
		wantForecasts(t, s, source, all...)
		for j, after := range all {
			got := must[[]store.Forecast](t)(s.TrackRecords.Forecasts(ctx, source, after.Chain, after.Wallet, 2))
			sameForecasts(t, got, all[j+1:min(len(all), j+3)])
		}
	}
}

// checkConcurrentTrackRecords: of those that write the same at once one does, and all see its.
func checkConcurrentTrackRecords(t *testing.T, s Stores) {
	ctx := t.Context()
	kept := make([]store.Forecast, racers)
	atOnce(racers, func(i int) {
		forecast := newForecast("rush", "base", "0x1")
		forecast.Probability, forecast.Data = float64(i)/racers, fmt.Append(nil, i)
		var err error
		if kept[i], err = s.TrackRecords.Forecast(ctx, forecast); err != nil {
			t.Errorf("Forecast: %v", err)
		}
	})
	for _, forecast := range kept {
		if string(forecast.Data) != fmt.Sprint(forecast.Probability*racers) {
			t.Errorf("forecast %+v is of several", forecast)
		}
		wantForecasts(t, s, "rush", forecast)
	}

	followUp := func(i int) store.FollowUp {
		followUp := newFollowUp("rush", "base", "0x1", "a")
		followUp.EntryPriceUSD, followUp.DueAt, followUp.Data = float64(i), epoch.Add(horizon+time.Duration(i)), fmt.Append(nil, i)
		return followUp
	}
	atOnce(racers, func(i int) {
		if err := s.TrackRecords.FollowUp(ctx, followUp(i)); err != nil {
			t.Errorf("FollowUp: %v", err)
		}
	})
	open := must[[]store.FollowUp](t)(s.TrackRecords.FollowUps(ctx, "rush", "base", "0x1", "", 10))
	if len(open) != 1 {
		t.Fatalf("%d follow-ups of one ID", len(open))
	}
	winner := followUp(int(open[0].EntryPriceUSD))
	sameFollowUps(t, open, []store.FollowUp{winner})
	wantDue(t, s, "rush", epoch.Add(2*horizon), winner)

	// Some resolve it while others open it again: it has one outcome, and is due no more.
	var written, by atomic.Int64
	outcome := func(i int64) store.Outcome {
		return store.Outcome{At: epoch.Add(time.Duration(i)), Word: fmt.Sprint("outcome-", i), Net: float64(i)}
	}
	atOnce(racers, func(i int) {
		if i%2 == 0 {
			if err := s.TrackRecords.FollowUp(ctx, followUp(i)); err != nil {
				t.Errorf("FollowUp: %v", err)
			}
			return
		}
		switch err := s.TrackRecords.Resolve(ctx, "rush", "base", "0x1", "a", outcome(int64(i))); {
		case err == nil:
			written.Add(1)
			by.Store(int64(i))
		case !errors.Is(err, store.ErrConflict):
			t.Errorf("Resolve: %v", err)
		}
	})
	if written.Load() != 1 {
		t.Errorf("%d outcomes of one follow-up were written, want 1", written.Load())
	}
	wantFollowUps(t, s, "rush", "base", "0x1", resolved(winner, outcome(by.Load())))
	wantDue(t, s, "rush", epoch.Add(2*horizon))
}

func checkInvalidTrackRecords(t *testing.T, s Stores) {
	ctx := t.Context()
	forecast, followUp, outcome := newForecast("bad", "base", "0x1"), newFollowUp("bad", "base", "0x1", "a"), store.Outcome{At: epoch, Word: "resolved"}
	must[store.Forecast](t)(s.TrackRecords.Forecast(ctx, forecast))
	mustDo(t, s.TrackRecords.FollowUp(ctx, followUp))
	refuse := func(what string, err error) {
		t.Helper()
		wantError(t, what, err, store.ErrInvalid)
	}
	try := func(what string, f store.Forecast) {
		t.Helper()
		got, err := s.TrackRecords.Forecast(ctx, f)
		if refuse(what, err); got.Source != "" {
			t.Errorf("%s: %+v beside an error", what, got)
		}
	}
	for _, id := range []string{"", "a b", "a#b", "ü", strings.Repeat("x", 129)} {
		for _, leader := range [][3]string{{id, "base", "0x2"}, {"bad", id, "0x2"}, {"bad", "base", id}} {
			try("Forecast", newForecast(leader[0], leader[1], leader[2]))
			refuse("FollowUp", s.TrackRecords.FollowUp(ctx, newFollowUp(leader[0], leader[1], leader[2], "b")))
			_, err := s.TrackRecords.FollowUps(ctx, leader[0], leader[1], leader[2], "", 1)
			refuse("FollowUps", err)
			refuse("Resolve", s.TrackRecords.Resolve(ctx, leader[0], leader[1], leader[2], "a", outcome))
			_, err = s.TrackRecords.Forecasts(ctx, leader[0], leader[1], leader[2], 1)
			refuse("Forecasts", err)
		}
		refuse("FollowUp", s.TrackRecords.FollowUp(ctx, newFollowUp("bad", "base", "0x1", id)))
		refuse("Resolve", s.TrackRecords.Resolve(ctx, "bad", "base", "0x1", id, outcome))
		_, err := s.TrackRecords.Due(ctx, id, epoch, time.Time{}, "", 1)
		refuse("Due of a source", err)
		_, err = s.TrackRecords.Due(ctx, "bad", epoch, epoch, id, 1)
		refuse("Due after an ID", err)
		if id != "" {
			_, err = s.TrackRecords.FollowUps(ctx, "bad", "base", "0x1", id, 1)
			refuse("FollowUps after an ID", err)
		}
	}
	_, err := s.TrackRecords.Due(ctx, "bad", time.Time{}, time.Time{}, "", 1)
	refuse("Due at no time", err)
	_, err = s.TrackRecords.Due(ctx, "bad", epoch, time.Time{}, "a", 1)
	refuse("Due after an ID of no time", err)
	for _, limit := range []int{-1, 0, store.MaximumTracked + 1} {
		_, err := s.TrackRecords.Forecasts(ctx, "bad", "", "", limit)
		refuse("Forecasts", err)
		_, err = s.TrackRecords.FollowUps(ctx, "bad", "base", "0x1", "", limit)
		refuse("FollowUps", err)
		_, err = s.TrackRecords.Due(ctx, "bad", epoch, time.Time{}, "", limit)
		refuse("Due", err)
	}

	large, infinite := make([]byte, store.MaximumTrackData+1), math.Inf(1)
	for what, spoil := range map[string]func(*store.Forecast){
		"no time": func(f *store.Forecast) { f.GradedAt = time.Time{} }, "no version": func(f *store.Forecast) { f.MethodVersion = "" },
		"below 0": func(f *store.Forecast) { f.Probability = -1e-9 }, "above 1": func(f *store.Forecast) { f.BaseRate = 1.0000001 },
		"infinite": func(f *store.Forecast) { f.Probability = infinite }, "much data": func(f *store.Forecast) { f.Data = large },
	} {
		bad := newForecast("bad", "base", "0x2")
		spoil(&bad)
		try(what, bad)
	}
	for what, spoil := range map[string]func(*store.FollowUp){
		"no entry": func(f *store.FollowUp) { f.EnteredAt = time.Time{} }, "never due": func(f *store.FollowUp) { f.DueAt = time.Time{} },
		"not seen": func(f *store.FollowUp) { f.SeenAt = time.Time{} }, "due before": func(f *store.FollowUp) { f.DueAt = f.EnteredAt.Add(-1) },
		"no token": func(f *store.FollowUp) { f.Token = "" }, "a price below 0": func(f *store.FollowUp) { f.EntryPriceUSD = -1 },
		"an infinite price": func(f *store.FollowUp) { f.EntryPriceUSD = infinite }, "much data": func(f *store.FollowUp) { f.Data = large },
		"resolved": func(f *store.FollowUp) { f.ResolvedAt = epoch }, "an outcome": func(f *store.FollowUp) { f.Outcome = "resolved" },
	} {
		bad := newFollowUp("bad", "base", "0x1", "b")
		spoil(&bad)
		refuse(what, s.TrackRecords.FollowUp(ctx, bad))
	}
	for what, bad := range map[string]store.Outcome{
		"no time": {Word: "resolved"}, "no word": {At: epoch}, "less than nothing left": {At: epoch, Word: "resolved", Net: -1.0000001},
		"infinite": {At: epoch, Word: "resolved", Net: infinite},
	} {
		refuse(what, s.TrackRecords.Resolve(ctx, "bad", "base", "0x1", "a", bad))
	}
	wantForecasts(t, s, "bad", forecast)
	wantFollowUps(t, s, "bad", "base", "0x1", followUp)
	wantDue(t, s, "bad", followUp.DueAt, followUp)
}

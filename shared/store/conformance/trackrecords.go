package conformance

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// horizon is how long a new follow-up is open.
const horizon = 7 * 24 * time.Hour

func newForecast(source, chain, wallet string) store.Forecast {
	return store.Forecast{
		Source: source, Chain: chain, Wallet: wallet, GradedAt: epoch, Mirrorable: true, Probability: 1.0 / 3, BaseRate: 0.245,
		MethodVersion: "2026-11-21", Data: fmt.Appendf(nil, "{\"wallet\":%q,\"bytes\":\"\x00\xff\"}", wallet),
	}
}

func newFollowUp(source, chain, wallet, id string) store.FollowUp {
	return store.FollowUp{
		ID: id, Source: source, Chain: chain, Wallet: wallet, Token: "0xtoken", EnteredAt: epoch, DueAt: epoch.Add(horizon),
		SeenAt: epoch.Add(time.Hour), EntryPriceUSD: 0.1, Data: fmt.Appendf(nil, "{\"id\":%q,\"bytes\":\"\x00\xff\"}", id), Net: math.NaN(),
	}
}

func resolved(followUp store.FollowUp, outcome store.Outcome) store.FollowUp {
	followUp.ResolvedAt, followUp.Outcome, followUp.Net = outcome.At, outcome.Word, outcome.Net
	return followUp
}

// sameFloat is equal to the bit, but that one NaN is as good as another.
func sameFloat(a, b float64) bool {
	return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
}

func sameForecasts(t tester, got, want []store.Forecast) {
	t.Helper()
	if got == nil || len(got) != len(want) {
		t.Fatalf("%d forecasts %+v, want %d, and never nil", len(got), got, len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.Source != w.Source || g.Chain != w.Chain || g.Wallet != w.Wallet || !sameTime(g.GradedAt, w.GradedAt) || g.Mirrorable != w.Mirrorable ||
			!sameFloat(g.Probability, w.Probability) || !sameFloat(g.BaseRate, w.BaseRate) || g.MethodVersion != w.MethodVersion || !bytes.Equal(g.Data, w.Data) {
			t.Errorf("forecast %d: %+v, want %+v", i, g, w)
		}
	}
}

func sameFollowUps(t tester, got, want []store.FollowUp) {
	t.Helper()
	if got == nil || len(got) != len(want) {
		t.Fatalf("%d follow-ups %+v, want %d, and never nil", len(got), got, len(want))
	}
	for i, w := range want {
		g := got[i]
		if g.ID != w.ID || g.Source != w.Source || g.Chain != w.Chain || g.Wallet != w.Wallet || g.Token != w.Token ||
			!sameTime(g.EnteredAt, w.EnteredAt) || !sameTime(g.DueAt, w.DueAt) || !sameTime(g.SeenAt, w.SeenAt) ||
			!sameFloat(g.EntryPriceUSD, w.EntryPriceUSD) || !bytes.Equal(g.Data, w.Data) ||
			!sameTime(g.ResolvedAt, w.ResolvedAt) || g.Outcome != w.Outcome || !sameFloat(g.Net, w.Net) {
			t.Errorf("follow-up %d: %+v, want %+v", i, g, w)
		}
	}
}

func wantForecasts(t tester, s Stores, source string, want ...store.Forecast) {
	t.Helper()
	sameForecasts(t, must[[]store.Forecast](t)(s.TrackRecords.Forecasts(t.Context(), source, "", "", store.MaximumTracked)), want)
}

func wantFollowUps(t tester, s Stores, source, chain, wallet string, want ...store.FollowUp) {
	t.Helper()
	sameFollowUps(t, must[[]store.FollowUp](t)(s.TrackRecords.FollowUps(t.Context(), source, chain, wallet, "", store.MaximumTracked)), want)
}

func wantDue(t tester, s Stores, source string, at time.Time, want ...store.FollowUp) {
	t.Helper()
	sameFollowUps(t, must[[]store.FollowUp](t)(s.TrackRecords.Due(t.Context(), source, at, time.Time{}, "", store.MaximumTracked)), want)
}

func checkForecasts(t *testing.T, s Stores) {
	ctx := t.Context()
	wantForecasts(t, s, "gate")

	// The first is kept and returned, whoever comes later with whatever.
	first := newForecast("gate", "base", "0x2")
	first.GradedAt = epoch.In(time.FixedZone("ahead", 7200))
	for _, forecast := range []store.Forecast{first, first, {
		Source: "gate", Chain: "base", Wallet: "0x2", GradedAt: epoch.Add(-time.Hour), Probability: 1, BaseRate: 0, MethodVersion: "other",
	}} {
		kept := must[store.Forecast](t)(s.TrackRecords.Forecast(ctx, forecast))
		sameForecasts(t, []store.Forecast{kept}, []store.Forecast{first})
		wantForecasts(t, s, "gate", first)
	}

	// Nothing measured, nothing said, and the ends of every range.
	unknown := store.Forecast{Source: "gate", Chain: "base", Wallet: "0x1", GradedAt: epoch, Probability: math.NaN(), BaseRate: math.NaN(), MethodVersion: "1"}
	sure := store.Forecast{Source: "gate", Chain: "base", Wallet: "0x3", GradedAt: epoch, Mirrorable: true, Probability: 1, BaseRate: 0,
		MethodVersion: strings.Repeat("v", 128), Data: bytes.Repeat([]byte{0xfe}, store.MaximumTrackData)}
	tiny := newForecast("gate", "arbitrum", "0x9")
	tiny.Probability, tiny.BaseRate = math.SmallestNonzeroFloat64, math.Nextafter(1, 0)
	for _, forecast := range []store.Forecast{unknown, sure, tiny} {
		kept := must[store.Forecast](t)(s.TrackRecords.Forecast(ctx, forecast))
		sameForecasts(t, []store.Forecast{kept}, []store.Forecast{forecast})
	}
	all := []store.Forecast{tiny, unknown, first, sure}
	wantForecasts(t, s, "gate", all...)
	for limit := 1; limit <= 5; limit++ {
		for i := range all {
			after := all[i]
			got := must[[]store.Forecast](t)(s.TrackRecords.Forecasts(ctx, "gate", after.Chain, after.Wallet, limit))
			sameForecasts(t, got, all[i+1:min(len(all), i+1+limit)])
		}
	}
	// One can go on after a leader that is not there.
	sameForecasts(t, must[[]store.Forecast](t)(s.TrackRecords.Forecasts(ctx, "gate", "base", "0x10", 2)), all[2:])
	sameForecasts(t, must[[]store.Forecast](t)(s.TrackRecords.Forecasts(ctx, "gate", "zz", "0", 2)), all[:0])
}

func checkFollowUps(t *testing.T, s Stores) {
	ctx := t.Context()
	early := newFollowUp("gate", "base", "0x1", "0")
	wantError(t, "FollowUp before the forecast", s.TrackRecords.FollowUp(ctx, early), store.ErrNotFound)
	wantFollowUps(t, s, "gate", "base", "0x1")
	wantDue(t, s, "gate", epoch.Add(horizon))
	must[store.Forecast](t)(s.TrackRecords.Forecast(ctx, newForecast("gate", "base", "0x1")))
	wantFollowUps(t, s, "gate", "base", "0x1")
	for _, stranger := range []store.FollowUp{
		newFollowUp("other", "base", "0x1", "0"), newFollowUp("gate", "eth", "0x1", "0"), newFollowUp("gate", "base", "0x11", "0"),
	} {
		wantError(t, "FollowUp of a leader without a forecast", s.TrackRecords.FollowUp(ctx, stranger), store.ErrNotFound)
	}

	// The first of an ID is kept, while it is open and after.
	entry := newFollowUp("gate", "base", "0x1", "b")
	entry.EnteredAt = epoch.In(time.FixedZone("ahead", 7200))
	again := newFollowUp("gate", "base", "0x1", "b")
	again.Token, again.EntryPriceUSD, again.DueAt, again.Data = "0xother", 7, epoch.Add(time.Hour), nil
	for _, followUp := range []store.FollowUp{entry, entry, again} {
		mustDo(t, s.TrackRecords.FollowUp(ctx, followUp))
		wantFollowUps(t, s, "gate", "base", "0x1", entry)
	}
	wantDue(t, s, "gate", epoch.Add(2*horizon), entry)

	// No price, and every price that there can be, to the bit.
	prices := []float64{math.NaN(), 0, math.Copysign(0, -1), math.SmallestNonzeroFloat64, 1e-130, 123456789.123456789, 1e126, math.MaxFloat64}
	all := []store.FollowUp{entry}
	for i, price := range prices {
		followUp := newFollowUp("gate", "base", "0x1", fmt.Sprint("c", i))
		followUp.EntryPriceUSD = price
		if i == 0 {
			followUp.Data, followUp.DueAt = nil, followUp.EnteredAt
		} else {
			followUp.Data = bytes.Repeat([]byte{0xfe, byte(i)}, store.MaximumTrackData/2)
		}
		mustDo(t, s.TrackRecords.FollowUp(ctx, followUp))
		all = append(all, followUp)
	}
	wantFollowUps(t, s, "gate", "base", "0x1", all...)
	for i, after := range all {
		got := must[[]store.FollowUp](t)(s.TrackRecords.FollowUps(ctx, "gate", "base", "0x1", after.ID, 3))
		sameFollowUps(t, got, all[i+1:min(len(all), i+4)])
	}
	sameFollowUps(t, must[[]store.FollowUp](t)(s.TrackRecords.FollowUps(ctx, "gate", "base", "0x1", "c0a", 1)), all[2:3])

	// The first outcome is kept, one without a return too, and opening it again opens nothing.
	outcomes := []store.Outcome{
		{At: epoch.Add(horizon + 1), Word: "dead", Net: -1}, {At: epoch.Add(horizon).In(time.FixedZone("far", 3600)), Word: "void", Net: math.NaN()},
		{At: epoch, Word: "resolved", Net: 0.1 + 0.2}, {At: epoch, Word: "resolved", Net: math.MaxFloat64},
	}
	for i, outcome := range outcomes {
		mustDo(t, s.TrackRecords.Resolve(ctx, "gate", "base", "0x1", all[i].ID, outcome))
		all[i] = resolved(all[i], outcome)
		for _, other := range outcomes {
			wantError(t, "Resolve again", s.TrackRecords.Resolve(ctx, "gate", "base", "0x1", all[i].ID, other), store.ErrConflict)
		}
		mustDo(t, s.TrackRecords.FollowUp(ctx, newFollowUp("gate", "base", "0x1", all[i].ID)))
		wantFollowUps(t, s, "gate", "base", "0x1", all...)
		wantDue(t, s, "gate", epoch.Add(2*horizon), all[i+1:]...)
	}
	for _, other := range [][4]string{{"gate", "base", "0x1", "x"}, {"gate", "base", "0x11", "b"}, {"gate", "eth", "0x1", "b"}, {"other", "base", "0x1", "b"}} {
		wantError(t, "Resolve of none", s.TrackRecords.Resolve(ctx, other[0], other[1], other[2], other[3], outcomes[0]), store.ErrNotFound)
	}
}

func checkDue(t *testing.T, s Stores) {
	ctx := t.Context()
	wallets := []string{"0x1", "0x2"}
	for _, wallet := range wallets {
		must[store.Forecast](t)(s.TrackRecords.Forecast(ctx, newForecast("gate", "base", wallet)))
	}
	// In the order in which they are due; one nanosecond decides, at either side of a whole second, and then the ID.
	second := epoch.Truncate(time.Second).Add(horizon)
	var all []store.FollowUp
	for _, due := range []struct {
		at time.Time
		id string
	}{
		{second.Add(-1), "z"}, {second, "a"}, {second, "a!"}, {second, "a\""}, {second, "a1"}, {second, "aa"}, {second, "b"}, {second.Add(1), "0"}, {second.Add(1e9), "y"},
	} {
		followUp := newFollowUp("gate", "base", wallets[len(all)%2], due.id)
		followUp.DueAt = due.at.In(time.FixedZone("behind", -3600))
		all = append(all, followUp)
	}
	for _, i := range []int{4, 0, 8, 6, 2, 1, 7, 3, 5} {
		mustDo(t, s.TrackRecords.FollowUp(ctx, all[i]))
	}
	wantDue(t, s, "gate", second.Add(-2))
	wantDue(t, s, "gate", second.Add(-1), all[:1]...)
	wantDue(t, s, "gate", second, all[:7]...)
	wantDue(t, s, "gate", second.Add(1), all[:8]...)
	wantDue(t, s, "gate", second.Add(time.Hour), all...)
	for i, after := range all {
		for limit := 1; limit <= 4; limit++ {
			got := must[[]store.FollowUp](t)(s.TrackRecords.Due(ctx, "gate", second, after.DueAt, after.ID, limit))
			sameFollowUps(t, got, all[min(i+1, 7):min(i+1+limit, 7)])
		}
	}
	sameFollowUps(t, must[[]store.FollowUp](t)(s.TrackRecords.Due(ctx, "gate", second, second, "a0", 1)), all[4:5])

	// An ID is one entry's: while it is open nobody else's that is due at the same time.
	taken := all[4]
	taken.Wallet = wallets[1]
	wantError(t, "FollowUp with another leader's ID", s.TrackRecords.FollowUp(ctx, taken), store.ErrConflict)

	// What is resolved is due no more, and what is open stays.
	for _, i := range []int{4, 0, 8} {
		mustDo(t, s.TrackRecords.Resolve(ctx, "gate", "base", all[i].Wallet, all[i].ID, store.Outcome{At: second, Word: "resolved", Net: 1}))
	}
	left := slices.Concat(all[1:4], all[5:8])
	wantDue(t, s, "gate", second.Add(time.Hour), left...)
	sameFollowUps(t, must[[]store.FollowUp](t)(s.TrackRecords.Due(ctx, "gate", second, all[4].DueAt, all[4].ID, 1)), left[3:4])
}

// checkTrackRecordMemory: neither what goes in nor what comes out shares bytes with the store.
func checkTrackRecordMemory(t *testing.T, s Stores) {
	ctx := t.Context()
	forecast, passed := newForecast("memory", "base", "0x1"), newForecast("memory", "base", "0x1")
	kept := must[store.Forecast](t)(s.TrackRecords.Forecast(ctx, passed))
	clear(kept.Data)
	if !bytes.Equal(passed.Data, forecast.Data) {
		t.Error("the forecast that came back shares its bytes with the one that was passed")
	}
	clear(passed.Data)
	clear(must[store.Forecast](t)(s.TrackRecords.Forecast(ctx, forecast)).Data)
	clear(must[[]store.Forecast](t)(s.TrackRecords.Forecasts(ctx, "memory", "", "", 1))[0].Data)
	wantForecasts(t, s, "memory", newForecast("memory", "base", "0x1"))

	followUp := newFollowUp("memory", "base", "0x1", "a")
	mustDo(t, s.TrackRecords.FollowUp(ctx, followUp))
	clear(followUp.Data)
	clear(must[[]store.FollowUp](t)(s.TrackRecords.FollowUps(ctx, "memory", "base", "0x1", "", 1))[0].Data)
	clear(must[[]store.FollowUp](t)(s.TrackRecords.Due(ctx, "memory", followUp.DueAt, time.Time{}, "", 1))[0].Data)
	wantDue(t, s, "memory", followUp.DueAt, newFollowUp("memory", "base", "0x1", "a"))
	wantFollowUps(t, s, "memory", "base", "0x1", newFollowUp("memory", "base", "0x1", "a"))
}

func checkEndedTrackRecords(t *testing.T, s Stores) {
	ctx := t.Context()
	forecast, followUp := newForecast("ended", "base", "0x1"), newFollowUp("ended", "base", "0x1", "a")
	must[store.Forecast](t)(s.TrackRecords.Forecast(ctx, forecast))
	mustDo(t, s.TrackRecords.FollowUp(ctx, followUp))
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for name, call := range map[string]func() error{
		"Forecast": func() error {
			_, err := s.TrackRecords.Forecast(ended, newForecast("ended", "base", "0x2"))
			return err
		},
		"Forecasts": func() error { _, err := s.TrackRecords.Forecasts(ended, "ended", "", "", 1); return err },
		"FollowUp":  func() error { return s.TrackRecords.FollowUp(ended, newFollowUp("ended", "base", "0x1", "b")) },
		"FollowUps": func() error { _, err := s.TrackRecords.FollowUps(ended, "ended", "base", "0x1", "", 1); return err },
		"Due":       func() error { _, err := s.TrackRecords.Due(ended, "ended", epoch, time.Time{}, "", 1); return err },
		"Resolve": func() error {
			return s.TrackRecords.Resolve(ended, "ended", "base", "0x1", "a", store.Outcome{At: epoch, Word: "resolved"})
		},
	} {
		wantError(t, name, call(), context.Canceled)
	}
	wantForecasts(t, s, "ended", forecast)
	wantFollowUps(t, s, "ended", "base", "0x1", followUp)
}

package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/webhook"
)

// No attempt begins that could not end before the function's own time is up.
func TestARunEndsInTime(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.register("acme", "https://hooks.example.com/in")
		w.receivers["hooks.example.com"] = func(*http.Request, int) (*http.Response, error) {
			time.Sleep(14 * time.Second)
			return status(200), nil
		}
		for i := range 200 {
			w.say("acme", fmt.Sprintf("evt_%d", i), "agent.paused")
		}
		for _, given := range []time.Duration{15 * time.Second, 21 * time.Second, 40 * time.Second, time.Hour} {
			ctx, cancel := context.WithTimeout(t.Context(), given)
			began, before := time.Now(), len(w.attempts)
			report, err := w.spread.Part(ctx, time.Now(), store.Pass{}, store.OutboxShard("acme"))
			took := time.Since(began)
			if err != nil || took > given || took > 65*time.Second || report[0].Items != len(w.attempts)-before || (report[0].Items == 0) != (given < 20*time.Second) {
				t.Errorf("within %v: %v, %v after %v", given, report, err, took)
			}
			cancel()
		}
	})
}

// What goes to all reaches those who want it, and only them.
func TestWhatGoesToAllReachesThoseWhoWantIt(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		const partners = 3*store.MaximumListed + 7
		for p := range partners {
			events := [][]string{nil, {"leader.grade_changed"}, {"agent.paused", "agent.stopped"}}[p%3]
			w.register(fmt.Sprintf("partner-%d", p), fmt.Sprintf("https://hooks-%d.example.com/", p), events...)
		}
		w.ask("partner-0", http.MethodDelete, "/v1/webhooks", nil, http.StatusOK, nil)
		w.say("", "evt_all", "leader.grade_changed")
		w.say("partner-2", "evt_own", "agent.paused")
		w.say("partner-2", "evt_other", "agent.activated")
		w.say("partner-0", "evt_nobody", "agent.paused")
		w.say("stranger", "evt_stranger", "agent.paused")
		// Cut short in the middle, it is done again.
		adds := 0
		w.memory.fail = func(step string) error {
			if step == "Add" {
				if adds++; adds == 50 {
					return errors.New("cut short")
				}
			}
			return nil
		}
		if _, err := w.spread.Part(t.Context(), time.Now(), store.Pass{}, store.OutboxShard("")); err == nil {
			t.Error("an error of the store is not told")
		}
		w.memory.fail = nil
		w.passes(time.Hour)
		want := []string{"hooks-2.example.com evt_own"}
		for p := 1; p < partners; p++ {
			if p%3 != 2 {
				want = append(want, fmt.Sprintf("hooks-%d.example.com evt_all", p))
			}
		}
		var sent []string
		for _, a := range w.attempts {
			sent = append(sent, a.host+" "+a.id)
		}
		slices.Sort(sent)
		slices.Sort(want)
		if !slices.Equal(slices.Compact(sent), want) || w.memory.left() != 0 || len(w.memory.parked) != 0 {
			t.Errorf("%d were sent, want %d; %d are left", len(sent), len(want), w.memory.left())
		}
		if first := w.attempts[0]; first.id == "evt_own" && first.body != `{"type":"agent.paused","timestamp":"2000-01-01T00:00:00Z","data":{"name":"evt_own"}}` {
			t.Error(first.body)
		}
	})
}

// A partner's change while an attempt is under way is not undone by what becomes of the attempt.
func TestAnAttemptUndoesNoChangeOfThePartner(t *testing.T) {
	for what, change := range map[string]func(w *world){
		"another URL": func(w *world) { w.put("acme", "https://new.example.com/", false) },
		"removed": func(w *world) {
			w.ask("acme", http.MethodDelete, "/v1/webhooks", nil, http.StatusOK, nil)
		},
		"removed and made again": func(w *world) {
			w.ask("acme", http.MethodDelete, "/v1/webhooks", nil, http.StatusOK, nil)
			w.put("acme", "https://new.example.com/", false)
		},
	} {
		for _, code := range []int{410, 500} {
			inBubble(t, func(t *testing.T, w *world) {
				w.register("acme", "https://hooks.example.com/in")
				changed := false
				w.receivers["hooks.example.com"] = func(*http.Request, int) (*http.Response, error) {
					if !changed {
						changed = true
						change(w)
					}
					return status(code), nil
				}
				w.say("acme", "evt_1", "agent.paused")
				w.passes(time.Hour)
				if what == "removed" {
					w.ask("acme", http.MethodGet, "/v1/webhooks", nil, http.StatusNotFound, nil)
				} else if answer := w.get("acme"); answer.URL != "https://new.example.com/" || answer.Status != "active" || answer.FailingSinceAt != nil ||
					w.byID["new.example.comevt_1"] != 1 {
					t.Errorf("%s, %d: %+v", what, code, answer)
				}
				if w.memory.left() != 0 || len(w.memory.parked) != 0 {
					t.Errorf("%s, %d: %d are left", what, code, w.memory.left())
				}
			})
		}
	}
}

// What is wrong on our side costs no attempt, and is in nobody's way.
func TestFaultsOnOurSideCostNoAttempt(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.register("acme", "https://hooks.example.com/in")
		w.say("acme", "evt_1", "agent.paused")
		var other [32]byte
		wrong := w.service
		wrong.Sealer = webhook.NewSealer(other, strings.NewReader(""))
		if _, err := webhook.Deliver(wrong, w.memory).Part(t.Context(), time.Now(), store.Pass{}, store.OutboxShard("acme")); err == nil {
			t.Error("secrets that cannot be opened are no error")
		}
		if len(w.attempts) != 0 || w.memory.left() != 1 {
			t.Errorf("%d attempts", len(w.attempts))
		}
		w.memory.webhooks["broken"] = store.Webhook{Partner: "broken", Version: 1, ChangedAt: time.Now(), Data: []byte("[")}
		w.say("", "evt_all", "leader.grade_changed")
		w.say("acme", "evt_bad", "agent.paused")
		bad := w.memory.waiting[store.OutboxShard("acme")][[2]string{"evt_bad", "acme"}]
		bad.Event.Data = []byte("{")
		w.memory.waiting[store.OutboxShard("acme")][[2]string{"evt_bad", "acme"}] = bad
		for range 10 {
			for part := range store.OutboxShards {
				_, _ = w.spread.Part(t.Context(), time.Now(), store.Pass{}, part)
			}
			time.Sleep(time.Minute)
		}
		if w.byID["hooks.example.comevt_1"] != 1 || w.byID["hooks.example.comevt_all"] != 1 || w.byID["hooks.example.comevt_bad"] != 0 {
			t.Errorf("%v", w.byID)
		}
		// The one that is no JSON is parked; the one for the partner whose webhook cannot be read waits.
		if len(w.memory.parked) != 1 || w.memory.left() != 1 {
			t.Errorf("%d are parked, %d are left", len(w.memory.parked), w.memory.left())
		}
	})
}

func TestNoPassBeginsWhileNothingIsDue(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		lagAt := func(at time.Time) time.Duration {
			w.lag.Store(-1)
			if _, err := w.spread.Plan(t.Context(), at); err != nil {
				t.Error(err)
			}
			return time.Duration(w.lag.Load())
		}
		if lag := lagAt(time.Now()); lag != 0 {
			t.Errorf("nothing is due, and it is so for %v", lag)
		}
		if plan, err := w.spread.Plan(t.Context(), time.Now()); err != nil || plan.Parts != 0 {
			t.Errorf("%+v %v", plan, err)
		}
		w.say("acme", "evt_1", "agent.paused")
		if plan, err := w.spread.Plan(t.Context(), time.Now()); err != nil || plan.Parts != store.OutboxShards {
			t.Errorf("%+v %v", plan, err)
		}
		if plan, err := w.spread.Plan(t.Context(), time.Now().Add(-time.Second)); err != nil || plan.Parts != 0 {
			t.Errorf("%+v %v", plan, err)
		}
		// Of all shards the one counts where something has been due the longest.
		time.Sleep(70 * time.Second)
		for _, partner := range []string{"globex", "initech", "umbrella", "hooli"} {
			w.say(partner, "evt_"+partner, "agent.paused")
		}
		if lag := lagAt(time.Now().Add(20 * time.Second)); lag != 90*time.Second {
			t.Errorf("due for %v", lag)
		}
		for _, part := range []int{-1, store.OutboxShards} {
			if _, err := w.spread.Part(t.Context(), time.Now(), store.Pass{}, part); err == nil {
				t.Errorf("part %d is done", part)
			}
		}
	})
}

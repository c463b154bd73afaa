package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/webhook"
)

// inBubble runs a test in a world whose time stands still while anything happens.
func inBubble(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newWorld(t)) })
}

// hang waits for as long as whoever asked does.
func hang(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// Receivers fail half of the time, in every way there is. Every event reaches them all the same, as the same body under the same id.
func TestEveryEventIsDeliveredAtLeastOnce(t *testing.T) {
	const partners, each = 50, 200
	inBubble(t, func(t *testing.T, w *world) {
		delivered, partnerAt := make(map[string]int), make(map[string]string)
		dice := rand.New(rand.NewPCG(1, 2))
		flaky := func(r *http.Request, _ int) (*http.Response, error) {
			w.mu.Lock()
			roll := dice.IntN(8)
			if roll >= 3 {
				delivered[r.URL.Host+r.Header.Get("webhook-id")]++
			}
			w.mu.Unlock()
			switch roll {
			case 0:
				return status(500), nil
			case 1:
				return nil, syscall.ECONNRESET
			case 2, 3: // 3: it was taken, and the answer came too late
				return hang(r)
			}
			return status(200), nil
		}
		for p := range partners {
			partner, host := fmt.Sprintf("partner-%d", p), fmt.Sprintf("hooks-%d.example.com", p)
			w.register(partner, "https://"+host+"/in")
			w.receivers[host], partnerAt[host] = flaky, partner
			for i := range each {
				w.say(partner, fmt.Sprintf("evt_%d_%d", p, i), "execution.executed")
			}
		}
		w.passes(100 * time.Hour)
		// Each fails ten times in a row once in a thousand times, and is parked then.
		parked := len(w.memory.parked)
		if parked == 0 || parked > 40 {
			t.Errorf("%d are parked", parked)
		}
		for round := 0; len(w.memory.parked) > 0 && round < 3; round++ {
			for p := range partners {
				if _, err := webhook.Replay(t.Context(), w.memory, fmt.Sprintf("partner-%d", p), time.Now()); err != nil {
					t.Error(err)
				}
			}
			w.passes(100 * time.Hour)
		}
		for p := range partners {
			for i := range each {
				if delivered[fmt.Sprintf("hooks-%d.example.comevt_%d_%d", p, p, i)] == 0 {
					t.Errorf("event %d of partner %d was not delivered", i, p)
				}
			}
		}
		if left, parked := w.memory.left(), len(w.memory.parked); left != 0 || parked != 0 || w.reports != partners*each {
			t.Errorf("%d are left, %d are parked, %d are reported", left, parked, w.reports)
		}
		w.check(partnerAt)
		if len(w.attempts) < partners*each*3/2 {
			t.Errorf("%d attempts", len(w.attempts))
		}
		for host, most := range w.busiest {
			if host != "" && most > 4 || most > 16*store.OutboxShards {
				t.Errorf("%d attempts at once to %q", most, host)
			}
		}
	})
}

// What no attempt delivers is parked after the tenth, and goes out when it is replayed.
func TestAfterTheLastAttemptADeliveryIsParkedAndCanBeReplayed(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.register("acme", "https://hooks.example.com/in")
		healthy := false
		w.receivers["hooks.example.com"] = func(*http.Request, int) (*http.Response, error) {
			if healthy {
				return status(204), nil
			}
			return status(500), nil
		}
		began := time.Now()
		w.say("acme", "evt_1", "agent.paused")
		w.passes(100 * time.Hour)
		// Due times are met by the pass of the minute.
		want := []time.Duration{0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}
		if len(w.attempts) != len(want) {
			t.Fatalf("%d attempts", len(w.attempts))
		}
		for i := range want[1:] {
			if step := w.attempts[i+1].at.Sub(w.attempts[i].at); step < want[i+1] || step > want[i+1]+2*time.Minute {
				t.Errorf("attempt %d comes %v after the one before, want %v", i+2, step, want[i+1])
			}
		}
		if answer := w.get("acme"); answer.Status != "active" || answer.FailingSinceAt == nil || *answer.FailingSinceAt != began.UTC().Format(time.RFC3339) {
			t.Errorf("%+v", answer)
		}
		if w.memory.left() != 0 || len(w.memory.parked) != 1 {
			t.Fatalf("%d are left, %d are parked", w.memory.left(), len(w.memory.parked))
		}
		healthy = true
		for _, count := range []int{1, 0} {
			if n, err := webhook.Replay(t.Context(), w.memory, "acme", time.Now()); err != nil || n != count {
				t.Errorf("%d are replayed, %v", n, err)
			}
		}
		if n := w.pass(); n != 1 || w.memory.left() != 0 || len(w.memory.parked) != 0 {
			t.Errorf("%d are delivered", n)
		}
		if answer := w.get("acme"); answer.FailingSinceAt != nil {
			t.Errorf("%+v", answer)
		}
		w.check(map[string]string{"hooks.example.com": "acme"})
	})
}

func TestReplayTakesPageAfterPage(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.register("acme", "https://hooks.example.com/in")
		w.receivers["hooks.example.com"] = always(410)
		for i := range 2*store.MaximumListed + 5 {
			w.say("acme", fmt.Sprintf("evt_%d", i), "agent.paused")
		}
		w.say("other", "evt_o", "agent.paused")
		w.pass()
		if len(w.memory.parked) != 2*store.MaximumListed+5 {
			t.Fatalf("%d are parked", len(w.memory.parked))
		}
		broken := errors.New("broken")
		calls := 0
		w.memory.fail = func(step string) error {
			if calls++; step == "Replay" && calls > 50 {
				return broken
			}
			return nil
		}
		first, err := webhook.Replay(t.Context(), w.memory, "acme", time.Now())
		if !errors.Is(err, broken) || first == 0 {
			t.Errorf("%d, %v", first, err)
		}
		w.memory.fail = nil
		if n, err := webhook.Replay(t.Context(), w.memory, "acme", time.Now()); err != nil || n != 2*store.MaximumListed+5-first {
			t.Errorf("%d, %v", n, err)
		}
	})
}

// A receiver that says it is gone is not asked again, whatever waits for it.
func TestAReceiverThatIsGoneIsDisabled(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.register("acme", "https://hooks.example.com/in")
		w.receivers["hooks.example.com"] = always(410)
		for i := range 40 {
			w.say("acme", fmt.Sprintf("evt_%d", i), "agent.paused")
		}
		w.pass()
		if answer := w.get("acme"); answer.Status != "disabled" || *answer.DisabledReason != "gone" || len(w.attempts) > 4 {
			t.Errorf("%+v after %d attempts", answer, len(w.attempts))
		}
		if len(w.memory.parked) != 40 {
			t.Errorf("%d are parked", len(w.memory.parked))
		}
		before := len(w.attempts)
		w.say("acme", "evt_later", "agent.paused")
		w.pass()
		if len(w.memory.parked) != 41 || len(w.attempts) != before {
			t.Errorf("%d are parked after %d attempts", len(w.memory.parked), len(w.attempts))
		}
		// To register it again is to enable it.
		w.receivers["hooks.example.com"] = nil
		if answer := w.register("acme", "https://hooks.example.com/in"); answer.Status != "active" || answer.DisabledReason != nil || answer.FailingSinceAt != nil {
			t.Errorf("%+v", answer)
		}
		if n, err := webhook.Replay(t.Context(), w.memory, "acme", time.Now()); err != nil || n != 41 {
			t.Errorf("%d %v", n, err)
		}
		if n := w.pass(); n != 41 {
			t.Errorf("%d are delivered", n)
		}
	})
}

func TestFiveDaysOfFailuresAloneDisableAWebhook(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.register("acme", "https://hooks.example.com/in")
		w.register("other", "https://other.example.com/in")
		began := time.Now()
		w.receivers["hooks.example.com"] = always(503)
		w.receivers["other.example.com"] = func(*http.Request, int) (*http.Response, error) {
			// Once in four days something gets through.
			if int(time.Since(began).Hours())%96 == 95 {
				return status(200), nil
			}
			return status(404), nil
		}
		disabled := time.Duration(0)
		for hour := range 24 * 8 {
			w.say("acme", fmt.Sprintf("evt_%d", hour), "agent.paused")
			w.say("other", fmt.Sprintf("evt_%d", hour), "agent.paused")
			w.pass()
			if disabled == 0 && w.get("acme").Status == "disabled" {
				disabled = time.Since(began)
			}
			time.Sleep(time.Hour - time.Since(began)%time.Hour)
		}
		if disabled != 120*time.Hour {
			t.Errorf("it is disabled after %v", disabled)
		}
		if answer := w.get("acme"); *answer.DisabledReason != "failing" || *answer.FailingSinceAt != began.UTC().Format(time.RFC3339) {
			t.Errorf("%+v", answer)
		}
		for _, a := range w.attempts {
			if a.host == "hooks.example.com" && a.at.Sub(began) > 120*time.Hour {
				t.Errorf("an attempt after %v", a.at.Sub(began))
			}
		}
		if answer := w.get("other"); answer.Status != "active" {
			t.Errorf("%+v", answer)
		}
	})
}

func TestRetryAfterIsHonoured(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.register("acme", "https://hooks.example.com/in")
		w.receivers["hooks.example.com"] = func(_ *http.Request, number int) (*http.Response, error) {
			answer := status(http.StatusTooManyRequests)
			answer.Header.Set("Retry-After", []string{"", "7200", "1", "999999"}[min(number, 3)])
			return answer, nil
		}
		for i := range 40 {
			w.say("acme", fmt.Sprintf("evt_%d", i), "agent.paused")
		}
		w.pass()
		if len(w.attempts) > 4 {
			t.Errorf("%d attempts at a receiver that wants to be left alone", len(w.attempts))
		}
		first := w.attempts[0]
		w.passes(40 * time.Hour)
		var own []time.Time
		for _, a := range w.attempts {
			if a.id == first.id {
				own = append(own, a.at)
			}
			if wait := a.at.Sub(first.at); wait > 0 && wait < 2*time.Hour {
				t.Errorf("%s is tried %v after", a.id, wait)
			}
		}
		// Two hours, as it said; the schedule's five minutes, which are longer than its second; a day, which is the longest.
		if len(own) < 4 || own[1].Sub(own[0]) < 2*time.Hour || own[2].Sub(own[1]) < 5*time.Minute || own[2].Sub(own[1]) > 4*time.Hour || own[3].Sub(own[2]) < 24*time.Hour ||
			own[3].Sub(own[2]) > 25*time.Hour {
			t.Errorf("%v", own)
		}
	})
}

// A receiver that never answers holds up nobody else, however much waits for it.
func TestASlowReceiverStarvesNobody(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		// Both are in one shard, and the slow one's deliveries are the older.
		other := ""
		for i := 0; other == ""; i++ {
			if name := fmt.Sprintf("other-%d", i); store.OutboxShard(name) == store.OutboxShard("acme") {
				other = name
			}
		}
		w.register("acme", "https://slow.example.com/in")
		w.register(other, "https://fast.example.com/in")
		w.receivers["slow.example.com"] = func(r *http.Request, _ int) (*http.Response, error) { return hang(r) }
		for i := range 1000 {
			w.say("acme", fmt.Sprintf("evt_a%d", i), "agent.paused")
		}
		time.Sleep(time.Second)
		for i := range 20 {
			w.say(other, fmt.Sprintf("evt_b%d", i), "agent.paused")
		}
		began := time.Now()
		if n := w.pass(); n != 20 || time.Since(began) > time.Minute || w.busiest["slow.example.com"] > 4 {
			t.Errorf("%d are delivered within %v, %d at once", n, time.Since(began), w.busiest["slow.example.com"])
		}
		if tried := len(w.attempts) - 20; tried > 8 {
			t.Errorf("the slow one is tried %d times in one pass", tried)
		}
		// Nothing of it is lost meanwhile, and once it answers, all of it comes.
		if w.memory.left() != 1000 {
			t.Errorf("%d are left", w.memory.left())
		}
		w.receivers["slow.example.com"] = nil
		w.passes(time.Hour)
		if w.memory.left() != 0 || len(w.memory.parked) != 0 {
			t.Errorf("%d are left", w.memory.left())
		}
	})
}

// Two runs side by side send each delivery once, and one that is cut off in the middle leaves it for the next.
func TestOverlappingAndKilledRuns(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		w.register("acme", "https://hooks.example.com/in")
		w.receivers["hooks.example.com"] = func(*http.Request, int) (*http.Response, error) {
			time.Sleep(time.Second)
			return status(200), nil
		}
		for i := range 30 {
			w.say("acme", fmt.Sprintf("evt_%d", i), "agent.paused")
		}
		done := make(chan int)
		for range 3 {
			go func() { done <- w.pass() }()
		}
		if all := <-done + <-done + <-done; all != 30 || len(w.attempts) != 30 {
			t.Errorf("%d are delivered by %d attempts", all, len(w.attempts))
		}
		w.say("acme", "evt_cut", "agent.paused")
		ctx, cancel := context.WithCancel(t.Context())
		w.receivers["hooks.example.com"] = func(r *http.Request, _ int) (*http.Response, error) {
			cancel()
			return hang(r)
		}
		_, err := w.spread.Part(ctx, time.Now(), store.Pass{}, store.OutboxShard("acme"))
		t.Log(err)
		w.receivers["hooks.example.com"] = nil
		w.passes(time.Hour)
		if w.memory.left() != 0 || w.byID["hooks.example.comevt_cut"] != 2 || w.get("acme").FailingSinceAt != nil {
			t.Errorf("%d are left after %d attempts: %+v", w.memory.left(), w.byID["hooks.example.comevt_cut"], w.get("acme"))
		}
	})
}

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

func TestThePlanIsToDoNothingWhileNothingIsDue(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
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
		for _, part := range []int{-1, store.OutboxShards} {
			if _, err := w.spread.Part(t.Context(), time.Now(), store.Pass{}, part); err == nil {
				t.Errorf("part %d is done", part)
			}
		}
	})
}

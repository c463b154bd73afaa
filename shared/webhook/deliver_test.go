package webhook_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
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

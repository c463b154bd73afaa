package webhook_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/webhook"
)

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
	wants := func(words ...string) receiverOf {
		return func(_ *http.Request, number int) (*http.Response, error) {
			answer := status(http.StatusTooManyRequests)
			answer.Header.Set("Retry-After", words[min(number, len(words))-1])
			return answer, nil
		}
	}
	inBubble(t, func(t *testing.T, w *world) {
		w.register("acme", "https://hooks.example.com/in")
		w.receivers["hooks.example.com"] = wants("7200", "1", "999999")
		w.say("acme", "evt_1", "agent.paused")
		w.passes(40 * time.Hour)
		// Two hours, as it said; the schedule's five minutes, which are longer than its second; a day, which is the longest.
		want := []time.Duration{2 * time.Hour, 5 * time.Minute, 24 * time.Hour}
		if len(w.attempts) != 4 {
			t.Fatalf("%d attempts", len(w.attempts))
		}
		for i := range want {
			if wait := w.attempts[i+1].at.Sub(w.attempts[i].at); wait < want[i] || wait > want[i]+time.Minute {
				t.Errorf("attempt %d comes after %v, want %v", i+2, wait, want[i])
			}
		}
	})
	// What else waits for the receiver leaves it alone as well.
	inBubble(t, func(t *testing.T, w *world) {
		w.register("acme", "https://hooks.example.com/in")
		w.receivers["hooks.example.com"] = wants("7200")
		for i := range 40 {
			w.say("acme", fmt.Sprintf("evt_%d", i), "agent.paused")
		}
		w.passes(2*time.Hour - time.Minute)
		if len(w.attempts) == 0 || len(w.attempts) > 4 {
			t.Errorf("%d attempts at a receiver that wants to be left alone", len(w.attempts))
		}
		w.receivers["hooks.example.com"] = nil
		w.passes(2 * time.Hour)
		if w.memory.left() != 0 {
			t.Errorf("%d are left", w.memory.left())
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

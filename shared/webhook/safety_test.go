package webhook_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/webhook"
)

// Neither a secret nor what a URL holds is in a log, in an error or, for the secret, in the store.
func TestNoSecretGetsOut(t *testing.T) {
	inBubble(t, func(t *testing.T, w *world) {
		secrets := []string{w.put(acme, "https://hooks.example.com/in/canary?token=canary", false).Secret, w.put(acme, "https://hooks.example.com/in/canary?token=canary", true).Secret}
		for i, receiver := range []receiverOf{
			always(200), always(500), always(302), func(r *http.Request, _ int) (*http.Response, error) { return hang(r) },
			func(r *http.Request, _ int) (*http.Response, error) { return nil, fmt.Errorf("no way to %s", r.URL) }, always(410),
		} {
			w.receivers["hooks.example.com"] = receiver
			w.say(acme, fmt.Sprintf("evt_%d", i), "agent.paused")
			w.ask(acme, http.MethodPost, "/v1/webhooks/test", nil, http.StatusOK, nil)
			w.pass()
		}
		w.service.Sealer = webhook.NewSealer([32]byte{1}, bytes.NewReader(nil))
		_, err := webhook.Deliver(w.service, w.memory).Part(t.Context(), time.Now().Add(time.Hour), store.Pass{}, store.OutboxShard(acme))
		said := w.log.String() + w.fixture.Log.String() + fmt.Sprint(err, w.service)
		if len(w.log.String()) < 500 || strings.Contains(said, "canary") {
			t.Errorf("the log holds a URL, or nothing: %s", said)
		}
		kept := string(w.memory.webhooks[acme].Data)
		for _, secret := range secrets {
			text := strings.TrimPrefix(secret, "whsec_")
			raw, err := base64.StdEncoding.DecodeString(text)
			if err != nil {
				t.Fatal(err)
			}
			for _, form := range []string{text, base64.URLEncoding.EncodeToString(raw), fmt.Sprintf("%x", raw), fmt.Sprint(raw), string(raw)} {
				if strings.Contains(said, form) || strings.Contains(kept, form) {
					t.Errorf("a secret is in the log or in the store as %s", form)
				}
			}
		}
	})
}

// The clock is set forth and back, between attempts and inside of them. Everything arrives, and nothing is sent without end.
func TestClocksThatJumpLoseNothing(t *testing.T) {
	for _, jump := range []time.Duration{10 * time.Minute, -10 * time.Minute, 24 * time.Hour, -24 * time.Hour} {
		inBubble(t, func(t *testing.T, w *world) {
			w.put(acme, "https://hooks.example.com/in", false)
			w.receivers["hooks.example.com"] = func(_ *http.Request, number int) (*http.Response, error) {
				if number == 2 {
					w.mu.Lock()
					w.off = jump
					w.mu.Unlock()
				}
				return status([]int{500, 500, 200}[min(number, 3)-1]), nil
			}
			for i := range 20 {
				w.say(acme, fmt.Sprintf("evt_%d", i), "agent.paused")
			}
			w.passes(400 * 24 * time.Hour)
			if w.memory.left() != 0 || len(w.memory.parked) != 0 || len(w.attempts) != 60 {
				t.Errorf("%v: %d are left, %d are parked after %d attempts", jump, w.memory.left(), len(w.memory.parked), len(w.attempts))
			}
			if got := w.get(acme); got.Status != "active" {
				t.Errorf("%v: %+v", jump, got)
			}
		})
	}
}

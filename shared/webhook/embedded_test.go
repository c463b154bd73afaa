package webhook_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
	"github.com/mirrorworthy/mirrorworthy/shared/webhook"
)

// The same on a store that is real: registered, sent to all and to one, failed to the end, parked, replayed, delivered.
func TestDeliveryOnTheStoreOfOneMachine(t *testing.T) {
	file, err := embedded.Open(filepath.Join(t.TempDir(), "store"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	}()
	w := newWorld(t)
	w.service.Webhooks = file.Webhooks()
	outbox := file.Outbox()
	w.spread = webhook.Deliver(w.service, outbox)
	w.handler = endpoint.NewHandler(w.fixture.Service, webhook.Endpoints(w.service)...)
	w.register("acme", "https://hooks.example.com/")
	w.register("other", "https://other.example.com/", "leader.grade_changed")
	say := func(partner, id, kind string) {
		at := w.now().UTC()
		event := store.Event{ID: id, Type: kind, Partner: partner, At: at, Data: []byte(`{}`)}
		if err := outbox.Add(t.Context(), store.Delivery{ID: id, Partner: partner, Event: event, DueAt: at, FirstDueAt: at}); err != nil {
			t.Fatal(err)
		}
	}
	say("", "evt_all", "leader.grade_changed")
	for i := range 5 {
		say("acme", fmt.Sprintf("evt_%d", i), "agent.paused")
	}
	later := func(by time.Duration) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.off += by
	}
	// Now and then something gets through, so that the webhook is not disabled.
	w.receivers["hooks.example.com"] = func(r *http.Request, _ int) (*http.Response, error) {
		if strings.HasPrefix(r.Header.Get("webhook-id"), "evt_through") {
			return status(200), nil
		}
		return status(500), nil
	}
	for pass := range 12 {
		w.pass()
		later(25 * time.Hour)
		say("acme", fmt.Sprintf("evt_through_%d", pass), "agent.paused")
	}
	parked, err := outbox.Parked(t.Context(), "acme", "", store.MaximumListed)
	if err != nil || len(parked) != 6 || parked[0].Attempts != 10 {
		t.Fatalf("%d are parked, %v", len(parked), err)
	}
	w.receivers["hooks.example.com"] = nil
	if n, err := webhook.Replay(t.Context(), outbox, "acme", w.now()); err != nil || n != 6 {
		t.Errorf("%d %v", n, err)
	}
	// The last of those that get through is still to come.
	if n := w.pass(); n != 7 {
		t.Errorf("%d are delivered", n)
	}
	if plan, err := w.spread.Plan(t.Context(), w.now()); err != nil || plan.Parts != 0 || w.byID["other.example.comevt_all"] != 1 {
		t.Errorf("%+v %v %v", plan, err, w.byID)
	}
	w.check(map[string]string{"hooks.example.com": "acme", "other.example.com": "other"})
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

// Time goes on where it was moved to, after a restart too, and a file that says nothing of the kind is refused.
func TestTimeNeverGoesBack(t *testing.T) {
	file, begin := filepath.Join(t.TempDir(), "sample-ahead"), time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	base := func() time.Time { return begin }
	clock, err := newMovableClock(base, file)
	if err != nil || !clock.now().Equal(begin) {
		t.Fatal(err)
	}
	for _, by := range []time.Duration{time.Hour, 36 * time.Hour} {
		if err := clock.move(by); err != nil {
			t.Fatal(err)
		}
	}
	again, err := newMovableClock(base, file)
	if err != nil || !again.now().Equal(begin.Add(37*time.Hour)) {
		t.Fatal(again, err)
	}
	for _, text := range []string{"", "-1h", "soon"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := newMovableClock(base, file); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

// Only the sample market's time is moved, and only ahead; the jobs of agents are then run, and what fails is told.
func TestAdvancing(t *testing.T) {
	clock, err := newMovableClock(func() time.Time { return time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC) }, filepath.Join(t.TempDir(), "sample-ahead"))
	if err != nil {
		t.Fatal(err)
	}
	var ran []string
	run := func(name string, fails error) job.Function {
		return func(_ context.Context, payload json.RawMessage) (json.RawMessage, error) {
			event, err := job.ReadEvent(payload)
			if err != nil || !event.Due.Equal(clock.now()) {
				t.Errorf("%s is due at %v: %v", name, event.Due, err)
			}
			ran = append(ran, name)
			return nil, fails
		}
	}
	s := &server{log: discardLog(), clock: clock, sample: new(samplemarket.Market), jobs: &jobs{
		queues: newQueues(nil, discardLog()),
		functions: map[string]job.Function{
			"deliver-webhooks": run("deliver-webhooks", nil), "expire-agents": run("expire-agents", nil), "mirror-trades": run("mirror-trades", nil), "grade-leaders": run("grade-leaders", nil),
		},
	}}
	ask := func(s *server, by string) (int, string) {
		answer := httptest.NewRecorder()
		s.advance(answer, httptest.NewRequest(http.MethodPost, "/sample/advance?by="+by, nil))
		return answer.Code, answer.Body.String()
	}
	if status, body := ask(s, "6h"); status != http.StatusOK || body != `{"now":"2026-09-01T18:00:00Z"}`+"\n" || strings.Join(ran, " ") != "mirror-trades expire-agents deliver-webhooks" {
		t.Error(status, body, ran)
	}
	for _, by := range []string{"", "6", "-1h", "1441h"} {
		if status, body := ask(s, by); status != http.StatusBadRequest || !strings.Contains(body, "invalid_param") {
			t.Errorf("%s: %d %s", by, status, body)
		}
	}
	if now := clock.now(); now.Hour() != 18 || len(ran) != 3 {
		t.Errorf("%v, %v", now, ran)
	}
	s.jobs.functions["expire-agents"] = run("expire-agents", errors.New(`"broken"`))
	if status, body := ask(s, "0s"); status != http.StatusInternalServerError || !strings.Contains(body, `\"broken\"`) || len(ran) != 6 {
		t.Error(status, body, ran)
	}
	if status, _ := ask(&server{log: discardLog()}, "1h"); status != http.StatusNotFound {
		t.Error(status)
	}
}

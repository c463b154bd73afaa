package job_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
)

var due = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

// scheduled is what EventBridge Scheduler sends: the detail is a text, not an object.
const scheduled = `{"version":"0","id":"53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa","detail-type":"Scheduled Event","source":"aws.scheduler",
"account":"123456789012","time":"2026-09-01T12:00:00Z","region":"eu-central-1","resources":["arn:aws:scheduler:eu-central-1:123456789012:schedule/default/s"],"detail":"{}"}`

func TestEvents(t *testing.T) {
	want := job.Event{ID: "53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa", Due: due}
	if got, err := job.ReadEvent([]byte(scheduled)); err != nil || got != want {
		t.Errorf("%+v %v", got, err)
	}
	written, err := job.WriteEvent(want)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := job.ReadEvent(written); err != nil || got != want {
		t.Errorf("%+v %v", got, err)
	}
	for _, bad := range []string{
		"", "null", "[]", "{}", `{"id":"1"}`, strings.Replace(scheduled, "aws.scheduler", "aws.events", 1),
		strings.Replace(scheduled, "Scheduled Event", "Object Created", 1), strings.Replace(scheduled, "2026-09-01T12:00:00Z", "noon", 1),
		strings.Replace(scheduled, `"id":"53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa"`, `"id":""`, 1),
		strings.Replace(scheduled, `"time":"2026-09-01T12:00:00Z",`, "", 1),
	} {
		if _, err := job.ReadEvent([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func FuzzReadEvent(f *testing.F) {
	f.Add([]byte(scheduled))
	f.Add([]byte(`{"time":1}`))
	f.Fuzz(func(t *testing.T, payload []byte) {
		event, err := job.ReadEvent(payload)
		if err == nil && (event.ID == "" || event.Due.IsZero()) {
			t.Errorf("%q was read as %+v", payload, event)
		}
	})
}

func handle(t *testing.T, payload string, run func(context.Context, time.Time) (job.Report, error)) (string, error) {
	t.Helper()
	var log bytes.Buffer
	clock := func() time.Time { return due.Add(90 * time.Second).In(time.FixedZone("ahead", 3600)) }
	handler := job.Handler(job.Job{Name: "refresh-peers", Run: run}, clock, slog.New(slog.NewTextHandler(&log, nil)))
	answer, err := handler(t.Context(), json.RawMessage(payload))
	if answer != nil {
		t.Errorf("a schedule is answered %s", answer)
	}
	return log.String(), err
}

func TestAJobRunsAsOfTheClock(t *testing.T) {
	ran := 0
	log, err := handle(t, scheduled, func(_ context.Context, at time.Time) (job.Report, error) {
		ran++
		if !at.Equal(due.Add(90*time.Second)) || at.Location() != time.UTC {
			t.Errorf("as of %v", at)
		}
		return job.Report{{Name: "base", Items: 7}, {Name: "eth", Skipped: true}}, nil
	})
	if err != nil || ran != 1 {
		t.Fatal(ran, err)
	}
	for _, want := range []string{"job started", "late=1m30s", "part=base items=7 skipped=false", "part=eth items=0 skipped=true", "job done"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not say %q:\n%s", want, log)
		}
	}
}

func TestAFailedPartFailsTheRunAndHidesNoOther(t *testing.T) {
	cause := errors.New("no such host")
	log, err := handle(t, scheduled, func(context.Context, time.Time) (job.Report, error) {
		return job.Report{{Name: "base", Err: cause}, {Name: "eth", Items: 3}}, nil
	})
	if !errors.Is(err, cause) || !strings.Contains(err.Error(), "refresh-peers: base: no such host") {
		t.Error(err)
	}
	if !strings.Contains(log, "part=eth items=3") || !strings.Contains(log, "job failed") || strings.Contains(log, "job done") {
		t.Error(log)
	}
}

func TestAnErrorOrAPanicFailsTheRun(t *testing.T) {
	cause := errors.New("no time left")
	if _, err := handle(t, scheduled, func(context.Context, time.Time) (job.Report, error) { return nil, cause }); !errors.Is(err, cause) {
		t.Error(err)
	}
	log, err := handle(t, scheduled, func(context.Context, time.Time) (job.Report, error) { panic("lost") })
	if err == nil || !strings.Contains(err.Error(), "panic: lost") || !strings.Contains(log, "job failed") {
		t.Error(err, log)
	}
}

func TestWhatIsNoScheduleRunsNothing(t *testing.T) {
	_, err := handle(t, `{"source":"aws.s3"}`, func(context.Context, time.Time) (job.Report, error) {
		t.Error("the job ran")
		return nil, nil
	})
	if err == nil {
		t.Error("the event was accepted")
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
)

// movableClock is a clock that can be moved ahead. With the sample market time can be made to pass, for what takes days otherwise.
//
// How far it is ahead is kept in a file, so that time does not go back at the next start: what was written then would lie in the future.
type movableClock struct {
	base  func() time.Time
	file  string
	ahead atomic.Int64
}

// newMovableClock makes a clock that goes on where the one before was.
func newMovableClock(base func() time.Time, file string) (*movableClock, error) {
	c := &movableClock{base: base, file: file}
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return nil, err
	}
	ahead, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil || ahead < 0 {
		return nil, fmt.Errorf("%s does not hold a time to be ahead, like 6h0m0s", file)
	}
	c.ahead.Store(int64(ahead))
	return c, nil
}

func (c *movableClock) now() time.Time { return c.base().Add(time.Duration(c.ahead.Load())) }

// move moves the clock ahead. It is moved also where that cannot be kept.
func (c *movableClock) move(by time.Duration) error {
	ahead := time.Duration(c.ahead.Add(int64(by)))
	return os.WriteFile(c.file, []byte(ahead.String()+"\n"), 0o600)
}

// longestAdvance bounds how far the clock is moved at once.
const longestAdvance = 60 * 24 * time.Hour

// advanceTimeout bounds what is waited for after the clock was moved.
const advanceTimeout = 2 * time.Minute

// afterAdvance are the jobs that are run once time has passed, in this order: those that agents live by.
var afterAdvance = []string{"mirror-trades", "expire-agents", "deliver-webhooks"}

// advance answers POST /sample/advance?by=6h: it moves the clock of the service and of the sample market, runs the jobs of agents once,
// and tells what time it is.
func (s *server) advance(w http.ResponseWriter, r *http.Request) {
	by, err := time.ParseDuration(r.URL.Query().Get("by"))
	switch {
	case s.processes != nil:
		writeRefusal(w, http.StatusNotFound, "not_found", "Time cannot be moved with RUNTIME=binaries: the functions are processes with the computer's clock.")
		return
	case s.sample == nil || s.clock == nil:
		writeRefusal(w, http.StatusNotFound, "not_found", "Only the sample market's time can be moved, and only while its clock runs.")
		return
	case err != nil || by < 0 || by > longestAdvance:
		writeRefusal(w, http.StatusBadRequest, "invalid_param", "by is how far to move the clock, like 90m or 6h, at most "+longestAdvance.String()+".")
		return
	}
	if err := s.clock.move(by); err != nil {
		s.log.Error("the sample market's time is not kept", "error", err)
	}
	ctx, cancel := context.WithTimeout(r.Context(), advanceTimeout)
	defer cancel()
	if err := s.jobs.once(ctx, s.clock.now, afterAdvance...); err != nil {
		writeRefusal(w, http.StatusInternalServerError, "internal", "The clock was moved, and a job failed after that: "+oneLine(err))
		return
	}
	s.writeJSON(w, struct {
		Now string `json:"now"`
	}{s.clock.now().UTC().Format(time.RFC3339)})
}

// writeRefusal answers with what is wrong, in the form of the API.
func writeRefusal(w http.ResponseWriter, status int, code, message string) {
	body, err := json.Marshal(map[string]string{"error": code, "message": message}, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		status, body = http.StatusInternalServerError, []byte(`{"error":"internal"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n'))
}

// once runs jobs one after the other as their schedules would, each to the end of what it put into queues.
func (j *jobs) once(ctx context.Context, clock func() time.Time, names ...string) error {
	var failed []error
	for _, name := range names {
		function := j.functions[name]
		if function == nil {
			continue
		}
		payload, err := job.WriteEvent(job.Event{ID: uuid.Must(uuid.NewV7()).String(), Due: clock()})
		if err == nil {
			_, err = function(ctx, payload)
		}
		if err == nil {
			err = j.queues.idle(ctx, name)
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

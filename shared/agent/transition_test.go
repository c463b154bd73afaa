package agent

import (
	"errors"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/activation"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

var start = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

const credentials = 30 * 24 * time.Hour

func address(n byte) chain.Address { return chain.Address{0: n, 19: n} }

func newAgent() *Agent {
	return &Agent{
		Partner: "acme", ID: "ag_1", Owner: address(1), SmartAccount: address(2), Venue: Perps, Leader: address(3), Mode: Paper, Status: PendingActivation,
		Risk: RiskConfig{MaxUSD: 100 * Dollar, CopyPercent: 50}, CreatedAt: start, ChangedAt: start, Version: 1,
	}
}

// activated is an agent that was activated at a time.
func activated(t interface{ Fatal(...any) }, at time.Time) *Agent {
	done, err := newAgent().advance(activation.Progress{Challenge: "c", CredentialsExpireAt: at.Add(credentials)}, true, at)
	if err != nil {
		t.Fatal(err)
	}
	return &done.agent
}

// What an agent may do from each state. The rows are the states, with credentials that hold and that have lapsed.
func TestTransitions(t *testing.T) {
	lapse := func(a *Agent) *Agent { a.CredentialsExpireAt = start; return a }
	in := func(status Status) *Agent { a := activated(t, start); a.Status = status; return a }
	progress := activation.Progress{Challenge: "next", CredentialsExpireAt: start.Add(2 * credentials)}
	verbs := map[string]func(*Agent) (change, error){
		"pause":    func(a *Agent) (change, error) { return a.pause(start.Add(time.Hour)) },
		"resume":   func(a *Agent) (change, error) { return a.resume(start.Add(time.Hour)) },
		"stop":     func(a *Agent) (change, error) { return a.stop(start.Add(time.Hour)) },
		"activate": func(a *Agent) (change, error) { return a.advance(progress, true, start.Add(time.Hour)) },
		"expire":   func(a *Agent) (change, error) { return a.expire(start.Add(time.Hour)) },
	}
	const refused, lapsed = "refused", "lapsed"
	for _, row := range []struct {
		from string
		of   func() *Agent
		to   map[string]string
	}{
		{"pending", newAgent, map[string]string{"pause": refused, "resume": refused, "stop": "stopped", "activate": "active", "expire": refused}},
		{"active", func() *Agent { return in(Active) }, map[string]string{"pause": "paused", "resume": refused, "stop": "stopped", "activate": refused, "expire": refused}},
		{"paused", func() *Agent { return in(Paused) }, map[string]string{"pause": refused, "resume": "active", "stop": "stopped", "activate": refused, "expire": refused}},
		{"active, lapsed", func() *Agent { return lapse(in(Active)) }, map[string]string{"pause": lapsed, "resume": lapsed, "stop": "stopped", "activate": "active", "expire": "expired"}},
		{"paused, lapsed", func() *Agent { return lapse(in(Paused)) }, map[string]string{"pause": lapsed, "resume": lapsed, "stop": "stopped", "activate": "active", "expire": "expired"}},
		{"expired", func() *Agent { return lapse(in(Expired)) }, map[string]string{"pause": lapsed, "resume": lapsed, "stop": "stopped", "activate": "active", "expire": refused}},
		{"stopped", func() *Agent { return in(Stopped) }, map[string]string{"pause": refused, "resume": refused, "stop": refused, "activate": refused, "expire": refused}},
		{"stopped, lapsed", func() *Agent { return lapse(in(Stopped)) }, map[string]string{"pause": refused, "resume": refused, "stop": refused, "activate": refused, "expire": refused}},
	} {
		for verb, want := range row.to {
			before := row.of()
			was := *before
			changed, err := verbs[verb](before)
			got := string(changed.agent.Status)
			switch {
			case errors.Is(err, ErrExpired):
				got = lapsed
			case errors.Is(err, ErrState):
				got = refused
			case err != nil:
				t.Fatal(err)
			case changed.agent.Version != was.Version+1 || len(changed.events) != 1 || changed.agent.ID != was.ID:
				t.Errorf("%s %s: %+v", verb, row.from, changed)
			}
			if got != want {
				t.Errorf("%s from %s: %s, want %s", verb, row.from, got, want)
			}
			if before.Status != was.Status || before.Version != was.Version {
				t.Errorf("%s from %s changed the agent it was asked of", verb, row.from)
			}
		}
	}
}

// The owner can stop an agent whatever state it is in, and nothing ever moves one that is stopped. The activation's steps promise it.
func TestStopIsFinalAndAlwaysPossible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, at := newAgent(), start
		stopped := false
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			at = at.Add(time.Duration(rapid.Int64Range(0, int64(20*24*time.Hour)).Draw(t, "later")))
			before := a.Status
			var next change
			var err error
			verb := rapid.SampledFrom([]string{"pause", "resume", "stop", "begin", "advance", "expire", "warn"}).Draw(t, "verb")
			progress := activation.Progress{Challenge: "c", CredentialsExpireAt: at.Add(credentials)}
			switch verb {
			case "pause":
				next, err = a.pause(at)
			case "resume":
				next, err = a.resume(at)
			case "stop":
				if next, err = a.stop(at); (err == nil) == stopped {
					t.Fatalf("stopping from %s: %v", before, err)
				}
			case "begin":
				next, err = a.begin(progress, at)
			case "advance":
				next, err = a.advance(progress, true, at)
			case "expire":
				next, err = a.expire(at)
			case "warn":
				next, err = a.warn(at)
			}
			if stopped && err == nil {
				t.Fatalf("%s moved a stopped agent", verb)
			}
			if err == nil {
				a = &next.agent
			}
			stopped = a.Status == Stopped
			if a.Status == Active && verb != "advance" && verb != "resume" && before != Active {
				t.Fatalf("%s made a %s agent active", verb, before)
			}
			if stopped && (a.Follows() || !a.dueAt().IsZero()) {
				t.Fatal("a stopped agent is followed or due")
			}
			record, err := a.Record()
			if err != nil || record.Validate() != nil {
				t.Fatal(err, record.Validate())
			}
			if back, err := Read(record); err != nil || back.Status != a.Status || back.Risk.MaxUSD != a.Risk.MaxUSD || !back.CredentialsExpireAt.Equal(a.CredentialsExpireAt) || back.Warned != a.Warned {
				t.Fatalf("%+v came back as %+v, %v", a, back, err)
			}
		}
	})
}

// kinds lists the types of a change's events.
func kinds(events []store.Event) []string {
	var all []string
	for _, e := range events {
		all = append(all, e.Type)
	}
	return all
}

// An owner is warned at 72 and at 24 hours, once each, whatever instants the agent is looked at, and then it expires once.
func TestWarningsAndExpiry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := activated(t, start)
		lapse := start.Add(credentials)
		at := start
		var said []string
		seen := make(map[string]bool)
		for a.Status != Expired {
			at = at.Add(time.Duration(rapid.Int64Range(int64(time.Minute), int64(72*time.Hour)).Draw(t, "later")))
			due := !a.dueAt().After(at)
			next, err := a.expire(at)
			if errors.Is(err, ErrState) {
				next, err = a.warn(at)
			}
			if due != (err == nil) {
				t.Fatalf("at %v, due %v: %v", at.Sub(start), due, err)
			}
			if err != nil {
				continue
			}
			for _, e := range next.events {
				if seen[e.ID] {
					t.Fatal("said twice")
				}
				seen[e.ID] = true
				left := lapse.Sub(at)
				if e.Type == EventSessionExpiring && (left <= 0 || left > 72*time.Hour) {
					t.Fatalf("warned %v before", left)
				}
			}
			said = append(said, kinds(next.events)...)
			a = &next.agent
		}
		if at.Before(lapse) || said[len(said)-1] != EventExpired || len(said) > 3 || slices.Contains(said[:len(said)-1], EventExpired) {
			t.Fatalf("%v at %v", said, at)
		}
	})
	// Looked at every hour, both notices are given.
	a := activated(t, start)
	var said []string
	for at := start; a.Status != Expired; at = at.Add(time.Hour) {
		next, err := a.expire(at)
		if errors.Is(err, ErrState) {
			next, err = a.warn(at)
		}
		if err == nil {
			a, said = &next.agent, append(said, kinds(next.events)...)
		}
	}
	if !slices.Equal(said, []string{EventSessionExpiring, EventSessionExpiring, EventExpired}) {
		t.Error(said)
	}
}

// The same change of the same credentials is one event, that of renewed ones another.
func TestEventsOfTheSameThingAreOne(t *testing.T) {
	at := start.Add(credentials - 48*time.Hour)
	first, err := activated(t, start).warn(at)
	if err != nil {
		t.Fatal(err)
	}
	again, err := activated(t, start).warn(at.Add(time.Minute))
	if err != nil || first.events[0].ID != again.events[0].ID {
		t.Errorf("%v %v %v", first.events, again.events, err)
	}
	renewed, err := activated(t, start.Add(time.Second)).warn(at.Add(time.Minute))
	if err != nil || first.events[0].ID == renewed.events[0].ID {
		t.Errorf("%v %v %v", first.events, renewed.events, err)
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// listedLeaders lists leaders of one group.
type listedLeaders struct {
	store.Leaders
	mu    sync.Mutex
	group store.Group
	all   []store.Leader
}

func (l *listedLeaders) List(_ context.Context, group store.Group, from, _ string, limit int) ([]store.Leader, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	page := []store.Leader{}
	for _, leader := range l.all {
		if group == l.group && leader.Address >= from && len(page) < limit {
			page = append(page, leader)
		}
	}
	return page, nil
}

// handOn is a hand on jobs that find so many leaders and grade all but those at every fourth place, which fail.
func handOn(leaders *listedLeaders, find int, passes store.Passes, out io.Writer, did *[]string) *hand {
	jobs := func(of string) []job.Spread {
		discover := job.Spread{
			Name: discoverJob, Gap: 50 * time.Minute, Then: []string{gradeJob},
			Plan: func(context.Context, time.Time) (job.Plan, error) { return job.Plan{Parts: 1}, nil },
			Part: func(context.Context, time.Time, store.Pass, int) (job.Report, error) {
				*did = append(*did, "discovered of "+of)
				for i := range find {
					leaders.all = append(leaders.all, store.Leader{Address: fmt.Sprintf("0x%04d", i)})
				}
				return job.Report{{Items: find}}, nil
			},
			Conclude: func(context.Context, time.Time, store.Pass) (job.Report, error) { return nil, nil },
		}
		grade := job.Spread{
			Name: gradeJob, Gap: 50 * time.Minute, Then: []string{"resolve-track-record"},
			Plan: func(context.Context, time.Time) (job.Plan, error) { return job.Plan{Parts: len(leaders.all)}, nil },
			Part: func(_ context.Context, _ time.Time, pass store.Pass, part int) (job.Report, error) {
				leaders.mu.Lock()
				defer leaders.mu.Unlock()
				if part%4 == 3 {
					return job.Report{{Err: errors.New("no history")}}, nil
				}
				leaders.all[part].Grading.Pass = pass.ID
				return job.Report{{Items: 1}}, nil
			},
			Conclude: func(context.Context, time.Time, store.Pass) (job.Report, error) {
				*did = append(*did, "published of "+of)
				return nil, nil
			},
		}
		return []job.Spread{discover, grade}
	}
	discover, grade := work, work
	discover.Function, grade.Function = discoverJob, gradeJob
	return &hand{
		some: jobs("base"), all: jobs("all"), consumers: []consumer{discover, grade}, passes: passes, leaders: leaders,
		spot: []store.Group{leaders.group}, venues: []store.Group{{Kind: leader.Perp, Place: leader.PerpVenue}},
		clock: time.Now, out: out, log: discardLog(),
	}
}

// A pass by hand discovers only when nobody is there, grades the chain's leaders, publishes all chains', and leaves the passes of the
// schedule alone.
func TestGradingByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		var did []string
		passes := &memoryPasses{}
		h := handOn(&listedLeaders{group: store.Group{Kind: leader.Spot, Place: "base"}}, 2402, passes, &out, &did)
		if err := h.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if want := "discovered 2402, graded 1802, failed 600, left 0\n"; !strings.HasSuffix(out.String(), want) || !strings.Contains(out.String(), "Nobody was discovered yet") {
			t.Errorf("%s\nwant %s", &out, want)
		}
		if lines := strings.Count(out.String(), "parts"); lines < 10 || lines > 14 {
			t.Errorf("%d lines of progress:\n%s", lines, &out)
		}
		out.Reset()
		if err := h.run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(out.String(), "Nobody") || fmt.Sprint(did) != "[discovered of base published of all published of all]" {
			t.Errorf("did %v\n%s", did, &out)
		}
		for _, name := range []string{discoverJob, gradeJob} {
			if _, err := passes.Latest(t.Context(), name); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("the schedule's pass of %s was touched: %v", name, err)
			}
		}
	})
}

func TestGradingByHandSaysWhatItGaveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		var did []string
		leaders := &listedLeaders{group: store.Group{Kind: leader.Spot, Place: "base"}, all: []store.Leader{{Address: "0x1"}, {Address: "0x2"}}}
		h := handOn(leaders, 0, &memoryPasses{}, &out, &did)
		part := h.some[1].Part
		h.some[1].Part = func(ctx context.Context, at time.Time, pass store.Pass, n int) (job.Report, error) {
			if n == 1 {
				return nil, errors.New("no node answers")
			}
			return part(ctx, at, pass, n)
		}
		if err := h.run(t.Context()); err == nil || !strings.Contains(err.Error(), "1 of 2 parts were given up") {
			t.Error(err)
		}
		if !strings.Contains(out.String(), "discovered 2, graded 1, failed 0, left 1") {
			t.Error(out.String())
		}
		h.some[1].Part = part
		h.all[1].Conclude = func(context.Context, time.Time, store.Pass) (job.Report, error) {
			return nil, errors.New("disk is full")
		}
		if err := h.run(t.Context()); err == nil || !strings.Contains(err.Error(), "the log says why") {
			t.Error(err)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := h.run(ended); err == nil {
			t.Error("a pass that was cut short is no error")
		}
	})
}

func TestGradingByHandSaysWhyItCannot(t *testing.T) {
	getenv := environment(t, "PROVIDERS", recorded(t))
	start(t, getenv)
	for want, arguments := range map[string][]string{
		"is in use, by make run most likely": {"grade"}, "CHAIN=moon: want one of": {"grade", "moon"}, "want nothing to serve": {"serve"},
		"grade base eth: want nothing": {"grade", "base", "eth"},
	} {
		if err := command(t.Context(), arguments, getenv, io.Discard, io.Discard); err == nil || !strings.Contains(oneLine(err), want) {
			t.Errorf("%v: %v", arguments, err)
		}
	}
}

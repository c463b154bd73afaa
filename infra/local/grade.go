package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// The jobs of a pass by hand.
const (
	discoverJob = "discover-leaders"
	gradeJob    = "grade-leaders"
)

// grade runs one pass of grading by hand, on the store and the providers that the service would have: of one chain's traders and of
// the venues', or of all chains' when place is empty. When nobody of them was found yet, it looks for them first.
func grade(ctx context.Context, place string, getenv func(string) string, out, logs io.Writer) error {
	chains := chain.All()
	if place != "" {
		on, ok := chain.Parse(place)
		if !ok {
			return fmt.Errorf("CHAIN=%s: want one of %s, or nothing for all", place, strings.Join(chain.Slugs(), ", "))
		}
		chains = []*chain.Chain{on}
	}
	config, err := host.ReadConfig(getenv)
	if err != nil {
		return err
	}
	if config.Runtime != host.InProcess {
		return fmt.Errorf("RUNTIME=%s: grading by hand is done in this process, want %s", config.Runtime, host.InProcess)
	}
	log := slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: max(config.LogLevel, slog.LevelWarn)}))
	s := &server{log: log}
	defer s.shut()
	kept, _, err := s.open(&config)
	if errors.Is(err, embedded.ErrInUse) {
		return fmt.Errorf("DATA_DIR=%s is in use, by make run most likely: that grades every hour by itself; stop it to grade by hand, or name another DATA_DIR", config.DataDir)
	}
	if err != nil {
		return err
	}
	if config.Mode == host.Sample {
		if err := s.startSample(&config); err != nil {
			return err
		}
	}
	source, err := os.ReadFile(config.Template)
	if err != nil {
		return fmt.Errorf("TEMPLATE=%s: %w", config.Template, err)
	}
	deployed, err := readTemplate(source)
	if err != nil {
		return err
	}
	sources, err := host.NewSources(config, host.Parts{Log: log, Metrics: &logMetrics{log}})
	if err != nil {
		return err
	}
	ports := host.KeptIn(kept)
	var spot []store.Group
	for _, on := range chains {
		spot = append(spot, store.Group{Kind: leader.Spot, Place: string(on.Slug)})
	}
	venues := []store.Group{{Kind: leader.Perp, Place: leader.PerpVenue}, {Kind: leader.Prediction, Place: leader.PredictionVenue}}
	h := hand{
		some: catalogue.Spreads(ports, sources, copying.Copying{}, chains), all: catalogue.Spreads(ports, sources, copying.Copying{}, chain.All()), consumers: deployed.Consumers,
		passes: ports.Passes, leaders: ports.Leaders, spot: spot, venues: venues, clock: config.Clock(), out: out, log: log,
	}
	if err := h.run(ctx); err != nil {
		return err
	}
	query := ""
	if place != "" {
		query = "?chain=" + string(chains[0].Slug)
	}
	fmt.Fprintf(out, "\nThe boards are published. To read one, start make run and ask it:\n  curl -s 'http://127.0.0.1:%d/v1/trader-board%s' -H 'Authorization: Bearer %s'\n",
		config.Port, query, s.key)
	return nil
}

// hand runs passes by hand.
type hand struct {
	// some are the jobs for the chains concerned, all those for every chain.
	some, all []job.Spread
	consumers []consumer
	passes    store.Passes
	leaders   store.Leaders
	// spot are the chains' groups of leaders, without which there is nobody to grade; venues are graded with them.
	spot, venues []store.Group
	clock        func() time.Time
	out          io.Writer
	log          *slog.Logger
}

// run grades, and discovers before that when there is nobody to grade. It says what became of every leader.
func (h *hand) run(ctx context.Context) error {
	before, err := h.count(ctx, h.spot, "")
	if err != nil {
		return err
	}
	if before.discovered == 0 {
		fmt.Fprintln(h.out, "Nobody was discovered yet: looking for traders first.")
		if _, err := h.pass(ctx, discoverJob); err != nil {
			return err
		}
	}
	pass, err := h.pass(ctx, gradeJob)
	if err != nil {
		return err
	}
	after, err := h.count(ctx, append(h.spot, h.venues...), pass.ID)
	if err != nil {
		return err
	}
	fmt.Fprintf(h.out, "discovered %d, graded %d, failed %d, left %d\n", after.discovered, after.graded, pass.Failed, max(0, after.discovered-after.graded-pass.Failed))
	if !pass.Complete() {
		return fmt.Errorf("%d of %d parts were given up; run it again to go on, or with LOG_LEVEL=debug to see more", pass.Parts-len(pass.Done), pass.Parts)
	}
	return nil
}

// pass runs a pass of a job to its end, in this process.
func (h *hand) pass(ctx context.Context, name string) (store.Pass, error) {
	spread, whole := named(h.some, name), named(h.all, name)
	at := slices.IndexFunc(h.consumers, func(c consumer) bool { return c.Function == name })
	if spread == nil || whole == nil || at < 0 {
		return store.Pass{}, fmt.Errorf("there is no job %s with a queue", name)
	}
	byHand := *spread
	// A name of its own: what a hand did to one chain must not keep the schedule from going through all.
	byHand.Name, byHand.Gap, byHand.Then = name+"/by-hand", 0, nil
	// What is made of all leaders is made of all chains' leaders.
	byHand.Conclude = whole.Conclude
	c := h.consumers[at]
	c.Function = byHand.Name
	queues := newQueues([]consumer{c}, h.log)
	progress := newProgress(h.out, name)
	passes := &watchedPasses{Passes: h.passes, tell: progress.tell}
	function := job.SpreadHandler(byHand, passes, queues, h.clock, h.log)
	stop := queues.run(ctx, map[string]job.Function{byHand.Name: function})
	defer stop()
	id := uuid.Must(uuid.NewV7()).String()
	event, err := job.WriteEvent(job.Event{ID: id, Due: h.clock()})
	if err != nil {
		return store.Pass{}, err
	}
	if _, err := function(ctx, event); err != nil {
		return store.Pass{}, err
	}
	if err := queues.idle(ctx); err != nil {
		return store.Pass{}, fmt.Errorf("%s was cut short: %w", name, err)
	}
	progress.end()
	pass, err := h.passes.Latest(ctx, byHand.Name)
	switch {
	case errors.Is(err, store.ErrNotFound) || err == nil && pass.ID != id:
		return store.Pass{ID: id}, nil // there was nothing to do
	case err != nil:
		return pass, err
	case pass.Complete() && pass.FinishedAt.IsZero():
		return pass, fmt.Errorf("%s did its parts, but could not make anything of them; the log says why", name)
	}
	return pass, nil
}

// named finds a spread job.
func named(all []job.Spread, name string) *job.Spread {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

// counted says how many leaders there are, and how many of them were graded in a pass.
type counted struct{ discovered, graded int }

// listed is how many leaders are read at a time.
const listed = 1000

func (h *hand) count(ctx context.Context, groups []store.Group, pass string) (counted, error) {
	var n counted
	for _, group := range groups {
		for from := ""; ; {
			page, err := h.leaders.List(ctx, group, from, "", listed)
			if err != nil {
				return n, err
			}
			n.discovered += len(page)
			for _, l := range page {
				if l.Grading.Pass == pass && pass != "" {
					n.graded++
				}
			}
			if len(page) < listed {
				break
			}
			from = page[len(page)-1].Address + "0" // the first address that sorts after it
		}
	}
	return n, nil
}

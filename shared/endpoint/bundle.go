package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// slotMargin is the most that a bundle keeps of its time for putting the envelope together.
const slotMargin = 200 * time.Millisecond

// Bundle declares an endpoint that answers with the answers of its components, each in the slot of its name. Units, accepted
// parameters and needs are those of the components. subject is the address the envelope repeats.
func Bundle(d Declaration, subject Typed[chain.Address], components ...Endpoint) Endpoint {
	d = d.withDefaults()
	d.Parameters = union(components)
	d.Needs = unionOfNeeds(components)
	d.Units = 0
	for i := range components {
		d.Units += components[i].Units
		d.Graded = d.Graded || components[i].Graded
	}
	if slices.ContainsFunc(components, func(e Endpoint) bool { return e.UnitsFor != nil }) {
		d.UnitsFor = func(r *Request) int {
			units := 0
			for i := range components {
				units += components[i].Cost(r)
			}
			return units
		}
	}
	return Endpoint{
		Declaration: d, Components: components,
		respond: func(ctx context.Context, r *Request) ([]byte, error) {
			slots := runAll(ctx, components, r)
			report(ctx, d.Name, components, slots, r)
			return envelope(d.Name, subject, components, slots, r), nil
		},
	}
}

// slot is one component's outcome: its encoded answer, or what went wrong.
type slot struct {
	body []byte
	err  error
}

// runAll answers all components side by side. A component that is not done when its time is up counts as failed, whether or
// not it minds its context.
func runAll(ctx context.Context, components []Endpoint, r *Request) []slot {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-r.margin))
		defer cancel()
	}
	var (
		mu    sync.Mutex
		slots = make([]slot, len(components))
		open  = len(components)
		done  = make(chan struct{})
	)
	for i := range slots {
		slots[i].err = errUnfinished
	}
	for i := range components {
		go func() {
			body, err := components[i].answer(ctx, r)
			mu.Lock()
			defer mu.Unlock()
			slots[i] = slot{body: body, err: err}
			if open--; open == 0 {
				close(done)
			}
		}()
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
	mu.Lock()
	defer mu.Unlock()
	return append([]slot(nil), slots...)
}

var errUnfinished = fmt.Errorf("component outlived its time: %w", context.DeadlineExceeded)

// envelope writes the bundle's answer around the components' own bytes.
func envelope(name string, subject Typed[chain.Address], components []Endpoint, slots []slot, r *Request) []byte {
	size := 256
	for i := range slots {
		size += len(slots[i].body) + 160
	}
	var out bytes.Buffer
	out.Grow(size)
	out.WriteString(`{"` + subject.specification.Name + `":"` + subject.Of(r).String() + `","chain":"` + string(Chain.Of(r).Slug) + `","bundle":"` + name + `"`)
	failed := make([]string, 0, len(slots))
	for i := range slots {
		out.WriteString(`,"` + components[i].Slot() + `":`)
		if slots[i].err == nil {
			out.Write(slots[i].body)
			continue
		}
		failed = append(failed, components[i].Slot())
		problem := problemOf(slots[i].err)
		out.WriteString(`{"error":` + strconv.Quote(problem.Code) + `,"message":` + quoteJSON(problem.Message) + `}`)
	}
	if len(failed) > 0 {
		out.WriteString(`,"partial":true,"failed":[`)
		for i, slot := range failed {
			if i > 0 {
				out.WriteByte(',')
			}
			out.WriteString(`"` + slot + `"`)
		}
		out.WriteByte(']')
	}
	out.WriteByte('}')
	return out.Bytes()
}

// quoteJSON encodes a text. Texts that are not valid UTF-8 keep what of them is.
func quoteJSON(text string) string {
	quoted, err := encode(strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return `""`
	}
	return string(quoted)
}

// report logs and counts the failed components of a bundle.
func report(ctx context.Context, bundle string, components []Endpoint, slots []slot, r *Request) {
	for i := range slots {
		if err := slots[i].err; err != nil {
			_ = r.PartFailed(ctx, bundle, components[i].Slot(), err)
		}
	}
}

// PartFailed logs and counts that a part of an endpoint's answer failed while the rest stands, and tells what partners see of it.
func (r *Request) PartFailed(ctx context.Context, endpoint, part string, err error) *Problem {
	problem, provider := problemOf(err), providerOf(err)
	level := slog.LevelWarn
	if problem.Status == http.StatusInternalServerError {
		level = slog.LevelError
	}
	r.log.LogAttrs(ctx, level, "slot failed", slog.String("request", r.ID), slog.String("bundle", endpoint),
		slog.String("slot", part), slog.String("code", problem.Code), slog.String("provider", provider), slog.String("cause", err.Error()))
	r.metrics.Count(MetricSlotFailed, 1, "bundle", endpoint, "slot", part, "code", problem.Code, "provider", provider)
	return problem
}

// providerOf names the provider that an error blames, for errors that can tell.
func providerOf(err error) string {
	var blaming interface {
		error
		Provider() string
	}
	if errors.As(err, &blaming) {
		return blaming.Provider()
	}
	return "unknown"
}

package endpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// slotMargin is what a bundle keeps of its deadline for putting the envelope together.
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
	return Endpoint{
		Declaration: d, Components: components,
		respond: func(ctx context.Context, r *Request) ([]byte, error) {
			return envelope(d.Name, subject, components, runAll(ctx, components, r), r), nil
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
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-slotMargin))
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

func quoteJSON(text string) string {
	quoted, err := encode(text)
	if err != nil {
		return `"` + strconv.Itoa(len(text)) + ` bytes of unprintable text"`
	}
	return string(quoted)
}

// failures lists what went wrong inside a bundle, for the log.
func failures(slots []slot) error {
	var all []error
	for i := range slots {
		if slots[i].err != nil {
			all = append(all, slots[i].err)
		}
	}
	return errors.Join(all...)
}

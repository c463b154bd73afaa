package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// progress shows how far a pass is: a bar on a terminal, and elsewhere a line now and then.
type progress struct {
	out  io.Writer
	name string

	mu   sync.Mutex
	bar  *progressbar.ProgressBar // nil where no terminal is
	done int
	said int // the last tenth that a line was written for
}

func newProgress(out io.Writer, name string) *progress {
	p := &progress{out: out, name: name}
	if file, ok := out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		p.bar = progressbar.NewOptions(-1, progressbar.OptionSetWriter(out), progressbar.OptionShowCount(), progressbar.OptionSetDescription(name))
	}
	return p
}

// tell shows a pass as it is now. Passes may be told out of order: it never goes back.
func (p *progress) tell(pass store.Pass) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(pass.Done) < p.done || pass.Parts == 0 {
		return
	}
	p.done = len(pass.Done)
	about := fmt.Sprintf("%s: %d done, %d failed", p.name, pass.Items, pass.Failed)
	if p.bar != nil {
		p.bar.ChangeMax(pass.Parts)
		p.bar.Describe(about)
		_ = p.bar.Set(p.done) // what cannot be shown stops no work
		return
	}
	if tenth := 1 + 10*p.done/pass.Parts; tenth > p.said {
		p.said = tenth
		fmt.Fprintf(p.out, "%s, %d of %d parts, %d left\n", about, p.done, pass.Parts, pass.Parts-p.done)
	}
}

// end leaves the bar's line.
func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar != nil {
		_ = p.bar.Finish()
		fmt.Fprintln(p.out)
	}
}

// watchedPasses tells of every pass that begins and of every part that is completed.
type watchedPasses struct {
	store.Passes
	tell func(store.Pass)
}

func (w *watchedPasses) Begin(ctx context.Context, pass store.Pass, gap time.Duration) (store.Pass, bool, error) {
	current, begun, err := w.Passes.Begin(ctx, pass, gap)
	if err == nil {
		w.tell(current)
	}
	return current, begun, err
}

func (w *watchedPasses) CompletePart(ctx context.Context, name, id string, part, items, failed int) (store.Pass, error) {
	pass, err := w.Passes.CompletePart(ctx, name, id, part, items, failed)
	if err == nil {
		w.tell(pass)
	}
	return pass, err
}

package runtimeapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

// MaximumPayload is the size in bytes of the largest payload and the largest response of an invocation that waits for its answer.
const MaximumPayload = 6<<20 + 100

// Lambda's own limits where Options names none.
const (
	defaultTimeout     = 3 * time.Second
	defaultInitTimeout = 10 * time.Second
	defaultMemory      = 128
	defaultConcurrency = 10
)

// ErrPayloadTooLarge is an invocation whose payload is longer than MaximumPayload. The function does not see it.
var ErrPayloadTooLarge = errors.New("the payload is longer than 6 MB")

// ErrClosed is an invocation of a function that was closed.
var ErrClosed = errors.New("the function is closed")

// Options say what a function is and how it is run.
type Options struct {
	// Name is the function's name. Binary is the path of its executable, Arguments what it is started with.
	Name, Binary string
	Arguments    []string
	// Environment is what the processes find in their environment besides what the Lambda runtime itself sets there. Nothing is
	// inherited.
	Environment map[string]string
	// Timeout ends an invocation, 3 s where it is zero; InitTimeout ends a start, 10 s where it is zero.
	Timeout, InitTimeout time.Duration
	// MemoryMB is the memory that the function is told it has, 128 where it is zero.
	MemoryMB int
	// Concurrency is how many processes there are at most, 10 where it is zero. Further invocations wait.
	Concurrency int
	// Output gets what the processes write to their standard output and standard error, in whole lines; nil for nowhere.
	Output io.Writer
	// Report is told of each invocation that a process took; nil for nobody. It is called before the next invocation of that process.
	Report func(Report)
	// Clock is nil for the computer's; NewID names invocations, nil for random names.
	Clock func() time.Time
	NewID func() string
}

// Report says how an invocation went.
type Report struct {
	RequestID string
	// Cold is whether the process was started for it.
	Cold bool
	// Started is when the process was started, Ready when it first asked for an invocation, Received when it was given this one, and
	// Answered when that ended.
	Started, Ready, Received, Answered time.Time
	// PeakMemory is the most memory that the process had resident until then, in bytes; zero where the system does not tell.
	PeakMemory int64
	// Failure is why there is no response; nil where there is one.
	Failure *FunctionError
}

// FunctionError is an invocation that failed in the function, or because of it.
type FunctionError struct {
	// Type is the kind of failure: one of the function's own, or one of those below. Message says more.
	Type, Message string
}

// The kinds of failure that the Lambda runtime tells of by itself.
const (
	ExitError        = "Runtime.ExitError"
	TimedOut         = "Sandbox.Timedout"
	ResponseTooLarge = "Function.ResponseSizeTooLarge"
	unknownError     = "Runtime.UnknownReason"
)

// Error implements error.
func (e *FunctionError) Error() string { return e.Type + ": " + e.Message }

// Function is a function with its processes. Its methods may be called from several goroutines.
type Function struct {
	options Options
	slots   chan struct{} // one for each process that may be under way
	closing chan struct{}
	work    sync.WaitGroup // invocations under way

	mu     sync.Mutex
	closed bool
	idle   []*process
	live   map[*process]struct{}
}

// New checks options. It starts nothing: the first invocation does.
func New(options Options) (*Function, error) {
	info, err := os.Stat(options.Binary)
	switch {
	case options.Name == "":
		return nil, errors.New("a function needs a name")
	case err != nil:
		return nil, fmt.Errorf("function %s: %w", options.Name, err)
	case info.IsDir() || info.Mode()&0o111 == 0:
		return nil, fmt.Errorf("function %s: %s cannot be executed", options.Name, options.Binary)
	case options.Timeout < 0 || options.InitTimeout < 0 || options.MemoryMB < 0 || options.Concurrency < 0:
		return nil, fmt.Errorf("function %s: time-outs, memory and concurrency are not negative", options.Name)
	}
	// Processes have a working folder of their own.
	if options.Binary, err = filepath.Abs(options.Binary); err != nil {
		return nil, fmt.Errorf("function %s: %w", options.Name, err)
	}
	setDefault(&options.Timeout, defaultTimeout)
	setDefault(&options.InitTimeout, defaultInitTimeout)
	setDefault(&options.MemoryMB, defaultMemory)
	setDefault(&options.Concurrency, defaultConcurrency)
	if options.Clock == nil {
		options.Clock = time.Now
	}
	if options.NewID == nil {
		options.NewID = uuid.NewString
	}
	if options.Output == nil {
		options.Output = io.Discard
	}
	options.Output = &sharedWriter{out: options.Output}
	for name := range options.Environment {
		if _, taken := reserved(options, "")[name]; taken || name == "" || strings.ContainsAny(name, "=\x00") {
			return nil, fmt.Errorf("function %s: its environment cannot set %q", options.Name, name)
		}
	}
	return &Function{
		options: options, slots: make(chan struct{}, options.Concurrency), closing: make(chan struct{}), live: make(map[*process]struct{}),
	}, nil
}

func setDefault[T comparable](value *T, otherwise T) {
	var zero T
	if *value == zero {
		*value = otherwise
	}
}

// Invoke hands a payload to a process and gives its response. It waits while as many processes as there may be are under way.
//
// The error is a *FunctionError where the function failed, ErrPayloadTooLarge, ErrClosed, that of ctx, or tells that no process could
// be started. A process that has the payload goes on with it also when ctx ends, as on Lambda.
func (f *Function) Invoke(ctx context.Context, payload []byte) ([]byte, error) {
	if len(payload) > MaximumPayload {
		return nil, ErrPayloadTooLarge
	}
	select {
	case f.slots <- struct{}{}:
	case <-f.closing:
		return nil, ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if !f.begin() {
		<-f.slots
		return nil, ErrClosed
	}
	done := make(chan outcome, 1)
	go func() {
		defer f.work.Done()
		result := f.exchange(payload)
		<-f.slots
		done <- result
	}()
	select {
	case result := <-done:
		return result.response, result.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// begin counts an invocation that Close waits for.
func (f *Function) begin() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.work.Add(1)
	}
	return !f.closed
}

// outcome is how an invocation ended.
type outcome struct {
	response []byte
	err      error
}

// exchange has a payload answered by a process that is free, or by a new one.
func (f *Function) exchange(payload []byte) outcome {
	for {
		p, cold, err := f.take()
		if err != nil {
			return outcome{err: err}
		}
		if cold {
			if err := p.awaitReady(f.options.InitTimeout); err != nil {
				f.drop(p)
				return outcome{err: f.orClosed(err)}
			}
		}
		given := newInvocation(f.options.NewID(), payload)
		if !p.give(given, f.options.Timeout) {
			f.drop(p) // it ended, or hung, after its last answer, and never saw this payload
			continue
		}
		result, keeps := p.await(given, f.options.Timeout)
		result.err = f.orClosed(result.err)
		if f.options.Report != nil {
			f.options.Report(p.report(given, cold, result.err))
		}
		if keeps {
			f.put(p)
		} else {
			f.drop(p)
		}
		return result
	}
}

// take gives a free process, the one used last, or starts one.
func (f *Function) take() (p *process, cold bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, false, ErrClosed
	}
	if n := len(f.idle); n > 0 {
		p, f.idle = f.idle[n-1], f.idle[:n-1]
		return p, false, nil
	}
	if p, err = startProcess(f.options); err != nil {
		return nil, false, fmt.Errorf("function %s: %w", f.options.Name, err)
	}
	f.live[p] = struct{}{}
	return p, true, nil
}

// put makes a process free.
func (f *Function) put(p *process) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.idle = append(f.idle, p)
}

// drop ends a process.
func (f *Function) drop(p *process) {
	p.stop()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.live, p)
	f.idle = slices.DeleteFunc(f.idle, func(other *process) bool { return other == p })
}

// orClosed is ErrClosed for what failed because the function was closed.
func (f *Function) orClosed(err error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err != nil && f.closed {
		return ErrClosed
	}
	return err
}

// Close ends every process, also those that have an invocation, and waits until they are gone. Its error is always nil.
func (f *Function) Close() error {
	f.mu.Lock()
	already := f.closed
	f.closed = true
	var live []*process
	for p := range f.live {
		live = append(live, p)
	}
	f.mu.Unlock()
	if !already {
		close(f.closing)
	}
	for _, p := range live {
		p.stop()
	}
	f.work.Wait()
	return nil
}

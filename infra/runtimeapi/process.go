package runtimeapi

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// pipeDelay is how long the output of a process is still read that left it to a child.
const pipeDelay = time.Second

// process is one process of a function with the Runtime API that it talks to.
type process struct {
	command *exec.Cmd
	output  *lineWriter
	server  *http.Server
	served  chan struct{} // closed when the API no longer serves
	clock   func() time.Time
	options Options

	started time.Time
	given   chan *invocation // what the next call of next gets
	ready   chan struct{}    // closed by the first call of next
	exited  chan struct{}    // closed when the process is gone

	mu        sync.Mutex
	readyAt   time.Time
	initError *FunctionError
	current   *invocation // what it has to answer
}

// invocation is a payload on its way through a process.
type invocation struct {
	id       string
	payload  []byte
	received time.Time
	answered time.Time
	result   chan outcome // of one
}

func newInvocation(id string, payload []byte) *invocation {
	return &invocation{id: id, payload: payload, result: make(chan outcome, 1)}
}

// startProcess starts the binary on an address of its own.
func startProcess(options Options) (*process, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &process{
		options: options, clock: options.Clock, output: &lineWriter{out: options.Output},
		given: make(chan *invocation), ready: make(chan struct{}), exited: make(chan struct{}), served: make(chan struct{}),
	}
	p.server = &http.Server{Handler: p.api(), ReadHeaderTimeout: 5 * time.Second}
	p.command = exec.Command(options.Binary, options.Arguments...)
	p.command.Env = environment(options, listener.Addr().String())
	p.command.Dir = filepath.Dir(options.Binary)
	p.command.Stdout, p.command.Stderr = p.output, p.output
	p.command.WaitDelay = pipeDelay
	// A group of its own: an interrupt at the keyboard is for whoever invokes the function, and must not end it in the middle.
	p.command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.started = p.clock()
	if err := p.command.Start(); err != nil {
		_ = listener.Close()
		return nil, err
	}
	go func() {
		defer close(p.served)
		_ = p.server.Serve(listener)
	}()
	go func() {
		defer close(p.exited)
		_ = p.command.Wait() // how it ended is in its state
		p.output.flush()
	}()
	return p, nil
}

// reserved are the variables that the Lambda runtime sets.
func reserved(options Options, api string) map[string]string {
	return map[string]string{
		"AWS_LAMBDA_RUNTIME_API":          api,
		"AWS_LAMBDA_FUNCTION_NAME":        options.Name,
		"AWS_LAMBDA_FUNCTION_VERSION":     "$LATEST",
		"AWS_LAMBDA_FUNCTION_MEMORY_SIZE": strconv.Itoa(options.MemoryMB),
		"AWS_LAMBDA_INITIALIZATION_TYPE":  "on-demand",
		"AWS_LAMBDA_LOG_GROUP_NAME":       "/aws/lambda/" + options.Name,
		"AWS_LAMBDA_LOG_STREAM_NAME":      "local",
		"LAMBDA_TASK_ROOT":                filepath.Dir(options.Binary),
		"_HANDLER":                        filepath.Base(options.Binary),
		"TZ":                              ":UTC",
	}
}

// environment is that of a process, in order of name.
func environment(options Options, api string) []string {
	all := maps.Clone(options.Environment)
	if all == nil {
		all = make(map[string]string)
	}
	maps.Copy(all, reserved(options, api))
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		lines = append(lines, name+"="+all[name])
	}
	return lines
}

// awaitReady waits until a new process asks for an invocation. The error is a *FunctionError.
func (p *process) awaitReady(timeout time.Duration) error {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-p.ready:
		return nil
	case <-p.exited:
		return p.exitError()
	case <-timer.C:
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.initError != nil {
			return p.initError // it told why, and stayed
		}
		return &FunctionError{Type: TimedOut, Message: fmt.Sprintf("Init timed out after %.2f seconds", timeout.Seconds())}
	}
}

// give hands over an invocation once the process asks for one. It reports false when the process never does: then it knows nothing of
// the invocation.
func (p *process) give(in *invocation, timeout time.Duration) bool {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case p.given <- in:
		return true
	case <-p.exited:
		return false
	case <-timer.C:
		return false
	}
}

// await waits for the answer to an invocation. Keeps is whether the process can have another.
func (p *process) await(in *invocation, timeout time.Duration) (result outcome, keeps bool) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case result = <-in.result:
		return result, true
	case <-p.exited:
	case <-timer.C:
	}
	// What ended in the same moment as it answered has answered.
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case result = <-in.result:
		return result, true
	default:
	}
	p.current = nil // too late from now on
	in.answered = p.clock()
	select {
	case <-p.exited:
		return outcome{err: p.exitErrorLocked()}, false
	default:
		return outcome{err: &FunctionError{Type: TimedOut, Message: fmt.Sprintf("Task timed out after %.2f seconds", timeout.Seconds())}}, false
	}
}

// exitError tells why a process is gone: what it said itself, or how it ended.
func (p *process) exitError() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.exitErrorLocked()
}

func (p *process) exitErrorLocked() error {
	if p.initError != nil {
		return p.initError
	}
	return &FunctionError{Type: ExitError, Message: "Runtime exited: " + p.command.ProcessState.String()}
}

// report says how an invocation went.
func (p *process) report(in *invocation, cold bool, err error) Report {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := Report{
		RequestID: in.id, Cold: cold, Started: p.started, Ready: p.readyAt, Received: in.received, Answered: in.answered,
		PeakMemory: peakMemory(p.command.Process.Pid),
	}
	errors.As(err, &r.Failure)
	return r
}

// peakMemory reads the most memory that a process had resident; zero where the system does not tell.
func peakMemory(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kilobytes, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return kilobytes << 10
		}
	}
	return 0
}

// stop ends the process and its API, and waits until they are gone.
func (p *process) stop() {
	_ = p.command.Process.Kill()
	<-p.exited
	_ = p.server.Close()
	<-p.served
}

// sharedWriter lets several processes write whole lines into one writer.
type sharedWriter struct {
	mu  sync.Mutex
	out io.Writer
}

func (w *sharedWriter) Write(text []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(text)
}

// longestLine is where a line is cut that does not end.
const longestLine = 1 << 20

// lineWriter passes on whole lines. It is written to by one goroutine at a time.
type lineWriter struct {
	out  io.Writer
	rest []byte
}

// Write never fails: what nobody reads must not end a function.
func (w *lineWriter) Write(text []byte) (int, error) {
	w.rest = append(w.rest, text...)
	if end := bytes.LastIndexByte(w.rest, '\n') + 1; end > 0 {
		_, _ = w.out.Write(w.rest[:end])
		w.rest = append(w.rest[:0], w.rest[end:]...)
	}
	if len(w.rest) > longestLine {
		w.flush()
	}
	return len(text), nil
}

// flush ends the last line.
func (w *lineWriter) flush() {
	if len(w.rest) > 0 {
		_, _ = w.out.Write(append(w.rest, '\n'))
		w.rest = nil
	}
}

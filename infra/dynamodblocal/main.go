// Command dynamodblocal runs a command beside Amazon's DynamoDB Local:
//
//	go run ./infra/dynamodblocal -- go test ./shared/store/...
//
// It starts the engine in memory on a free port of this machine, waits until it answers, runs the command with DYNAMODB_ENDPOINT
// set to its address, stops the engine and exits with the command's code (of which go run itself makes 1 when it is not 0; a built
// program passes it on). The engine comes from npm, once, into .cache/ of the
// repository. It needs a Java runtime of version 17 or later, and npm the first time; where one is missing it is installed with
// apt-get if this runs as root, and named if not.
//
// The engine is for tests: it keeps nothing and, having no option for it, listens on every address of the machine.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

const (
	usage = "usage: go run ./infra/dynamodblocal -- command [argument...]"

	// codeFailed is the exit code for a failure of this program and not of the command.
	codeFailed = 125

	endpointVariable = "DYNAMODB_ENDPOINT"

	startTimeout  = time.Minute
	startAttempts = 3 // another program may take the free port first
	pollInterval  = 50 * time.Millisecond
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	command := os.Args[1:]
	if len(command) > 0 && command[0] == "--" {
		command = command[1:]
	}
	code, err := run(ctx, command)
	if err != nil {
		fmt.Fprintln(os.Stderr, "dynamodblocal:", err)
	}
	stop()
	os.Exit(code)
}

// run does everything and returns the code to exit with.
func run(ctx context.Context, command []string) (int, error) {
	if len(command) == 0 {
		return codeFailed, errors.New(usage)
	}
	folder, err := cacheFolder()
	if err != nil {
		return codeFailed, err
	}
	java, engine, err := install(ctx, folder)
	if err != nil {
		return codeFailed, err
	}
	server, err := start(ctx, java, engine)
	if err != nil {
		return codeFailed, err
	}
	defer server.stop()

	child := exec.CommandContext(ctx, command[0], command[1:]...)
	child.Cancel = func() error { return child.Process.Signal(syscall.SIGTERM) }
	child.WaitDelay = 10 * time.Second
	child.Env = append(os.Environ(), endpointVariable+"="+server.endpoint)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = child.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exitCode(exit.ProcessState), nil
	}
	if err != nil {
		return codeFailed, fmt.Errorf("run %s: %w", command[0], err)
	}
	return 0, nil
}

// exitCode returns the code of a process that ended, and what a shell makes of one that was killed by a signal.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

// cacheFolder returns the folder for the engine in the repository that the working folder lies in.
func cacheFolder() (string, error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return filepath.Join(folder, ".cache", "dynamodblocal"), nil
		}
		parent := filepath.Dir(folder)
		if parent == folder {
			return "", errors.New("run this inside the repository")
		}
		folder = parent
	}
}

// server is a running engine.
type server struct {
	endpoint string
	process  *exec.Cmd
	ended    chan struct{} // closed when the process has ended
	output   *bytes.Buffer // what it said; to be read after it has ended
}

// start starts the engine on a free port and waits until it answers.
func start(ctx context.Context, java, engine string) (*server, error) {
	var failures []error
	for range startAttempts {
		s, err := startOnce(ctx, java, engine)
		if err == nil {
			return s, nil
		}
		failures = append(failures, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(failures...)
}

func startOnce(ctx context.Context, java, engine string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	s := &server{endpoint: fmt.Sprintf("http://127.0.0.1:%d", port), ended: make(chan struct{}), output: new(bytes.Buffer)}
	s.process = exec.Command(java, "-Djava.library.path="+filepath.Join(engine, "DynamoDBLocal_lib"),
		"-jar", filepath.Join(engine, engineJar), "-inMemory", "-disableTelemetry", "-port", fmt.Sprint(port))
	s.process.Dir = engine
	s.process.Stdout, s.process.Stderr = s.output, s.output
	// A group of its own: an interrupt at the keyboard is for the command first, the engine is stopped after it.
	s.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := s.process.Start(); err != nil {
		return nil, fmt.Errorf("start the engine: %w", err)
	}
	go func() {
		_ = s.process.Wait() // how it ended does not matter, that it did does
		close(s.ended)
	}()
	if err := s.waitUntilReady(ctx); err != nil {
		s.stop()
		return nil, fmt.Errorf("start the engine: %w\n%s", err, s.output)
	}
	return s, nil
}

// waitUntilReady waits until the engine answers HTTP, whatever it answers.
func (s *server) waitUntilReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.endpoint, http.NoBody)
		if err != nil {
			return err
		}
		if response, err := http.DefaultClient.Do(request); err == nil {
			_, _ = io.Copy(io.Discard, response.Body)
			return response.Body.Close()
		}
		select {
		case <-s.ended:
			return errors.New("it ended at once")
		case <-ctx.Done():
			return fmt.Errorf("it does not answer: %w", ctx.Err())
		case <-time.After(pollInterval):
		}
	}
}

// stop ends the engine, which has nothing to save, and waits until it is gone.
func (s *server) stop() {
	_ = s.process.Process.Kill()
	<-s.ended
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
)

const (
	invokeTimeout = 20 * time.Minute // a job may run for a quarter of an hour
	startTimeout  = 2 * time.Minute
	askTimeout    = 3 * time.Minute
)

// outOfTime is in the answer of an endpoint whose providers, asked within the limits of callers without a key, did not answer in time.
const outOfTime = `"error":"provider_unavailable","message":"A data provider did not answer in time.`

// runner runs the SAM CLI.
type runner struct {
	sam       string
	arguments []string
	world     *world
}

func (r *runner) command(ctx context.Context, arguments ...string) *exec.Cmd {
	command := exec.CommandContext(ctx, r.sam, arguments...)
	// What the shell has of the functions' settings would count more than what the template says.
	environment := slices.DeleteFunc(os.Environ(), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		_, ours := r.world.settings[name]
		return ours
	})
	command.Env = append(environment, "SAM_CLI_TELEMETRY=0", "AWS_ACCESS_KEY_ID="+credential, "AWS_SECRET_ACCESS_KEY="+credential, "AWS_SESSION_TOKEN=",
		"AWS_REGION="+region, "AWS_DEFAULT_REGION="+region)
	command.Cancel = func() error { return command.Process.Signal(syscall.SIGINT) }
	command.WaitDelay = 30 * time.Second
	return command
}

// atOnce is how many functions are invoked side by side: most of the time goes into making containers.
const atOnce = 3

// invokeAll runs functions with their events. The first are run one after the other, for what they make is asked about by others.
func (r *runner) invokeAll(ctx context.Context, functions []function) []error {
	first := min(len(functions), len(makers))
	failed := make([]error, len(functions))
	for i, f := range functions[:first] {
		failed[i] = r.invoke(ctx, f)
	}
	group := parallel.NewGroup()
	group.SetLimit(atOnce)
	for i := first; i < len(functions); i++ {
		group.Go(func() error {
			failed[i] = r.invoke(ctx, functions[i])
			return nil
		})
	}
	return append(failed, group.Wait())
}

// invoke runs a function with its event, and says how it answered.
func (r *runner) invoke(ctx context.Context, f function) error {
	ctx, cancel := context.WithTimeout(ctx, invokeTimeout)
	defer cancel()
	event, _, err := r.world.event(ctx, f.folder)
	if err != nil {
		return err
	}
	file := filepath.Join(workFolder, f.folder+".json")
	if err := os.WriteFile(file, event, 0o600); err != nil {
		return err
	}
	began := time.Now()
	command := r.command(ctx, append([]string{"local", "invoke", f.id, "--event", file}, r.arguments...)...)
	var said, told bytes.Buffer
	command.Stdout, command.Stderr = &said, &told
	if err := command.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s%s", f.folder, err, tail(told.String()), tail(said.String()))
	}
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	return r.judge("invoke", f, time.Since(began), []byte(lines[len(lines)-1]), told.String())
}

// judge says what a function answered, and whether that is an answer of its own.
func (r *runner) judge(how string, f function, took time.Duration, answer []byte, told string) error {
	var response struct {
		StatusCode   int    `json:"statusCode"`
		Body         string `json:"body"`
		ErrorMessage string `json:"errorMessage"`
	}
	err := json.Unmarshal(answer, &response)
	short := strings.TrimSpace(response.Body)
	outcome := fmt.Sprint(response.StatusCode)
	switch {
	case err != nil:
		err = fmt.Errorf("no answer in JSON: %q", answer)
	case response.ErrorMessage != "":
		err = errors.New(response.ErrorMessage)
	case len(f.routes) == 0:
		outcome = "done" // a job answers nothing, or which messages failed
	case response.StatusCode == http.StatusServiceUnavailable && strings.Contains(response.Body, outOfTime):
		// Its store was reached, and so were providers, of which it needs more calls than their limits give it time for.
	case response.StatusCode == 0 || response.StatusCode >= 500 || response.StatusCode == http.StatusUnauthorized || !json.Valid([]byte(response.Body)):
		err = fmt.Errorf("answered %d %s", response.StatusCode, short)
	case f.folder == "create-agent" && response.StatusCode == http.StatusCreated:
		var made struct {
			AgentID string `json:"agentId"`
		}
		err = json.Unmarshal([]byte(response.Body), &made)
		r.world.created = made.AgentID
	}
	if err != nil {
		fmt.Printf("%-10s %-24s FAILED after %s: %v\n", how, f.folder, took.Round(time.Millisecond), err)
		return fmt.Errorf("%s %s: %w\n%s", how, f.folder, err, tail(told))
	}
	if len(short) > 60 {
		short = short[:60] + "..."
	}
	fmt.Printf("%-10s %-24s %-4s %8s %s\n", how, f.folder, outcome, took.Round(time.Millisecond), short)
	return nil
}

// tail is the end of what a program said.
func tail(text string) string {
	if len(text) > 3000 {
		text = "..." + text[len(text)-3000:]
	}
	return text
}

// api starts all functions behind the emulator of the gateway, and asks each of its routes.
func (r *runner) api(ctx context.Context, functions []function) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err = errors.Join(err, listener.Close()); err != nil {
		return err
	}
	command := r.command(ctx, append([]string{"local", "start-api", "--port", port, "--warm-containers", "LAZY"}, r.arguments...)...)
	log, err := os.Create(filepath.Join(workFolder, "start-api.log"))
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		return err
	}
	defer func() {
		cancel()
		_ = command.Wait() // it was told to stop
	}()
	base := "http://127.0.0.1:" + port
	if err := waitFor(ctx, base); err != nil {
		return fmt.Errorf("%w; %s says why", err, log.Name())
	}
	// One request at a time for each function: the emulator of the runtime takes no more.
	failed := make([]error, len(functions))
	group := parallel.NewGroup()
	group.SetLimit(atOnce)
	for i, f := range functions {
		group.Go(func() error {
			for _, on := range f.routes {
				failed[i] = errors.Join(failed[i], r.ask(ctx, base, f, on))
			}
			return nil
		})
	}
	return errors.Join(append(failed, group.Wait())...)
}

// waitFor waits until the emulator answers anything.
func waitFor(ctx context.Context, base string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		question, err := http.NewRequestWithContext(ctx, http.MethodOptions, base+"/", http.NoBody)
		if err != nil {
			return err
		}
		if answer, err := http.DefaultClient.Do(question); err == nil {
			return answer.Body.Close()
		}
		select {
		case <-ctx.Done():
			return errors.New("sam local start-api does not answer")
		case <-time.After(time.Second):
		}
	}
}

// prefixOf is the first segment of a path, / for the catch-all.
func prefixOf(path string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return "/" + first
}

// ask asks a route what the event of its function asks.
func (r *runner) ask(ctx context.Context, base string, f function, on route) error {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	_, asked, err := r.world.event(ctx, f.folder)
	if err != nil {
		return err
	}
	path := asked.path
	if strings.HasPrefix(on.path, "/api/") {
		path = "/api" + path
	}
	question, err := http.NewRequestWithContext(ctx, asked.method, base+path+"?"+asked.query, strings.NewReader(asked.body))
	if err != nil {
		return err
	}
	question.Header, question.Host = asked.header, eventHost
	began := time.Now()
	answer, err := http.DefaultClient.Do(question)
	if err != nil {
		return fmt.Errorf("%s: %w", f.folder, err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", f.folder, err)
	}
	response, err := json.Marshal(map[string]any{"statusCode": answer.StatusCode, "body": string(body)})
	if err != nil {
		return err
	}
	return r.judge("api "+prefixOf(on.path), f, time.Since(began), response, "")
}

package runtimeapi_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-lambda-go/lambdacontext"
	"go.uber.org/goleak"

	"github.com/mirrorworthy/mirrorworthy/infra/runtimeapi"
)

// behaviour is the variable that makes the test binary a function.
const behaviour = "BEHAVIOUR"

func TestMain(m *testing.M) {
	switch os.Getenv(behaviour) {
	case "":
		goleak.VerifyTestMain(m)
	case "serve":
		lambda.Start(serve)
	case "exit":
		fmt.Println("no way to start")
		os.Exit(3)
	case "hang":
		select {}
	case "refuse":
		refuse(os.Getenv("AWS_LAMBDA_RUNTIME_API"))
	case "strange":
		strange(os.Getenv("AWS_LAMBDA_RUNTIME_API"))
	}
}

// order is what a test wants a function to do.
type order struct {
	Do   string `json:"do"`
	Text string `json:"text"`
	Size int    `json:"size"`
}

// told is what a function tells of itself.
type told struct {
	Text, RequestID, Function, Memory, Trace, Secret string
	Process, Count                                   int
	Deadline                                         time.Time
	Inherited                                        bool
}

// count is how many invocations the process has had.
var count int

// serve is a function with the runtime that the real ones have.
func serve(ctx context.Context, o order) (any, error) {
	count++
	switch o.Do {
	case "tell":
		lc, _ := lambdacontext.FromContext(ctx)
		deadline, _ := ctx.Deadline()
		trace, _ := ctx.Value("x-amzn-trace-id").(string)
		return told{
			Text: o.Text, RequestID: lc.AwsRequestID, Function: lambdacontext.FunctionName, Memory: os.Getenv("AWS_LAMBDA_FUNCTION_MEMORY_SIZE"),
			Trace: trace, Secret: os.Getenv("SECRET"), Process: os.Getpid(), Count: count, Deadline: deadline, Inherited: os.Getenv("HOME") != "",
		}, nil
	case "meet":
		// Answers only once the test says so: it holds several processes at a time.
		response, err := http.Get(o.Text)
		if err != nil {
			return nil, err
		}
		_ = response.Body.Close()
		return os.Getpid(), nil
	case "fail":
		return nil, errors.New(o.Text)
	case "panic":
		panic(o.Text)
	case "exit":
		os.Exit(7)
	case "hang":
		select {}
	case "fill":
		return strings.Repeat("x", o.Size), nil
	case "print":
		fmt.Print("one\ntwo")
		fmt.Fprint(os.Stderr, "\nthree\nfour")
	}
	return "done", nil
}

// refuse tells that it cannot start.
func refuse(api string) {
	response, err := http.Post("http://"+api+"/2018-06-01/runtime/init/error", "application/json", strings.NewReader(`{"errorMessage":"no configuration","errorType":"Config.Missing"}`))
	if err == nil && response.StatusCode == http.StatusAccepted {
		os.Exit(1)
	}
	os.Exit(2)
}

// strange breaks the protocol in each way, and answers with the statuses that it got for it.
func strange(api string) {
	base := "http://" + api + "/2018-06-01/runtime/"
	post := func(path, body string) int {
		response, err := http.Post(base+path, "application/json", strings.NewReader(body))
		if err != nil {
			os.Exit(9)
		}
		_ = response.Body.Close()
		return response.StatusCode
	}
	next := func() (int, string) {
		response, err := http.Get(base + "invocation/next")
		if err != nil {
			os.Exit(9)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		return response.StatusCode, response.Header.Get("Lambda-Runtime-Aws-Request-Id")
	}
	early := post("invocation/none/response", "{}")
	_, id := next()
	again, _ := next()
	other := post("invocation/"+id+"x/response", "{}")
	late := post("init/error", "{}")
	taken := post("invocation/"+id+"/response", fmt.Sprintf("[%d,%d,%d,%d]", early, again, other, late))
	_, id = next()
	_ = post("invocation/"+id+"/response", fmt.Sprintf("[%d,%d]", taken, post("invocation/"+id+"x/error", "{}")))
	_, id = next()
	_ = post("invocation/"+id+"/error", "not JSON")
	select {}
}

// function makes one of the test binary.
func function(t *testing.T, does string, change func(*runtimeapi.Options)) *runtimeapi.Function {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	options := runtimeapi.Options{
		Name: "example", Binary: binary, Timeout: time.Minute, InitTimeout: time.Minute, Environment: map[string]string{behaviour: does, "SECRET": "hush"},
	}
	if change != nil {
		change(&options)
	}
	f, err := runtimeapi.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func invoke[T any](t *testing.T, f *runtimeapi.Function, o order) (answer T) {
	t.Helper()
	payload, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	response, err := f.Invoke(t.Context(), payload)
	if err != nil {
		t.Fatalf("%+v: %v", o, err)
	}
	if err := json.Unmarshal(response, &answer); err != nil {
		t.Fatalf("%s: %v", response, err)
	}
	return answer
}

// fails invokes and wants a function error of a type.
func fails(t *testing.T, f *runtimeapi.Function, o order, kind string) *runtimeapi.FunctionError {
	t.Helper()
	payload, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	response, err := f.Invoke(t.Context(), payload)
	var failed *runtimeapi.FunctionError
	if !errors.As(err, &failed) || failed.Type != kind || response != nil {
		t.Fatalf("%+v: %.100s, %v; want a function error of type %s", o, response, err, kind)
	}
	return failed
}

func TestFunctionIsToldWhatLambdaTells(t *testing.T) {
	t.Setenv("HOME", "/somewhere")
	at := time.Date(2100, 1, 2, 3, 4, 5, 0, time.UTC)
	f := function(t, "serve", func(o *runtimeapi.Options) {
		o.MemoryMB, o.Timeout = 512, 90*time.Second
		o.Clock, o.NewID = func() time.Time { return at }, func() string { return "0198c0de-0000-7000-8000-0123456789ab" }
	})
	got := invoke[told](t, f, order{Do: "tell", Text: "<grüße>"})
	want := told{
		Text: "<grüße>", RequestID: "0198c0de-0000-7000-8000-0123456789ab", Function: "example", Memory: "512", Secret: "hush",
		Trace: fmt.Sprintf("Root=1-%08x-0198c0de0000700080000123;Parent=0198c0de00007000;Sampled=0", at.Unix()), Process: got.Process, Count: 1,
		Deadline: got.Deadline,
	}
	if got != want || !got.Deadline.Equal(at.Add(90*time.Second)) {
		t.Errorf("got %+v, want %+v and the deadline %s", got, want, at.Add(90*time.Second))
	}
}

func TestProcessIsUsedAgain(t *testing.T) {
	var reports []runtimeapi.Report
	f := function(t, "serve", func(o *runtimeapi.Options) { o.Report = func(r runtimeapi.Report) { reports = append(reports, r) } })
	first, second := invoke[told](t, f, order{Do: "tell"}), invoke[told](t, f, order{Do: "tell"})
	if first.Process != second.Process || second.Count != 2 || first.RequestID == second.RequestID {
		t.Errorf("got %+v after %+v, want the same process and another request", second, first)
	}
	if len(reports) != 2 || !reports[0].Cold || reports[1].Cold || reports[1].RequestID != second.RequestID || reports[1].Failure != nil {
		t.Fatalf("reports %+v", reports)
	}
	r := reports[0]
	if r.Ready.Before(r.Started) || r.Received.Before(r.Ready) || r.Answered.Before(r.Received) || r.Started.IsZero() {
		t.Errorf("times are out of order: %+v", r)
	}
	if _, err := os.Stat("/proc/self/status"); err == nil && (r.PeakMemory < 1<<20 || r.PeakMemory > 1<<30) {
		t.Errorf("peak memory %d", r.PeakMemory)
	}
}

// meeting holds those who come until as many are there as are expected.
type meeting struct {
	mu      sync.Mutex
	here    int
	most    int
	enough  chan struct{}
	expects int
}

func (m *meeting) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.here++
	m.most = max(m.most, m.here)
	if m.here == m.expects {
		close(m.enough)
	}
	m.mu.Unlock()
	select {
	case <-m.enough:
	case <-r.Context().Done():
	}
	m.mu.Lock()
	m.here--
	m.mu.Unlock()
}

func TestProcessesWorkSideBySideUpToTheLimit(t *testing.T) {
	const limit, calls = 3, 9
	f := function(t, "serve", func(o *runtimeapi.Options) { o.Concurrency = limit })
	var before []int
	for _, round := range []string{"cold", "warm"} {
		m := &meeting{enough: make(chan struct{}), expects: limit}
		url := serveHTTP(t, m)
		processes := make([]int, calls)
		var all sync.WaitGroup
		for i := range calls {
			all.Go(func() {
				payload, _ := json.Marshal(order{Do: "meet", Text: url})
				response, err := f.Invoke(t.Context(), payload)
				if err == nil {
					err = json.Unmarshal(response, &processes[i])
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		slices.Sort(processes)
		different := slices.Compact(processes)
		if len(different) != limit || m.most != limit {
			t.Errorf("%s: %d processes answered, %d at a time; want %d", round, len(different), m.most, limit)
		}
		if before != nil && !slices.Equal(before, different) {
			t.Errorf("%s: processes %d after %d", round, different, before)
		}
		before = different
	}
}

func TestFailuresAreTold(t *testing.T) {
	f := function(t, "serve", nil)
	before := invoke[told](t, f, order{Do: "tell"})
	if failed := fails(t, f, order{Do: "fail", Text: "no price"}, "errorString"); failed.Message != "no price" {
		t.Errorf("message %q", failed.Message)
	}
	if after := invoke[told](t, f, order{Do: "tell"}); after.Process != before.Process {
		t.Error("a process that told of a failure was replaced")
	}
	if failed := fails(t, f, order{Do: "panic", Text: "at the disco"}, "string"); failed.Message != "at the disco" {
		t.Errorf("message %q", failed.Message)
	}
	if after := invoke[told](t, f, order{Do: "tell"}); after.Process == before.Process || after.Count != 1 {
		t.Error("a process that panicked was used again")
	}
}

func TestProcessThatExitsIsReplaced(t *testing.T) {
	f := function(t, "serve", nil)
	before := invoke[told](t, f, order{Do: "tell"})
	if failed := fails(t, f, order{Do: "exit"}, runtimeapi.ExitError); !strings.Contains(failed.Message, "exit status 7") {
		t.Errorf("message %q", failed.Message)
	}
	if after := invoke[told](t, f, order{Do: "tell"}); after.Process == before.Process || after.Count != 1 {
		t.Errorf("got %+v after %+v", after, before)
	}
}

func TestProcessThatTakesTooLongIsReplaced(t *testing.T) {
	// The time-out of a process that answers is long: under load it starts slowly.
	hanging := function(t, "serve", func(o *runtimeapi.Options) { o.Timeout, o.Concurrency = 50*time.Millisecond, 1 })
	if failed := fails(t, hanging, order{Do: "hang"}, runtimeapi.TimedOut); failed.Message != "Task timed out after 0.05 seconds" {
		t.Errorf("message %q", failed.Message)
	}
	// Its slot is free again, so that this does not wait for ever.
	fails(t, hanging, order{Do: "hang"}, runtimeapi.TimedOut)
}

func TestStartThatFails(t *testing.T) {
	var output bytes.Buffer
	f := function(t, "exit", func(o *runtimeapi.Options) { o.Output = &output })
	if failed := fails(t, f, order{}, runtimeapi.ExitError); !strings.Contains(failed.Message, "exit status 3") {
		t.Errorf("message %q", failed.Message)
	}
	_ = f.Close()
	if output.String() != "no way to start\n" {
		t.Errorf("output %q", output.String())
	}
	if failed := fails(t, function(t, "refuse", nil), order{}, "Config.Missing"); failed.Message != "no configuration" {
		t.Errorf("message %q", failed.Message)
	}
	slow := function(t, "hang", func(o *runtimeapi.Options) { o.InitTimeout = 50 * time.Millisecond })
	if failed := fails(t, slow, order{}, runtimeapi.TimedOut); !strings.HasPrefix(failed.Message, "Init timed out") {
		t.Errorf("message %q", failed.Message)
	}
}

func TestSizesAreLimited(t *testing.T) {
	f := function(t, "serve", nil)
	const quotes = 2
	if text := invoke[string](t, f, order{Do: "fill", Size: runtimeapi.MaximumPayload - quotes}); len(text) != runtimeapi.MaximumPayload-quotes {
		t.Errorf("%d characters", len(text))
	}
	fails(t, f, order{Do: "fill", Size: runtimeapi.MaximumPayload - quotes + 1}, runtimeapi.ResponseTooLarge)
	if answer := invoke[told](t, f, order{Do: "tell", Text: "still here"}); answer.Text != "still here" {
		t.Errorf("got %+v", answer)
	}
	if _, err := f.Invoke(t.Context(), make([]byte, runtimeapi.MaximumPayload+1)); !errors.Is(err, runtimeapi.ErrPayloadTooLarge) {
		t.Errorf("error %v", err)
	}
}

func TestOutputComesInWholeLines(t *testing.T) {
	var output bytes.Buffer
	f := function(t, "serve", func(o *runtimeapi.Options) { o.Output = &output })
	invoke[string](t, f, order{Do: "print"})
	_ = f.Close()
	if output.String() != "one\ntwo\nthree\nfour\n" {
		t.Errorf("output %q", output.String())
	}
}

func TestCallerMayGoAway(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	url := serveHTTP(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release
	}))
	f := function(t, "serve", func(o *runtimeapi.Options) { o.Concurrency = 1 })
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error, 1)
	go func() {
		payload, _ := json.Marshal(order{Do: "meet", Text: url})
		_, err := f.Invoke(ctx, payload)
		failed <- err
	}()
	<-arrived
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := f.Invoke(ctx, []byte(`{}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of one that waited", err)
	}
	close(release)
	if after := invoke[told](t, f, order{Do: "tell"}); after.Count != 2 {
		t.Errorf("got %+v: the invocation under way was not left to its end", after)
	}
}

func TestCloseEndsWhatIsUnderWay(t *testing.T) {
	f := function(t, "serve", func(o *runtimeapi.Options) { o.Concurrency = 1 })
	before := invoke[told](t, f, order{Do: "tell"})
	failed := make(chan error)
	for range 2 { // one is under way, one waits
		go func() {
			_, err := f.Invoke(context.Background(), []byte(`{"do":"hang"}`))
			failed <- err
		}()
	}
	_ = f.Close()
	for range 2 {
		if err := <-failed; !errors.Is(err, runtimeapi.ErrClosed) {
			t.Errorf("error %v", err)
		}
	}
	if _, err := f.Invoke(t.Context(), []byte(`{}`)); !errors.Is(err, runtimeapi.ErrClosed) {
		t.Errorf("error %v", err)
	}
	if process, err := os.FindProcess(before.Process); err == nil && process.Signal(syscall.Signal(0)) == nil {
		t.Error("the process lives on")
	}
}

func TestProtocolIsKept(t *testing.T) {
	f := function(t, "strange", nil)
	if got := fmt.Sprint(invoke[[]int](t, f, order{})); got != "[400 403 400 403]" {
		t.Errorf("an answer before any invocation, next while one is under way, an answer to another, a failed start after all: %s", got)
	}
	if got := fmt.Sprint(invoke[[]int](t, f, order{})); got != "[202 400]" {
		t.Errorf("an answer, and a failure of another: %s", got)
	}
	if failed := fails(t, f, order{}, "Runtime.UnknownReason"); failed.Message != "not JSON" {
		t.Errorf("message %q", failed.Message)
	}
}

func TestBinaryMayBeNamedFromTheWorkingFolder(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Dir(filepath.Dir(binary)))
	f := function(t, "serve", func(o *runtimeapi.Options) {
		o.Binary = filepath.Join(filepath.Base(filepath.Dir(binary)), filepath.Base(binary))
	})
	if answer := invoke[told](t, f, order{Do: "tell", Text: "here"}); answer.Text != "here" {
		t.Errorf("got %+v", answer)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, options := range map[string]runtimeapi.Options{
		"needs a name":               {Binary: binary},
		"no such file":               {Name: "a", Binary: plain + "s"},
		"cannot be executed":         {Name: "a", Binary: plain},
		"are not negative":           {Name: "a", Binary: binary, Concurrency: -1},
		`"AWS_LAMBDA_RUNTIME_API"`:   {Name: "a", Binary: binary, Environment: map[string]string{"AWS_LAMBDA_RUNTIME_API": "x"}},
		"its environment cannot set": {Name: "a", Binary: binary, Environment: map[string]string{"A=B": "x"}},
	} {
		if _, err := runtimeapi.New(options); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/mirrorworthy/mirrorworthy/infra/runtimeapi"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
)

// floorName is the binary that functions are compared with; coldstartFactor is how many times its time a function's start may take.
const (
	floorName       = "floor"
	coldstartFactor = 2
)

// coldStarts measures how long functions take from the start of their process until they ask for their first event, and until they
// have answered it, beside the least that a function can be. Both are started in turns, so that what else the machine does hits both.
//
// The event is the function's of events/ with a key of this run. DynamoDB is in this process's memory and holds that key alone; the
// providers are the sample market on loopback, which knows nothing of the event's subject, so that little is asked and computed; queues
// take what they are sent. The binaries are read once before, so that they come from memory and not from the disk. Lambda's own share,
// downloading and making the sandbox, is not in it.
func coldStarts(ctx context.Context, arguments []string, getenv func(string) string, out, logs io.Writer) error {
	flags := flag.NewFlagSet("coldstart", flag.ContinueOnError)
	flags.SetOutput(logs)
	starts := flags.Int("starts", 30, "how often each function is started")
	strict := flags.Bool("check", false, "fail when a function takes more than twice the floor to be ready")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if *starts < 1 {
		return errors.New("-starts: want at least 1")
	}
	config, err := host.ReadConfig(getenv)
	if err != nil {
		return err
	}
	if config.DataDir, err = os.MkdirTemp("", "mirrorworthy-coldstart"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(config.DataDir) }()
	config.Mode, config.Port, config.FixedClock, config.Jobs, config.Runtime = host.Sample, 0, checkedAt, []string{}, host.Binaries
	config.DynamoDBEndpoint = ""
	server, err := newServer(config, slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: slog.LevelError})))
	if err != nil {
		return err
	}
	defer server.shut()
	sinks := make(map[string]job.Function)
	for name := range server.jobs.queues.byName {
		sinks[name] = func(context.Context, json.RawMessage) (json.RawMessage, error) { return nil, nil }
	}
	defer server.jobs.queues.run(ctx, sinks)()

	names := flags.Args()
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(server.processes))
	}
	floor := runtimeapi.Options{Name: floorName, Binary: filepath.Join(config.BinariesDir, floorName), MemoryMB: 1024}
	measured := map[string]*coldTimes{floorName: {}}
	for _, name := range names {
		options, ok := server.processes[name]
		if !ok {
			return fmt.Errorf("there is no function %s", name)
		}
		if measured[name], err = prepare(options, config, server.key); err != nil {
			return err
		}
	}
	if measured[floorName].size, err = readThrough(floor.Binary); err != nil {
		return fmt.Errorf("%w; make build-floor builds it", err)
	}
	for range *starts {
		for _, name := range names {
			if err := measured[floorName].start(ctx, floor, []byte("{}")); err != nil {
				return err
			}
			if err := measured[name].start(ctx, server.processes[name], measured[name].event); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	over := table(out, names, measured)
	if over > 0 && *strict {
		return fmt.Errorf("%d of %d functions take more than %d times the floor to be ready", over, len(names), coldstartFactor)
	}
	return nil
}

// coldTimes are what was measured of a function.
type coldTimes struct {
	event           []byte
	size            int64
	ready, answered []time.Duration
	memory          []int64
}

// prepare reads a function's binary and event.
func prepare(options runtimeapi.Options, config host.Config, key string) (*coldTimes, error) {
	size, err := readThrough(options.Binary)
	if err != nil {
		return nil, err
	}
	source, err := os.ReadFile(filepath.Join(filepath.Dir(config.Template), eventsFolder, options.Name+".json"))
	if err != nil {
		return nil, err
	}
	var event map[string]any
	if err := json.Unmarshal(source, &event); err != nil {
		return nil, err
	}
	if headers, ok := event["headers"].(map[string]any); ok {
		headers["authorization"] = "Bearer " + key
	}
	source, err = json.Marshal(event)
	return &coldTimes{event: source, size: size}, err
}

// readThrough reads a file to its end and gives its length.
func readThrough(name string) (int64, error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return io.Copy(io.Discard, file)
}

// start starts a function once.
func (c *coldTimes) start(ctx context.Context, options runtimeapi.Options, event []byte) error {
	options.Report = func(r runtimeapi.Report) {
		c.ready = append(c.ready, r.Ready.Sub(r.Started))
		c.answered = append(c.answered, r.Answered.Sub(r.Started))
		c.memory = append(c.memory, r.PeakMemory)
	}
	function, err := runtimeapi.New(options)
	if err != nil {
		return err
	}
	_, err = function.Invoke(ctx, event)
	return errors.Join(err, function.Close())
}

// table writes what was measured, the floor first, and gives how many functions are over what a start may take.
func table(out io.Writer, names []string, measured map[string]*coldTimes) (over int) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "function\tMB\tready p50 ms\tp90\tfloors\tresponse p50 ms\tp90\tfloors\tRSS MB\t\t")
	floor := measured[floorName]
	for _, name := range append([]string{floorName}, names...) {
		c := measured[name]
		ready, answered := quantile(c.ready, 0.5), quantile(c.answered, 0.5)
		mark := ""
		if ready > coldstartFactor*quantile(floor.ready, 0.5) {
			mark = "over"
			over++
		}
		fmt.Fprintf(w, "%s\t%.1f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.1f\t%s\t\n", name, float64(c.size)/1e6,
			milliseconds(ready), milliseconds(quantile(c.ready, 0.9)), float64(ready)/float64(quantile(floor.ready, 0.5)),
			milliseconds(answered), milliseconds(quantile(c.answered, 0.9)), float64(answered)/float64(quantile(floor.answered, 0.5)),
			float64(quantile(c.memory, 0.5))/1e6, mark)
	}
	if err := w.Flush(); err != nil {
		return over
	}
	fmt.Fprintf(out, "%d starts each, the floor beside each; %d functions take more than %d floors to be ready\n", len(measured[names[0]].ready), over, coldstartFactor)
	return over
}

// quantile is the nearest rank: the least value that so large a part of all is not above.
func quantile[T time.Duration | int64](values []T, part float64) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[max(0, int(part*float64(len(sorted))+0.999999)-1)]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

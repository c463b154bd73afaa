// Command local runs the whole service on one machine: the routes of template.yaml through the Lambda event path, the embedded
// store, and, unless told otherwise, the sample market.
//
// It stands in for API Gateway, for the scheduler and the queues, and for the Lambda runtime, and answers nothing itself but GET
// /sample, which says what to try, and GET /queues, which says what the jobs have still to do and what they gave up.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := command(ctx, os.Args[1:], os.Getenv, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "mirrorworthy: "+oneLine(err))
		os.Exit(1)
	}
}

// command serves, or grades by hand when it is told "grade", with or without a chain, or checks the functions' binaries when it is told
// "check", or measures their starts when it is told "coldstart", or what a call costs when it is told "cost".
func command(ctx context.Context, arguments []string, getenv func(string) string, out, logs io.Writer) error {
	switch {
	case len(arguments) == 0:
		return run(ctx, getenv, out, logs)
	case arguments[0] == "grade" && len(arguments) == 1:
		return grade(ctx, "", getenv, out, logs)
	case arguments[0] == "grade" && len(arguments) == 2:
		return grade(ctx, arguments[1], getenv, out, logs)
	case arguments[0] == "check" && len(arguments) == 1:
		return check(ctx, getenv, out, logs)
	case arguments[0] == "coldstart":
		return coldStarts(ctx, arguments[1:], getenv, out, logs)
	case arguments[0] == "cost":
		return costs(ctx, arguments[1:], getenv, out, logs)
	}
	return fmt.Errorf("%s: want nothing to serve, grade and perhaps a chain, check, coldstart, or cost", strings.Join(arguments, " "))
}

// run serves until ctx ends, then drains. The error says why nothing could be served.
func run(ctx context.Context, getenv func(string) string, out, logs io.Writer) error {
	config, err := host.ReadConfig(getenv)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(logs, &slog.HandlerOptions{Level: config.LogLevel}))
	server, err := newServer(config, log)
	if err != nil {
		return err
	}
	fmt.Fprint(out, server.greeting())
	return server.serve(ctx)
}

// oneLine puts an error of several parts into one line.
func oneLine(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), "; ")
}

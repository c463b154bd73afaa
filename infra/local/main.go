// Command local runs the whole service on one machine: the routes of template.yaml through the Lambda event path, the embedded
// store, and, unless told otherwise, the sample market.
//
// It stands in for API Gateway and for the Lambda runtime, and answers nothing itself but GET /sample and GET /, which say what
// to try.
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
	if err := run(ctx, os.Getenv, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "mirrorworthy: "+oneLine(err))
		os.Exit(1)
	}
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

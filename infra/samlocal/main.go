// Command samlocal runs every function of template.yaml in a container, as Lambda would: by sam local invoke with the event in events/
// that has its name, and behind sam local start-api.
//
//	go run ./infra/dynamodblocal -- go run ./infra/samlocal -sam path/to/sam
//
// The functions are the binaries of make build. They ask the sample market and keep what they keep in the DynamoDB of
// DYNAMODB_ENDPOINT, both on this machine; a partner with a key and a wallet that signs are made for the events. What is missing for
// that is said. It is a trial of what is deployed, not a way to develop: make run is faster, and has queues and schedules.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	sam := flag.String("sam", "sam", "the SAM CLI")
	only := flag.String("only", "", "the functions to invoke, by their folders with commas between them; empty for all")
	flag.Parse()
	err := run(ctx, *sam, *only)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sam-local:", err)
		os.Exit(1)
	}
}

// workFolder is where what is made for a trial lies.
const workFolder = ".cache/sam-local"

func run(ctx context.Context, sam, only string) error {
	source, err := os.ReadFile("template.yaml")
	if err != nil {
		return fmt.Errorf("run this in the repository's folder: %w", err)
	}
	functions, err := readFunctions(source)
	if err != nil {
		return err
	}
	if err := checkBinaries(functions); err != nil {
		return err
	}
	containers, err := findEngine(ctx)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(workFolder, 0o755); err != nil {
		return err
	}
	w, err := newWorld(ctx, source, containers.gateway)
	if err != nil {
		return err
	}
	defer w.close()
	folder, err := os.Getwd()
	if err != nil {
		return err
	}
	template := filepath.Join(workFolder, "template.yaml")
	if err := os.WriteFile(template, w.template(source, folder), 0o600); err != nil {
		return err
	}
	runner := &runner{
		sam: sam, world: w,
		arguments: append([]string{"--template", template, "--parameter-overrides", w.parameters()}, containers.arguments...),
	}
	if only != "" {
		functions = slices.DeleteFunc(functions, func(f function) bool { return !slices.Contains(strings.Split(only, ","), f.folder) })
	}
	failed := runner.invokeAll(ctx, functions)
	if only == "" {
		failed = append(failed, runner.api(ctx, functions))
	}
	return errors.Join(failed...)
}

// Command publish puts the console's built files into the bucket of a deployed stack, by the AWS command line tool (aws), and has the
// distribution forget the ones before. STACK names the stack (mirrorworthy), AWS_REGION its region, and the credentials are those of the
// shell. It is run in the folder of the repository.
//
// Files whose names change with their content go first, and those of earlier builds stay, so that neither a page that is open nor one
// that is just being loaded misses any. It builds nothing.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/infra/console"
)

// built is where the files are.
const built = "infra/console/dist/"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Getenv, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "publish:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, getenv func(string) string, out io.Writer) error {
	region := getenv("AWS_REGION")
	if region == "" {
		return errors.New("AWS_REGION must name the region of the stack")
	}
	files, err := console.Files()
	if err != nil {
		return err
	}
	to, err := deployed(ctx, cmp.Or(getenv("STACK"), "mirrorworthy"), region)
	if err != nil {
		return err
	}
	for _, arguments := range commands(files, to) {
		if _, err := aws(ctx, append(arguments, "--region", region)); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%d files are published at %s\n", len(files), to.address)
	return nil
}

// stack is what a deployed stack says of its console.
type stack struct{ bucket, distribution, address string }

// deployed asks for the outputs of a stack.
func deployed(ctx context.Context, name, region string) (stack, error) {
	text, err := aws(ctx, []string{"cloudformation", "describe-stacks", "--stack-name", name, "--query", "Stacks[0].Outputs", "--output", "json", "--region", region})
	if err != nil {
		return stack{}, err
	}
	var outputs []struct {
		Key   string `json:"OutputKey"`
		Value string `json:"OutputValue"`
	}
	if err := json.Unmarshal(text, &outputs); err != nil {
		return stack{}, fmt.Errorf("the outputs of the stack %s: %w", name, err)
	}
	var s stack
	for _, o := range outputs {
		switch o.Key {
		case "ConsoleBucket":
			s.bucket = o.Value
		case "ConsoleDistribution":
			s.distribution = o.Value
		case "ConsoleUrl":
			s.address = o.Value
		}
	}
	if s.bucket == "" || s.distribution == "" {
		return stack{}, fmt.Errorf("the stack %s has no console: deploy it first", name)
	}
	return s, nil
}

// commands are what publishes the files, as the arguments of aws, in their order. A file that keeps its name is always sent, since an
// older one of the same size may be there; of the others the name says whether it is there.
func commands(files []console.File, to stack) [][]string {
	bucket := "s3://" + to.bucket + "/"
	served := func(f console.File) []string {
		return []string{"--content-type", f.ContentType, "--cache-control", f.CacheControl, "--no-progress"}
	}
	hashed := make(map[string][]string)
	var others, page [][]string
	stale := []string{"/"}
	for _, f := range files {
		if f.Hashed {
			pattern := console.Hashed + "*" + path.Ext(f.Name)
			hashed[pattern] = append([]string{"s3", "sync", built, bucket, "--exclude", "*", "--include", pattern, "--size-only"}, served(f)...)
			continue
		}
		stale = append(stale, "/"+f.Name)
		one := append([]string{"s3", "cp", built + f.Name, bucket + f.Name}, served(f)...)
		if f.Name == console.Page {
			page = append(page, one)
		} else {
			others = append(others, one)
		}
	}
	var all [][]string
	for _, pattern := range slices.Sorted(maps.Keys(hashed)) {
		all = append(all, hashed[pattern])
	}
	all = slices.Concat(all, others, page) // the page names all others
	return append(all, append([]string{"cloudfront", "create-invalidation", "--distribution-id", to.distribution, "--paths"}, stale...))
}

// aws runs the command line tool and gives what it printed.
func aws(ctx context.Context, arguments []string) ([]byte, error) {
	var said, failed bytes.Buffer
	command := exec.CommandContext(ctx, "aws", arguments...)
	command.Stdout, command.Stderr = &said, &failed
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("aws %s: %w: %s", strings.Join(arguments[:2], " "), err, strings.TrimSpace(failed.String()))
	}
	return said.Bytes(), nil
}

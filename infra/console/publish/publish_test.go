package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/infra/console"
)

// files are a build's: two that keep their names, three that do not.
func files() []console.File {
	const forEver = "public, max-age=31536000, immutable"
	return []console.File{
		{Name: "assets/a-1.css", ContentType: "text/css; charset=utf-8", CacheControl: forEver, Hashed: true},
		{Name: "assets/b-2.js", ContentType: "text/javascript; charset=utf-8", CacheControl: forEver, Hashed: true},
		{Name: "assets/c-3.js", ContentType: "text/javascript; charset=utf-8", CacheControl: forEver, Hashed: true},
		{Name: "favicon.svg", ContentType: "image/svg+xml", CacheControl: "no-cache"},
		{Name: "index.html", ContentType: "text/html; charset=utf-8", CacheControl: "no-cache"},
		{Name: "robots.txt", ContentType: "text/plain; charset=utf-8", CacheControl: "no-cache"},
	}
}

// What the page names is there before the page is, files are kept as long as they may be, and nothing is removed.
func TestThePageIsPublishedLast(t *testing.T) {
	var lines []string
	for _, arguments := range commands(files(), stack{bucket: "bucket", distribution: "E123"}) {
		lines = append(lines, strings.Join(arguments, "|"))
	}
	want := []string{
		"s3|sync|infra/console/dist/|s3://bucket/|--exclude|*|--include|assets/*.css|--size-only|--content-type|text/css; charset=utf-8|--cache-control|public, max-age=31536000, immutable|--no-progress",
		"s3|sync|infra/console/dist/|s3://bucket/|--exclude|*|--include|assets/*.js|--size-only|--content-type|text/javascript; charset=utf-8|--cache-control|public, max-age=31536000, immutable|--no-progress",
		"s3|cp|infra/console/dist/favicon.svg|s3://bucket/favicon.svg|--content-type|image/svg+xml|--cache-control|no-cache|--no-progress",
		"s3|cp|infra/console/dist/robots.txt|s3://bucket/robots.txt|--content-type|text/plain; charset=utf-8|--cache-control|no-cache|--no-progress",
		"s3|cp|infra/console/dist/index.html|s3://bucket/index.html|--content-type|text/html; charset=utf-8|--cache-control|no-cache|--no-progress",
		"cloudfront|create-invalidation|--distribution-id|E123|--paths|/|/favicon.svg|/index.html|/robots.txt",
	}
	if !slices.Equal(lines, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

const outputs = `[{"OutputKey":"ApiAddress","OutputValue":"https://api"},{"OutputKey":"ConsoleBucket","OutputValue":"the-bucket"},` +
	`{"OutputKey":"ConsoleDistribution","OutputValue":"E42"},{"OutputKey":"ConsoleUrl","OutputValue":"https://console"}]`

// tool puts a command aws before all others. It notes how it is called, one line for each call, prints outputs when it is asked about a
// stack, and fails on calls that hold a word.
func tool(t *testing.T, outputs, fails string) (called func() []string) {
	t.Helper()
	folder := t.TempDir()
	notes := filepath.Join(folder, "calls")
	source := "#!/bin/sh\necho \"$*\" >>'" + notes + "'\ncase \"$*\" in\n*" + fails + "*) echo 'An error occurred (AccessDenied)' >&2; exit 254;;\ncloudformation*) cat <<'END'\n" + outputs + "\nEND\nesac\n"
	if err := os.WriteFile(filepath.Join(folder, "aws"), []byte(source), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(os.PathListSeparator)+os.Getenv("PATH"))
	return func() []string {
		text, err := os.ReadFile(notes)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
}

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// The whole way with the command line tool: the stack's outputs say where to, and what it does says where it is.
func TestPublishing(t *testing.T) {
	called := tool(t, outputs, "nothing")
	var out bytes.Buffer
	if err := run(t.Context(), environment("AWS_REGION", "eu-central-1", "STACK", "second"), &out); err != nil {
		t.Fatal(err)
	}
	calls := called()
	if !strings.HasPrefix(calls[0], "cloudformation describe-stacks --stack-name second --query Stacks[0].Outputs --output json") ||
		!strings.Contains(calls[len(calls)-2], "s3 cp infra/console/dist/index.html s3://the-bucket/index.html") ||
		!strings.HasPrefix(calls[len(calls)-1], "cloudfront create-invalidation --distribution-id E42 --paths / ") {
		t.Errorf("%s", strings.Join(calls, "\n"))
	}
	for _, call := range calls {
		if !strings.HasSuffix(call, " --region eu-central-1") {
			t.Errorf("no region: %s", call)
		}
	}
	if !strings.HasSuffix(out.String(), "files are published at https://console\n") {
		t.Errorf("%q", out.String())
	}
	if _, err := os.Stat(filepath.Join("..", "..", "..", built, console.Page)); err != nil {
		t.Errorf("the files are elsewhere: %v", err)
	}
}

// Where anything is missing or fails, nothing is done after it, and it is said.
func TestWhatFailsEndsThePublishing(t *testing.T) {
	for _, c := range []struct {
		name, outputs, fails, region, want string
		calls                              int
	}{
		{"no region", outputs, "nothing", "", "AWS_REGION must name", 1}, // one empty line
		{"no stack", outputs, "describe-stacks", "eu-central-1", "aws cloudformation describe-stacks: exit status 254: An error occurred (AccessDenied)", 1},
		{"no console", `[{"OutputKey":"ApiAddress","OutputValue":"https://api"}]`, "nothing", "eu-central-1", "the stack mirrorworthy has no console", 1},
		{"no outputs", "null", "nothing", "eu-central-1", "the stack mirrorworthy has no console", 1},
		{"no JSON", "oh", "nothing", "eu-central-1", "the outputs of the stack mirrorworthy", 1},
	} {
		called := tool(t, c.outputs, c.fails)
		var out bytes.Buffer
		err := run(t.Context(), environment("AWS_REGION", c.region), &out)
		if err == nil || !strings.Contains(err.Error(), c.want) || out.Len() > 0 || len(called()) != c.calls {
			t.Errorf("%s: %v, %q, %q", c.name, err, out.String(), called())
		}
	}
	called := tool(t, outputs, "index.html")
	if err := run(t.Context(), environment("AWS_REGION", "eu-central-1"), &bytes.Buffer{}); err == nil || strings.Contains(strings.Join(called(), "\n"), "create-invalidation") {
		t.Errorf("%v, %q", err, called())
	}
}

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/openapi"
)

const moduleFolder = "../.."

const remedy = "run make openapi, and look at what changed"

func frozen(t *testing.T) []byte {
	t.Helper()
	document, err := os.ReadFile(filepath.Join(moduleFolder, frozenDocument))
	if err != nil {
		t.Fatal(err)
	}
	return document
}

// difference is the first line in which two documents differ.
func difference(a, b []byte) string {
	left, right := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for i := range min(len(left), len(right)) {
		if !bytes.Equal(left[i], right[i]) {
			at := 0
			for at < min(len(left[i]), len(right[i])) && left[i][at] == right[i][at] {
				at++
			}
			window := func(line []byte) string { return string(line[max(0, at-120):min(len(line), at+120)]) }
			return "now:       " + window(left[i]) + "\ncommitted: " + window(right[i])
		}
	}
	return "one is longer"
}

// The committed document says what the declarations and the types say.
func TestTheDocumentIsUpToDate(t *testing.T) {
	committed := openapi.Document()
	shown, err := illustrationsOf(committed)
	if err != nil {
		t.Fatal(err)
	}
	now, err := generate(moduleFolder, catalogue.Endpoints(host.Kept{}, copying.Copying{}), shown)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(now, committed) {
		t.Errorf("%s is out of date: %s\n%s", currentDocument, remedy, difference(now, committed))
	}
}

// The committed examples are what the service answers.
func TestTheExamplesAreReal(t *testing.T) {
	shown, err := makeExamples(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	committed := openapi.Document()
	now, err := generate(moduleFolder, catalogue.Endpoints(host.Kept{}, copying.Copying{}), shown)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(now, committed) {
		t.Errorf("the examples of %s are out of date: %s\n%s", currentDocument, remedy, difference(now, committed))
	}
	for i, e := range catalogue.Endpoints(host.Kept{}, copying.Copying{}) {
		if len(shown.Answers[e.Name]) == 0 && e.Name != "openapi" {
			t.Errorf("%d: %s has no example", i, e.Name)
		}
	}
}

func TestTheDocumentIsValid(t *testing.T) {
	for name, document := range map[string][]byte{"current": openapi.Document(), "frozen": frozen(t)} {
		parsed, err := openapi3.NewLoader().LoadFromData(document)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := parsed.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestNothingThatWasPromisedIsBroken(t *testing.T) {
	broken, err := breaking(frozen(t), openapi.Document())
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range broken {
		t.Error(change)
	}
}

// edited is a small part of the document with a change made to it.
func edited(t *testing.T, change func(document map[string]any)) []byte {
	t.Helper()
	var document map[string]any
	if err := json.Unmarshal(openapi.Document(), &document); err != nil {
		t.Fatal(err)
	}
	paths := in(document, "paths")
	for path := range paths {
		if path != "/v1/wallet-trades" && path != "/v1/trader-board" && path != "/v1/usage" {
			delete(paths, path)
		}
	}
	change(document)
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// in goes down a path of names.
func in(value any, names ...string) map[string]any {
	for _, name := range names {
		value = value.(map[string]any)[name]
	}
	return value.(map[string]any)
}

// unchanged is the part of the document that edited changes.
func unchanged(t *testing.T) []byte {
	t.Helper()
	return edited(t, func(map[string]any) {})
}

func TestWhatWouldBreakAPartnerIsFound(t *testing.T) {
	whole := unchanged(t)
	if broken, err := breaking(whole, whole); err != nil || len(broken) > 0 {
		t.Fatal(broken, err)
	}
	body := []string{"paths", "/v1/wallet-trades", "post", "requestBody", "content", "application/json", "schema"}
	for name, change := range map[string]func(document map[string]any){
		"an operation is gone": func(d map[string]any) { delete(in(d, "paths"), "/v1/wallet-trades") },
		"a member is gone":     func(d map[string]any) { delete(in(d, "components", "schemas", "TradeRow", "properties"), "symbol") },
		"a member has another type": func(d map[string]any) {
			in(d, "components", "schemas", "TradeRow", "properties", "minsAgo")["type"] = "string"
		},
		"a member may be null": func(d map[string]any) {
			in(d, "components", "schemas", "TradeRow", "properties", "minsAgo")["type"] = []string{"integer", "null"}
		},
		"a member may be left out": func(d map[string]any) {
			in(d, "components", "schemas", "TradeRow")["required"] = []string{"action", "symbol"}
		},
		"a parameter is gone":         func(d map[string]any) { delete(in(d, append(body, "properties")...), "tradesLimit") },
		"a parameter is now required": func(d map[string]any) { in(d, body...)["required"] = []string{"wallet", "chain", "tradesLimit"} },
		"a range is narrower":         func(d map[string]any) { in(d, append(body, "properties", "tradesLimit")...)["maximum"] = 50 },
		"a chain is gone": func(d map[string]any) {
			in(d, append(body, "properties", "chain")...)["enum"] = []string{"eth", "base"}
		},
		"a query parameter is gone": func(d map[string]any) {
			delete(in(d, "paths", "/v1/trader-board", "get"), "parameters")
		},
		"another status means success": func(d map[string]any) {
			responses := in(d, "paths", "/v1/wallet-trades", "post", "responses")
			responses["202"] = responses["200"]
			delete(responses, "200")
		},
	} {
		broken, err := breaking(whole, edited(t, change))
		if err != nil || len(broken) == 0 {
			t.Errorf("%s: not found, %v", name, err)
		}
	}
}

func TestAdditionsBreakNothing(t *testing.T) {
	added := edited(t, func(d map[string]any) {
		in(d, "components", "schemas", "TradeRow", "properties")["pool"] = map[string]any{"type": "string", "description": "New."}
		in(d, "paths", "/v1/wallet-trades", "post", "requestBody", "content", "application/json", "schema", "properties")["since"] = map[string]any{"type": "integer"}
		operation := in(d, "paths", "/v1/usage", "get")
		again := map[string]any{}
		for name, value := range operation {
			again[name] = value
		}
		again["operationId"] = "new"
		in(d, "paths")["/v1/new"] = map[string]any{"get": again}
	})
	broken, err := breaking(unchanged(t), added)
	if err != nil || len(broken) > 0 {
		t.Errorf("%v %v", broken, err)
	}
}

func TestFreezingRefusesWhatBreaks(t *testing.T) {
	folder := t.TempDir()
	write := func(name string, document []byte) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(folder, filepath.Dir(name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), document, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	held := func() []byte {
		t.Helper()
		document, err := os.ReadFile(filepath.Join(folder, frozenDocument))
		if err != nil {
			t.Fatal(err)
		}
		return document
	}
	promised := unchanged(t)
	write(currentDocument, promised)
	if err := freezeDocument(t.Context(), folder); err != nil || !bytes.Equal(held(), promised) {
		t.Fatal(err)
	}
	write(currentDocument, edited(t, func(d map[string]any) { delete(in(d, "paths"), "/v1/usage") }))
	if err := freezeDocument(t.Context(), folder); err == nil || !strings.Contains(err.Error(), "/v1/usage") || !bytes.Equal(held(), promised) {
		t.Errorf("%v", err)
	}
	more := edited(t, func(d map[string]any) {
		in(d, "components", "schemas", "UsageLimit", "properties")["perDay"] = map[string]any{"type": "integer", "description": "New."}
	})
	write(currentDocument, more)
	if err := freezeDocument(t.Context(), folder); err != nil || !bytes.Equal(held(), more) {
		t.Error(err)
	}
}

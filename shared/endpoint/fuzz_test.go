package endpoint

import (
	"encoding/json"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func FuzzMembers(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"wallet":"0x00","chain":"base"}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a":[{"b":{}}]}`, "\ufeff{}", `{"a":"\ud800"}`, `{"a":1} x`,
		`{"a":-0.0e-0}`, `{"\"":"\\"}`, `{"a":"]}"}`, "{\"a\":\"\xff\"}", strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33), "[1]", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		members, problem := readMembers(body)
		if problem != nil {
			if problem.Status != 400 || problem.Code != "invalid_json" || problem.Message == "" {
				t.Errorf("%+v", problem)
			}
			return
		}
		var reference map[string]json.RawMessage
		if err := json.Unmarshal(body, &reference); err != nil {
			t.Fatalf("accepted what encoding/json refuses: %v", err)
		}
		if len(reference) != len(members) {
			t.Errorf("%d members, want %d", len(members), len(reference))
		}
		for _, member := range members {
			if string(reference[member.name]) != string(member.json) {
				t.Errorf("%q is %s, want %s", member.name, member.json, reference[member.name])
			}
			if deep := nesting(member.json); deep != depth(member.json) || deep >= maximumDepth {
				t.Errorf("depth %d, want %d", depth(member.json), deep)
			}
		}
	})
}

// nesting is the depth of a value, from its tokens.
func nesting(value jsontext.Value) int {
	decoder, deepest := jsontext.NewDecoder(strings.NewReader(string(value))), 0
	for {
		if _, err := decoder.ReadToken(); err != nil {
			return deepest
		}
		deepest = max(deepest, decoder.StackDepth())
	}
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"", "a=1&b=2", "a=1&a=2", "a", "=1", "&&", "a=%zz", "a=%ff", "a=+%2B", "a;b=1", "a=1=2", "%00=\x00", "a=\U0001f600"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		pairs, problem := readQuery(raw)
		reference, err := url.ParseQuery(raw)
		if problem != nil {
			if problem.Status != 400 || problem.Code != "invalid_param" {
				t.Errorf("%+v", problem)
			}
			return
		}
		if err != nil {
			if !strings.Contains(raw, ";") { // which is nothing special to us
				t.Fatalf("accepted what net/url refuses: %v", err)
			}
			return
		}
		got := make(url.Values)
		for _, pair := range pairs {
			got.Add(pair.name, pair.text)
		}
		if got.Encode() != reference.Encode() {
			t.Errorf("%v, want %v", got, reference)
		}
	})
}

var canonicalPattern = regexp.MustCompile(`^(/api)?(/v1(?:/[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)+)$`)

func FuzzCanonicalPath(f *testing.F) {
	for _, seed := range []string{
		"/v1/trader-score", "/api/v1/trader-score", "/api/api/v1/x", "/v1/openapi.json", "/v1/a..b", "/v1/.", "/v1/../v1/x", "/v1//x", "/v1/x/", "/v1/%2f", "/V1/x", "//v1/x", "/v1", "",
		"/v1/copy/agents/x_1-2/stop", "/apiv1/x", "/v1/x?y", "/v1/" + strings.Repeat("a", 252), "/v1/" + strings.Repeat("a", 253),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, escaped string) {
		got, canonical := CanonicalPath(escaped)
		parts := canonicalPattern.FindStringSubmatch(escaped)
		if want := parts != nil && len(parts[2]) <= maximumPath; canonical != want {
			t.Fatalf("%q: canonical %v, want %v", escaped, canonical, want)
		}
		if !canonical {
			return
		}
		if got != parts[2] || path.Clean(got) != got {
			t.Errorf("%q: %q, want %q", escaped, got, parts[2])
		}
		if again, _ := CanonicalPath(got); again != got {
			t.Errorf("%q is not %q", again, got)
		}
	})
}

// Whatever is given for whatever parameters, the outcome is values of the right types or a refusal that names what it is about.
func FuzzCheck(f *testing.F) {
	parameters := []Parameter{
		Wallet.Optional(), Chain.Optional(), ChainID, AddressList("wallets", "", false, 3), Integer("limit", "", 1, 100, 20), ClampedInteger("sample", "", 4, 20, 12),
		Number("share", "", Range{Minimum: 0, Maximum: 100, AboveMinimum: true}), Boolean("flag", ""), Choice("side", "", "long", "short"), Text("note", "", 1, 5),
		TextList("events", "", 2, "a", "b"), Object("risk", "", Text("maxUsd", "", 1, 5).Required()), ObjectList("results", "", 2, Integer("n", "", 0, 9, 0)),
	}
	for _, seed := range []string{
		`{"wallet":"0xd8da6bf26964af9d7eed9e03e53415d37aa96045","chain":"eth","chainId":1,"wallets":[],"limit":5,"sample":1e99,"share":0.5}`,
		`{"flag":true,"side":"long","note":"x","events":["a","b"],"risk":{"maxUsd":"1"},"results":[{"n":1},{}]}`,
		`{"limit":1e1000}`, `{"share":-0}`, `{"chainId":1.0}`, `{"wallet":null}`, `{"results":[[]]}`, `{"limit":1.0000000000000000001}`, `{"sample":-1e308}`, `{"events":[1]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		members, problem := readMembers(body)
		if problem != nil {
			return
		}
		values, problem := check(parameters, members, "")
		if problem != nil {
			if problem.Status != 400 || problem.Message == "" || (problem.Code != "invalid_json" && problem.Parameter == "" && len(members) == 0) {
				t.Errorf("%+v", problem)
			}
			if _, err := encode(errorBody{Message: problem.Message, Parameter: problem.Parameter}); err != nil {
				t.Error(err)
			}
			return
		}
		if len(values) != len(members) {
			t.Errorf("%d values of %d members", len(values), len(members))
		}
		r := &Request{values: values}
		for _, p := range []struct {
			holds bool
			what  string
		}{
			{within(Integer("limit", "", 1, 100, 20).Of(r), 1, 100), "limit"}, {within(ClampedInteger("sample", "", 4, 20, 12).Of(r), 4, 20), "sample"},
			{slices.Contains([]string{"", "long", "short"}, Choice("side", "").Of(r)), "side"}, {len(Text("note", "", 1, 5).Of(r)) <= 5, "note"},
			{len(ObjectList("results", "", 2).Of(r)) <= 2, "results"}, {Number("share", "", Range{}).Of(r) <= 100, "share"},
		} {
			if !p.holds {
				t.Errorf("%s is out of its range: %s", p.what, body)
			}
		}
	})
}

func within(n, low, high int) bool { return n >= low && n <= high }

package schema_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/schema"
)

func encoded(t *testing.T, s *jsonschema.Schema) string {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestObjectIsWrittenInDeclaredOrder(t *testing.T) {
	got := encoded(t, schema.Object([]endpoint.Parameter{
		endpoint.Wallet,
		endpoint.ClampedInteger("sample", "How many.", 4, 20, 12),
		endpoint.Integer("limit", "Rows.", 1, 100, 20),
		endpoint.Integer("bps", "No default.", 1, 5000, 0),
		endpoint.Number("percent", "Of it.", endpoint.Range{Minimum: 0, Maximum: 100, AboveMinimum: true}),
		endpoint.Number("leverage", "At most.", endpoint.Range{Minimum: 1, Maximum: 20}),
		endpoint.Choice("mode", "Which.", "paper", "live").Required(),
		endpoint.Text("hash", "A hash.", 66, 66),
		endpoint.PathValue("agentId", "Whose."),
		endpoint.Object("risk", "What it may.", endpoint.Boolean("also", "Or not.").Required()),
		endpoint.ObjectList("results", "What was done.", 10, endpoint.Text("step", "Which.", 1, 64)),
		endpoint.TextList("tokens", "Never these.", 3, "a", "b"),
		endpoint.AddressList("wallets", "These.", true, 25),
	}))
	want := `{"type":"object","properties":{` +
		`"wallet":{"type":"string","description":"The wallet's address: 0x and 40 hexadecimal digits.","pattern":"^0x[0-9a-fA-F]{40}$"},` +
		`"sample":{"type":"integer","description":"How many. Values below 4 count as 4, values above 20 as 20.","default":12},` +
		`"limit":{"type":"integer","description":"Rows.","default":20,"minimum":1,"maximum":100},` +
		`"bps":{"type":"integer","description":"No default.","minimum":1,"maximum":5000},` +
		`"percent":{"type":"number","description":"Of it.","maximum":100,"exclusiveMinimum":0},` +
		`"leverage":{"type":"number","description":"At most.","minimum":1,"maximum":20},` +
		`"mode":{"type":"string","description":"Which.","enum":["paper","live"]},` +
		`"hash":{"type":"string","description":"A hash.","minLength":17,"maxLength":66},` +
		`"agentId":{"type":"string","description":"Whose.","pattern":"^[a-z0-9_-]{1,64}$"},` +
		`"risk":{"type":"object","description":"What it may.","required":["also"],"properties":{"also":{"type":"boolean","description":"Or not."}},"additionalProperties":false},` +
		`"results":{"type":"array","description":"What was done.","items":{"type":"object","properties":{"step":{"type":"string","description":"Which.","minLength":1,"maxLength":64}},"additionalProperties":false},"maxItems":10},` +
		`"tokens":{"type":"array","description":"Never these.","items":{"type":"string","enum":["a","b"]},"maxItems":3},` +
		`"wallets":{"type":"array","description":"These.","items":{"type":"string","pattern":"^0x[0-9a-fA-F]{40}$"},"minItems":1,"maxItems":25}},` +
		`"required":["wallet","mode","agentId","wallets"],"additionalProperties":false}`
	// The order of keywords is the encoder's; that of properties is ours.
	if compact(t, got) != compact(t, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	names := []string{`"wallet":`, `"sample":`, `"limit":`, `"bps":`, `"percent":`, `"leverage":`, `"mode":`, `"hash":`, `"agentId":`, `"risk":`, `"results":`, `"tokens":`, `"wallets":`}
	at := -1
	for _, name := range names {
		found := strings.Index(got, name)
		if found <= at {
			t.Errorf("%s is at %d, after %d", name, found, at)
		}
		at = found
	}
}

// compact is a JSON text with sorted names.
func compact(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	sorted, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(sorted)
}

func TestAnObjectWithoutParametersAcceptsNothingButTheEmptyOne(t *testing.T) {
	if got := encoded(t, schema.Object(nil)); compact(t, got) != `{"additionalProperties":false,"properties":{},"type":"object"}` {
		t.Error(got)
	}
}

// parameterOf draws a parameter of any kind. Lengths of text are at most one from below, because the schema counts characters.
func parameterOf(t *rapid.T, name string, nested bool) endpoint.Parameter {
	required := rapid.Bool().Draw(t, name+" required")
	low := rapid.IntRange(-3, 3).Draw(t, name+" from")
	high := low + rapid.IntRange(0, 5).Draw(t, name+" above")
	choices := rapid.SampledFrom([][]string{nil, {"a"}, {"a", "bb"}}).Draw(t, name+" choices")
	return rapid.SampledFrom([]func() endpoint.Parameter{
		func() endpoint.Parameter {
			if !required {
				return endpoint.Address(name, "").Optional()
			}
			return endpoint.Address(name, "")
		},
		func() endpoint.Parameter { return endpoint.AddressList(name, "", required, 2) },
		func() endpoint.Parameter {
			return endpoint.Chain.Optional()
		},
		func() endpoint.Parameter { return endpoint.ChainID },
		func() endpoint.Parameter { return withNeed(endpoint.Integer(name, "", low, high, low), required) },
		func() endpoint.Parameter {
			return withNeed(endpoint.ClampedInteger(name, "", low, high, low), required)
		},
		func() endpoint.Parameter {
			above := high > low && rapid.Bool().Draw(t, name+" open")
			return withNeed(endpoint.Number(name, "", endpoint.Range{Minimum: float64(low), Maximum: float64(high), AboveMinimum: above}), required)
		},
		func() endpoint.Parameter { return withNeed(endpoint.Boolean(name, ""), required) },
		func() endpoint.Parameter { return withNeed(endpoint.Choice(name, "", "a", "bb"), required) },
		func() endpoint.Parameter {
			return withNeed(endpoint.Text(name, "", rapid.IntRange(0, 1).Draw(t, name+" least"), rapid.IntRange(1, 3).Draw(t, name+" most")), required)
		},
		func() endpoint.Parameter { return withNeed(endpoint.TextList(name, "", 2, choices...), required) },
		func() endpoint.Parameter {
			if nested {
				return withNeed(endpoint.Boolean(name, ""), required)
			}
			return withNeed(endpoint.Object(name, "", parameterOf(t, "inner", true)), required)
		},
		func() endpoint.Parameter {
			if nested {
				return withNeed(endpoint.Boolean(name, ""), required)
			}
			return withNeed(endpoint.ObjectList(name, "", 2, parameterOf(t, "inner", true)), required)
		},
	}).Draw(t, name+" kind")()
}

func withNeed[T any](p endpoint.Typed[T], required bool) endpoint.Parameter {
	if required {
		return p.Required()
	}
	return p
}

// valueFor draws a JSON value that has a fair chance to fit the parameter.
func valueFor(t *rapid.T, s endpoint.Specification, label string) string {
	const lower = "0x00000000000000000000000000000000000000ab"
	scalars := []string{
		"null", "true", "false", "0", "1", "-1", "2", "2.0", "3e0", "2.5", "-4", "9", "1e300", "9007199254740993", `""`, `"a"`, `"bb"`, `"abcd"`, `"1"`,
		`"base"`, `"bnb"`, `"Base"`, "8453", "8453.0", "8454", `"8453"`, `"` + lower + `"`, `"` + strings.ToUpper(lower[2:]) + `"`, `"0x00"`, `" ` + lower + `"`,
		"[]", "{}", `["a"]`, `["c"]`, `["a","a","a"]`, "[null]", `["` + lower + `"]`, `["` + lower + `","` + lower + `","` + lower + `"]`, "[{}]", "[[]]",
	}
	if len(s.Properties) > 0 && rapid.IntRange(0, 3).Draw(t, label+" fits") > 0 {
		object := objectFor(t, s.Properties, label)
		if s.Kind == endpoint.ObjectListKind {
			return "[" + strings.Repeat(object+",", rapid.IntRange(0, 2).Draw(t, label+" length")) + object + "]"
		}
		return object
	}
	return rapid.SampledFrom(scalars).Draw(t, label)
}

func objectFor(t *rapid.T, parameters []endpoint.Parameter, label string) string {
	var members []string
	for _, p := range parameters {
		s := p.Specification()
		if rapid.IntRange(0, 4).Draw(t, label+s.Name+" given") > 0 {
			members = append(members, fmt.Sprintf("%q:%s", s.Name, valueFor(t, s, label+s.Name)))
		}
	}
	if rapid.IntRange(0, 9).Draw(t, label+"unknown") == 0 {
		members = append(members, `"asOf":1`)
	}
	return "{" + strings.Join(members, ",") + "}"
}

// answers serves one endpoint that answers whatever its parameters let pass.
func answers(method string, parameters ...endpoint.Parameter) http.Handler {
	return endpoint.NewHandler(endpoint.Service{Clock: func() time.Time { return time.Unix(1_700_000_000, 0) }},
		endpoint.Document(endpoint.Declaration{Name: "any", Method: method, Parameters: parameters, Open: true},
			func(context.Context, *endpoint.Request) ([]byte, error) { return []byte("{}"), nil }))
}

func resolved(t interface{ Fatal(...any) }, s *jsonschema.Schema) *jsonschema.Resolved {
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A body fits the schema exactly when the endpoint accepts it.
func TestTheSchemaAcceptsWhatTheEndpointDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var parameters []endpoint.Parameter
		taken := make(map[string]bool)
		for i := range rapid.IntRange(0, 3).Draw(t, "parameters") {
			p := parameterOf(t, fmt.Sprintf("p%d", i), false)
			if name := p.Specification().Name; !taken[name] {
				taken[name], parameters = true, append(parameters, p)
			}
		}
		body := objectFor(t, parameters, "")
		var value any
		if err := json.Unmarshal([]byte(body), &value); err != nil {
			t.Fatal(err)
		}
		refusal := resolved(t, schema.Object(parameters)).Validate(value)
		recorder := httptest.NewRecorder()
		answers(http.MethodPost, parameters...).ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/v1/any", strings.NewReader(body)))
		if fits, accepted := refusal == nil, recorder.Code == http.StatusOK; fits != accepted {
			t.Errorf("%s: the schema says %v, the endpoint %d %s", body, refusal, recorder.Code, recorder.Body)
		}
	})
}

func TestYesOrNoHasFourSpellingsInAQuery(t *testing.T) {
	p := endpoint.Boolean("only", "Or all.")
	fits := resolved(t, schema.Query(p))
	for _, text := range []string{"1", "0", "true", "false", "yes", "True", "", "2"} {
		recorder := httptest.NewRecorder()
		answers(http.MethodGet, p).ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/v1/any?only="+url.QueryEscape(text), nil))
		if err := fits.Validate(text); (err == nil) != (recorder.Code == http.StatusOK) {
			t.Errorf("%q: the schema says %v, the endpoint %d", text, err, recorder.Code)
		}
	}
	if got := encoded(t, schema.Query(endpoint.ChainID)); got != encoded(t, schema.Value(endpoint.ChainID)) {
		t.Error(got)
	}
}

func TestAValueOfThePathIsWhatTheRouterTakes(t *testing.T) {
	p := endpoint.PathValue("agentId", "Whose.")
	handler := endpoint.NewHandler(endpoint.Service{Clock: func() time.Time { return time.Unix(1_700_000_000, 0) }},
		endpoint.Document(endpoint.Declaration{Name: "any", Method: http.MethodGet, Path: "/v1/any/{agentId}", Parameters: []endpoint.Parameter{p}, Open: true},
			func(context.Context, *endpoint.Request) ([]byte, error) { return []byte("{}"), nil }))
	fits := resolved(t, schema.Value(p))
	for _, text := range []string{"a", "agent_0-9", "A", "a.b", "a b", "é", "", strings.Repeat("a", 64), strings.Repeat("a", 65)} {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/v1/any/"+url.PathEscape(text), nil))
		if err := fits.Validate(text); (err == nil) != (recorder.Code == http.StatusOK) {
			t.Errorf("%q: the schema says %v, the endpoint %d", text, err, recorder.Code)
		}
	}
}

func TestChainsAreKnownByEveryNameAndNumber(t *testing.T) {
	for _, c := range []struct {
		parameter endpoint.Parameter
		values    []any
	}{
		{endpoint.Chain, []any{"eth", "ethereum", "base", "bsc", "bnb", "binance", "arbitrum", "arbitrum-one", "polygon", "matic", "optimism", "Base", "solana", "", 8453.0, nil}},
		{endpoint.ChainID, []any{1.0, 8453.0, 56.0, 42161.0, 137.0, 10.0, 0.0, 8453.5, "8453", "base", nil}},
	} {
		fits := resolved(t, schema.Value(c.parameter))
		for _, value := range c.values {
			body, err := json.Marshal(map[string]any{c.parameter.Specification().Name: value})
			if err != nil {
				t.Fatal(err)
			}
			recorder := httptest.NewRecorder()
			answers(http.MethodPost, c.parameter).ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/v1/any", strings.NewReader(string(body))))
			if err := fits.Validate(value); (err == nil) != (recorder.Code == http.StatusOK) {
				t.Errorf("%s: the schema says %v, the endpoint %d", body, err, recorder.Code)
			}
		}
	}
}

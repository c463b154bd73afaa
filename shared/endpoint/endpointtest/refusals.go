package endpointtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
)

const (
	sampleAddress = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"
	otherAddress  = "0x00000000219ab540356cbb839cbe05303d7705fa"
)

// badAddresses are refused wherever an address belongs.
var badAddresses = []string{
	"", "0x", "0X" + sampleAddress[2:], sampleAddress[2:], sampleAddress + "0", sampleAddress[:41], " " + sampleAddress,
	sampleAddress + " ", sampleAddress + "\n", sampleAddress + "\x00", "0xg8da6bf26964af9d7eed9e03e53415d37aa96045",
	"0xD8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "0x\uff11" + sampleAddress[3:], "0x\u0430" + sampleAddress[3:], "\u200b" + sampleAddress, "vitalik.eth",
}

// badBodies are not one strict JSON object.
var badBodies = []string{
	"", " ", "null", "true", "1", `"text"`, "[]", "{", "}", "{}{}", "{} 1", "{},", "\ufeff{}", "{\"a\"}", `{"a":}`, `{"a":1,}`, `{a:1}`, `{'a':1}`,
	`{"a":1 "b":2}`, `{"a":NaN}`, `{"a":Infinity}`, `{"a":01}`, `{"a":+1}`, `{"a":.5}`, `{"a":1.}`, `{"a":0x10}`, `{"a":"` + "\x01" + `"}`,
	`{"a":"` + "\xff" + `"}`, `{"` + "\xc0\x80" + `":1}`, `{"a":"\ud800"}`, `{"a":"\x41"}`, `{"a":1}/* */`, "// {}", `{"a":undefined}`,
	`{"` + "\x00" + `":1}`, "\x00", `{"wallet":1,"wallet":1}`, `{"a":1,"\u0061":1}`, `{"x":{"a":1,"a":1}}`,
	`{"a":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, strings.Repeat("[", 30_000), strings.Repeat(`{"a":`, 10_000),
}

// unknownNames are accepted by no endpoint.
var unknownNames = []string{"asOf", "date", "ASOF", "wallet\x00", "__proto__", "constructor", "", " wallet", "Wallet", "CHAIN", "block", "<script>"}

// Refusals holds a handler to the API's table of errors, for every one of its endpoints: status, code, what the body names, the
// headers of every response, no units charged, the same bytes under /api, and not one call to a provider, which calls counts.
// The key is a valid one whose partner has units to spend.
func Refusals(t *testing.T, handler http.Handler, endpoints []endpoint.Endpoint, key string, calls func() int) {
	t.Helper()
	before := calls()
	for i := range endpoints {
		e := &endpoints[i]
		t.Run(e.Name, func(t *testing.T) {
			c := checker{handler: handler, e: e, key: key}
			if e.Open {
				c.key = "" // whose key it is, an open endpoint does not find out
			} else {
				c.keys(t)
			}
			c.paths(t)
			if c.inBody() {
				c.bodies(t)
			}
			c.parameters(t)
		})
	}
	if made := calls() - before; made != 0 {
		t.Errorf("refused requests made %d calls to providers", made)
	}
}

// ProtocolRefusals is Refusals for an endpoint with a protocol of its own, as far as it does not matter which.
func ProtocolRefusals(t *testing.T, handler http.Handler, e endpoint.Endpoint, key string) {
	t.Helper()
	c := checker{handler: handler, e: &e, key: key, protocol: true}
	c.paths(t)
	c.keys(t)
	c.bodies(t)
}

// checker sends requests to one endpoint that must be refused.
type checker struct {
	handler http.Handler
	e       *endpoint.Endpoint
	key     string
	// protocol is true where a body must be there, whatever the parameters.
	protocol bool
}

// want is what a refusal must say.
type want struct {
	status          int
	code, parameter string
}

func (c checker) inBody() bool {
	return c.e.Method == http.MethodPost || c.e.Method == http.MethodPut || c.e.Method == http.MethodPatch
}

// path is the endpoint's path with an example for each value in it.
func (c checker) path() string {
	return regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(c.e.Path, "example-1")
}

// example is a value that a parameter accepts.
func example(s endpoint.Specification) any {
	switch s.Kind {
	case endpoint.AddressKind:
		return sampleAddress
	case endpoint.AddressListKind:
		return []any{sampleAddress, otherAddress}
	case endpoint.ChainKind:
		return "base"
	case endpoint.ChainIDKind:
		return 8453
	case endpoint.IntegerKind:
		return s.Minimum
	case endpoint.NumberKind:
		return s.Numbers.Maximum
	case endpoint.BooleanKind:
		return true
	case endpoint.TextKind:
		if len(s.Choices) > 0 {
			return s.Choices[0]
		}
		return strings.Repeat("x", max(s.Minimum, 1))
	case endpoint.TextListKind:
		return append([]string{}, s.Choices[:min(len(s.Choices), 1)]...)
	case endpoint.ObjectListKind:
		return []any{}
	}
	return object(s.Properties, false)
}

// object is an example of what parameters accept, the required ones or all of them.
func object(parameters []endpoint.Parameter, all bool) map[string]any {
	values := make(map[string]any)
	for _, p := range parameters {
		if s := p.Specification(); !s.InPath && (s.Required || all) {
			values[s.Name] = example(s)
		}
	}
	return values
}

func (c checker) values() map[string]any { return object(c.e.Parameters, false) }

// call makes a request with the values in the body or the query, wherever the endpoint takes them.
func (c checker) call(t *testing.T, values map[string]any) Call {
	t.Helper()
	call := Call{Method: c.e.Method, Path: c.path(), Key: c.key}
	if c.inBody() {
		body, err := json.Marshal(values)
		if err != nil {
			t.Fatal(err)
		}
		call.Body = string(body)
		return call
	}
	query := make(url.Values)
	for name, value := range values {
		query.Set(name, fmt.Sprint(value))
	}
	call.Path += "?" + query.Encode()
	return call
}

// expect sends a call on both prefixes and checks the refusal.
func (c checker) expect(t *testing.T, call Call, w want) Problem {
	t.Helper()
	answer := call.Do(t, c.handler)
	problem := CheckRefusal(t, call, answer, w.status, w.code)
	if w.code == "invalid_chain" && !slices.Equal(problem.Supported, chain.Slugs()) {
		t.Errorf("%s: supported %q, want %q", call.Path, problem.Supported, chain.Slugs())
	}
	if call.Key != "" {
		CheckRateLimit(t, answer)
	}
	if problem.Parameter != w.parameter {
		t.Errorf("%s %s %.200q: param %q, want %q (%s)", call.Method, call.Path, call.Body, problem.Parameter, w.parameter, problem.Message)
	}
	if _, known := endpoint.CanonicalPath(strings.SplitN(call.Path, "?", 2)[0]); known && !strings.HasPrefix(call.Path, "/api/") {
		call.Path = "/api" + call.Path
		again := call.Do(t, c.handler)
		a, b := strings.ReplaceAll(answer.Body, problem.RequestID, ""), strings.ReplaceAll(again.Body, again.Header.Get("X-Request-Id"), "")
		if again.Status != answer.Status || a != b {
			t.Errorf("%s %s: answered otherwise than without /api: %q and %q", call.Method, call.Path, b, a)
		}
	}
	return problem
}

// CheckRefusal checks what every refusal has in common, and reads it.
func CheckRefusal(t T, call Call, answer Answer, status int, code string) Problem {
	t.Helper()
	about := fmt.Sprintf("%s %s %.200q", call.Method, call.Path, call.Body)
	problem := answer.Problem(t)
	if answer.Status != status || problem.Error != code {
		t.Errorf("%s: %d %s (%s), want %d %s", about, answer.Status, problem.Error, problem.Message, status, code)
	}
	header := answer.Header
	if problem.Message == "" || problem.RequestID == "" || problem.RequestID != header.Get("X-Request-Id") {
		t.Errorf("%s: message %q, request id %q and in the header %q", about, problem.Message, problem.RequestID, header.Get("X-Request-Id"))
	}
	for name, wanted := range map[string]string{
		"X-Usage-Units": "0", "Content-Type": "application/json", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Method-Version": "",
	} {
		if got := header.Get(name); got != wanted {
			t.Errorf("%s: %s is %q, want %q", about, name, got, wanted)
		}
	}
	for name, wanted := range map[string]bool{
		"Allow": status == http.StatusMethodNotAllowed, "WWW-Authenticate": status == http.StatusUnauthorized,
		"Retry-After": status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable,
	} {
		if got := header.Get(name) != ""; got != wanted {
			t.Errorf("%s: %d with %s: %q", about, status, name, header.Get(name))
		}
	}
	if retry := header.Get("Retry-After"); retry != "" && retry != fmt.Sprint(problem.RetryAfterSeconds) {
		t.Errorf("%s: Retry-After %s, retryAfterSeconds %d", about, retry, problem.RetryAfterSeconds)
	}
	return problem
}

var (
	policyPattern = regexp.MustCompile(`^"fair-use";q=[1-9][0-9]*;w=60$`)
	limitPattern  = regexp.MustCompile(`^"fair-use";r=[0-9]+;t=[0-9]+$`)
)

// CheckRateLimit checks that the response to a known key tells its limit.
func CheckRateLimit(t T, answer Answer) {
	t.Helper()
	policy, limit := answer.Header.Get("RateLimit-Policy"), answer.Header.Get("RateLimit")
	if !policyPattern.MatchString(policy) || !limitPattern.MatchString(limit) {
		t.Errorf("status %d: RateLimit-Policy %q, RateLimit %q", answer.Status, policy, limit)
	}
}

func (c checker) paths(t *testing.T) {
	notFound := want{http.StatusNotFound, "not_found", ""}
	for _, path := range []string{
		c.path() + "/", c.path() + "//", "/" + c.path(), strings.Replace(c.path(), "/v1/", "/v1//", 1), strings.Replace(c.path(), "/v1/", "/v1/./", 1),
		strings.Replace(c.path(), "/v1/", "/v1/x/../", 1), strings.Replace(c.path(), "/v1/", "/V1/", 1), "/api/api" + c.path(), "/apiary" + c.path(), "/v2" + c.path()[3:],
		strings.Replace(c.path(), "/v1/", "/v1%2f", 1), strings.ToUpper(c.path()), "/v1/%" + fmt.Sprintf("%x", c.path()[4]) + c.path()[5:], c.path() + "%00", c.path() + "/not/there/at/all",
		c.path() + ";x=1", c.path() + ".", c.path() + "%20", "/v1", "/", "/api", "/API" + c.path(),
	} {
		c.expect(t, Call{Method: c.e.Method, Path: path, Key: c.key}, notFound)
		c.expect(t, Call{Method: c.e.Method, Path: path}, notFound)
	}
	call := Call{Method: http.MethodPatch, Path: c.path(), Key: c.key}
	c.expect(t, call, want{http.StatusMethodNotAllowed, "method_not_allowed", ""})
	if allow := call.Do(t, c.handler).Header.Get("Allow"); !slices.Contains(strings.Split(allow, ", "), c.e.Method) {
		t.Errorf("Allow %q does not name %s", allow, c.e.Method)
	}
	options := Call{Method: http.MethodOptions, Path: c.path()}.Do(t, c.handler)
	if options.Status != http.StatusNoContent || options.Body != "" || !strings.Contains(options.Header.Get("Allow"), c.e.Method) || options.Header.Get("X-Usage-Units") != "0" {
		t.Errorf("OPTIONS: %d %v %q", options.Status, options.Header, options.Body)
	}
	if c.e.Method != http.MethodGet {
		head := Call{Method: http.MethodHead, Path: c.path()}.Do(t, c.handler)
		// Another endpoint may answer GET here, in which case HEAD goes to that one.
		if head.Status == http.StatusNotFound || head.Status >= http.StatusInternalServerError || head.Body != "" {
			t.Errorf("HEAD: %d %q", head.Status, head.Body)
		}
	}
}

// stranger is a key that was never issued, and passes every check that needs no store.
func stranger(t *testing.T) string {
	t.Helper()
	key, err := partnerkey.Generate("live", strings.NewReader(strings.Repeat("\x01\x09\x21\x17", 64)))
	if err != nil {
		t.Fatal(err)
	}
	return key.Reveal()
}

func (c checker) keys(t *testing.T) {
	unauthorized := want{http.StatusUnauthorized, "unauthorized", ""}
	unissued := stranger(t)
	messages := make(map[string]bool)
	for _, credentials := range [][]string{
		nil, {""}, {"Bearer"}, {"Bearer "}, {"Basic " + c.key}, {c.key}, {"Bearer " + c.key + "x"}, {"Bearer " + c.key[:len(c.key)-1]}, {"Bearer mw_live_"},
		{"Bearer " + strings.ToUpper(c.key)}, {"Bearer " + c.key[:len(c.key)-1] + "~"}, {"Bearer " + unissued}, {"Bearer " + c.key, "Bearer " + c.key}, {"Bearer " + c.key + ", Bearer " + c.key},
		{"Bearer \xff\x00"}, {"Bearer " + strings.Repeat("a", 9000)},
	} {
		call := c.call(t, c.values())
		call.Key, call.Header = "", http.Header{"Authorization": credentials}
		messages[c.expect(t, call, unauthorized).Message] = true
		if answer := call.Do(t, c.handler); answer.Header.Get("RateLimit") != "" {
			t.Errorf("limits are told to nobody: %q", answer.Header.Get("RateLimit"))
		}
		call.Body, call.Path = "{", c.path()+"?asOf=1"
		c.expect(t, call, unauthorized)
	}
	if len(messages) != 1 {
		t.Errorf("%d different messages for bad keys", len(messages))
	}
}

func (c checker) bodies(t *testing.T) {
	invalid := want{http.StatusBadRequest, "invalid_json", ""}
	for _, body := range badBodies {
		call := Call{Method: c.e.Method, Path: c.path(), Key: c.key, Body: body}
		if body == "" && !c.protocol && len(c.values()) == 0 {
			continue
		}
		c.expect(t, call, invalid)
	}
	tooLarge := want{http.StatusRequestEntityTooLarge, "body_too_large", ""}
	good := c.call(t, c.values())
	for _, size := range []int{endpoint.MaximumBody + 1, 1 << 20} {
		call := good
		call.Body += strings.Repeat(" ", size-len(call.Body))
		c.expect(t, call, tooLarge)
		call.Header = http.Header{"Content-Type": {"text/plain"}}
		c.expect(t, call, tooLarge)
	}
	unsupported := want{http.StatusUnsupportedMediaType, "unsupported_media_type", ""}
	for _, header := range []http.Header{
		{"Content-Type": {"text/plain"}}, {"Content-Type": {"application/x-www-form-urlencoded"}}, {"Content-Type": {"application/json; charset=latin1"}},
		{"Content-Type": {"application/jsonp"}}, {"Content-Type": {"application/json, text/plain"}}, {"Content-Type": {"application/json", "application/json"}},
		{"Content-Type": {"application/json;;;="}}, {"Content-Type": {"application/vnd.api+json"}}, {"Content-Encoding": {"gzip"}},
	} {
		call := good
		call.Header = header
		c.expect(t, call, unsupported)
		call.Body = "{"
		c.expect(t, call, unsupported)
	}
	call := good
	call.Path += "?chain=base"
	c.expect(t, call, want{http.StatusBadRequest, "unknown_param", "chain"})
}

func (c checker) parameters(t *testing.T) {
	accepted := make([]string, 0)
	for _, p := range c.e.Parameters {
		if s := p.Specification(); !s.InPath {
			accepted = append(accepted, s.Name)
		}
	}
	unknown := func(values map[string]any, name string) {
		problem := c.expect(t, c.call(t, values), want{http.StatusBadRequest, "unknown_param", name})
		if !slices.Equal(problem.Accepted, accepted) {
			t.Errorf("accepted %q, want %q", problem.Accepted, accepted)
		}
	}
	for _, name := range unknownNames {
		unknown(with(c.values(), name, "2026-01-01"), name)
		unknown(map[string]any{name: nil}, name)
	}
	if !c.inBody() {
		c.expect(t, Call{Method: c.e.Method, Path: c.path() + "?x=%zz", Key: c.key}, want{http.StatusBadRequest, "invalid_param", ""})
		c.expect(t, Call{Method: c.e.Method, Path: c.path() + "?x=%ff", Key: c.key}, want{http.StatusBadRequest, "invalid_param", ""})
		c.expect(t, Call{Method: c.e.Method, Path: c.path(), Key: c.key, Body: "{}"}, want{http.StatusBadRequest, "invalid_json", ""})
	}
	broken := c.values()
	for _, p := range c.e.Parameters {
		s := p.Specification()
		if s.InPath {
			continue
		}
		if s.Required {
			missing := want{http.StatusBadRequest, "missing_param", s.Name}
			values := c.values()
			delete(values, s.Name)
			problem := c.expect(t, c.call(t, values), missing)
			if !slices.Equal(problem.Accepted, accepted) {
				t.Errorf("accepted %q, want %q", problem.Accepted, accepted)
			}
			if c.inBody() {
				c.expect(t, c.call(t, with(values, s.Name, nil)), missing)
			}
		} else if c.inBody() {
			c.expect(t, c.call(t, with(c.values(), s.Name, nil)), want{http.StatusBadRequest, "invalid_param", s.Name})
		}
		if !c.inBody() {
			call := c.call(t, with(c.values(), s.Name, example(s)))
			call.Path += "&" + s.Name + "=" + url.QueryEscape(fmt.Sprint(example(s)))
			c.expect(t, call, want{http.StatusBadRequest, "invalid_param", s.Name})
		}
		for _, bad := range c.badValues(s) {
			c.expect(t, c.call(t, with(c.values(), s.Name, bad.value)), want{http.StatusBadRequest, bad.code, s.Name})
			broken[s.Name] = bad.value
		}
	}
	c.order(t, broken)
}

// order breaks everything at once and mends it step by step.
func (c checker) order(t *testing.T, broken map[string]any) {
	required := slices.Sorted(maps.Keys(c.values()))
	values := with(maps.Clone(broken), "asOf", 1)
	if len(required) > 0 {
		delete(values, required[0])
		c.expect(t, c.call(t, values), want{http.StatusBadRequest, "unknown_param", "asOf"})
		delete(values, "asOf")
		c.expect(t, c.call(t, values), want{http.StatusBadRequest, "missing_param", required[0]})
	}
	values = maps.Clone(broken)
	for _, p := range c.e.Parameters {
		switch s := p.Specification(); s.Kind {
		case endpoint.AddressListKind:
			values[s.Name] = []any{"x"}
		case endpoint.AddressKind, endpoint.ChainKind:
			values[s.Name] = "x"
		}
	}
	for _, stage := range [][]endpoint.Kind{{endpoint.AddressKind, endpoint.AddressListKind}, {endpoint.ChainKind, endpoint.ChainIDKind}} {
		for _, p := range c.e.Parameters {
			s := p.Specification()
			if _, isBroken := values[s.Name]; !isBroken || !slices.Contains(stage, s.Kind) || s.InPath {
				continue
			}
			answer := c.call(t, values).Do(t, c.handler)
			if problem := answer.Problem(t); problem.Parameter != s.Name {
				t.Errorf("with everything from %s on broken, %q is blamed", s.Name, problem.Parameter)
			}
			values[s.Name] = example(s)
		}
	}
}

type badValue struct {
	value any
	code  string
}

// badValues are refused for a parameter.
func (c checker) badValues(s endpoint.Specification) []badValue {
	var all []badValue
	add := func(code string, values ...any) {
		for _, value := range values {
			all = append(all, badValue{value, code})
		}
	}
	if c.inBody() && s.Kind != endpoint.ObjectKind {
		add("invalid_param", map[string]any{})
	}
	switch s.Kind {
	case endpoint.AddressKind:
		for _, address := range badAddresses {
			add("invalid_address", address)
		}
		if c.inBody() {
			add("invalid_param", 5, true, []any{sampleAddress})
		}
	case endpoint.AddressListKind:
		many := make([]any, s.Maximum+1)
		for i := range many {
			many[i] = fmt.Sprintf("0x%040x", i+1)
		}
		add("too_many_wallets", many)
		add("invalid_param", sampleAddress, []any{5}, []any{nil})
		for _, address := range badAddresses {
			add("invalid_address", []any{sampleAddress, address}, append(many[:len(many):len(many)], address))
		}
		if s.Minimum > 0 {
			add("invalid_param", []any{})
		}
	case endpoint.ChainKind:
		add("invalid_chain", "", " ", "base ", "Base", "ETH", "solana", "1", "\x00", "\uff42ase")
		if c.inBody() {
			add("invalid_param", 1, []any{"base"})
		}
	case endpoint.ChainIDKind:
		add("invalid_chain", 0, 2, -1, 1.5, int64(1)<<40)
	case endpoint.IntegerKind:
		add("invalid_param", "", "x")
		if c.inBody() {
			add("invalid_param", 1.5, json.RawMessage("1e400"), "5", []any{})
		} else {
			add("invalid_param", "1.5", " 5", "+5", "0x5", "1e400", "5,5", "NaN")
		}
		if !s.Clamped {
			add("invalid_param", s.Minimum-1, s.Maximum+1, int64(1)<<62, json.RawMessage("-1e300"))
		}
	case endpoint.NumberKind:
		add("invalid_param", "", "x", "NaN", json.RawMessage(fmt.Sprint(s.Numbers.Maximum+1)), json.RawMessage(fmt.Sprint(s.Numbers.Minimum-1)))
		if s.Numbers.AboveMinimum {
			add("invalid_param", json.RawMessage(fmt.Sprint(s.Numbers.Minimum)), json.RawMessage("-0"))
		}
		if c.inBody() {
			add("invalid_param", "5", true, []any{5}, json.RawMessage("1e400"), json.RawMessage("-1e400"))
		} else {
			add("invalid_param", "+5", "0x5", " 5", "1e400", "Infinity")
		}
	case endpoint.BooleanKind:
		add("invalid_param", "yes", "", "TRUE", 2)
	case endpoint.TextKind:
		if len(s.Choices) > 0 {
			add("invalid_param", "", "something-else", s.Choices[0]+" ", strings.ToUpper(s.Choices[0]+"x"))
		} else if s.Maximum > 0 {
			add("invalid_param", strings.Repeat("x", s.Maximum+1))
		}
		if c.inBody() {
			add("invalid_param", 5, []any{"x"})
		}
	case endpoint.TextListKind, endpoint.ObjectListKind:
		add("invalid_param", "x", []any{5}, 5)
	case endpoint.ObjectKind:
		add("invalid_param", "x", []any{}, 5)
	}
	return all
}

func with(values map[string]any, name string, value any) map[string]any {
	values = maps.Clone(values)
	values[name] = value
	return values
}

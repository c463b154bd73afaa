package main

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/schema"
)

// overview stands at the beginning of the document.
const overview = `Intelligence over on-chain wallets and tokens, and over perpetuals and prediction-market wallets: bands, scores, grades, verdicts and reasons.

**Unknown is not bad.** ` + "`null`" + ` means unmeasured, never zero. A thin or unknown profile is an answer and not an error: ` + "`verdict: unrated`, `rated: false`, `available: false`, `baseline: true`, `status: accruing`, `edge: insufficient-data`, `no-holdings` and `active: false`" + ` all mean unknown. Lists are never null.

**Units.** A name that ends in ` + "`Pct`" + ` is in percent (12.5 is 12.5 %). Other shares, rates and probabilities are fractions from 0 to 1, scores are from 0 to 100. A name that ends in ` + "`At`" + ` is a time in UTC (RFC 3339). Sizes are bands, not amounts.

**Strict requests.** Every parameter that an endpoint does not have is refused, those of the past (` + "`asOf`, `date`" + `) among them: answers describe the present. POST and PUT take their parameters in a JSON body of at most 64 KiB, GET and DELETE in the query. Addresses may be in one case or in mixed case with a valid EIP-55 checksum. A path that is not spelled as here is a 404, and OPTIONS answers with the methods of a path.

**Bundles** answer several endpoints at once. Each slot holds, byte for byte, what its single endpoint answers. Where a component fails, its slot holds an error instead, ` + "`partial`" + ` is true and ` + "`failed`" + ` names it; the rest stands.

**Fair use.** Calls are metered in units, which ` + "`X-Usage-Units`" + ` tells: those of the endpoint on success, 0 on an error. ` + "`RateLimit`" + ` tells what is left. There is no bill by the call.

**Point in time.** ` + "`X-Method-Version`" + ` names the version of the methods that graded an answer.

**Before the service.** What the gateway itself refuses, which is a request of more than 10 MB, one with more than 10 KB of headers, or more requests than it lets through, has a body of ` + "`message`" + ` alone, and no request id.

**AI agents** call every endpoint that needs a key as a tool at ` + "`POST /v1/mcp`" + `, by the Model Context Protocol over streamable HTTP, with the same key.`

// pages are the tags by the package of the answer, in the order of the document.
var pages = []struct{ folder, tag, about string }{
	{"wallet", "Trader page", "A wallet's trading: how good it is, what kind it is, and what copying it would have brought."},
	{"perp", "Trader page", ""},
	{"prediction", "Trader page", ""},
	{"token", "Token page", "A token: its risk, its signal, who buys it, and what its price does."},
	{"portfolio", "Portfolio page", "What a wallet holds, and how risky and concentrated that is."},
	{"leader", "Leaderboards", "Ranked wallets, leaders of the venues, and the record of what became of them."},
	{"copytrade", "Copy decisions", "Whether to copy, how much, and what is redundant."},
	{"agent", "Copy agents", "Agents that mirror a leader, and what they did. The wallet that owns them signs each request."},
	{"mirroring", "Copy agents", ""},
	{"webhook", "Webhooks", "Where events are sent."},
	{"endpoint", "Account", "Usage and this document."},
}

// generator builds the document.
type generator struct {
	endpoints []endpoint.Endpoint
	shown     illustrations
	schemas   *schemas
	responses members
}

// generate builds the document of the endpoints, with what was recorded to illustrate it. root is the module's folder. The error tells all
// that partners need to know and the declarations and types do not say.
func generate(root string, endpoints []endpoint.Endpoint, shown illustrations) ([]byte, error) {
	g := &generator{endpoints: endpoints, shown: shown, schemas: newSchemas(root)}
	paths := g.paths()
	if err := g.schemas.err(); err != nil {
		return nil, err
	}
	return write(members{
		{"openapi", "3.1.0"},
		{"info", members{
			{"title", "Mirrorworthy"}, {"version", "1.0.0"}, {"summary", "Wallet, token and copy-trading intelligence."},
			{"description", overview}, {"contact", members{{"name", "Mirrorworthy"}}},
		}},
		{"servers", []members{
			{{"url", "/"}, {"description", "The dedicated host, the permanent address."}},
			{{"url", "/api"}, {"description", "The older address, which stays."}},
		}},
		{"tags", tags()},
		{"security", []members{{{"partnerKey", []string{}}}}},
		{"paths", paths},
		{"components", members{
			{"securitySchemes", members{{"partnerKey", members{
				{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "mw_live_…"},
				{"description", "A partner key: mw_live_ for the service, mw_test_ for the sample market alone."},
			}}}},
			{"schemas", append(slices.Clone(g.schemas.named), errorSchemas()...)},
			{"responses", g.responses},
			{"headers", headers()},
			{"examples", g.refusalExamples()},
		}},
	})
}

func tags() []members {
	var all []members
	for _, page := range pages {
		if page.about != "" {
			all = append(all, members{{"name", page.tag}, {"description", page.about}})
		}
	}
	return all
}

// paths describes the operations by path.
func (g *generator) paths() members {
	var paths members
	for i := range g.endpoints {
		e := &g.endpoints[i]
		at := slices.IndexFunc(paths, func(m member) bool { return m.name == e.Path })
		if at < 0 {
			paths.add(e.Path, members{})
			at = len(paths) - 1
		}
		item := paths[at].value.(members)
		item.add(strings.ToLower(e.Method), g.operation(e))
		paths[at].value = item
	}
	return paths
}

func (g *generator) operation(e *endpoint.Endpoint) members {
	operation := members{{"operationId", e.Name}, {"tags", []string{g.tag(e)}}, {"summary", title(e.Name)}, {"description", e.Summary + " " + g.costs(e)}}
	if e.Open {
		operation.add("security", []members{})
	}
	units, each := unitsOf(e)
	operation.add("x-usage-units", units)
	if each != "" {
		operation.add("x-usage-units-per", each)
	}
	if all := g.parameters(e); len(all) > 0 {
		operation.add("parameters", all)
	}
	if inBody(e) {
		if body := bodyParameters(e); len(body) > 0 {
			operation.add("requestBody", g.requestBody(e, body))
		}
	}
	operation.add("responses", g.answers(e))
	return operation
}

// title is an endpoint's name in words.
func title(name string) string {
	words := strings.ReplaceAll(name, "-", " ")
	return strings.ToUpper(words[:1]) + words[1:]
}

// costs says what an endpoint costs.
func (g *generator) costs(e *endpoint.Endpoint) string {
	units, each := unitsOf(e)
	switch {
	case each != "":
		return fmt.Sprintf("Costs %d usage units for each of `%s`.", units, each)
	case units == 1:
		return "Costs 1 usage unit."
	}
	return fmt.Sprintf("Costs %d usage units.", units)
}

// unitsOf gives an endpoint's units, and the list by whose length they are charged, where there is one.
func unitsOf(e *endpoint.Endpoint) (units int, each string) {
	if e.UnitsFor == nil {
		return e.Units, ""
	}
	for _, p := range e.Parameters {
		list, ok := p.(endpoint.Typed[[]chain.Address])
		if !ok {
			continue
		}
		values := endpoint.NewRequest("", "", epoch, nil)
		list.Set(values, make([]chain.Address, 1))
		one := e.Cost(values)
		list.Set(values, make([]chain.Address, 3))
		if e.Cost(values) == 3*one && one > 0 {
			return one, list.Specification().Name
		}
	}
	panic("openapi: nobody can tell what " + e.Name + " costs")
}

func (g *generator) tag(e *endpoint.Endpoint) string {
	for len(e.Components) > 0 {
		e = &e.Components[0]
	}
	folder := "endpoint"
	if e.Answer != nil {
		path := reflect.TypeOf(e.Answer).PkgPath()
		folder = path[strings.LastIndex(path, "/")+1:]
	}
	for _, page := range pages {
		if page.folder == folder {
			return page.tag
		}
	}
	g.schemas.problem("%s is on no page that the document knows: %s", e.Name, folder)
	return ""
}

func inBody(e *endpoint.Endpoint) bool {
	return e.Method == http.MethodPost || e.Method == http.MethodPut || e.Method == http.MethodPatch
}

func bodyParameters(e *endpoint.Endpoint) []endpoint.Parameter {
	return slices.DeleteFunc(slices.Clone(e.Parameters), func(p endpoint.Parameter) bool { return p.Specification().InPath })
}

// parameters describes what stands in the path, the query and the headers.
func (g *generator) parameters(e *endpoint.Endpoint) []members {
	var all []members
	for _, p := range e.Parameters {
		s := p.Specification()
		switch {
		case s.InPath:
			all = append(all, g.parameter(e, s.Name, "path", s.Description, true, schema.Value(p)))
		case !inBody(e):
			all = append(all, g.parameter(e, s.Name, "query", s.Description, s.Required, schema.Query(p)))
		}
	}
	for _, h := range e.Headers {
		all = append(all, g.parameter(e, h.Name, "header", h.Description, h.Required, &jsonschema.Schema{Type: "string"}))
	}
	if e.Idempotent {
		longest := endpoint.LongestIdempotencyKey
		all = append(all, g.parameter(e, "Idempotency-Key", "header",
			"A name of your own for this operation, like a UUID. Repeated under the same key, the request does nothing twice and is answered as before.", false,
			&jsonschema.Schema{Type: "string", Pattern: `^("[!#-\[\]-~]+"|[!#-\[\]-~]+)$`, MaxLength: &longest}))
	}
	return all
}

func (g *generator) parameter(e *endpoint.Endpoint, name, place, description string, required bool, value *jsonschema.Schema) members {
	value.Description = ""
	parameter := members{{"name", name}, {"in", place}, {"description", description}}
	if required {
		parameter.add("required", true)
	}
	parameter.add("schema", value)
	if example := g.shown.Parameters[e.Name][name]; example != nil {
		parameter.add("example", example)
	}
	return parameter
}

func (g *generator) requestBody(e *endpoint.Endpoint, parameters []endpoint.Parameter) members {
	object := schema.Object(parameters)
	content := members{{"schema", object}}
	if all := g.shown.Bodies[e.Name]; len(all) > 0 {
		content.add("examples", exampleMembers(all))
	}
	body := members{}
	if len(object.Required) > 0 {
		body.add("required", true)
	}
	body.add("content", members{{"application/json", content}})
	return body
}

func exampleMembers(all []illustration) members {
	var examples members
	for _, each := range all {
		examples.add(each.Name, members{{"summary", each.Summary}, {"value", each.Value}})
	}
	return examples
}

// answers describes the responses by status.
func (g *generator) answers(e *endpoint.Endpoint) members {
	content := members{{"schema", g.answer(e)}}
	if all := g.shown.Answers[e.Name]; len(all) > 0 {
		content.add("examples", exampleMembers(all))
	}
	success := members{
		{"description", g.answerDescription(e)}, {"headers", references("headers", successHeaders(e)...)},
		{"content", members{{"application/json", content}}},
	}
	answers := members{{strconv.Itoa(e.Status), success}}
	if e.KeptFor > 0 {
		answers.add("304", members{{"description", "What If-None-Match names is still the answer."}, {"headers", references("headers", successHeaders(e)...)}})
	}
	all := e.Refusals()
	for len(all) > 0 {
		same := 1
		for same < len(all) && all[same].Status == all[0].Status {
			same++
		}
		answers.add(strconv.Itoa(all[0].Status), g.refusal(all[:same]))
		all = all[same:]
	}
	return answers
}

func (g *generator) answerDescription(e *endpoint.Endpoint) string {
	if len(e.Components) > 0 {
		return "The bundle; each slot is what its single endpoint answers, or an error."
	}
	if e.Answer == nil {
		return "The document."
	}
	for _, named := range g.schemas.named {
		if named.name == component(reflect.TypeOf(e.Answer)) {
			return named.value.(*jsonschema.Schema).Description
		}
	}
	return e.Summary
}

// answer is the schema of a success.
func (g *generator) answer(e *endpoint.Endpoint) *jsonschema.Schema {
	switch {
	case len(e.Components) > 0:
		return g.bundle(e)
	case e.Answer == nil:
		return &jsonschema.Schema{Type: "object", Required: []string{"openapi", "info", "paths"}}
	}
	return g.schemas.of(reflect.TypeOf(e.Answer))
}

// bundle is the schema of a bundle's envelope.
func (g *generator) bundle(e *endpoint.Endpoint) *jsonschema.Schema {
	name := strings.ToUpper(e.Slot()[:1]) + e.Slot()[1:]
	subject := e.Parameters[0].Specification()
	envelope := &jsonschema.Schema{Type: "object", Description: e.Summary, Properties: make(map[string]*jsonschema.Schema)}
	property := func(name string, required bool, value *jsonschema.Schema) {
		envelope.Properties[name] = value
		envelope.PropertyOrder = append(envelope.PropertyOrder, name)
		if required {
			envelope.Required = append(envelope.Required, name)
		}
	}
	var bundleName any = e.Name
	var yes any = true
	property(subject.Name, true, &jsonschema.Schema{Type: "string", Pattern: "^0x[0-9a-f]{40}$", Description: "The address that the bundle is about, in lower case."})
	slug := g.schemas.of(reflect.TypeFor[chain.Slug]())
	slug.Description = "The chain, by its canonical slug."
	property("chain", true, slug)
	property("bundle", true, &jsonschema.Schema{Type: "string", Const: &bundleName, Description: "The bundle's name."})
	var slots []any
	for i := range e.Components {
		c := &e.Components[i]
		slots = append(slots, c.Slot())
		property(c.Slot(), true, &jsonschema.Schema{OneOf: []*jsonschema.Schema{g.answer(c), reference("SlotError")}, Description: "What " + c.Path + " answers, or why it could not. " + c.Summary})
	}
	property("partial", false, &jsonschema.Schema{Type: "boolean", Const: &yes, Description: "Present, and true, where a component failed."})
	property("failed", false, &jsonschema.Schema{
		Type: "array", Items: &jsonschema.Schema{Type: "string", Enum: slots}, Description: "The slots that hold an error. Present where a component failed.",
	})
	g.schemas.named.add(name, envelope)
	return reference(name)
}

// successHeaders are the headers of a successful answer.
func successHeaders(e *endpoint.Endpoint) []string {
	names := []string{"X-Request-Id", "X-Usage-Units", "RateLimit", "RateLimit-Policy"}
	if e.Graded {
		names = append(names, "X-Method-Version")
	}
	if e.Idempotent {
		names = append(names, "Idempotent-Replayed")
	}
	if e.KeptFor > 0 {
		names = append(names, "ETag", "Cache-Control")
	}
	return names
}

// references refers to components of a kind by their names.
func references(kind string, names ...string) members {
	var all members
	for _, name := range names {
		all.add(name, members{{"$ref", "#/components/" + kind + "/" + name}})
	}
	return all
}

// refusal is the response of a status, kept among the components under its codes.
func (g *generator) refusal(kinds []endpoint.Refusal) members {
	var said, codes []string
	var examples members
	for _, kind := range kinds {
		said = append(said, "`"+kind.Code+"`: "+kind.When)
		codes = append(codes, kind.Code)
		if g.shown.Refusals[kind.Code] != nil {
			examples.add(kind.Code, members{{"$ref", "#/components/examples/" + kind.Code}})
		}
	}
	status := kinds[0].Status
	names := []string{"X-Request-Id", "X-Usage-Units"}
	if !slices.Equal(codes, []string{"unauthorized"}) {
		names = append(names, "RateLimit", "RateLimit-Policy")
	}
	switch status {
	case http.StatusUnauthorized:
		names = append(names, "WWW-Authenticate")
	case http.StatusMethodNotAllowed:
		names = append(names, "Allow")
	case http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable:
		names = append(names, "Retry-After")
	}
	content := members{{"schema", reference("Error")}}
	if len(examples) > 0 {
		content.add("examples", examples)
	}
	response := members{
		{"description", strings.Join(said, "\n\n")}, {"headers", references("headers", names...)}, {"content", members{{"application/json", content}}},
	}
	if status == http.StatusBadRequest {
		return response // its codes differ too much from one endpoint to the next
	}
	name := ""
	for _, code := range codes {
		for word := range strings.SplitSeq(code, "_") {
			name += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	if !slices.ContainsFunc(g.responses, func(m member) bool { return m.name == name }) {
		g.responses.add(name, response)
	}
	return members{{"$ref", "#/components/responses/" + name}}
}

func (g *generator) refusalExamples() members {
	var examples members
	for _, kind := range endpoint.Refusals() {
		if body := g.shown.Refusals[kind.Code]; body != nil {
			examples.add(kind.Code, members{{"summary", kind.When}, {"value", body}})
		}
	}
	return examples
}

// errorSchemas are the bodies of refusals and of failed slots.
func errorSchemas() members {
	var codes []any
	for _, kind := range endpoint.Refusals() {
		codes = append(codes, kind.Code)
	}
	text := func(about string) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Description: about} }
	code := func() *jsonschema.Schema {
		return &jsonschema.Schema{Type: "string", Enum: codes, Description: "The machine's word for what is wrong."}
	}
	list := func(about string) *jsonschema.Schema {
		return &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}, Description: about}
	}
	one := 1.0
	return members{
		{"Error", &jsonschema.Schema{
			Type: "object", Description: "What is wrong with a request, or what went wrong with it.",
			Properties: map[string]*jsonschema.Schema{
				"error": code(), "message": text("What to do next, for a person."), "requestId": text("The request's ID, as in X-Request-Id."),
				"param":             text("The parameter that is wrong, where it is one."),
				"accepted":          list("The parameters that the endpoint accepts."),
				"supported":         list("The chains that are supported."),
				"retryAfterSeconds": {Type: "integer", Minimum: &one, Description: "After how many seconds the same request can succeed, as in Retry-After."},
			},
			PropertyOrder: []string{"error", "message", "requestId", "param", "accepted", "supported", "retryAfterSeconds"},
			Required:      []string{"error", "message", "requestId"},
		}},
		{"SlotError", &jsonschema.Schema{
			Type: "object", Description: "Why a component of a bundle could not answer.",
			Properties:    map[string]*jsonschema.Schema{"error": code(), "message": text("What it means, for a person.")},
			PropertyOrder: []string{"error", "message"}, Required: []string{"error", "message"},
		}},
	}
}

// headers are the headers of responses.
func headers() members {
	header := func(about string, value *jsonschema.Schema, example any) members {
		return members{{"description", about}, {"schema", value}, {"example", example}}
	}
	// always is a header of every response that it is documented for.
	always := func(about string, value *jsonschema.Schema, example any) members {
		return members{{"description", about}, {"required", true}, {"schema", value}, {"example", example}}
	}
	text := func(pattern string) *jsonschema.Schema { return &jsonschema.Schema{Type: "string", Pattern: pattern} }
	zero, one := 0.0, 1.0
	return members{
		{"X-Request-Id", always("The request's ID. It finds the request in our logs.", text("^.+$"), "0199a3f0-7c1e-7d0b-9d55-3f1f4b8e2a10")},
		{"X-Usage-Units", always("The units charged for this answer; 0 for an error.", &jsonschema.Schema{Type: "integer", Minimum: &zero}, 2)},
		{"RateLimit", header("The units left (r), and in how many seconds all are there again (t). Sent to a known key.", text(`^"fair-use";r=[0-9]+;t=[0-9]+$`), `"fair-use";r=1198;t=1`)},
		{"RateLimit-Policy", header("The units a minute (q) that the partner may use. Sent to a known key.", text(`^"fair-use";q=[0-9]+;w=60$`), `"fair-use";q=6000;w=60`)},
		{"X-Method-Version", always("The version of the methods behind a graded answer.", text("^.+$"), endpoint.MethodVersion)},
		{"Retry-After", header("After how many seconds the same request can succeed. On 409 only where the first request under the idempotency key is still being worked on.",
			&jsonschema.Schema{Type: "integer", Minimum: &one}, 10)},
		{"WWW-Authenticate", always("How to authenticate.", text("^Bearer$"), "Bearer")},
		{"Allow", always("The methods that the path answers to.", text("^[A-Z]+(, [A-Z]+)*$"), "GET, HEAD")},
		{"Idempotent-Replayed", header("true where the answer was given before, under the same Idempotency-Key.", text("^true$"), "true")},
		{"ETag", always("A tag of the answer's bytes, for If-None-Match.", text(`^"[0-9a-f]+"$`), `"0123456789abcdef0123456789abcdef"`)},
		{"Cache-Control", always("How long the answer may be kept.", text("^public, max-age=[0-9]+$"), "public, max-age=300")},
	}
}

// illustrations are what was really asked and answered, by endpoint.
type illustrations struct {
	// Parameters are values in paths, queries and headers, by their names.
	Parameters map[string]map[string]jsontext.Value
	// Bodies and Answers are bodies of requests and of their answers, under the same names.
	Bodies, Answers map[string][]illustration
	// Refusals are bodies of refusals by code.
	Refusals map[string]jsontext.Value
}

// illustration is a body, and what it is an example of.
type illustration struct {
	Name    string         `json:"name"`
	Summary string         `json:"summary"`
	Value   jsontext.Value `json:"value"`
}

package endpoint

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// MethodVersion is the version of the methods behind every graded answer. It changes whenever the same facts could get
// another answer.
const MethodVersion = "2026-11-2"

// Declaration is what an endpoint says of itself.
type Declaration struct {
	// Name is the name of the Lambda function and of its folder, like "trader-score", and for most endpoints the last part of the
	// path.
	Name string
	// Method and Path default to POST and /v1/<Name>.
	Method, Path string
	// Summary is one sentence for the API document.
	Summary string
	// Units are charged for a successful answer.
	Units int
	// UnitsFor, when set, charges by the request instead: a list of wallets costs by its length.
	UnitsFor func(*Request) int
	// Parameters are accepted in the body of a POST or the query of a GET, in the order the API document lists them.
	Parameters []Parameter
	// Needs names the ports the answer is computed from.
	Needs []market.Port
	// Graded is true for answers made by our methods; they carry the method version.
	Graded bool
	// Open endpoints need no key and are not metered.
	Open bool
	// Status is the HTTP status of a success, 200 by default.
	Status int
	// Headers are what the endpoint reads of the request's headers besides the key.
	Headers []Header
	// Refuses are the codes that the endpoint refuses requests with of its own, beyond those that follow from the rest of the
	// declaration.
	Refuses []string
	// KeptFor is how long anybody may keep a successful answer, which is the same for everybody; zero for not at all. Such an answer
	// carries an ETag, under which it need not be sent twice.
	KeptFor time.Duration
	// Idempotent endpoints take an Idempotency-Key header, under which a request that is repeated does nothing twice.
	Idempotent bool
	// Check, when set, holds the request against what parameters cannot say, wallet signatures among it: after the parameters,
	// before any units are charged.
	Check func(context.Context, *Request) error
}

// Header describes a header of requests.
type Header struct {
	Name, Description string
	Required          bool
}

// Endpoint is a declaration together with what answers it. The zero value is of no use: Single, Bundle and the like make endpoints.
type Endpoint struct {
	Declaration
	// Answer is a zero value of the answer's type, for the API document; nil for bundles.
	Answer any
	// Components are the parts of a bundle; nil for singles.
	Components []Endpoint
	// respond computes the encoded answer.
	respond func(context.Context, *Request) ([]byte, error)
	// speak answers instead where the endpoint has a protocol of its own, by calls to callable endpoints.
	speak    Speak
	callable []Endpoint
	calls    *table
}

// Single declares an endpoint by what it gathers and how it judges: gather collects the facts of a request, through the
// request's session; assess is pure, and gets the instant that the answer describes.
func Single[F, A any](d Declaration, gather func(context.Context, *Request) (F, error), assess func(F, time.Time) A) Endpoint {
	return Operation(d, func(ctx context.Context, r *Request) (A, error) {
		facts, err := gather(ctx, r)
		if err != nil {
			var none A
			return none, err
		}
		return assess(facts, r.AsOf), nil
	})
}

// Operation declares an endpoint that reads or changes the service's own state rather than judging facts.
func Operation[A any](d Declaration, perform func(context.Context, *Request) (A, error)) Endpoint {
	var zero A
	e := Document(d, func(ctx context.Context, r *Request) ([]byte, error) {
		answer, err := perform(ctx, r)
		if err != nil {
			return nil, err
		}
		return encode(answer)
	})
	e.Answer = zero
	return e
}

// Document declares an endpoint whose answer is JSON already, and goes out as it is.
func Document(d Declaration, read func(context.Context, *Request) ([]byte, error)) Endpoint {
	return Endpoint{Declaration: d.withDefaults(), respond: read}
}

func (d Declaration) withDefaults() Declaration {
	if d.Method == "" {
		d.Method = http.MethodPost
	}
	if d.Path == "" {
		d.Path = "/v1/" + d.Name
	}
	if d.Status == 0 {
		d.Status = http.StatusOK
	}
	return d
}

// Slot is the endpoint's key in a bundle: its name in camel case.
func (d Declaration) Slot() string {
	var slot strings.Builder
	for i, word := range strings.Split(d.Name, "-") {
		if i > 0 && word != "" {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		slot.WriteString(word)
	}
	return slot.String()
}

// Cost is what a successful answer to the request is charged.
func (e *Endpoint) Cost(r *Request) int {
	if e.UnitsFor != nil {
		return e.UnitsFor(r)
	}
	return e.Units
}

// answer computes the encoded answer, turning a panic into an error.
func (e *Endpoint) answer(ctx context.Context, r *Request) (body []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			body, err = nil, fmt.Errorf("%s: panic: %v\n%s", e.Name, cause, debug.Stack())
		}
	}()
	return e.respond(ctx, r)
}

// union lists the parameters of several endpoints, each name once, in order of appearance. It panics where two mean different
// things by a name: a bundle could not hand such a parameter on.
func union(components []Endpoint) []Parameter {
	var all []Parameter
	for i := range components {
		for _, p := range components[i].Parameters {
			s := p.Specification()
			at := slices.IndexFunc(all, func(q Parameter) bool { return q.Specification().Name == s.Name })
			if at < 0 {
				all = append(all, p)
			} else if !same(all[at].Specification(), s) {
				panic("endpoint: " + components[i].Name + " accepts another " + s.Name + " than the components before it")
			}
		}
	}
	return all
}

func unionOfNeeds(components []Endpoint) []market.Port {
	var all []market.Port
	for i := range components {
		for _, port := range components[i].Needs {
			if !slices.Contains(all, port) {
				all = append(all, port)
			}
		}
	}
	return all
}

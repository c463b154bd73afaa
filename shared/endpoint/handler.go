package endpoint

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint/partnerkey"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// NewHandler answers the endpoints' routes and refuses everything else. It panics if the service lacks what an endpoint needs.
func NewHandler(service Service, endpoints ...Endpoint) http.Handler {
	service.validate(endpoints)
	service = service.withDefaults()
	return &handler{
		Service: service,
		table:   newTable(endpoints, service.Routes),
		meter:   newMeter(service),
		free:    newFreeRequests(service.FreeByKey, service.FreeByAddress),
	}
}

type handler struct {
	Service
	table *table
	meter *meter
	free  *freeRequests
}

// call is one request on its way through the checks. What a step finds out stays here for the headers and the log.
type call struct {
	id         string
	receivedAt time.Time
	endpoint   *Endpoint
	identity   *partnerkey.Identity // nil: no known key
	quota      *quota               // nil: not asked for yet
}

// reply is what goes out.
type reply struct {
	status  int
	body    []byte
	units   int
	problem *Problem // nil: success
	allow   []string
	// replayed is true for an answer that was given before to the same request.
	replayed bool
	// header replaces headers of the response.
	header http.Header
}

// ServeHTTP answers a request. Nothing is written before the whole answer is there.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) { h.serve(w, r, h.NewID()) }

// serve answers a request under an id.
func (h *handler) serve(w http.ResponseWriter, r *http.Request, id string) {
	c := &call{id: id, receivedAt: h.Clock().UTC()}
	answer := h.safely(c, r)
	if c.identity != nil && c.quota == nil && answer.header.Get("RateLimit") == "" {
		c.quota = h.meter.state(r.Context(), c.identity, c.receivedAt)
	}
	write(w, r, c, answer)
	h.record(c, r, answer)
}

// safely is reply, with a panic turned into an internal error.
func (h *handler) safely(c *call, r *http.Request) (answer reply) {
	defer func() {
		if cause := recover(); cause != nil {
			answer = refusal(problemOf(fmt.Errorf("panic: %v\n%s", cause, debug.Stack())))
		}
	}()
	return h.reply(c, r)
}

func refusal(problem *Problem) reply {
	return reply{status: problem.Status, problem: problem, allow: problem.Allow}
}

// reply takes a request through the checks in their order: path and method, key, body, parameters, the endpoint's own check, the
// rate limit. Only then is the endpoint asked.
func (h *handler) reply(c *call, r *http.Request) reply {
	e, pathValues, allowed, problem := h.table.find(r.Method, r.URL.EscapedPath())
	if problem != nil && allowed != nil && r.Method == http.MethodOptions {
		return reply{status: http.StatusNoContent, allow: append([]string{http.MethodOptions}, allowed...)}
	}
	c.endpoint = e
	// Who asks is found out in any case: a known partner learns its state from every response, a wrong path's too.
	keyProblem := h.identify(c, r)
	if problem == nil && !e.Open {
		problem = keyProblem
	}
	if problem != nil {
		return h.freeRefusal(c, r, problem)
	}
	if retryAfter := h.free.exhausted(c, r); retryAfter > 0 {
		return h.tooMany(c, retryAfter)
	}
	if e.speak != nil {
		return h.spoken(c, r)
	}
	request, problem := h.checked(c, r, pathValues)
	if problem == nil && e.Check != nil {
		ctx, cancel := context.WithTimeout(r.Context(), h.SingleTimeout)
		defer cancel()
		if err := e.Check(ctx, request); err != nil {
			problem = problemOf(err)
		}
	}
	if problem != nil {
		return h.freeRefusal(c, r, problem)
	}
	return h.charged(c, r, request)
}

// freeRefusal is a refusal that costs no units but counts as a free request.
func (h *handler) freeRefusal(c *call, r *http.Request, problem *Problem) reply {
	if retryAfter := h.free.exhausted(c, r); retryAfter > 0 {
		return h.tooMany(c, retryAfter)
	}
	h.free.count(c, r)
	return refusal(problem)
}

// tooMany refuses a request of somebody who has made too many that cost nothing.
func (h *handler) tooMany(c *call, retryAfter time.Duration) reply {
	if c.identity != nil {
		// The store is not asked for the state: this refusal must stay cheap.
		c.quota = &quota{limit: c.identity.Limit, reset: retryAfter}
	}
	return refusal(&Problem{
		Status: http.StatusTooManyRequests, Code: "rate_limited", RetryAfter: retryAfter,
		Message: "Too many requests that were refused or cost no units. Wait, and correct what is refused before repeating it.",
	})
}

// identify finds out whose key the request carries.
func (h *handler) identify(c *call, r *http.Request) *Problem {
	unauthorized := refuse(http.StatusUnauthorized, "unauthorized", "Send a valid partner key as Authorization: Bearer <key>.")
	if h.Keys == nil || h.Meter == nil {
		return unauthorized
	}
	text, found := bearer(r.Header)
	if !found {
		return unauthorized
	}
	identity, err := h.Keys.Authenticate(r.Context(), text)
	switch {
	case errors.Is(err, partnerkey.ErrUnauthorized):
		return unauthorized
	case err != nil:
		return &Problem{
			Status: http.StatusServiceUnavailable, Code: "provider_unavailable", RetryAfter: keyStoreRetry, cause: err,
			Message: "Keys cannot be checked at the moment; try again shortly.",
		}
	}
	c.identity = &identity
	if identity.Mode == store.ModeTest && !h.SampleMarket {
		return refuse(http.StatusForbidden, "forbidden", "A test key reaches the sample market only. Use a live key here.")
	}
	return nil
}

// keyStoreRetry is how long to wait when keys cannot be checked.
const keyStoreRetry = 5 * time.Second

// bearer gives the credentials of the one Authorization header (RFC 6750, section 2.1).
func bearer(header http.Header) (string, bool) {
	values := header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, credentials, found := strings.Cut(values[0], " ")
	return strings.Trim(credentials, " "), found && strings.EqualFold(scheme, "Bearer")
}

// checked decodes the parameters and holds them against the declaration.
func (h *handler) checked(c *call, r *http.Request, pathValues map[string]any) (*Request, *Problem) {
	e := c.endpoint
	body, problem := readBody(r)
	if problem != nil {
		return nil, problem
	}
	query, problem := readQuery(r.URL.RawQuery)
	if problem != nil {
		return nil, problem
	}
	all := query
	if takesBody(r.Method) {
		if all, problem = bodyMembers(e, body); problem != nil {
			return nil, problem
		}
		if problem := noQuery(e, query); problem != nil {
			return nil, problem
		}
	} else if len(body) > 0 {
		return nil, invalidJSON("This endpoint takes no body; send parameters in the query string.")
	}
	values, problem := check(e.Parameters, all, "")
	if problem != nil {
		return nil, problem
	}
	for name, value := range pathValues {
		values[name] = value
	}
	if e.Idempotent {
		if _, problem := idempotencyKey(r.Header); problem != nil {
			return nil, problem
		}
	}
	return h.request(c, r, body, values), nil
}

// request is what an endpoint learns of a request.
func (h *handler) request(c *call, r *http.Request, body []byte, values map[string]any) *Request {
	request := NewRequest(c.id, "", h.Present(), nil)
	request.ReceivedAt, request.Operation = c.receivedAt, h.NewOperation()
	request.Host, request.Header, request.Body, request.values = r.Host, r.Header, body, values
	request.log, request.metrics = h.Log, h.Metrics
	if c.identity != nil {
		request.Partner, request.Limit = c.identity.PartnerID, c.identity.Limit
	}
	return request
}

// noQuery refuses a query where everything belongs into the body.
func noQuery(e *Endpoint, query []given) *Problem {
	if len(query) == 0 {
		return nil
	}
	accepted := names(e.Parameters)
	return &Problem{
		Status: http.StatusBadRequest, Code: "unknown_param", Parameter: printable(query[0].name), Accepted: accepted,
		Message: "This endpoint takes no parameters in the query string; send them in the body. " + acceptedSentence(accepted),
	}
}

// bodyMembers reads the parameters in a body. Where nothing is required in it, no body at all is the empty object.
func bodyMembers(e *Endpoint, body []byte) ([]given, *Problem) {
	if len(body) == 0 {
		needed := false
		for _, p := range e.Parameters {
			s := p.Specification()
			needed = needed || (s.Required && !s.InPath)
		}
		if !needed {
			return nil, nil
		}
	}
	return readMembers(body)
}

// charged takes the units, asks the endpoint and settles what was taken.
func (h *handler) charged(c *call, r *http.Request, request *Request) reply {
	e := c.endpoint
	units := e.Cost(request)
	if c.identity != nil {
		c.quota = h.meter.take(r.Context(), c.identity, units, c.receivedAt)
		if problem := c.quota.refusal(units); problem != nil {
			// Refused for want of units costs nothing, which makes it a free request.
			h.free.count(c, r)
			return refusal(problem)
		}
		request.Left = c.quota.left
	}
	if units == 0 {
		h.free.count(c, r)
	}
	answer := h.perform(c, r, request)
	if answer.problem != nil {
		if c.identity != nil && r.Context().Err() == nil {
			// Somebody who hangs up has had the work done, and pays for it.
			h.meter.giveBack(r.Context(), c.identity, c.quota, units, h.Clock().UTC())
		}
		return answer
	}
	if c.identity != nil {
		h.meter.count(r.Context(), c.identity, e.Name, units, c.receivedAt)
	}
	answer.units = units
	return answer
}

// perform has the endpoint do its work: once for each idempotency key, where it takes one and the caller sent it.
func (h *handler) perform(c *call, r *http.Request, request *Request) reply {
	e := c.endpoint
	if e.Idempotent {
		// The key was checked with the parameters.
		if key, _ := idempotencyKey(r.Header); key != "" {
			path, _ := CanonicalPath(r.URL.EscapedPath())
			return h.once(r.Context(), c, request, path, key)
		}
	}
	body, err := h.run(r.Context(), e, request)
	if err != nil {
		return refusal(problemOf(err))
	}
	return reply{status: e.Status, body: body}
}

// run asks the endpoint for its answer and leaves it behind when its time is up.
func (h *handler) run(ctx context.Context, e *Endpoint, request *Request) ([]byte, error) {
	limit := h.SingleTimeout
	if len(e.Components) > 0 {
		limit = h.BundleTimeout
		request.margin = min(slotMargin, limit/10)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request.Session = market.NewSession(ctx, h.Sources)
	done := make(chan slot, 1)
	go func() {
		body, err := e.answer(ctx, request)
		done <- slot{body: body, err: err}
	}()
	select {
	case answered := <-done:
		return answered.body, answered.err
	case <-ctx.Done():
		return nil, errUnfinished
	}
}

// record logs and counts an answered request.
func (h *handler) record(c *call, r *http.Request, answer reply) {
	name, code, level := "none", "ok", slog.LevelInfo
	if c.endpoint != nil {
		name = c.endpoint.Name
	}
	attributes := make([]slog.Attr, 0, 10)
	attributes = append(attributes, slog.String("request", c.id), slog.String("endpoint", name), slog.Int("status", answer.status))
	if answer.problem != nil {
		code = answer.problem.Code
		attributes = append(attributes, slog.String("code", code))
		if cause := answer.problem.cause; cause != nil {
			level = slog.LevelWarn
			attributes = append(attributes, slog.String("cause", cause.Error()))
		}
		if answer.status == http.StatusInternalServerError {
			level = slog.LevelError
		}
	}
	if c.identity != nil {
		attributes = append(attributes, slog.String("partner", c.identity.PartnerID), slog.String("key", c.identity.KeyID))
	}
	attributes = append(attributes, slog.Int("units", answer.units),
		slog.Float64("milliseconds", float64(h.Clock().Sub(c.receivedAt).Microseconds())/1000))
	h.Log.LogAttrs(r.Context(), level, "request", attributes...)
	h.Metrics.Count(MetricRequests, 1, "endpoint", name, "code", code)
	if answer.units > 0 {
		h.Metrics.Count(MetricUnits, answer.units, "endpoint", name)
	}
}

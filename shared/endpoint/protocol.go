package endpoint

import (
	"context"
	"net/http"
)

// Spoken is what an endpoint answers in a protocol of its own.
type Spoken struct {
	// Status is the HTTP status, and Body the JSON that goes with it; empty for none.
	Status int
	Body   []byte
	// Header replaces headers of the response: with those of what was called, say.
	Header http.Header
}

// Speak answers a request in a protocol of its own. The request holds no parameters, but its body, which is one JSON object; calls
// answers the requests that are made of it. An error refuses the request, as with any endpoint.
type Speak func(ctx context.Context, r *Request, calls http.Handler) (Spoken, error)

// Protocol declares an endpoint at which others are called in a protocol of its own.
//
// A request to it needs a key, costs nothing, and counts among those that do. What it calls is answered as if it had come by itself,
// with a key, parameters, a limit and units of its own, and is bounded in time by itself; only the request's id is the same. Nothing but
// the callable endpoints can be called.
func Protocol(d Declaration, callable []Endpoint, speak Speak) Endpoint {
	return Endpoint{Declaration: d.withDefaults(), speak: speak, callable: callable, calls: newTable(callable, nil)}
}

// inside answers what is called inside a request, under its id.
type inside struct {
	*handler
	id string
}

// ServeHTTP answers a call.
func (i inside) ServeHTTP(w http.ResponseWriter, r *http.Request) { i.serve(w, r, i.id) }

// spoken has an endpoint answer in its own protocol.
func (h *handler) spoken(c *call, r *http.Request) reply {
	e := c.endpoint
	body, problem := protocolBody(e, r)
	if problem != nil {
		return h.freeRefusal(c, r, problem)
	}
	h.free.count(c, r)
	calls := inside{handler: &handler{Service: h.Service, table: e.calls, meter: h.meter, free: h.free}, id: c.id}
	answer, err := e.speak(r.Context(), h.request(c, r, body, make(map[string]any)), calls)
	if err != nil {
		return refusal(problemOf(err))
	}
	return reply{status: answer.Status, body: answer.Body, header: answer.Header}
}

// protocolBody reads the body of a request in another protocol: one JSON object, of which nothing is known but that.
func protocolBody(e *Endpoint, r *http.Request) ([]byte, *Problem) {
	body, problem := readBody(r)
	if problem != nil {
		return nil, problem
	}
	query, problem := readQuery(r.URL.RawQuery)
	if problem == nil {
		problem = noQuery(e, query)
	}
	if problem == nil {
		_, problem = readMembers(body)
	}
	return body, problem
}

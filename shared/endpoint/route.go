package endpoint

import (
	"net/http"
	"slices"
	"strings"
)

const (
	// alternatePrefix stands before /v1 at the older address of the same API.
	alternatePrefix = "/api"
	// versionPrefix starts every path.
	versionPrefix = "/v1/"
	// maximumPath is the longest path looked at, in bytes, and maximumPathValue the longest value inside one.
	maximumPath, maximumPathValue = 256, 64
)

// Route is a method and a path pattern that the service answers. A part of the pattern in braces stands for any one value.
type Route struct{ Method, Path string }

// RoutesOf lists the routes of endpoints.
func RoutesOf(endpoints ...Endpoint) []Route {
	routes := make([]Route, len(endpoints))
	for i := range endpoints {
		routes[i] = Route{Method: endpoints[i].Method, Path: endpoints[i].Path}
	}
	return routes
}

// CanonicalPath strips one leading /api and tells whether what is left is a path that an endpoint could have, as it stood in the
// request line: /v1/ and parts of lower-case letters, digits, '_' and '-', with single dots inside, and no more than 256 bytes.
// Escapes, empty parts, dots at an end of a part and trailing slashes are not canonical.
func CanonicalPath(escaped string) (path string, canonical bool) {
	path = escaped
	if strings.HasPrefix(path, alternatePrefix+versionPrefix) {
		path = path[len(alternatePrefix):]
	}
	if len(path) > maximumPath || !strings.HasPrefix(path, versionPrefix) {
		return "", false
	}
	inside := false // of a part: the last byte was a letter, a digit, '_' or '-'
	for i := 1; i < len(path); i++ {
		switch c := path[i]; {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '_', c == '-':
			inside = true
		case (c == '/' || c == '.') && inside:
			inside = false
		default:
			return "", false
		}
	}
	return path, inside
}

// table finds endpoints by path and method.
type table struct{ places []place }

// place is a path pattern with what answers there.
type place struct {
	parts   []string
	methods []string // all that the service answers here, sorted
	own     map[string]*Endpoint
}

func newTable(endpoints []Endpoint, routes []Route) *table {
	t := &table{}
	for i := range endpoints {
		e := &endpoints[i]
		p := t.place(e.Path)
		if p.own[e.Method] != nil {
			panic("endpoint: two endpoints answer " + e.Method + " " + e.Path)
		}
		p.own[e.Method] = e
		p.allow(e.Method)
		if e.Method == http.MethodGet {
			p.allow(http.MethodHead)
		}
	}
	for _, route := range routes {
		t.place(route.Path).allow(route.Method)
	}
	// Fixed parts come before values, so that /agents/new is not taken for the agent called new.
	slices.SortStableFunc(t.places, func(a, b place) int {
		return slices.CompareFunc(a.parts, b.parts, func(x, y string) int { return boolean(isValue(x)) - boolean(isValue(y)) })
	})
	return t
}

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

func isValue(part string) bool { return strings.HasPrefix(part, "{") }

func (t *table) place(pattern string) *place {
	parts := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	for i := range t.places {
		if slices.Equal(t.places[i].parts, parts) {
			return &t.places[i]
		}
	}
	t.places = append(t.places, place{parts: parts, own: make(map[string]*Endpoint)})
	return &t.places[len(t.places)-1]
}

func (p *place) allow(method string) {
	if at, found := slices.BinarySearch(p.methods, method); !found {
		p.methods = slices.Insert(p.methods, at, method)
	}
}

// matches tells whether the path's parts fit the pattern, and with which values.
func (p *place) matches(parts []string) (map[string]any, bool) {
	if len(parts) != len(p.parts) {
		return nil, false
	}
	values := make(map[string]any)
	for i, part := range p.parts {
		switch {
		case !isValue(part):
			if part != parts[i] {
				return nil, false
			}
		case len(parts[i]) > maximumPathValue || strings.Contains(parts[i], "."):
			return nil, false
		default:
			values[strings.Trim(part, "{}")] = parts[i]
		}
	}
	return values, true
}

// find gives the endpoint for a method and a path as it stood in the request line, and the values in the path. Without an
// endpoint it gives the refusal; allowed lists the path's methods whenever the path is known.
func (t *table) find(method, escaped string) (e *Endpoint, values map[string]any, allowed []string, problem *Problem) {
	path, canonical := CanonicalPath(escaped)
	if canonical {
		parts := strings.Split(path[1:], "/")
		for i := range t.places {
			p := &t.places[i]
			values, found := p.matches(parts)
			if !found {
				continue
			}
			wanted := method
			if method == http.MethodHead {
				wanted = http.MethodGet
			}
			if e := p.own[wanted]; e != nil {
				return e, values, p.methods, nil
			}
			return nil, nil, p.methods, &Problem{
				Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Allow: p.methods,
				Message: "This path answers to " + strings.Join(p.methods, ", ") + ".",
			}
		}
	}
	return nil, nil, nil, NotFound("There is no such path. Paths begin with /v1/, are lower case and have no trailing slash.")
}

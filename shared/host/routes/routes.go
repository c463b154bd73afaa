// Package routes lists the routes of all endpoints without linking what answers them, so that the function behind the catch-all route
// starts as fast as any other. A test of the local gateway holds the list to the endpoints.
package routes

import (
	_ "embed"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

//go:embed routes.txt
var listed string

// All gives the routes in the order of the API document.
func All() []endpoint.Route {
	var all []endpoint.Route
	for line := range strings.Lines(listed) {
		method, path, _ := strings.Cut(strings.TrimSpace(line), " ")
		all = append(all, endpoint.Route{Method: method, Path: path})
	}
	return all
}

// Package openapi is the API's own description: an OpenAPI 3.1 document, and the endpoint that serves it.
//
// The document is generated from the declarations of the endpoints and the types of their answers, and is never edited. The frozen copy
// beside it is what partners have been promised: it only ever grows. The package parses neither.
package openapi

import (
	"context"
	_ "embed"
	"net/http"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

//go:embed v1.json
var document []byte

// Document gives the bytes of the document, which the caller may change.
func Document() []byte { return slices.Clone(document) }

// keptFor is how long somebody may go on with a document that a deployment has just replaced.
const keptFor = 5 * time.Minute

// Endpoint declares GET /v1/openapi.json, which needs no key and costs nothing.
func Endpoint() endpoint.Endpoint {
	return endpoint.Document(endpoint.Declaration{
		Name: "openapi", Method: http.MethodGet, Path: "/v1/openapi.json", Open: true, KeptFor: keptFor,
		Summary: "This document.",
	}, func(context.Context, *endpoint.Request) ([]byte, error) { return document, nil })
}

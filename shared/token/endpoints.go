package token

import "github.com/mirrorworthy/mirrorworthy/shared/endpoint"

// Endpoints lists the endpoints of the page, in the order of the API document.
func Endpoints(memory Memory) []endpoint.Endpoint {
	return []endpoint.Endpoint{}
}

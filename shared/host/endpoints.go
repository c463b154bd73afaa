package host

import (
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// Endpoints lists every endpoint of the service, one Lambda function each, in the order of the API document.
func Endpoints(meter store.Meter) []endpoint.Endpoint {
	return append(wallet.Endpoints(), endpoint.Usage(meter))
}

// NotFound is the name of the function behind the catch-all route. It answers no endpoint, but knows all routes.
const NotFound = "not-found"

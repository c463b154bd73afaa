// Package endpoint is the way in and out for requests.
//
// An endpoint is declared once: its name, its units, the parameters it accepts with their ranges, the facts it needs, and a pure
// assessment that turns facts into a typed answer. A bundle is a list of such declarations and nothing else: its units, its
// parameters and its slots follow from the list. Route, key check, metering, strict decoding, error bodies, headers and
// encoding are the same for all and live here.
//
// To add an endpoint, write one file in the package of its page: its answer type, a function that gathers its facts through the
// request's market session, a pure assess function, and a declaration made with Single. To add a slot to a bundle, add the
// declaration to the bundle's list.
//
// The package computes no answer, knows no provider, and does not know that it runs on AWS.
package endpoint

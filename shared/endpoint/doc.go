// Package endpoint is the way in and out for requests.
//
// An endpoint is declared once: its name, its units, the parameters it accepts with their ranges, the facts it needs, and a pure
// assessment that turns facts into a typed answer. A bundle is a list of such declarations and nothing else: its units, its
// parameters and its slots follow from the list. Route, key check, metering, strict decoding, error bodies, headers and
// encoding are the same for all and live here.
//
// To add an endpoint, write one file in the package of its page: its answer type, a function that gathers its facts through the
// request's market session, a pure assess function, and a declaration made with Single. To add a slot to a bundle, add the
// declaration to the bundle's list. Protocol is for those who would rather call endpoints in another way than by their paths.
//
// What the API leaves to us is decided here once: null for an optional parameter is refused (leave it out instead); a whole number
// may be spelled 5, 5.0 or 5e0; where no parameter in the body is required, no body at all is {}; GET and DELETE take parameters
// in the query and no body, POST and PUT in the body and no query; HEAD is GET without the body; OPTIONS answers with Allow and
// needs no key; what a caller that hangs up had asked for is charged; under an Idempotency-Key what succeeded is answered again and
// charged again, what was refused changed nothing and is not kept, and what was cut short is gone on with under the same Operation.
//
// The package computes no answer, knows no provider, and does not know that it runs on AWS.
package endpoint

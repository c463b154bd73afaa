// Package token is the token page: is this token safe and moving, who buys it, can it be sold again.
//
// One file an endpoint, each with its answer, the facts it gathers, a pure assessment and its declaration. An assessment that other
// answers build on is made once a request and read by all of them. The package fetches through the request's session only.
//
// Scams are judged in tokenrisk, prices read in priceaction, traders graded in trader: the page puts their findings into answers. It
// gives no advice for a person, and knows no wallet's holdings.
package token

// Package client is what partners import to use Mirrorworthy from Go: it browses leaders, sizes a copy, creates agents, walks a wallet
// through their activation, follows their executions, and manages and verifies webhooks.
//
// New makes a client of an API key. What concerns agents needs a wallet that has signed in besides: AuthHeadersFor makes the headers for
// it. Calls that failed for a while are repeated as Retry-After says, and every POST carries an idempotency key of its own, the same over
// its repetitions, so that nothing is done twice. What the service refuses is an *Error.
//
// Amounts of money are decimal numbers in text, as on the wire. A nil pointer is something that was not measured, which is neither zero
// nor bad. Answers may gain fields; those that this package does not know are left out.
//
// The package needs nothing but the standard library. It holds no private key: whoever signs implements Signer, as package localwallet
// does for a key in memory.
package client

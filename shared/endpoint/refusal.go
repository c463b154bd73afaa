package endpoint

import (
	"net/http"
	"slices"
)

// Refusal is a kind of refused or failed request.
type Refusal struct {
	Status int
	Code   string
	// When says in a sentence when it is given.
	When string
}

// refusals are all kinds, by status.
var refusals = []Refusal{
	{http.StatusBadRequest, "invalid_json", "The body is not one strict JSON object in UTF-8, or there is a body where none belongs."},
	{http.StatusBadRequest, "unknown_param", "A parameter that the endpoint does not have; accepted lists those that it has."},
	{http.StatusBadRequest, "missing_param", "A required parameter is left out or null."},
	{http.StatusBadRequest, "invalid_param", "A parameter has the wrong type, is out of its range, is repeated, or does not go with the others; the message says what is accepted."},
	{http.StatusBadRequest, "invalid_address", "An address is not 0x and 40 hexadecimal digits, or its EIP-55 checksum is wrong."},
	{http.StatusBadRequest, "invalid_chain", "The chain is not supported; supported lists those that are."},
	{http.StatusBadRequest, "too_many_wallets", "A list holds more addresses than the endpoint takes."},
	{http.StatusUnauthorized, "unauthorized", "There is no key, or the key is malformed, unknown or revoked."},
	{http.StatusUnauthorized, "wallet_signature_invalid", "The wallet headers are missing, expired, not yet valid, made for another domain or another partner, or not signed by the address."},
	{http.StatusForbidden, "forbidden", "The key may not do this: a test key reaches the sample market only."},
	{http.StatusNotFound, "not_found", "There is no such path, or nothing of this ID that belongs to the partner and the wallet."},
	{http.StatusNotFound, "not_a_token", "The address is no token, like that of an externally owned account."},
	{http.StatusMethodNotAllowed, "method_not_allowed", "The path answers to other methods, which the Allow header lists."},
	{http.StatusConflict, "agent_expired", "The agent's credentials have lapsed; it is activated again rather than resumed."},
	{http.StatusConflict, "agent_state_conflict", "The agent cannot do this from the state that it is in."},
	{http.StatusConflict, "idempotency_conflict", "The idempotency key was used for another request, or the first request under it is still being worked on."},
	{http.StatusRequestEntityTooLarge, "body_too_large", "The body is larger than 64 KiB."},
	{http.StatusUnsupportedMediaType, "unsupported_media_type", "The body is declared as something else than JSON in UTF-8."},
	{http.StatusTooManyRequests, "rate_limited", "The fair-use limit is reached; Retry-After says how long to wait."},
	{http.StatusInternalServerError, "internal", "A bug on our side; the request ID finds it in our logs."},
	{http.StatusServiceUnavailable, "provider_unavailable", "A data provider or a store did not answer; Retry-After says when to try again."},
}

// Refusals lists every kind of refusal that the API knows, in the order of their statuses.
func Refusals() []Refusal { return slices.Clone(refusals) }

// Refusals lists the kinds of refusal that the endpoint gives: those that follow from its declaration, and those it declares.
func (e *Endpoint) Refusals() []Refusal {
	codes := append([]string{"unknown_param", "invalid_param", "invalid_json", "body_too_large", "method_not_allowed", "rate_limited", "internal"}, e.Refuses...)
	if !e.Open {
		codes = append(codes, "unauthorized", "forbidden", "provider_unavailable")
	}
	if takesBody(e.Method) {
		codes = append(codes, "unsupported_media_type")
	}
	if e.Idempotent {
		codes = append(codes, "idempotency_conflict")
	}
	codes = append(codes, codesOf(e.Parameters)...)
	return slices.DeleteFunc(Refusals(), func(r Refusal) bool { return !slices.Contains(codes, r.Code) })
}

// codesOf lists the codes that parameters are refused with besides those that every endpoint has.
func codesOf(parameters []Parameter) []string {
	var codes []string
	for _, p := range parameters {
		s := p.Specification()
		switch s.Kind {
		case AddressKind:
			codes = append(codes, "invalid_address")
		case AddressListKind:
			codes = append(codes, "invalid_address", "too_many_wallets")
		case ChainKind, ChainIDKind:
			codes = append(codes, "invalid_chain")
		case ObjectKind, ObjectListKind:
			codes = append(codes, codesOf(s.Properties)...)
		}
		switch {
		case s.InPath:
			codes = append(codes, "not_found")
		case s.Required:
			codes = append(codes, "missing_param")
		}
	}
	return codes
}

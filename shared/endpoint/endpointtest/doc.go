// Package endpointtest supports tests of endpoints at their boundary: a store in memory, a recorder of metrics, a service put
// together from them, and Refusals, which holds a handler to everything the API promises about requests it refuses.
//
// It is imported by tests only.
package endpointtest

// Package agent knows the agents that mirror leaders: what one is, what it may do and spend, and how it goes from one state to the
// next. Its endpoints make agents, show them, and pause, resume and stop them; its job has them expire.
//
// agent.go is what is kept of one, risk.go what its owner allows it, transition.go the states, events.go what partners are told of
// them, access.go whose agents a request is about, desk.go what all endpoints work with. create.go, activate.go, show.go and venues.go are
// the endpoints, expire.go the job.
//
// What a wallet must sign before an agent may act is activation's business, what an agent does with a leader's trades is mirroring's,
// and how partners are told is webhook's.
package agent

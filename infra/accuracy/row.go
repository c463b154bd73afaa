// Package accuracy measures how right the answers are, on known numbers, recorded data and simulations with a planted truth.
//
// It is a tool for developers. Nothing that serves a request imports it.
package accuracy

// Row is one measured goal.
type Row struct {
	Name, Goal, Measured string
	Pass                 bool
}

// Package parallel runs functions side by side and waits for all of them, as golang.org/x/sync/errgroup does, except that a
// function that panics is an error for whoever waits: a panic in a goroutine that nobody guards ends the whole process, and with it
// every other request.
//
// It schedules nothing and retries nothing.
package parallel

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// Group is a set of functions under way.
type Group struct{ group *errgroup.Group }

// NewGroup makes a group whose functions do not end each other.
func NewGroup() *Group { return &Group{new(errgroup.Group)} }

// WithContext makes a group and a context for its functions, which ends with the first error, or when Wait returns.
func WithContext(ctx context.Context) (*Group, context.Context) {
	group, ctx := errgroup.WithContext(ctx)
	return &Group{group}, ctx
}

// SetLimit bounds how many functions run at a time. It is called before the first Go.
func (g *Group) SetLimit(n int) { g.group.SetLimit(n) }

// Go runs a function in a goroutine of its own, as soon as the limit lets it. A panic is its error, with the stack.
func (g *Group) Go(f func() error) {
	g.group.Go(func() (err error) {
		defer func() {
			if cause := recover(); cause != nil {
				err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
			}
		}()
		return f()
	})
}

// Wait waits for all functions and returns the first error.
func (g *Group) Wait() error { return g.group.Wait() }

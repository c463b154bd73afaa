// Package editions says which editions of a board can still be read. It keeps nothing and knows no engine.
package editions

import (
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Gone returns how many of a board's editions are gone, given the times of all, oldest first: the newest is the current one, and one
// before it is gone when the current one is store.EditionLife or more younger than the one that took its place.
func Gone(times []time.Time) int {
	for i := 0; i+1 < len(times); i++ {
		if times[len(times)-1].Sub(times[i+1]) < store.EditionLife {
			return i
		}
	}
	return max(len(times)-1, 0)
}

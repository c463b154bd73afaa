// Package job is the way in for work that runs by a schedule: it reads what the scheduler sends, runs the job, and logs what became
// of it.
//
// A schedule fires at least once: runs come twice, late, side by side, and are killed half-way. The package takes no lease against
// that. A job is work that can be done twice: it writes under conditions, marks as done only what is whole, and skips what was done
// a moment ago.
package job

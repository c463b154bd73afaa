// Package job is the way in for work that runs by a schedule or comes through a queue: it reads what the scheduler and the queue
// send, runs the job, logs what became of it, and says which messages failed.
//
// A schedule fires at least once and a queue delivers at least once: runs come twice, late, side by side, in any order, and are
// killed half-way. The package takes no lease against that. A Job is work that can be done twice: it writes under conditions,
// marks as done only what is whole, and skips what was done a moment ago. A Spread is work of many parts; the store says which of
// them are done, and whatever is cut short is found unfinished by the next delivery.
//
// What the jobs do is not known here, and neither is AWS: only the JSON that it sends.
package job

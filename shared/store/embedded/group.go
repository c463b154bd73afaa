package embedded

import (
	"context"
	"runtime"
	"sync"

	"go.etcd.io/bbolt"
)

// writer commits writes in groups: everything that came while one group was being flushed is the next. A write that is alone
// waits for nobody, and the slower the disk, the larger the groups. (bbolt's own Batch gathers for a fixed time instead, which is
// lost on a lone caller and, while a slow flush is under way, cuts those who wait into several groups with a flush each.)
type writer struct {
	db *bbolt.DB

	mu         sync.Mutex
	waiting    []*pendingWrite
	committing bool
}

// pendingWrite is a write whose caller waits for done.
type pendingWrite struct {
	ctx    context.Context
	update func(*bbolt.Tx) error
	err    error
	done   chan struct{}
}

// write runs an update in a transaction and returns when it is on the disk, or with the error for which nothing was written.
func (w *writer) write(ctx context.Context, update func(*bbolt.Tx) error) error {
	pending := &pendingWrite{ctx: ctx, update: update, done: make(chan struct{})}
	w.mu.Lock()
	w.waiting = append(w.waiting, pending)
	first := !w.committing
	w.committing = true
	w.mu.Unlock()
	if first {
		go w.commitAll()
	}
	<-pending.done
	return pending.err
}

// commitAll commits one group after the other until nobody waits.
func (w *writer) commitAll() {
	for {
		w.mu.Lock()
		group := w.waiting
		w.waiting = nil
		if len(group) == 0 {
			w.committing = false
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		w.commit(group)
		for _, pending := range group {
			close(pending.done)
		}
		runtime.Gosched() // those who are done and write again at once can join the next group
	}
}

// commit commits the writes of a group that can be, and sets the error of every other. An update that fails undoes the whole
// transaction, so the others run again without it: those before it do again what they did, and its error stays true.
func (w *writer) commit(group []*pendingWrite) {
	for _, pending := range group {
		pending.err = pending.ctx.Err()
	}
	for {
		var failed *pendingWrite
		err := w.db.Update(func(tx *bbolt.Tx) error {
			for _, pending := range group {
				if pending.err != nil {
					continue
				}
				if err := pending.update(tx); err != nil {
					failed = pending
					return err
				}
			}
			return nil
		})
		if failed != nil {
			failed.err = err
			continue
		}
		if err != nil { // nothing was written, so what refused a write may not be there either
			for _, pending := range group {
				pending.err = err
			}
		}
		return
	}
}

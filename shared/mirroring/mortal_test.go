package mirroring

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

var errDied = errors.New("the process died")

// mortal has a process die at one of its steps: before the step has an effect, or right after. All steps after that fail.
type mortal struct {
	mu sync.Mutex
	// left is how many steps there are before the last one; after says that the last one still has its effect.
	left  int
	after bool
	dead  bool
}

func (m *mortal) step(do func() error) error {
	m.mu.Lock()
	dying := m.left == 0
	if m.dead || dying && !m.after {
		m.dead = true
		m.mu.Unlock()
		return errDied
	}
	m.left--
	m.dead = dying
	m.mu.Unlock()
	if err := do(); err != nil {
		return err
	}
	if dying {
		return errDied
	}
	return nil
}

// mortalExecutions is a store of executions of such a process. It watches that no book is ever above its limit.
type mortalExecutions struct {
	store.Executions
	life *mortal
	t    testing.TB
}

func (e mortalExecutions) Enter(ctx context.Context, book store.Book, rows []store.Execution, events ...store.Event) error {
	if book.ExposureMicroUSD > book.LimitMicroUSD {
		e.t.Errorf("a book with %d of %d exposed", book.ExposureMicroUSD, book.LimitMicroUSD)
	}
	return e.life.step(func() error { return e.Executions.Enter(ctx, book, rows, events...) })
}

func (e mortalExecutions) Book(ctx context.Context, key store.AgentKey) (book store.Book, err error) {
	err = e.life.step(func() error { book, err = e.Executions.Book(ctx, key); return err })
	return book, err
}

// desk is a venue that takes orders. It fills them at the limit's better half, loses some answers, and refuses some orders.
type desk struct {
	mu     sync.Mutex
	t      testing.TB
	life   *mortal
	placed map[[16]byte]Fill
	// behave says what to do with the n-th order: "fill", "part", "refuse", "lose answer" or "lose order".
	behave func(n int) string
	orders int
}

func (d *desk) Submit(_ context.Context, o Order) (fill Fill, err error) {
	err = d.life.step(func() error {
		d.mu.Lock()
		defer d.mu.Unlock()
		id := ClientID(o.Execution)
		if _, again := d.placed[id]; again {
			d.t.Errorf("order %s was sent twice", o.Execution)
		}
		d.orders++
		switch how := d.behave(d.orders); how {
		case "refuse":
			d.placed[id] = Fill{}
			return fmt.Errorf("%w: too small", ErrRefused)
		case "lose order":
			return errors.New("connection reset")
		default:
			fill = Fill{Quantity: o.Quantity, Price: 100, Fee: 1000, At: o.At}
			if how == "part" {
				fill.Quantity, fill.Why = o.Quantity/2, "Only half was filled."
			}
			if o.Leg == Open {
				fill.Cost = signedMicro(fill.Quantity * fill.Price / o.Leverage)
			}
			d.placed[id] = fill
			if how == "lose answer" {
				return errors.New("timed out")
			}
		}
		return nil
	})
	return fill, err
}

func (d *desk) Find(_ context.Context, o Order) (fill Fill, found bool, err error) {
	err = d.life.step(func() error {
		d.mu.Lock()
		defer d.mu.Unlock()
		fill, found = d.placed[ClientID(o.Execution)]
		return nil
	})
	return fill, found, err
}

func immortal() *mortal { return &mortal{left: math.MaxInt} }

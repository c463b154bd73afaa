package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// MaximumExecution is the largest Data of an execution, MaximumBook that of a book, in bytes.
	MaximumExecution = 16 << 10
	MaximumBook      = 256 << 10
	// MaximumEntered is how many executions can be written in one step. With as many as MaximumEvents events it is a transaction of 99
	// rows in DynamoDB, which allows 100.
	MaximumEntered = 19
)

// Book is what an agent's copies stand at: which are open, and what they cost. It begins with version 0, nothing exposed and no Data.
type Book struct {
	Agent AgentKey
	// Version counts what was written of it, from 1; 0 before anything was.
	Version int64
	// ExposureMicroUSD is what the open copies cost together and what orders under way may cost, LimitMicroUSD the most that this may
	// be: both in millionths of a dollar.
	ExposureMicroUSD, LimitMicroUSD int64
	Data                            []byte
}

// Validate reports ErrInvalid if the book cannot be written. A book above its limit can be, as long as it does not grow: a limit can
// be lowered while copies are open.
func (b Book) Validate() error {
	if err := errors.Join(b.Agent.Validate(), checkData("a book", b.Data, MaximumBook)); err != nil {
		return err
	}
	if b.Version < 1 || b.ExposureMicroUSD < 0 || b.LimitMicroUSD < 0 || b.LimitMicroUSD > MaximumLimitMicroUSD {
		return fmt.Errorf("%w: version %d of a book with %d of %d exposed", ErrInvalid, b.Version, b.ExposureMicroUSD, b.LimitMicroUSD)
	}
	return nil
}

// Execution is what an agent did with one leg of a leader's trade, or why it did nothing.
type Execution struct {
	Agent AgentKey
	// ID is the same whenever the same leg of the same trade is seen by the same agent.
	ID string
	// At is when the leader's trade was detected, and never changes.
	At time.Time
	// Status is a word. Version counts what was written of it, from 1.
	Status  string
	Version int64
	Data    []byte
}

// Validate reports ErrInvalid if the execution cannot be kept.
func (e Execution) Validate() error {
	if err := errors.Join(e.Agent.Validate(), CheckID("execution", e.ID), CheckID("status", e.Status),
		CheckTime("the time of an execution", e.At), checkData("an execution", e.Data, MaximumExecution)); err != nil {
		return err
	}
	if e.Version < 1 {
		return fmt.Errorf("%w: version %d of an execution, want 1 or more", ErrInvalid, e.Version)
	}
	return nil
}

// CheckEntry reports ErrInvalid unless these can be arguments of Executions.Enter: executions of the book's agent, each once.
func CheckEntry(book Book, executions []Execution, events []Event) error {
	if err := errors.Join(book.Validate(), CheckEvents(events)); err != nil {
		return err
	}
	if len(executions) == 0 || len(executions) > MaximumEntered {
		return fmt.Errorf("%w: %d executions at once, want 1 to %d", ErrInvalid, len(executions), MaximumEntered)
	}
	ids := make(map[string]bool, len(executions))
	for _, execution := range executions {
		if err := execution.Validate(); err != nil {
			return err
		}
		if execution.Agent != book.Agent || ids[execution.ID] {
			return fmt.Errorf("%w: execution %s is another agent's, or there twice", ErrInvalid, execution.ID)
		}
		ids[execution.ID] = true
	}
	return nil
}

// CheckKnown reports ErrInvalid unless these can be arguments of Executions.Known.
func CheckKnown(agent AgentKey, ids []string) error {
	err := errors.Join(agent.Validate(), CheckListed(len(ids)))
	for _, id := range ids {
		err = errors.Join(err, CheckID("execution", id))
	}
	return err
}

// CheckExecutions reports ErrInvalid unless these can be arguments of Executions.List.
func CheckExecutions(agent AgentKey, status string, before time.Time, beforeID string, limit int) error {
	err := errors.Join(agent.Validate(), CheckListed(limit))
	if status != "" {
		err = errors.Join(err, CheckID("status", status))
	}
	if before.IsZero() && beforeID == "" {
		return err
	}
	return errors.Join(err, CheckTime("the time of an execution", before), CheckID("execution", beforeID))
}

// Executions keeps what agents did, and their books. The two are written in one step, so that no copy is without its place in the
// book and no place in the book without its copy.
type Executions interface {
	// Book returns an agent's book, that of version 0 before anything was written.
	Book(ctx context.Context, agent AgentKey) (Book, error)
	// Enter replaces the book of the version before, and with it writes executions: those of version 1 are new, of all others the
	// version before is replaced. Events (CheckEvents) are said in the same step. ErrConflict: the book or an execution is of another
	// version, or the book's exposure grows beyond its limit; then nothing is written. ErrInvalid: an execution's At is another than
	// that of the version before.
	Enter(ctx context.Context, book Book, executions []Execution, events ...Event) error
	// Execution returns one. ErrNotFound: there is none.
	Execution(ctx context.Context, agent AgentKey, id string) (Execution, error)
	// Known tells which of some executions (1 to MaximumListed) of an agent are there: the map holds those, and no others.
	Known(ctx context.Context, agent AgentKey, ids []string) (map[string]bool, error)
	// List gives at most limit (1 to MaximumListed) executions of an agent, all or those of one status, the newest first and by ID
	// where two are as new (the greater first), that come after the one of the time before and the ID beforeID (both zero for the first).
	List(ctx context.Context, agent AgentKey, status string, before time.Time, beforeID string, limit int) ([]Execution, error)
}

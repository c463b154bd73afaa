package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// MaximumPlan is the largest Data of a pass, in bytes; MaximumParts is into how many parts it can be spread.
const (
	MaximumPlan  = 128 << 10
	MaximumParts = 10_000
)

// Pass is one run of a job whose work is spread over parts that are done apart, each at least once.
type Pass struct {
	Job string
	// ID names the pass; At is when it began, by which passes of a job are ordered.
	ID string
	At time.Time
	// Parts is how many parts there are, numbered from 0; Data is what the job planned, for its parts to read.
	Parts int
	Data  []byte
	// Done are the parts that are complete, in order. Items and Failed add up what they reported, each part once.
	Done          []int
	Items, Failed int
	// FinishedAt is when the pass was concluded; zero until then.
	FinishedAt time.Time
}

// Complete reports whether every part is done.
func (p Pass) Complete() bool { return len(p.Done) == p.Parts }

// Validate reports ErrInvalid if the pass cannot begin.
func (p Pass) Validate() error {
	if err := CheckID("job", p.Job); err != nil {
		return err
	}
	if err := CheckID("pass", p.ID); err != nil {
		return err
	}
	if err := CheckTime("the beginning of a pass", p.At); err != nil {
		return err
	}
	switch {
	case p.Parts < 0 || p.Parts > MaximumParts:
		return fmt.Errorf("%w: a pass of %d parts, want 0 to %d", ErrInvalid, p.Parts, MaximumParts)
	case len(p.Data) > MaximumPlan:
		return fmt.Errorf("%w: a plan of %d bytes, want at most %d", ErrInvalid, len(p.Data), MaximumPlan)
	case len(p.Done) > 0 || p.Items != 0 || p.Failed != 0 || !p.FinishedAt.IsZero():
		return fmt.Errorf("%w: a pass that begins has nothing done", ErrInvalid)
	}
	return nil
}

// CheckBegin reports ErrInvalid if the pass cannot begin, or the gap is negative.
func CheckBegin(pass Pass, gap time.Duration) error {
	if gap < 0 {
		return fmt.Errorf("%w: a gap of %v", ErrInvalid, gap)
	}
	return pass.Validate()
}

// CheckPart reports ErrInvalid unless these can be what a part of a pass reports.
func CheckPart(job, id string, part, items, failed int) error {
	if part < 0 || part >= MaximumParts || items < 0 || failed < 0 {
		return fmt.Errorf("%w: part %d with %d items, %d failed", ErrInvalid, part, items, failed)
	}
	return errors.Join(CheckID("job", job), CheckID("pass", id))
}

// CheckFinish reports ErrInvalid unless these can be the end of a pass.
func CheckFinish(job, id string, at time.Time) error {
	return errors.Join(CheckID("job", job), CheckID("pass", id), CheckTime("the end of a pass", at))
}

// Passes keeps the latest pass of each job: how far it is, whoever does its parts.
type Passes interface {
	// Begin starts a pass, unless the job's latest one has the same ID, or began less than gap (0 or more) before it, or not before it
	// at all: then nothing changes and the latest one is returned with begun false. Of any number of callers at once with the same
	// time, exactly one begins. A pass that begun is returned with no parts done.
	Begin(ctx context.Context, pass Pass, gap time.Duration) (current Pass, begun bool, err error)
	// Latest is the job's latest pass; ErrNotFound before the first.
	Latest(ctx context.Context, job string) (Pass, error)
	// CompletePart marks a part as done and adds its counts, the first time only, and returns the pass as it then is, of a pass that
	// is finished too. ErrNotFound: the job never had a pass, or the pass has no such part. ErrConflict: another pass has begun
	// meanwhile, and nothing is changed.
	CompletePart(ctx context.Context, job, id string, part, items, failed int) (Pass, error)
	// Finish concludes a pass, the first time only; parts may be missing. ErrNotFound: the job never had a pass. ErrConflict:
	// another pass has begun meanwhile.
	Finish(ctx context.Context, job, id string, at time.Time) error
}

package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// MaximumTrackData is the largest Data of a forecast or of a follow-up, in bytes; MaximumTracked is the largest limit of a list of
// either.
const (
	MaximumTrackData = 8 << 10
	MaximumTracked   = 1_000
)

// Forecast is what was said of a leader when it was first graded. It is written once and never changes.
type Forecast struct {
	// Source is whose forecast it is, like "spot-leader-gate"; Chain and Wallet name the leader.
	Source, Chain, Wallet string
	GradedAt              time.Time
	// Mirrorable is the verdict; the others are the control group.
	Mirrorable bool
	// Probability is the forecast that an entry gains, BaseRate that of random entries in comparable tokens, 0 to 1; NaN when
	// nothing could be said.
	Probability, BaseRate float64
	MethodVersion         string
	Data                  []byte
}

// Validate reports ErrInvalid if the forecast cannot be kept.
func (f Forecast) Validate() error {
	if err := CheckTrackedLeader(f.Source, f.Chain, f.Wallet); err != nil {
		return err
	}
	if err := CheckTime("the time of a forecast", f.GradedAt); err != nil {
		return err
	}
	if err := CheckID("method version", f.MethodVersion); err != nil {
		return err
	}
	for _, p := range []float64{f.Probability, f.BaseRate} {
		if p < 0 || p > 1 || math.IsInf(p, 0) {
			return fmt.Errorf("%w: a probability of %v", ErrInvalid, p)
		}
	}
	if len(f.Data) > MaximumTrackData {
		return fmt.Errorf("%w: a forecast of %d bytes, want at most %d", ErrInvalid, len(f.Data), MaximumTrackData)
	}
	return nil
}

// FollowUp is an entry that a leader made after its forecast: what a copier would have paid, written before anybody could know the
// outcome, and later the outcome. Neither changes once it is written.
type FollowUp struct {
	// ID is the same whenever the same entry is seen again, and no other entry's of the source.
	ID                           string
	Source, Chain, Wallet, Token string
	// EnteredAt is the leader's entry, DueAt when it is resolved, SeenAt when it was written.
	EnteredAt, DueAt, SeenAt time.Time
	// EntryPriceUSD is what a copier paid; NaN when the entry had no price.
	EntryPriceUSD float64
	Data          []byte
	// ResolvedAt is when the outcome was written, zero before. Outcome is a word; Net the net return as a fraction, NaN before and
	// for an outcome without one.
	ResolvedAt time.Time
	Outcome    string
	Net        float64
}

// Validate reports ErrInvalid if the follow-up cannot be opened: it has no outcome yet.
func (f FollowUp) Validate() error {
	if err := CheckTrackedLeader(f.Source, f.Chain, f.Wallet); err != nil {
		return err
	}
	if err := CheckID("follow-up", f.ID); err != nil {
		return err
	}
	if err := CheckID("token", f.Token); err != nil {
		return err
	}
	for what, at := range map[string]time.Time{"the time of an entry": f.EnteredAt, "the time a follow-up is due": f.DueAt, "the time a follow-up was seen": f.SeenAt} {
		if err := CheckTime(what, at); err != nil {
			return err
		}
	}
	switch {
	case f.DueAt.Before(f.EnteredAt):
		return fmt.Errorf("%w: a follow-up that is due before it began", ErrInvalid)
	case f.EntryPriceUSD < 0 || math.IsInf(f.EntryPriceUSD, 0):
		return fmt.Errorf("%w: a price of %v", ErrInvalid, f.EntryPriceUSD)
	case len(f.Data) > MaximumTrackData:
		return fmt.Errorf("%w: a follow-up of %d bytes, want at most %d", ErrInvalid, len(f.Data), MaximumTrackData)
	case !f.ResolvedAt.IsZero() || f.Outcome != "":
		return fmt.Errorf("%w: a follow-up is opened without an outcome", ErrInvalid)
	}
	return nil
}

// Outcome is how a follow-up ended.
type Outcome struct {
	At time.Time
	// Word is what became of it, like "resolved" or "dead"; Net is the net return as a fraction, NaN for none.
	Word string
	Net  float64
}

// Validate reports ErrInvalid if the outcome cannot be written.
func (o Outcome) Validate() error {
	if err := CheckTime("the time of an outcome", o.At); err != nil {
		return err
	}
	if math.IsInf(o.Net, 0) || o.Net < -1 {
		return fmt.Errorf("%w: a net return of %v", ErrInvalid, o.Net)
	}
	return CheckID("outcome", o.Word)
}

// CheckTrackedLeader reports ErrInvalid unless all three can be parts of a key.
func CheckTrackedLeader(source, chain, wallet string) error {
	if err := CheckID("source", source); err != nil {
		return err
	}
	if err := CheckID("chain", chain); err != nil {
		return err
	}
	return CheckID("wallet", wallet)
}

// CheckTracked reports ErrInvalid unless limit is 1 to MaximumTracked.
func CheckTracked(limit int) error {
	if limit < 1 || limit > MaximumTracked {
		return fmt.Errorf("%w: list of %d of a track record, want 1 to %d", ErrInvalid, limit, MaximumTracked)
	}
	return nil
}

// CheckAfterForecast reports ErrInvalid unless forecasts of the source can be listed after the leader, or, when both are empty, from
// the first on.
func CheckAfterForecast(source, afterChain, afterWallet string) error {
	if afterChain == "" && afterWallet == "" {
		return CheckID("source", source)
	}
	return CheckTrackedLeader(source, afterChain, afterWallet)
}

// CheckDue reports ErrInvalid unless what is due at a time can be listed after a due time and an ID, or, when both are empty, from the
// first on.
func CheckDue(source string, at, after time.Time, afterID string) error {
	err := errors.Join(CheckID("source", source), CheckTime("the time to be due at", at))
	if after.IsZero() && afterID == "" {
		return err
	}
	return errors.Join(err, CheckTime("the due time to list after", after), CheckID("follow-up", afterID))
}

// TrackRecords keeps forecasts and what became of them. It is append-only: nothing can be changed or deleted, only the outcome of
// an open follow-up be written, once.
type TrackRecords interface {
	// Forecast writes a leader's forecast, the first time only, and returns the one that is kept.
	Forecast(ctx context.Context, forecast Forecast) (Forecast, error)
	// Forecasts lists at most limit (1 to 1,000) forecasts of a source after a leader (empty for the first), by chain and wallet.
	Forecasts(ctx context.Context, source, afterChain, afterWallet string, limit int) ([]Forecast, error)
	// FollowUp opens a follow-up, the first time only. ErrNotFound: the leader has no forecast of that source. ErrConflict: an open
	// follow-up of another leader has that ID and is due at that time.
	FollowUp(ctx context.Context, followUp FollowUp) error
	// FollowUps lists at most limit (1 to 1,000) follow-ups of a leader after one (empty for the first), by ID.
	FollowUps(ctx context.Context, source, chain, wallet, after string, limit int) ([]FollowUp, error)
	// Due lists at most limit (1 to 1,000) unresolved follow-ups of a source that are due at a time, the longest due first and
	// then by ID, after one of the given due time and ID (the zero time for the first).
	Due(ctx context.Context, source string, at, after time.Time, afterID string, limit int) ([]FollowUp, error)
	// Resolve writes the outcome of an open follow-up. ErrNotFound: there is none of that leader and ID. ErrConflict: it has an
	// outcome already, which stays.
	Resolve(ctx context.Context, source, chain, wallet, id string, outcome Outcome) error
}

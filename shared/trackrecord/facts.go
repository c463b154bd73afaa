package trackrecord

import (
	"math"
	"time"
)

// Forecast is what was said of a leader when it was first graded.
type Forecast struct {
	// Chain and Wallet name the leader.
	Chain, Wallet string
	GradedAt      time.Time
	// Mirrorable leaders are those under test, the others the control group.
	Mirrorable bool
	// Probability is the forecast that an entry gains for a copier, BaseRate that of random entries in comparable tokens, 0 to 1; NaN
	// when nothing could be said.
	Probability, BaseRate float64
	// MedianGap is the usual time between the leader's entries when it was graded; 0 when unknown.
	MedianGap time.Duration
}

// FollowUp is an entry that a leader made after its forecast.
type FollowUp struct {
	// ID names the entry; Chain and Wallet its leader. Token is on that chain.
	ID, Chain, Wallet, Token string
	// EnteredAt is the leader's entry, DueAt when the copier sells, SeenAt when the follow-up was written.
	EnteredAt, DueAt, SeenAt time.Time
	// ResolvedAt is when the outcome was written; zero before. Net is the net return as a fraction, -1 for what could not be sold.
	ResolvedAt time.Time
	Net        float64
}

// late follow-ups were first seen when their outcome could be known already. They are kept and counted, and prove nothing.
func (f *FollowUp) late() bool { return f.SeenAt.After(f.DueAt) }

// resolved tells whether the outcome is known at an instant.
func (f *FollowUp) resolved(asOf time.Time) bool {
	return !f.ResolvedAt.IsZero() && !f.ResolvedAt.After(asOf) && !math.IsNaN(f.Net)
}

func (f *FollowUp) won() bool { return f.Net > 0 }

type leaderKey struct{ chain, wallet string }

type tokenKey struct{ chain, token string }

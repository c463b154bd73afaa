package leader

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
)

// Gate is whether a leader may be copied now, by what was made of it last.
type Gate struct {
	// Known is false for a leader that has no grade yet, or none that is young enough.
	Known bool
	// Open says that it may be copied. Grade is empty when unrated.
	Open  bool
	Grade string
	// Reason says why it is closed, in a sentence.
	Reason string
}

// gradeLife is how old a grade may be for copies to rest on it.
const gradeLife = 3 * 24 * time.Hour

// GateOf tells whether a leader may be copied at a time: the assessment says that a follower could have done the same or, where nobody
// assessed that, its page calls it mirror-worthy. Whoever is not known to pass does not.
func GateOf(ctx context.Context, leaders store.Leaders, of store.FollowedLeader, at time.Time) (Gate, error) {
	leader, err := leaders.Leader(ctx, of.Group, of.Leader)
	switch {
	case errors.Is(err, store.ErrNotFound) || err == nil && leader.Grading.At.IsZero():
		return Gate{Reason: "The leader has no grade yet."}, nil
	case err != nil:
		return Gate{}, err
	}
	graded, err := readGraded(&leader)
	if err != nil {
		return Gate{}, err
	}
	gate := Gate{Known: true, Grade: leader.Grading.Grade, Open: graded.Score.Verdict == trader.MirrorWorthy}
	if graded.Assessment != nil {
		gate.Open = graded.Assessment.Mirrorable
	}
	switch age := at.Sub(leader.Grading.At); {
	case age > gradeLife:
		return Gate{Grade: gate.Grade, Reason: fmt.Sprintf("The leader's latest grade is %d days old; copies rest on one of at most %d days.", int(age.Hours()/24), int(gradeLife.Hours()/24))}, nil
	case gate.Open:
	case graded.Assessment != nil && len(graded.Assessment.Reasons) > 0:
		gate.Reason = "The leader does not pass the gate: " + graded.Assessment.Reasons[0].Text
	case len(graded.Score.Reasons) > 0:
		gate.Reason = "The leader is not called mirror-worthy: " + graded.Score.Reasons[0].Text
	default:
		gate.Reason = "The leader does not pass the gate."
	}
	return gate, nil
}

// Follow has a leader that an agent follows graded from now on like all others, so that the gate has something to go by.
func Follow(ctx context.Context, leaders store.Leaders, of store.FollowedLeader, at time.Time) error {
	return leaders.Find(ctx, of.Group, of.Leader, store.Finding{Source: Followed, At: at, Data: []byte("{}")})
}

package mirroring

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// gradeHolds is how old a leader's grading may be and still let copies open.
const gradeHolds = 7 * 24 * time.Hour

// gateOf reads whether a leader can be mirrored off its latest grading. Whoever was not graded, not lately, or by nobody who says whether a
// follower could do the same, cannot.
func gateOf(ctx context.Context, leaders store.Leaders, of store.FollowedLeader, at time.Time) (Gate, error) {
	g := Gate{MedianGain: math.NaN()}
	kept, err := leaders.Leader(ctx, of.Group, of.Leader)
	switch {
	case errors.Is(err, store.ErrNotFound) || err == nil && kept.Grading.At.IsZero():
		g.Why = "The leader has not been graded, so nothing is opened after it."
		return g, nil
	case err != nil:
		return g, err
	case at.Sub(kept.Grading.At) > gradeHolds:
		g.Why = "The leader has not been graded for a week, so nothing is opened after it."
		return g, nil
	}
	var graded leader.Graded
	if err := json.Unmarshal(kept.Grading.Data, &graded); err != nil {
		g.Why = "The leader's grading cannot be read, so nothing is opened after it."
		return g, nil
	}
	a := graded.Assessment
	switch {
	case a == nil:
		g.Why = "Nobody assessed whether a follower could do what the leader does, so nothing is opened after it."
	case !a.Mirrorable && len(a.Reasons) > 0:
		g.Why = "The leader does not pass the gate now: " + a.Reasons[0].Text
	case !a.Mirrorable:
		g.Why = "The leader does not pass the gate now."
	default:
		g.Mirrorable = true
	}
	if a != nil && a.Simulation != nil && a.Simulation.Rated && a.Simulation.MedianReturnPct != nil && *a.Simulation.MedianReturnPct > 0 {
		g.MedianGain = *a.Simulation.MedianReturnPct / 100
	}
	return g, nil
}

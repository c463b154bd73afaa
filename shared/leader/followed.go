package leader

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Follow has a leader that an agent follows graded from now on like all others, so that the gate has something to go by.
func Follow(ctx context.Context, leaders store.Leaders, of store.FollowedLeader, at time.Time) error {
	return leaders.Find(ctx, of.Group, of.Leader, store.Finding{Source: Followed, At: at, Data: []byte("{}")})
}

package embedded

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"time"

	"go.etcd.io/bbolt"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

func (a agents) OwnedBy(ctx context.Context, partner, owner string, before time.Time, beforeID string, limit int) ([]store.Agent, error) {
	if err := store.CheckOwned(partner, owner, before, beforeID, limit); err != nil {
		return nil, err
	}
	prefix, end := ownedPrefix(partner, owner), []byte(nil)
	if beforeID != "" {
		end = ownedKey(partner, owner, before, beforeID)
	}
	return a.list(ctx, limit, func(tx *bbolt.Tx) iter.Seq2[[]byte, []byte] {
		return func(yield func(key, agent []byte) bool) {
			for key := range descend(tx.Bucket(bucketAgentsOf), prefix, end) {
				if !yield(key, joinKey(partner, string(key[bytes.LastIndexByte(key, '#')+1:]))) {
					return
				}
			}
		}
	})
}

func (a agents) Following(ctx context.Context, leader store.FollowedLeader, after store.AgentKey, limit int) ([]store.Agent, error) {
	if err := store.CheckFollowing(leader, after, limit); err != nil {
		return nil, err
	}
	prefix, last := followersPrefix(leader), []byte(nil)
	if after != (store.AgentKey{}) {
		last = followerKey(leader, after)
	}
	return a.list(ctx, limit, func(tx *bbolt.Tx) iter.Seq2[[]byte, []byte] {
		return ascend(tx.Bucket(bucketFollowers), prefix, last)
	})
}

func (a agents) Due(ctx context.Context, at time.Time, limit int) ([]store.Agent, error) {
	if err := store.CheckDueAgents(at, limit); err != nil {
		return nil, err
	}
	return a.list(ctx, limit, func(tx *bbolt.Tx) iter.Seq2[[]byte, []byte] {
		return until(ascend(tx.Bucket(bucketAgentsDue), nil, nil), timedKey(at.Add(1), nil))
	})
}

// until goes on as long as keys come before an end.
func until(rows iter.Seq2[[]byte, []byte], end []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(key, value []byte) bool) {
		for key, value := range rows {
			if bytes.Compare(key, end) >= 0 || !yield(key, value) {
				return
			}
		}
	}
}

// list gives the agents whose keys are the values of an order, at most limit.
func (a agents) list(ctx context.Context, limit int, order func(tx *bbolt.Tx) iter.Seq2[[]byte, []byte]) ([]store.Agent, error) {
	listed := []store.Agent{}
	err := a.store.read(ctx, func(tx *bbolt.Tx) error {
		for _, key := range order(tx) {
			agent, err := readAgent(tx, key)
			if err != nil {
				return fmt.Errorf("list agents: %w", err)
			}
			if listed = append(listed, agent); len(listed) == limit {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return listed, nil
}

func (a agents) Followed(ctx context.Context, after store.FollowedLeader, limit int) ([]store.FollowedLeader, error) {
	if err := store.CheckFollowed(after, limit); err != nil {
		return nil, err
	}
	var last []byte
	if after != (store.FollowedLeader{}) {
		last = followedKey(after)
	}
	listed := []store.FollowedLeader{}
	err := a.store.read(ctx, func(tx *bbolt.Tx) error {
		for key := range ascend(tx.Bucket(bucketFollowed), nil, last) {
			parts := bytes.Split(key, []byte(" "))
			if len(parts) != 3 {
				return fmt.Errorf("read followed leader %s: %d parts", key, len(parts))
			}
			leader := store.FollowedLeader{Group: store.Group{Kind: string(parts[0]), Place: string(parts[1])}, Leader: string(parts[2])}
			if listed = append(listed, leader); len(listed) == limit {
				return nil
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return listed, nil
}

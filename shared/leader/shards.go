package leader

import (
	"fmt"
	"math/bits"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// leadersAPart is about how many leaders a part grades: few enough for one delivery of a message, many enough to be worth one.
const leadersAPart = 25

// gradePlan says which leaders the parts of a pass grade: those of each group in turn, cut into stretches of equal length of the
// addresses there can be. It is the Data of a pass, in JSON, so that a part means the same whenever it is delivered.
type gradePlan struct {
	Groups []groupShards `json:"groups"`
}

type groupShards struct {
	Kind   string `json:"kind"`
	Place  string `json:"place"`
	Shards int    `json:"shards"`
}

// plannedFor spreads groups of so many leaders each. Empty groups have no part.
func plannedFor(groups []store.Group, leaders []int) gradePlan {
	total := 0
	for _, n := range leaders {
		total += n
	}
	each := max(leadersAPart, (total+store.MaximumParts/2-1)/(store.MaximumParts/2))
	var plan gradePlan
	for i, n := range leaders {
		if n > 0 {
			plan.Groups = append(plan.Groups, groupShards{Kind: groups[i].Kind, Place: groups[i].Place, Shards: (n + each - 1) / each})
		}
	}
	return plan
}

func (p gradePlan) parts() int {
	parts := 0
	for _, g := range p.Groups {
		parts += g.Shards
	}
	return parts
}

// shard is what a part grades: the leaders of a group with addresses from one (inclusive) up to another (exclusive; empty for no end).
type shard struct {
	group    store.Group
	from, to string
}

// shardOf reads what a part of a pass grades.
func shardOf(data []byte, part int) (shard, error) {
	var plan gradePlan
	if err := json.Unmarshal(data, &plan); err != nil {
		return shard{}, fmt.Errorf("the plan of the pass: %w", err)
	}
	at := part
	for _, g := range plan.Groups {
		if at >= 0 && at < g.Shards {
			s := shard{group: store.Group{Kind: g.Kind, Place: g.Place}, from: boundary(at, g.Shards)}
			if at+1 < g.Shards {
				s.to = boundary(at+1, g.Shards)
			}
			return s, nil
		}
		at -= g.Shards
	}
	return shard{}, fmt.Errorf("the plan of the pass has %d parts and no part %d", plan.parts(), part)
}

// boundary is where the i-th of so many stretches begins, by the first eight bytes of addresses, which are spread like hashes.
func boundary(i, of int) string {
	if i == 0 {
		return ""
	}
	first, _ := bits.Div64(uint64(i), 0, uint64(of))
	return fmt.Sprintf("0x%016x", first)
}

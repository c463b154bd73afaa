// Package boards puts the boards together with what they keep. What they answer, and how they come about, is in package leader.
package boards

import (
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
)

func memory(k host.Kept) leader.Memory {
	return leader.Memory{Leaders: k.Leaders, Boards: k.Boards, Launches: k.Launches, TrackRecords: k.TrackRecords, Peers: k.Peers}
}

// Endpoints are the boards.
func Endpoints(p host.Process) ([]endpoint.Endpoint, error) {
	return leader.Endpoints(memory(p.Kept)), nil
}

// Jobs are the jobs that fill the boards, for all chains.
func Jobs(p host.Process) (host.Jobs, error) { return JobsOn(p, chain.All()), nil }

// JobsOn are the jobs that fill the boards, for these chains.
func JobsOn(p host.Process, chains []*chain.Chain) host.Jobs {
	kept := memory(p.Kept)
	return host.Jobs{Spread: []job.Spread{
		leader.DiscoverLeaders(kept, p.Sources, chains),
		leader.GradeLeaders(kept, p.Sources, chains),
		leader.ResolveTrackRecord(kept, p.Sources),
	}}
}

// Package tokenpage puts the token page together with what it keeps. What it answers is in package token.
package tokenpage

import (
	"context"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/token"
)

func memory(k host.Kept) token.Memory {
	return token.Memory{Snapshots: k.Snapshots, Observations: k.Observations, Peers: k.Peers}
}

// Endpoints are the endpoints of the page.
func Endpoints(p host.Process) ([]endpoint.Endpoint, error) {
	return token.Endpoints(memory(p.Kept)), nil
}

// Jobs is the job that refreshes the tokens that others are compared with.
func Jobs(p host.Process) (host.Jobs, error) {
	return host.Jobs{Single: []job.Job{{Name: "refresh-peers", Run: func(ctx context.Context, at time.Time) (job.Report, error) {
		var report job.Report
		for _, refreshed := range token.RefreshPeers(ctx, memory(p.Kept), p.Sources, at) {
			report = append(report, job.Part{
				Name: string(refreshed.Chain), Items: refreshed.Tokens, Skipped: refreshed.Fresh, Err: refreshed.Err,
			})
		}
		return report, nil
	}}}}, nil
}

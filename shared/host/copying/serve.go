package copying

import (
	"errors"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/webhook"
)

// errSecret is a function that needs the secret of agents and has none.
var errSecret = errors.New("AGENT_SECRET must be set")

// Needed is what functions run on that cannot do without the secret of agents.
func Needed(p host.Process) (Copying, error) {
	if p.Config.AgentSecret == "" {
		return Copying{}, errSecret
	}
	return New(p.Config, p.Parts)
}

// Deciding are the endpoints that say what to copy and how much of it.
func Deciding(p host.Process) ([]endpoint.Endpoint, error) { return deciding(p.Kept), nil }

// Agents are the endpoints of agents and of what they did. They need the secret of agents.
func Agents(p host.Process) ([]endpoint.Endpoint, error) {
	c, err := Needed(p)
	return agentEndpoints(p.Kept, c), err
}

// Webhooks are the endpoints of webhooks. They need the secret of agents.
func Webhooks(p host.Process) ([]endpoint.Endpoint, error) {
	c, err := Needed(p)
	return webhook.Endpoints(webhooks(p.Kept, c)), err
}

// Expiry is the job that ends what its owner signed for no longer.
func Expiry(p host.Process) (host.Jobs, error) {
	return host.Jobs{Single: []job.Job{expireAgents(p.Kept)}}, nil
}

func expireAgents(k host.Kept) job.Job {
	return agent.ExpireAgents(k.Agents, keptLeaders{k.Leaders}.follow)
}

// Jobs are the jobs that mirror and deliver. They need the secret of agents.
func Jobs(p host.Process) (host.Jobs, error) {
	c, err := Needed(p)
	return JobsWith(p.Kept, c), err
}

// JobsWith are all jobs of copy trading.
func JobsWith(k host.Kept, c Copying) host.Jobs {
	return host.Jobs{Single: []job.Job{expireAgents(k)}, Spread: []job.Spread{mirrorTrades(k, c), deliverWebhooks(k, c)}}
}

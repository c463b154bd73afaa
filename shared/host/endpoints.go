package host

import (
	"context"
	"net/http"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/openapi"
	"github.com/mirrorworthy/mirrorworthy/shared/perp"
	"github.com/mirrorworthy/mirrorworthy/shared/portfolio"
	"github.com/mirrorworthy/mirrorworthy/shared/prediction"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/token"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// Engine is an open store: DynamoDB's or the file's.
type Engine interface {
	Keys() store.Keys
	Meter() store.Meter
	Snapshots() store.Snapshots
	Observations() store.Observations
	Peers() store.Peers
	Passes() store.Passes
	Leaders() store.Leaders
	Events() store.Events
	Boards() store.Boards
	Launches() store.Launches
	TrackRecords() store.TrackRecords
	Agents() store.Agents
	Executions() store.Executions
	Readings() store.Readings
	Idempotency() store.Idempotency
	Nonces() store.Nonces
	Webhooks() store.Webhooks
	Outbox() store.Outbox
}

// Kept are the ports of a store. The zero value is enough to list endpoints and jobs, and not to run them.
type Kept struct {
	Keys         store.Keys
	Meter        store.Meter
	Snapshots    store.Snapshots
	Observations store.Observations
	Peers        store.Peers
	Passes       store.Passes
	Leaders      store.Leaders
	Events       store.Events
	Boards       store.Boards
	Launches     store.Launches
	TrackRecords store.TrackRecords
	Agents       store.Agents
	Executions   store.Executions
	Readings     store.Readings
	Idempotency  store.Idempotency
	Nonces       store.Nonces
	Webhooks     store.Webhooks
	Outbox       store.Outbox
}

// KeptIn gives the ports of a store.
func KeptIn(engine Engine) Kept {
	return Kept{
		Keys: engine.Keys(), Meter: engine.Meter(),
		Snapshots: engine.Snapshots(), Observations: engine.Observations(), Peers: engine.Peers(),
		Passes: engine.Passes(), Leaders: engine.Leaders(), Events: engine.Events(), Boards: engine.Boards(),
		Launches: engine.Launches(), TrackRecords: engine.TrackRecords(),
		Agents: engine.Agents(), Executions: engine.Executions(), Readings: engine.Readings(), Idempotency: engine.Idempotency(),
		Nonces: engine.Nonces(), Webhooks: engine.Webhooks(), Outbox: engine.Outbox(),
	}
}

// tokenMemory is what the token page keeps.
func (k Kept) tokenMemory() token.Memory {
	return token.Memory{Snapshots: k.Snapshots, Observations: k.Observations, Peers: k.Peers}
}

// leaderMemory is what the boards keep.
func (k Kept) leaderMemory() leader.Memory {
	return leader.Memory{Leaders: k.Leaders, Boards: k.Boards, Launches: k.Launches, TrackRecords: k.TrackRecords, Peers: k.Peers}
}

// Endpoints lists every endpoint of the service, one Lambda function each, in the order of the API document.
func Endpoints(kept Kept, copying Copying) []endpoint.Endpoint {
	all := append(wallet.Endpoints(), token.Endpoints(kept.tokenMemory())...)
	all = append(all, perp.PerpWallet(), prediction.PredictionWallet())
	all = append(all, portfolio.Endpoints(wallet.WalletHealth(), wallet.WalletNetflow())...)
	all = append(all, leader.Endpoints(kept.leaderMemory())...)
	all = append(all, kept.copyTrading(copying)...)
	return append(all, endpoint.Usage(kept.Meter), openapi.Endpoint())
}

// Jobs lists every job of the service that is done in one run, one Lambda function and one schedule each.
func Jobs(kept Kept, sources market.Sources) []job.Job {
	return []job.Job{{Name: "refresh-peers", Run: func(ctx context.Context, at time.Time) (job.Report, error) {
		var report job.Report
		for _, refreshed := range token.RefreshPeers(ctx, kept.tokenMemory(), sources, at) {
			report = append(report, job.Part{
				Name: string(refreshed.Chain), Items: refreshed.Tokens, Skipped: refreshed.Fresh, Err: refreshed.Err,
			})
		}
		return report, nil
	}}, agent.ExpireAgents(kept.Agents, kept.follow)}
}

// Spreads lists every job of the service whose work is spread over a queue: one Lambda function, one schedule and one queue each. They
// deal with these chains.
func Spreads(kept Kept, sources market.Sources, copying Copying, chains []*chain.Chain) []job.Spread {
	memory := kept.leaderMemory()
	return []job.Spread{
		leader.DiscoverLeaders(memory, sources, chains),
		leader.GradeLeaders(memory, sources, chains),
		leader.ResolveTrackRecord(memory, sources),
		kept.mirrorTrades(copying), kept.deliverWebhooks(copying),
	}
}

// MCP is the name of the function at whose address all endpoints are tools of AI agents. Package mcpserver answers there; it is not
// linked here, so that no other function carries the protocol's library.
const MCP = "mcp"

// Routes lists all routes of the service.
func Routes() []endpoint.Route {
	return append(endpoint.RoutesOf(Endpoints(Kept{}, Copying{})...), endpoint.Route{Method: http.MethodPost, Path: "/v1/" + MCP})
}

// NotFound is the name of the function behind the catch-all route. It answers no endpoint, but knows all routes.
const NotFound = "not-found"

// Package catalogue lists everything that the service consists of: every endpoint and every job, one Lambda function each. It is for what
// deals with all of them, like the local gateway and the function behind the catch-all route; a function of one endpoint links its own
// part alone, which keeps its start short.
package catalogue

import (
	"net/http"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/boards"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/openapi"
	"github.com/mirrorworthy/mirrorworthy/shared/perp"
	"github.com/mirrorworthy/mirrorworthy/shared/portfolio"
	"github.com/mirrorworthy/mirrorworthy/shared/prediction"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// NotFound is the name of the function behind the catch-all route. It answers no endpoint, but knows all routes.
const NotFound = "not-found"

// Endpoints lists every endpoint of the service in the order of the API document. The zero values of what they run on are enough to list
// them, and not to ask them.
func Endpoints(kept host.Kept, c copying.Copying) []endpoint.Endpoint {
	// These parts need no setting, so that nothing can be wrong with them.
	tokens, _ := tokenpage.Endpoints(host.Process{Kept: kept})
	leaders, _ := boards.Endpoints(host.Process{Kept: kept})
	return slices.Concat(
		wallet.Endpoints(), tokens,
		[]endpoint.Endpoint{perp.PerpWallet(), prediction.PredictionWallet()},
		portfolio.Endpoints(wallet.WalletHealth(), wallet.WalletNetflow()),
		leaders, copying.All(kept, c),
		[]endpoint.Endpoint{endpoint.Usage(kept.Meter), openapi.Endpoint()},
	)
}

// MCP is the name of the function at whose address all endpoints are tools of AI agents. Package mcpserver answers there; it is not
// linked here, so that no other function carries the protocol's library.
const MCP = "mcp"

// Routes are all routes of the service.
func Routes() []endpoint.Route {
	return append(endpoint.RoutesOf(Endpoints(host.Kept{}, copying.Copying{})...), endpoint.Route{Method: http.MethodPost, Path: "/v1/" + MCP})
}

// ServeMCP runs the Lambda function of the endpoint that toolsOf makes of all others. It does not return.
func ServeMCP(toolsOf func(...endpoint.Endpoint) endpoint.Endpoint) {
	host.ServeOne(MCP, func(p host.Process) ([]endpoint.Endpoint, error) {
		c, err := copying.Needed(p)
		if err != nil {
			return nil, err
		}
		return []endpoint.Endpoint{toolsOf(Endpoints(p.Kept, c)...)}, nil
	})
}

// Jobs lists every job of the service that is done in one run.
func Jobs(kept host.Kept, sources market.Sources) []job.Job {
	peers, _ := tokenpage.Jobs(host.Process{Kept: kept, Sources: sources})
	expiry, _ := copying.Expiry(host.Process{Kept: kept})
	return slices.Concat(peers.Single, expiry.Single)
}

// Spreads lists every job of the service whose work is spread over a queue. They deal with these chains.
func Spreads(kept host.Kept, sources market.Sources, c copying.Copying, chains []*chain.Chain) []job.Spread {
	all := slices.Concat(boards.JobsOn(host.Process{Kept: kept, Sources: sources}, chains).Spread, copying.JobsWith(kept, c).Spread)
	for i := range all {
		all[i].Finished = host.ObservePasses(c.Metrics, all[i].Name)
	}
	return all
}

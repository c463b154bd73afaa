package portfolio

import "github.com/mirrorworthy/mirrorworthy/shared/endpoint"

// Endpoints lists the endpoints of the page, the bundle first. The bundle's other components are endpoints of another page, which
// lists them itself.
func Endpoints(health, netflow endpoint.Endpoint) []endpoint.Endpoint {
	overview := PortfolioOverview(health, netflow)
	return []endpoint.Endpoint{overview, overview.Components[0]}
}

// PortfolioOverview declares portfolio-overview, the whole portfolio page in one call, of portfolio-risk and the given wallet-health and
// wallet-netflow.
func PortfolioOverview(health, netflow endpoint.Endpoint) endpoint.Endpoint {
	return endpoint.Bundle(endpoint.Declaration{
		Name: "portfolio-overview", Summary: "The whole portfolio page in one call: three answers about one wallet.",
	}, endpoint.Wallet, PortfolioRisk(), health, netflow)
}

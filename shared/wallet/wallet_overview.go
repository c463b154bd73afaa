package wallet

import "github.com/mirrorworthy/mirrorworthy/shared/endpoint"

// WalletOverview declares wallet-overview, the whole trader page in one call.
func WalletOverview() endpoint.Endpoint {
	return endpoint.Bundle(endpoint.Declaration{
		Name: "wallet-overview", Summary: "The whole trader page in one call: nine answers about one wallet.",
	}, endpoint.Wallet,
		TraderScore(), CopySimulate(), TraderEdge(), WalletPnLQuality(), WalletArchetype(),
		TraderStyle(), WalletHealth(), WalletNetflow(), WalletTrades())
}

// Endpoints lists every endpoint of the page, the bundle first.
func Endpoints() []endpoint.Endpoint {
	overview := WalletOverview()
	return append([]endpoint.Endpoint{overview}, overview.Components...)
}

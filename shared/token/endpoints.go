package token

import "github.com/mirrorworthy/mirrorworthy/shared/endpoint"

// Endpoints lists the endpoints of the page, in the order of the API document, the bundle first.
func Endpoints(memory Memory) []endpoint.Endpoint {
	p := page{memory}
	overview := endpoint.Bundle(endpoint.Declaration{
		Name: "token-overview", Summary: "The whole token page in one call: ten answers about one token.",
	}, endpoint.Token,
		p.tokenIntel(), p.tokenSignal(), p.smartMoneyFlow(), p.exitRiskEndpoint(), p.tokenInflection(),
		p.tokenHoldersInsight(), p.tokenValuation(), p.tokenNarrative(), p.tokenChanges(), p.tokenPriceAction())
	return append(append([]endpoint.Endpoint{overview}, overview.Components...), p.tokenRisk())
}

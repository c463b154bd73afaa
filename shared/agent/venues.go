package agent

import (
	"context"
	"net/http"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
)

// VenueList lists where agents can trade.
type VenueList struct {
	// Venues are all, in the order in which answers name them.
	Venues []VenueRow `json:"venues"`
}

// VenueRow is a venue as an agent can use it.
type VenueRow struct {
	// Venue is the venue's name in requests.
	Venue Venue `json:"venue"`
	// Title is a name for display.
	Title string `json:"title"`
	// About says in a sentence what is traded there and how.
	About string `json:"about"`
	// Modes are those that this service offers here now.
	Modes []Mode `json:"modes"`
	// Chains are those that agents can be made on; none where the venue is on no chain of ours.
	Chains []chain.Slug `json:"chains"`
	// SmartAccount says what smartAccountAddress is at this venue.
	SmartAccount string `json:"smartAccountAddress"`
}

func (d Desk) venues() endpoint.Endpoint {
	return endpoint.Operation(endpoint.Declaration{
		Name: "venues", Method: http.MethodGet, Path: "/v1/copy/venues", Units: units,
		Summary: "Lists the venues that agents can trade at, and how.",
	}, func(context.Context, *endpoint.Request) (VenueList, error) {
		perpModes := []Mode{Paper}
		if d.LivePerps {
			perpModes = append(perpModes, Live)
		}
		chains := make([]chain.Slug, 0, len(chain.All()))
		for _, on := range chain.All() {
			chains = append(chains, on.Slug)
		}
		return VenueList{Venues: []VenueRow{
			{
				Venue: Spot, Title: "Decentralised exchanges", Modes: []Mode{Paper}, Chains: chains,
				About:        "Tokens bought and sold in pools, from a smart account, within a session that the wallet grants.",
				SmartAccount: "The wallet's smart account. Where none stands there yet, deploying it is the first step of the activation.",
			},
			{
				Venue: Perps, Title: "Perpetuals", Modes: perpModes, Chains: []chain.Slug{},
				About:        "Perpetual futures, by a trading agent that can place and cancel orders and cannot withdraw.",
				SmartAccount: "The account on the perpetuals venue, which is the wallet's own address for most.",
			},
			{
				Venue: Prediction, Title: "Prediction markets", Modes: []Mode{Paper}, Chains: []chain.Slug{chain.Polygon},
				About:        "Shares in the outcomes of events.",
				SmartAccount: "The wallet's proxy wallet on the prediction market.",
			},
		}}, nil
	})
}

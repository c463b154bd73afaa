package evm

import (
	"context"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// Simulators tries a trade on the chain's node and, where that cannot, asks a service that can. It implements market.SimulationPort.
type Simulators struct{ node, service market.SimulationPort }

// NewSimulators prefers node to service.
func NewSimulators(node, service market.SimulationPort) *Simulators {
	return &Simulators{node, service}
}

// Simulate gives the first simulation that has a source. When neither could try, the node's answer stands, whose reason or error
// names what is missing; except that a service that failed might have known, and is an error.
func (s *Simulators) Simulate(ctx context.Context, on *chain.Chain, request market.SimulationRequest) (*market.Simulation, error) {
	tried, err := s.node.Simulate(ctx, on, request)
	if err == nil && tried.Source != "" {
		return tried, nil
	}
	instead, insteadErr := s.service.Simulate(ctx, on, request)
	switch {
	case insteadErr == nil && instead.Source != "":
		return instead, nil
	case err == nil && insteadErr != nil:
		return nil, insteadErr
	}
	return tried, err
}

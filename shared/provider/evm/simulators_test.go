package evm

import (
	"context"
	"errors"
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

type simulator struct {
	source, reason string
	err            error
	asked          int
}

func (s *simulator) Simulate(context.Context, *chain.Chain, market.SimulationRequest) (*market.Simulation, error) {
	s.asked++
	if s.err != nil {
		return nil, s.err
	}
	return &market.Simulation{Source: s.source, Reason: s.reason}, nil
}

func TestSimulators(t *testing.T) {
	nodeDown, serviceDown := errors.New("node down"), errors.New("service down")
	on, _ := chain.Parse("eth")
	for name, c := range map[string]struct {
		node, service  simulator
		asked          int
		source, reason string
		err            error
	}{
		"the node tries":            {simulator{source: "node"}, simulator{source: "other"}, 0, "node", "", nil},
		"the service tries":         {simulator{reason: "no overrides"}, simulator{source: "other"}, 1, "other", "", nil},
		"nobody can":                {simulator{reason: "no overrides"}, simulator{reason: "not covered"}, 1, "", "no overrides", nil},
		"the service may know":      {simulator{reason: "no overrides"}, simulator{err: serviceDown}, 1, "", "", serviceDown},
		"the service helps out":     {simulator{err: nodeDown}, simulator{source: "other"}, 1, "other", "", nil},
		"the service cannot either": {simulator{err: nodeDown}, simulator{reason: "not covered"}, 1, "", "", nodeDown},
		"both are down":             {simulator{err: nodeDown}, simulator{err: serviceDown}, 1, "", "", nodeDown},
	} {
		got, err := NewSimulators(&c.node, &c.service).Simulate(t.Context(), on, market.SimulationRequest{})
		if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) || c.service.asked != c.asked || err == nil && (got.Source != c.source || got.Reason != c.reason) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

package market_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// tokenFacts asks for every fact of a token's own ports.
func tokenFacts(ctx context.Context, on *chain.Chain) map[string]func(market.Sources) error {
	return map[string]func(market.Sources) error{
		"holders":  func(s market.Sources) error { _, err := s.Holders.Holders(ctx, on, address(1)); return err },
		"contract": func(s market.Sources) error { _, err := s.Contracts.Contract(ctx, on, address(1)); return err },
		"listings": func(s market.Sources) error { _, err := s.Listings.Listed(ctx, on); return err },
		"trades": func(s market.Sources) error {
			_, err := s.Trades.Trades(ctx, on, market.TradesRequest{Pool: "p", Token: address(1)})
			return err
		},
		"simulation": func(s market.Sources) error {
			_, err := s.Simulation.Simulate(ctx, on, market.SimulationRequest{Token: address(1)})
			return err
		},
	}
}

func TestErrorsAboutTokensAreNotKept(t *testing.T) {
	for name, ask := range tokenFacts(t.Context(), onChain(t)) {
		s, p, _ := cached(t)
		p.err = market.ErrUnavailable
		for range 2 {
			if err := ask(s); !errors.Is(err, market.ErrUnavailable) || len(p.questions()) != 1 {
				t.Errorf("%s: %v", name, err)
			}
		}
		p.err = nil
		if err := ask(s); err != nil || len(p.questions()) != 1 {
			t.Errorf("%s: %v", name, err)
		}
		if err := ask(s); err != nil || len(p.questions()) != 0 {
			t.Errorf("%s: not kept, %v", name, err)
		}
	}
}

func TestNothingAboutTokensIsRememberedForHalfAMinute(t *testing.T) {
	for name, ask := range tokenFacts(t.Context(), onChain(t)) {
		s, p, c := cached(t)
		p.empty = true
		for step, want := range []int{1, 0, 1} {
			if err := ask(s); err != nil {
				t.Fatal(err)
			}
			if asked := p.questions(); len(asked) != want {
				t.Errorf("%s, step %d: asked %v", name, step, asked)
			}
			if step == 1 {
				c.advance(31 * time.Second)
			}
		}
	}
}

func TestAskersOfATokenShareOneFlight(t *testing.T) {
	for name, ask := range tokenFacts(t.Context(), onChain(t)) {
		s, p, _ := cached(t)
		p.gate, p.arrived = make(chan struct{}), make(chan struct{}, 3)
		results := make(chan error, 3)
		for range 3 {
			go func() { results <- ask(s) }()
		}
		<-p.arrived
		close(p.gate)
		for range 3 {
			if err := <-results; err != nil {
				t.Error(name, err)
			}
		}
		if asked := p.questions(); len(asked) != 1 {
			t.Errorf("%s: asked %v", name, asked)
		}
	}
}

func TestTokenFactsAreNotConfused(t *testing.T) {
	s, p, _ := cached(t)
	ctx, eth := t.Context(), onChain(t)
	base, _ := chain.Parse("base")
	pools := func(ids ...string) []market.Pool {
		list := make([]market.Pool, len(ids))
		for i, id := range ids {
			list[i].ID = id
		}
		return list
	}
	questions := []func() error{
		func() error { _, err := s.Listings.Listed(ctx, eth); return err },
		func() error { _, err := s.Listings.Listed(ctx, base); return err },
	}
	for _, request := range []market.TradesRequest{{Pool: "p", Token: address(1)}, {Pool: "p", Token: address(2)}, {Pool: "q", Token: address(1)}} {
		questions = append(questions, func() error { _, err := s.Trades.Trades(ctx, eth, request); return err })
	}
	for _, request := range []market.SimulationRequest{
		{Token: address(1)}, {Token: address(2)}, {Token: address(1), Pools: pools("p")}, {Token: address(1), Pools: pools("p", "q")}, {Token: address(1), Pools: pools("q", "p")},
	} {
		questions = append(questions, func() error { _, err := s.Simulation.Simulate(ctx, eth, request); return err })
	}
	for _, token := range []chain.Address{address(1), address(2)} {
		questions = append(questions,
			func() error { _, err := s.Holders.Holders(ctx, eth, token); return err },
			func() error { _, err := s.Contracts.Contract(ctx, eth, token); return err })
	}
	for range 2 {
		for _, ask := range questions {
			if err := ask(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if asked := p.questions(); len(asked) != len(questions) {
		t.Fatalf("%d questions asked %d times", len(questions), len(asked))
	}
}

// Code is what a contract weighs.
func TestMemoryOfContractsIsBounded(t *testing.T) {
	p := &ports{clock: &clock{}}
	f := market.DefaultFreshness()
	f.MaximumBytes = 10_000_000 // three percent of it for contracts: about thirty of ten kilobytes
	s := market.Cached(market.Sources{Contracts: p}, f, p.clock.now)
	// What is over goes in its own time, so the bound shows after some rounds at the latest.
	asked := 0
	for round := 0; round < 100 && asked < 400; round++ {
		p.questions()
		for n := range 500 {
			if _, err := s.Contracts.Contract(t.Context(), onChain(t), address(n)); err != nil {
				t.Fatal(err)
			}
		}
		if asked = len(p.questions()); round == 0 {
			asked = 0 // nothing could be there yet
		}
	}
	if asked < 400 {
		t.Fatalf("only %d of 500 contracts were asked for again", asked)
	}
}

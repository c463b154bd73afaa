package tokenrisk

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// stage stands behind every port with the facts of one token, and counts what is asked.
type stage struct {
	facts *Facts
	// down names the port whose provider fails.
	down string

	mu    sync.Mutex
	asked map[string]int
}

func newStage() *stage {
	s := &stage{facts: sound(), asked: make(map[string]int)}
	c := s.facts.Contract
	c.AnswersSupply, c.AnswersDecimals, c.AnswersBalance = market.Yes, market.Yes, market.Yes
	return s
}

func (s *stage) sources() market.Sources {
	return market.Sources{Contracts: s, TokenSecurity: s, Simulation: s, Pools: s, Holders: s, Candles: s}
}

func (s *stage) count(port string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked[port]++
	if s.down == port {
		return fmt.Errorf("%w: %s", market.ErrUnavailable, port)
	}
	return nil
}

func (s *stage) Contract(context.Context, *chain.Chain, chain.Address) (*market.Contract, error) {
	return s.facts.Contract, s.count("contract")
}

func (s *stage) TokenSecurity(_ context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	return map[chain.Address]market.TokenSecurity{tokens[0]: s.facts.Security.TokenSecurity}, s.count("security")
}

func (s *stage) Simulate(context.Context, *chain.Chain, market.SimulationRequest) (*market.Simulation, error) {
	return s.facts.Simulation, s.count("simulation")
}

func (s *stage) Pools(_ context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	return map[chain.Address][]market.Pool{tokens[0]: s.facts.Pools}, s.count("pools")
}

func (s *stage) Holders(context.Context, *chain.Chain, chain.Address) (*market.TokenHolders, error) {
	return s.facts.Holders, s.count("holders")
}

func (s *stage) Candles(context.Context, *chain.Chain, market.CandleRequest) (*market.Candles, error) {
	return &market.Candles{Hours: s.facts.Chart.Hours}, s.count("candles")
}

func subject() tokenfacts.Subject {
	return tokenfacts.Subject{Chain: eth(), Token: address(1), AsOf: noon()}
}

func (s *stage) of(t *testing.T) (*Assessment, error) {
	return Of(t.Context(), market.NewSession(t.Context(), s.sources()), subject())
}

var everyPort = []string{"candles", "contract", "holders", "pools", "security", "simulation"}

func TestEveryFactIsGatheredOnceASession(t *testing.T) {
	s := newStage()
	session := market.NewSession(t.Context(), s.sources())
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if a, err := Of(t.Context(), session, subject()); err != nil || len(a.Flags) == 0 {
				t.Errorf("%+v, %v", a, err)
			}
		})
	}
	all.Wait()
	if got := slices.Sorted(maps.Keys(s.asked)); !slices.Equal(got, everyPort) {
		t.Errorf("asked %v", got)
	}
	for port, times := range s.asked {
		if times != 1 {
			t.Errorf("%s was asked %d times", port, times)
		}
	}
}

func TestAJudgementIsRememberedBetweenSessions(t *testing.T) {
	s := newStage()
	sources := market.Cached(s.sources(), market.DefaultFreshness(), noon)
	var first *Assessment
	for range 3 {
		a, err := Of(t.Context(), market.NewSession(t.Context(), sources), subject())
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = a
		}
		if a != first {
			t.Error("judged again")
		}
	}
	later := subject()
	later.AsOf = later.AsOf.Add(time.Second)
	if a, err := Of(t.Context(), market.NewSession(t.Context(), sources), later); err != nil || a == first {
		t.Errorf("another instant has a judgement of its own: %v", err)
	}
}

func TestAProviderThatFailsIsAnErrorAndNoVerdict(t *testing.T) {
	for _, port := range everyPort {
		s := newStage()
		s.down = port
		if a, err := s.of(t); a != nil || !errors.Is(err, market.ErrUnavailable) {
			t.Errorf("%s: %+v, %v", port, a, err)
		}
	}
}

func TestAnErrorIsNotRemembered(t *testing.T) {
	s := newStage()
	sources := market.Cached(s.sources(), market.DefaultFreshness(), noon)
	s.down = "holders"
	if _, err := Of(t.Context(), market.NewSession(t.Context(), sources), subject()); err == nil {
		t.Fatal("no error")
	}
	// Ports that were asked beside the failing one may still be answering.
	s.mu.Lock()
	s.down = ""
	s.mu.Unlock()
	if a, err := Of(t.Context(), market.NewSession(t.Context(), sources), subject()); err != nil || a.Verdict == "" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestOfWhatIsNoTokenNothingElseIsAsked(t *testing.T) {
	for name, change := range map[string]func(*market.Contract){
		"a wallet":         func(c *market.Contract) { c.Code = nil },
		"a collection":     func(c *market.Contract) { c.NonFungible = market.Yes },
		"a pool":           func(c *market.Contract) { c.PoolShare = market.Yes },
		"another contract": func(c *market.Contract) { c.AnswersSupply = market.No },
	} {
		s := newStage()
		change(s.facts.Contract)
		if a, err := s.of(t); a != nil || !errors.Is(err, tokenfacts.ErrNotAToken) {
			t.Errorf("%s: %+v, %v", name, a, err)
		}
		if len(s.asked) != 1 || s.asked["contract"] != 1 {
			t.Errorf("%s: asked %v", name, s.asked)
		}
	}
}

// destroys is code whose only function, 0x11223344, is SELFDESTRUCT.
func destroys() []byte {
	return []byte{
		0x60, 0x00, 0x35, 0x60, 0xe0, 0x1c, // the selector
		0x63, 0x11, 0x22, 0x33, 0x44, 0x14, 0x60, 0x13, 0x57, // to 0x13 if it is that one
		0x60, 0x00, 0x80, 0xfd, // else revert
		0x5b, 0x33, 0xff, // destroy
	}
}

// reverts is code that refuses every call.
func reverts() []byte { return []byte{0x60, 0x00, 0x80, 0xfd} }

func TestTheCodeThatRunsIsRead(t *testing.T) {
	for name, c := range map[string]struct {
		own      []byte
		proxy    *market.Proxy
		destroys bool
	}{
		"no proxy":                {destroys(), nil, true},
		"no proxy, harmless":      {reverts(), nil, false},
		"behind a proxy":          {reverts(), &market.Proxy{Code: destroys()}, true},
		"harmless behind a proxy": {destroys(), &market.Proxy{Code: reverts()}, false},
	} {
		s := newStage()
		s.facts.Contract.Code, s.facts.Contract.Proxy = c.own, c.proxy
		session := market.NewSession(t.Context(), s.sources())
		facts, err := gather(t.Context(), session, subject())
		if err != nil || facts.Code.SelfDestructs != c.destroys {
			t.Errorf("%s: %+v, %v", name, facts, err)
		}
	}
}

package market_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

var begin = time.Date(2026, 11, 20, 12, 30, 0, 0, time.UTC)

// clock stands still until it is told to move.
type clock struct{ offset atomic.Int64 }

func (c *clock) now() time.Time          { return begin.Add(time.Duration(c.offset.Load())) }
func (c *clock) advance(d time.Duration) { c.offset.Add(int64(d)) }
func onChain(t testing.TB) *chain.Chain  { t.Helper(); c, _ := chain.Parse("eth"); return c }
func address(n int) (a chain.Address)    { a[0], a[19] = byte(n>>8)+1, byte(n); return a }
func hours(n int) time.Duration          { return time.Duration(n) * time.Hour }
func candle(at time.Time) market.Candle {
	return market.Candle{Time: at, Open: 1, High: 1, Low: 1, Close: 1}
}

// ports answers every port and counts the questions.
type ports struct {
	mu    sync.Mutex
	asked []string
	err   error
	empty bool
	// gate, when set, is what every answer waits for.
	gate chan struct{}
	// arrived, when set, is told of every question.
	arrived chan struct{}
	// history is where candles begin.
	history time.Time
	clock   *clock
}

func (p *ports) ask(ctx context.Context, question string) error {
	p.mu.Lock()
	p.asked = append(p.asked, question)
	gate, err := p.gate, p.err
	p.mu.Unlock()
	if p.arrived != nil {
		p.arrived <- struct{}{}
	}
	if gate != nil {
		select {
		case <-gate:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

func (p *ports) questions() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	asked := p.asked
	p.asked = nil
	slices.Sort(asked)
	return asked
}

func (p *ports) Activity(ctx context.Context, on *chain.Chain, wallet chain.Address) (*market.Activity, error) {
	if err := p.ask(ctx, "activity "+string(on.Slug)+wallet.Short()); err != nil {
		return nil, err
	}
	if p.empty {
		return &market.Activity{}, nil
	}
	return &market.Activity{Transactions: make([]market.Transaction, 1)}, nil
}

func (p *ports) Holdings(ctx context.Context, _ *chain.Chain, _ chain.Address) ([]market.Holding, error) {
	return make([]market.Holding, 1), p.ask(ctx, "holdings")
}

func (p *ports) Approvals(ctx context.Context, _ *chain.Chain, _ chain.Address) (*market.Approvals, error) {
	return &market.Approvals{Open: make([]market.Approval, 1)}, p.ask(ctx, "approvals")
}

func (p *ports) Code(ctx context.Context, _ *chain.Chain, _ chain.Address) (market.Code, error) {
	return market.Code{Empty: true}, p.ask(ctx, "code")
}

func (p *ports) Pools(ctx context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	question := "pools"
	answer := make(map[chain.Address][]market.Pool)
	for _, token := range tokens {
		question += " " + token.Short()
		if !p.empty {
			answer[token] = []market.Pool{{Token: token, ID: "p"}}
		}
	}
	return answer, p.ask(ctx, question)
}

func (p *ports) TokenSecurity(ctx context.Context, _ *chain.Chain, tokens []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	answer := make(map[chain.Address]market.TokenSecurity)
	question := "security"
	for _, token := range tokens {
		question += " " + token.Short()
		if !p.empty {
			answer[token] = market.TokenSecurity{Token: token, Honeypot: market.Yes}
		}
	}
	return answer, p.ask(ctx, question)
}

func (p *ports) AddressSecurity(ctx context.Context, _ *chain.Chain, accounts []chain.Address) (map[chain.Address]market.AddressSecurity, error) {
	answer := make(map[chain.Address]market.AddressSecurity)
	for _, account := range accounts {
		answer[account] = market.AddressSecurity{Address: account}
	}
	return answer, p.ask(ctx, fmt.Sprint("address ", len(accounts)))
}

func (p *ports) Holders(ctx context.Context, _ *chain.Chain, _ chain.Address) (*market.TokenHolders, error) {
	return &market.TokenHolders{Known: !p.empty}, p.ask(ctx, "holders")
}

func (p *ports) Trades(ctx context.Context, _ *chain.Chain, _ market.TradesRequest) (*market.TokenTrades, error) {
	answer := &market.TokenTrades{}
	if !p.empty {
		answer.Trades = make([]market.TokenTrade, 1)
	}
	return answer, p.ask(ctx, "trades")
}

func (p *ports) Contract(ctx context.Context, _ *chain.Chain, _ chain.Address) (*market.Contract, error) {
	answer := &market.Contract{}
	if !p.empty {
		answer.Code, answer.Proxy = make([]byte, 10_000), &market.Proxy{}
	}
	return answer, p.ask(ctx, "contract")
}

func (p *ports) Simulate(ctx context.Context, _ *chain.Chain, _ market.SimulationRequest) (*market.Simulation, error) {
	answer := &market.Simulation{}
	if !p.empty {
		answer.Source = "node"
	}
	return answer, p.ask(ctx, "simulation")
}

func (p *ports) Listed(ctx context.Context, _ *chain.Chain) ([]market.ListedToken, error) {
	if p.empty {
		return nil, p.ask(ctx, "listings")
	}
	return make([]market.ListedToken, 1), p.ask(ctx, "listings")
}

// price is a known function of asset and time; the second result is false for every seventh.
func price(asset chain.Address, at time.Time) (float64, bool) {
	return float64(asset[19]) + float64(at.Unix()%1000), at.Unix()%7 != 0
}

func (p *ports) Prices(ctx context.Context, _ *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	question := "prices"
	answer := make([]market.PriceSeries, len(requests))
	for i, request := range requests {
		question += fmt.Sprintf(" %s:%d", request.Asset.Short(), len(request.Times))
		answer[i].Asset = request.Asset
		for _, at := range request.Times {
			if usd, ok := price(request.Asset, at); ok {
				answer[i].Points = append(answer[i].Points, market.PricePoint{Time: at, USD: usd})
			}
		}
	}
	return answer, p.ask(ctx, question)
}

func (p *ports) Candles(ctx context.Context, _ *chain.Chain, request market.CandleRequest) (*market.Candles, error) {
	answer := &market.Candles{Truncated: request.From.Before(p.history)}
	for at := request.From; at.Before(request.To) && !at.After(p.clock.now()); at = at.Add(time.Hour) {
		if !at.Before(p.history) {
			answer.Hours = append(answer.Hours, candle(at))
		}
	}
	return answer, p.ask(ctx, fmt.Sprintf("candles %d", int(request.To.Sub(request.From)/time.Hour)))
}

func cached(t testing.TB) (market.Sources, *ports, *clock) {
	c := &clock{}
	p := &ports{clock: c}
	return market.Cached(market.Sources{
		Activity: p, Holdings: p, Prices: p, Pools: p, Candles: p, Approvals: p, Code: p, TokenSecurity: p, AddressSecurity: p,
		Holders: p, Trades: p, Contracts: p, Simulation: p, Listings: p,
	}, market.DefaultFreshness(), c.now), p, c
}

func TestFactsAreKeptAsLongAsTheyAreFreshAndNoLonger(t *testing.T) {
	eth, ctx := onChain(t), t.Context()
	for name, test := range map[string]struct {
		fresh time.Duration
		ask   func(market.Sources) error
	}{
		"activity":  {30 * time.Second, func(s market.Sources) error { _, err := s.Activity.Activity(ctx, eth, address(1)); return err }},
		"holdings":  {30 * time.Second, func(s market.Sources) error { _, err := s.Holdings.Holdings(ctx, eth, address(1)); return err }},
		"approvals": {time.Minute, func(s market.Sources) error { _, err := s.Approvals.Approvals(ctx, eth, address(1)); return err }},
		"code":      {5 * time.Minute, func(s market.Sources) error { _, err := s.Code.Code(ctx, eth, address(1)); return err }},
		"pools": {30 * time.Second, func(s market.Sources) error {
			_, err := s.Pools.Pools(ctx, eth, []chain.Address{address(1)})
			return err
		}},
		"token security": {time.Hour, func(s market.Sources) error {
			_, err := s.TokenSecurity.TokenSecurity(ctx, eth, []chain.Address{address(1)})
			return err
		}},
		"address security": {time.Hour, func(s market.Sources) error {
			_, err := s.AddressSecurity.AddressSecurity(ctx, eth, []chain.Address{address(1)})
			return err
		}},
		"recent price": {time.Minute, func(s market.Sources) error {
			_, err := s.Prices.Prices(ctx, eth, []market.PriceRequest{{Asset: address(1), Times: []time.Time{begin.Add(-time.Second)}}})
			return err
		}},
		"past price": {24 * time.Hour, func(s market.Sources) error {
			_, err := s.Prices.Prices(ctx, eth, []market.PriceRequest{{Asset: address(1), Times: []time.Time{begin.Add(-hours(100) + 1)}}})
			return err
		}},
		"holders":  {time.Minute, func(s market.Sources) error { _, err := s.Holders.Holders(ctx, eth, address(1)); return err }},
		"contract": {5 * time.Minute, func(s market.Sources) error { _, err := s.Contracts.Contract(ctx, eth, address(1)); return err }},
		"listings": {5 * time.Minute, func(s market.Sources) error { _, err := s.Listings.Listed(ctx, eth); return err }},
		"trades": {30 * time.Second, func(s market.Sources) error {
			_, err := s.Trades.Trades(ctx, eth, market.TradesRequest{Pool: "p", Token: address(1)})
			return err
		}},
		"simulation": {time.Minute, func(s market.Sources) error {
			_, err := s.Simulation.Simulate(ctx, eth, market.SimulationRequest{Token: address(1), Pools: []market.Pool{{ID: "p"}}})
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s, p, c := cached(t)
			for step, want := range []int{1, 0, 1} {
				if err := test.ask(s); err != nil {
					t.Fatal(err)
				}
				if asked := p.questions(); len(asked) != want {
					t.Fatalf("step %d: asked %v", step, asked)
				}
				c.advance(test.fresh - time.Second)
				if step == 1 {
					c.advance(2*time.Second - test.fresh + time.Second)
				}
			}
		})
	}
}

func TestErrorsAreNotKept(t *testing.T) {
	s, p, _ := cached(t)
	eth := onChain(t)
	p.err = market.ErrUnavailable
	for range 3 {
		if _, err := s.Activity.Activity(t.Context(), eth, address(1)); !errors.Is(err, market.ErrUnavailable) {
			t.Fatal(err)
		}
		if _, err := s.Pools.Pools(t.Context(), eth, []chain.Address{address(1), address(2)}); !errors.Is(err, market.ErrUnavailable) {
			t.Fatal(err)
		}
		if _, err := s.Candles.Candles(t.Context(), eth, market.CandleRequest{From: begin.Add(-hours(3)), To: begin}); !errors.Is(err, market.ErrUnavailable) {
			t.Fatal(err)
		}
		if asked := p.questions(); len(asked) != 3 {
			t.Fatal(asked)
		}
	}
	p.err = nil
	if got, err := s.Activity.Activity(t.Context(), eth, address(1)); err != nil || len(got.Transactions) != 1 {
		t.Fatal(got, err)
	}
}

func TestNothingIsRememberedForHalfAMinute(t *testing.T) {
	s, p, c := cached(t)
	eth := onChain(t)
	p.empty = true
	ask := func() int {
		if got, err := s.TokenSecurity.TokenSecurity(t.Context(), eth, []chain.Address{address(1)}); err != nil || len(got) != 0 {
			t.Fatal(got, err)
		}
		if got, err := s.Pools.Pools(t.Context(), eth, []chain.Address{address(1)}); err != nil || len(got) != 0 {
			t.Fatal(got, err)
		}
		return len(p.questions())
	}
	first, second := ask(), ask()
	c.advance(31 * time.Second)
	if third := ask(); first != 2 || second != 0 || third != 2 {
		t.Fatal(first, second, third)
	}
}

func TestKeysAreNotConfused(t *testing.T) {
	s, p, _ := cached(t)
	base, _ := chain.Parse("base")
	for _, ask := range []func() error{
		func() error { _, err := s.Activity.Activity(t.Context(), onChain(t), address(1)); return err },
		func() error { _, err := s.Activity.Activity(t.Context(), onChain(t), address(2)); return err },
		func() error { _, err := s.Activity.Activity(t.Context(), base, address(1)); return err },
	} {
		if err := ask(); err != nil {
			t.Fatal(err)
		}
	}
	if asked := p.questions(); len(asked) != 3 {
		t.Fatal(asked)
	}
}

func TestListsAskOnlyForWhatIsMissing(t *testing.T) {
	s, p, _ := cached(t)
	eth := onChain(t)
	for _, step := range []struct {
		tokens []chain.Address
		want   []string
	}{
		{[]chain.Address{address(1), address(2)}, []string{"pools " + address(1).Short() + " " + address(2).Short()}},
		{[]chain.Address{address(2), address(3), address(1), address(3)}, []string{"pools " + address(3).Short()}},
		{nil, nil},
	} {
		got, err := s.Pools.Pools(t.Context(), eth, step.tokens)
		if err != nil {
			t.Fatal(err)
		}
		for _, token := range step.tokens {
			if len(got[token]) != 1 || got[token][0].Token != token {
				t.Fatal(got)
			}
		}
		if asked := p.questions(); !slices.Equal(asked, step.want) {
			t.Fatalf("asked %v, want %v", asked, step.want)
		}
	}
}

func TestPricesAskOnlyForWhatIsMissing(t *testing.T) {
	s, p, _ := cached(t)
	at := func(n int) time.Time { return begin.Add(-hours(48) + time.Duration(n)*time.Second) }
	first := []market.PriceRequest{{Asset: address(1), Times: []time.Time{at(3), at(1), at(1)}}, {Asset: address(2), Times: []time.Time{at(1)}}}
	second := []market.PriceRequest{{Asset: address(2), Times: []time.Time{at(1), at(2)}}, {Asset: address(1), Times: []time.Time{at(1), at(3)}}}
	if _, err := s.Prices.Prices(t.Context(), onChain(t), first); err != nil {
		t.Fatal(err)
	}
	got, err := s.Prices.Prices(t.Context(), onChain(t), second)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{fmt.Sprintf("prices %s:1", address(2).Short()), fmt.Sprintf("prices %s:2 %s:1", address(1).Short(), address(2).Short())}
	slices.Sort(want)
	if asked := p.questions(); !slices.Equal(asked, want) {
		t.Fatalf("asked %v, want %v", asked, want)
	}
	if len(got) != 2 || got[0].Asset != address(2) || got[1].Asset != address(1) {
		t.Fatal(got)
	}
}

// Whatever is asked in whatever order, the cache answers as the port does.
func TestCachedPricesAndCandlesEqualTheUncached(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s, p, c := cached(t)
		p.history = begin.Add(-hours(40)).Truncate(time.Hour)
		eth := onChain(t)
		for range rapid.IntRange(1, 12).Draw(r, "steps") {
			c.advance(time.Duration(rapid.IntRange(0, 7200).Draw(r, "seconds")) * time.Second)
			if rapid.Bool().Draw(r, "candles") {
				from := begin.Add(-time.Duration(rapid.IntRange(0, 60*60).Draw(r, "from")) * time.Minute)
				to := c.now().Add(-time.Duration(rapid.IntRange(0, 30*60).Draw(r, "to")) * time.Minute)
				if rapid.Bool().Draw(r, "now") {
					to = c.now()
				}
				if !from.Before(to) {
					continue
				}
				request := market.CandleRequest{Pool: "p", Token: address(rapid.IntRange(1, 2).Draw(r, "token")), From: from, To: to}
				got, err := s.Candles.Candles(context.Background(), eth, request)
				if err != nil {
					r.Fatal(err)
				}
				request.From, request.To = ceil(from), ceil(to)
				want, _ := p.Candles(context.Background(), eth, request)
				// The hour that has just begun may be missing for as long as the newest part is kept.
				if n := len(want.Hours); n == len(got.Hours)+1 && c.now().Sub(want.Hours[n-1].Time) < time.Minute {
					want.Hours = want.Hours[:n-1]
				}
				if !slices.Equal(got.Hours, want.Hours) || (got.Truncated != want.Truncated && len(want.Hours) > 0) {
					r.Fatalf("%v..%v: got %d hours (truncated %v), want %d (%v)", from, to, len(got.Hours), got.Truncated, len(want.Hours), want.Truncated)
				}
				continue
			}
			var requests []market.PriceRequest
			for range rapid.IntRange(0, 3).Draw(r, "assets") {
				request := market.PriceRequest{Asset: address(rapid.IntRange(1, 3).Draw(r, "asset"))}
				for _, n := range rapid.SliceOfN(rapid.IntRange(0, 20), 0, 6).Draw(r, "times") {
					request.Times = append(request.Times, begin.Add(-time.Duration(n)*time.Second))
				}
				requests = append(requests, request)
			}
			got, err := s.Prices.Prices(context.Background(), eth, requests)
			if err != nil || len(got) != len(requests) {
				r.Fatal(got, err)
			}
			for i, request := range requests {
				var want []market.PricePoint
				slices.SortFunc(request.Times, time.Time.Compare)
				for _, at := range slices.CompactFunc(request.Times, time.Time.Equal) {
					if usd, ok := price(request.Asset, at); ok {
						want = append(want, market.PricePoint{Time: at, USD: usd})
					}
				}
				if !slices.Equal(got[i].Points, want) {
					r.Fatalf("got %v, want %v", got[i].Points, want)
				}
			}
		}
	})
}

func ceil(at time.Time) time.Time {
	if hour := at.Truncate(time.Hour); !hour.Equal(at) {
		return hour.Add(time.Hour)
	}
	return at
}

func TestClosedCandlesAreNotAskedAgain(t *testing.T) {
	s, p, c := cached(t)
	ask := func(from, to time.Time) {
		t.Helper()
		if _, err := s.Candles.Candles(t.Context(), onChain(t), market.CandleRequest{Pool: "p", Token: address(1), From: from, To: to}); err != nil {
			t.Fatal(err)
		}
	}
	from := begin.Add(-hours(1000))
	ask(from, begin)
	ask(from, begin.Add(10*time.Second))
	ask(from.Add(hours(10)), begin.Add(-hours(20)))
	c.advance(2 * time.Minute)
	ask(from, c.now())
	c.advance(hours(2))
	ask(from.Add(hours(500)), c.now())
	// 1000 hours once; then the open hour; then the two that closed since and the open one.
	if asked := p.questions(); !slices.Equal(asked, []string{"candles 1", "candles 1000", "candles 3"}) {
		t.Fatal(asked)
	}
}

func TestAFlightIsSharedAndOutlivesWhoLeaves(t *testing.T) {
	s, p, _ := cached(t)
	eth := onChain(t)
	gate := make(chan struct{})
	p.gate, p.arrived = gate, make(chan struct{}, 1)
	leaving, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { _, err := s.Activity.Activity(leaving, eth, address(1)); left <- err }()
	<-p.arrived
	results := make(chan *market.Activity, 8)
	for range cap(results) {
		go func() {
			got, err := s.Activity.Activity(t.Context(), eth, address(1))
			if err != nil {
				t.Error(err)
			}
			results <- got
		}()
	}
	leave()
	if err := <-left; !errors.Is(err, context.Canceled) || errors.Is(err, market.ErrUnavailable) {
		t.Fatal(err)
	}
	close(gate)
	first := <-results
	for range cap(results) - 1 {
		if <-results != first {
			t.Error("the same fact, but not the same value")
		}
	}
	if asked := p.questions(); len(asked) != 1 {
		t.Fatal(asked)
	}
}

func TestAFetchEndsWithItsOwnDeadline(t *testing.T) {
	p := &ports{gate: make(chan struct{}), clock: &clock{}}
	f := market.DefaultFreshness()
	f.Deadline = 5 * time.Millisecond
	s := market.Cached(market.Sources{Activity: p}, f, p.clock.now)
	if _, err := s.Activity.Activity(t.Context(), onChain(t), address(1)); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	if s.Has(market.PoolFacts) {
		t.Error("a cache before nothing is nothing")
	}
}

type panicking struct{ market.CodePort }

func (panicking) Code(context.Context, *chain.Chain, chain.Address) (market.Code, error) {
	panic("broken adapter")
}

func TestAPanicIsAnError(t *testing.T) {
	s := market.Cached(market.Sources{Code: panicking{}}, market.DefaultFreshness(), (&clock{}).now)
	if _, err := s.Code.Code(t.Context(), onChain(t), address(1)); err == nil {
		t.Fatal("no error")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	p := &ports{clock: &clock{}}
	f := market.DefaultFreshness()
	f.MaximumBytes = 100_000 // a third of it for activity: about fifty wallets with one transaction
	s := market.Cached(market.Sources{Activity: p}, f, p.clock.now)
	for n := range 2000 {
		if _, err := s.Activity.Activity(t.Context(), onChain(t), address(n)); err != nil {
			t.Fatal(err)
		}
	}
	p.questions()
	for n := range 2000 {
		_, _ = s.Activity.Activity(t.Context(), onChain(t), address(n))
	}
	if asked := p.questions(); len(asked) < 1500 {
		t.Fatalf("only %d of 2000 wallets were asked for again", len(asked))
	}
}

func BenchmarkCacheHit(b *testing.B) {
	s, _, _ := cached(b)
	eth, wallet := onChain(b), address(1)
	for b.Loop() {
		if _, err := s.Activity.Activity(b.Context(), eth, wallet); err != nil {
			b.Fatal(err)
		}
	}
}

package mirroring

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// legs are trades of a leader: rounds of opening a coin, adding to it, closing a part, and closing all of it.
func legs(n int, at time.Time) []LeaderTrade {
	trades := make([]LeaderTrade, n)
	for i := range trades {
		coin := []string{"BTC", "ETH", "SOL"}[i/4%3]
		trades[i] = LeaderTrade{
			ID: "leg " + strconv.Itoa(i), Venue: agent.Perps, Asset: Asset{Key: coin, Name: coin}, Leg: Open, Side: Long, Price: 100, Quantity: 5, ValueUSD: 500,
			Share: 0.05, Leverage: 2, At: at.Add(time.Duration(i) * time.Millisecond),
		}
		if i%4 >= 2 {
			trades[i].Leg, trades[i].Share, trades[i].Flat = Close, 0.5, i%4 == 3
		}
	}
	return trades
}

// roundOf is a round with some trades.
func (w *world) roundOf(fresh []LeaderTrade) *round {
	facts := &leaderFacts{MedianGain: math.NaN()}
	return &round{
		at: w.now, facts: facts, fresh: fresh, gate: Gate{Mirrorable: true, MedianGain: math.NaN()},
		quotes: &quotes{session: market.NewSession(context.Background(), w.venue.sources()), at: w.now},
	}
}

// check holds the end against the promise: one execution a trade, all final, and a book that says what is open.
func (w *world) check(of *agent.Agent, trades int) {
	w.t.Helper()
	all, asked := w.executions(of), 0
	seen := make(map[string]bool)
	for _, e := range all {
		if seen[e.ExecutionID] || e.Status == Detected || e.Status == Submitted {
			w.t.Errorf("%s is there twice, or not final: %s", e.ExecutionID, e.Status)
		}
		seen[e.ExecutionID] = true
		if e.LeaderTradeAt != nil {
			asked++
		}
	}
	if asked != trades {
		w.t.Errorf("%d executions of %d trades", asked, trades)
	}
	if a := w.account(of); len(a.UnderWay) != 0 {
		w.t.Errorf("orders under way: %+v", a.UnderWay)
	}
	// The last leg of every round closed all there was.
	var open float64
	for _, e := range all {
		if e.Quantity != nil {
			open += *e.Quantity * map[Leg]float64{Open: 1, Close: -1}[e.Leg]
		}
	}
	for _, c := range w.account(of).Copies {
		open -= c.Quantity
	}
	if math.Abs(open) > 1e-6 {
		w.t.Errorf("what was bought and sold differs from what is open by %v", open)
	}
}

func TestTenThousandTradesAreEachMirroredOnce(t *testing.T) {
	t.Parallel()
	const agents, trades, chunk, workers = 50, 200, 20, 64
	w := newWorld(t)
	w.memory.Executions = newShelf()
	w.venue.prices = map[string]float64{"BTC": 100, "ETH": 100, "SOL": 100}
	all := legs(trades, w.now)
	var followers []*agent.Agent
	for i := range agents {
		followers = append(followers, w.follower("a"+strconv.Itoa(i), func(a *agent.Agent) { a.ActivatedAt = w.now.Add(-time.Hour) }))
	}
	w.now = w.now.Add(10 * time.Second)
	type delivery struct {
		of     *agent.Agent
		trades []LeaderTrade
	}
	random := rand.New(rand.NewPCG(1, 2))
	var deliveries []delivery
	for _, a := range followers {
		for from := 0; from < trades; from += chunk {
			for range 1 + min(random.IntN(5), random.IntN(5)) {
				deliveries = append(deliveries, delivery{a, all[from : from+chunk]})
			}
		}
	}
	random.Shuffle(len(deliveries), func(i, j int) { deliveries[i], deliveries[j] = deliveries[j], deliveries[i] })
	queue := make(chan delivery, len(deliveries)*3)
	for _, d := range deliveries {
		queue <- d
	}
	var left sync.WaitGroup
	left.Add(len(deliveries))
	go func() { left.Wait(); close(queue) }()
	var working sync.WaitGroup
	for worker := range workers {
		random := rand.New(rand.NewPCG(uint64(worker), 3))
		working.Go(func() {
			for d := range queue {
				life := immortal()
				if random.IntN(10) == 0 {
					life = &mortal{left: random.IntN(5), after: random.IntN(2) == 0}
				}
				m := *w.mirror
				m.memory.Executions = mortalExecutions{w.memory.Executions, life, t}
				switch _, _, err := m.follow(context.Background(), w.roundOf(d.trades), d.of); {
				case errors.Is(err, errDied):
					queue <- d // delivered again
				case err != nil:
					t.Error(err)
					left.Done()
				default:
					left.Done()
				}
			}
		})
	}
	working.Wait()
	for _, a := range followers {
		w.check(a, trades)
	}
}

func TestAProcessThatDiesAnywhereIsTakenUp(t *testing.T) {
	t.Parallel()
	for _, mode := range []agent.Mode{agent.Paper, agent.Live} {
		for _, how := range []string{"fill", "part", "refuse", "lose answer", "lose order"} {
			if mode == agent.Paper && how != "fill" {
				continue
			}
			t.Run(string(mode)+" "+how, func(t *testing.T) {
				w := newWorld(t)
				w.memory.Executions = newShelf()
				w.venue.prices = map[string]float64{"BTC": 100, "ETH": 100, "SOL": 100}
				n := 0
				for died := true; died; n++ {
					for _, after := range []bool{false, true} {
						died = dieOnce(t, w, mode, how, n, after)
					}
				}
				if steps := map[agent.Mode]int{agent.Paper: 2, agent.Live: 10}[mode]; n < steps {
					t.Errorf("only %d steps, want %d at least", n, steps)
				}
			})
		}
	}
}

// dieOnce mirrors four trades with a process that dies at one step, if there are that many, and then with healthy ones.
func dieOnce(t *testing.T, w *world, mode agent.Mode, how string, n int, after bool) (died bool) {
	t.Helper()
	w.now = w.now.Add(time.Hour)
	of := w.follower(fmt.Sprintf("a%d%t", n, after), func(a *agent.Agent) { a.Mode = mode })
	w.now = w.now.Add(time.Minute)
	trades := legs(4, w.now.Add(-time.Second))
	d := &desk{t: t, placed: make(map[[16]byte]Fill), behave: func(n int) string {
		if n%2 == 1 {
			return how
		}
		return "fill"
	}}
	process := func(life *mortal) error {
		m := *w.mirror
		d.life = life
		m.memory.Executions = mortalExecutions{w.memory.Executions, life, t}
		m.executors = map[agent.Venue]Executor{agent.Perps: d}
		_, waiting, err := m.follow(context.Background(), w.roundOf(trades), of)
		if err == nil && waiting {
			err = errWait
		}
		return err
	}
	first := &mortal{left: n, after: after}
	life, err := first, errWait
	for range 40 {
		if err = process(life); err == nil {
			break
		}
		if !errors.Is(err, errDied) && !errors.Is(err, errWait) {
			t.Fatal(err)
		}
		if first.dead {
			life = immortal()
		}
		w.now = w.now.Add(lostAfter / 2)
	}
	if err != nil {
		t.Errorf("died at %d: not done after 40 passes: %v", n, err)
	}
	w.check(of, len(trades))
	var bought float64
	for _, e := range w.executions(of) {
		if e.Leg == Open && e.Quantity != nil {
			bought += *e.Quantity
		}
	}
	if how == "fill" && bought == 0 {
		t.Error("nothing was bought")
	}
	if mode == agent.Live {
		var there float64
		for _, fill := range d.placed {
			if fill.Cost > 0 {
				there += fill.Quantity
			}
		}
		if math.Abs(there-bought) > 1e-9 {
			t.Errorf("died at %d: the venue filled %v, executions say %v", n, there, bought)
		}
	}
	return first.dead
}

func TestTheSameTurnTwiceAtOnceIsOneTurn(t *testing.T) {
	w := newWorld(t)
	w.memory.Executions = newShelf()
	w.mirror.memory = w.memory
	w.venue.prices = map[string]float64{"BTC": 100, "ETH": 100, "SOL": 100}
	of := w.follower("a", func(a *agent.Agent) { a.Mode = agent.Live })
	w.now = w.now.Add(time.Minute)
	trades := legs(60, w.now.Add(-time.Second))
	d := &desk{t: t, life: immortal(), placed: make(map[[16]byte]Fill), behave: func(int) string { return "fill" }}
	m := *w.mirror
	m.executors = map[agent.Venue]Executor{agent.Perps: d}
	var working sync.WaitGroup
	for range 16 {
		working.Go(func() {
			for {
				_, waiting, err := m.follow(context.Background(), w.roundOf(slices.Clone(trades)), of)
				if err != nil {
					t.Error(err)
				}
				if !waiting {
					return
				}
			}
		})
	}
	working.Wait()
	w.check(of, len(trades))
	if d.orders != len(trades) {
		t.Errorf("%d orders of %d trades", d.orders, len(trades))
	}
}

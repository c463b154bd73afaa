package mirroring

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// exchange is a perpetuals venue that says what it is told to, and keeps what it was asked.
type exchange struct {
	asked       []string
	leverageErr error
	result      PerpResult
	err         error
	found       bool
	placed      []PerpOrder
}

func (e *exchange) SetLeverage(_ context.Context, o PerpOrder, leverage int) error {
	e.asked = append(e.asked, fmt.Sprintf("leverage %s %d", o.Coin, leverage))
	return e.leverageErr
}

func (e *exchange) Place(ctx context.Context, o PerpOrder) (PerpResult, error) {
	if _, limited := ctx.Deadline(); !limited {
		return PerpResult{}, errors.New("an order without an end to waiting for it")
	}
	e.asked = append(e.asked, "place")
	e.placed = append(e.placed, o)
	return e.result, e.err
}

func (e *exchange) Find(context.Context, PerpOrder) (PerpResult, bool, error) {
	e.asked = append(e.asked, "find")
	return e.result, e.found, nil
}

// liveWorld has a live agent whose leader buys for 2,000 dollars with a leverage of 2, a tenth of its means.
func liveWorld(t *testing.T, x *exchange) (*world, *agent.Agent) {
	w := newWorld(t)
	w.grade(true)
	w.mirror.executors = map[agent.Venue]Executor{agent.Perps: PerpExecutor(x, w.mirror.clock)}
	a := w.follower("a", func(a *agent.Agent) { a.Mode = agent.Live; a.SmartAccount = chain.Address{0x77} })
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", 20)
	w.now = w.now.Add(10 * time.Second)
	return w, a
}

func TestALiveOrderIsExactlyWhatWasDecided(t *testing.T) {
	x := &exchange{result: PerpResult{Size: 1.98, Price: 100.5, FeeUSD: 0.09}}
	w, a := liveWorld(t, x)
	w.mustPass()
	if !slices.Equal(x.asked, []string{"leverage BTC 2", "place"}) {
		t.Fatalf("%v", x.asked)
	}
	// 200 dollars, at no more than one percent above the leader's 100.
	e := w.executions(a)[0]
	o := x.placed[0]
	if !o.Buy || o.ReduceOnly || math.Abs(o.Limit-101) > 1e-9 || math.Abs(o.Size-200/101.0) > 1e-9 || o.Account != a.SmartAccount || o.ClientID != ClientID(e.ExecutionID) {
		t.Errorf("%+v", o)
	}
	if e.Status != Executed || *e.CostUSD != agent.MicroUSD(1.98*100.5/2*1e6) || *e.SlippageBps != 50 || *e.FeeUSD != 90_000 || e.SubmittedAt == nil || *e.Leverage != 2 {
		t.Errorf("%+v", e)
	}
	if got := w.account(a); len(got.UnderWay) != 0 || got.Copies[0].Quantity != 1.98 || got.exposure() != *e.CostUSD {
		t.Errorf("%+v", got)
	}
	// The close goes out as an order that can only make the position smaller.
	x.result = PerpResult{Size: 0.99, Price: 100, FeeUSD: 0.05}
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", -20)
	w.mustPass()
	o = x.placed[1]
	if o.Buy || !o.ReduceOnly || o.Size != 1.98 || math.Abs(o.Limit-95) > 1e-9 {
		t.Errorf("%+v", o)
	}
	// Half of it was filled; the rest is owed, and closed as soon as copies are looked at.
	closed := w.executions(a)[1:]
	if closed[0].Status != Partial || !strings.Contains(closed[0].Reason, "Only 50% of the order was filled") || len(closed) != 2 || closed[1].Status != Executed {
		t.Errorf("%v %+v", words(closed), closed[0])
	}
	if got := w.account(a); len(got.Copies) != 0 || got.exposure() != 0 {
		t.Errorf("%+v", got)
	}
}

func TestWhatCanComeOfALiveOrder(t *testing.T) {
	for name, c := range map[string]struct {
		x       exchange
		wait    time.Duration
		then    func(*exchange)
		status  Status
		reason  string
		asked   []string
		exposed bool
	}{
		"the leverage is refused": {x: exchange{leverageErr: errors.New("no")}, status: Failed, reason: "the leverage could not be set", asked: []string{"leverage BTC 2"}},
		"the order is refused": {x: exchange{err: fmt.Errorf("%w: <b>too small</b>", ErrRefused)}, status: Failed, reason: "too small/b.",
			asked: []string{"leverage BTC 2", "place"}},
		"there is a word for why nothing is filled": {x: exchange{result: PerpResult{Reason: "Too little margin.", Skip: InsufficientBalance}}, status: Skipped, reason: "Too little margin.",
			asked: []string{"leverage BTC 2", "place"}},
		"nothing is filled": {x: exchange{result: PerpResult{Reason: "Nobody sold at the limit."}}, status: Failed, reason: "Nobody sold at the limit.",
			asked: []string{"leverage BTC 2", "place"}},
		"the answer is lost, and nobody knows": {x: exchange{err: errors.New("reset")}, status: Submitted, exposed: true,
			asked: []string{"leverage BTC 2", "place"}},
		"the answer is lost, and it is found": {x: exchange{err: errors.New("reset")}, wait: time.Minute, status: Executed, exposed: true,
			then:  func(x *exchange) { x.found, x.result = true, PerpResult{Size: 1.98, Price: 100, FeeUSD: math.NaN()} },
			asked: []string{"leverage BTC 2", "place", "find"}},
		"the answer is lost, and it never arrived": {x: exchange{err: errors.New("reset")}, wait: lostAfter, status: Failed,
			reason: "The order never reached the venue; nothing was traded.", asked: []string{"leverage BTC 2", "place", "find"}},
		"the answer is lost, and it may still arrive": {x: exchange{err: errors.New("reset")}, wait: lostAfter - time.Second, status: Submitted, exposed: true,
			asked: []string{"leverage BTC 2", "place", "find"}},
		"it rests in the book": {x: exchange{result: PerpResult{Resting: true}}, status: Submitted, exposed: true, asked: []string{"leverage BTC 2", "place"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := c.x
			w, a := liveWorld(t, &x)
			w.mustPass()
			if c.wait > 0 {
				w.now = w.now.Add(c.wait)
				if c.then != nil {
					c.then(&x)
				}
				w.mustPass()
			}
			all := w.executions(a)
			if len(all) != 1 || all[0].Status != c.status || !strings.Contains(all[0].Reason, c.reason) || !slices.Equal(x.asked, c.asked) {
				t.Errorf("%v %+v; asked %v", words(all), all[0].Reason, x.asked)
			}
			if got := w.account(a).exposure(); (got > 0) != c.exposed {
				t.Errorf("%v exposed", got)
			}
		})
	}
}

func TestAVenueWithoutAnExecutorFailsSayingSo(t *testing.T) {
	w, a := liveWorld(t, &exchange{})
	w.mirror.executors = nil
	w.mustPass()
	if all := w.executions(a); len(all) != 1 || all[0].Status != Failed || !strings.Contains(all[0].Reason, "cannot be sent to perpvenue-perps yet") {
		t.Errorf("%v", words(all))
	}
}

// What an order costs is known to the account before the order is sent.
func TestAnAccountSpendsNoMoreThanItHas(t *testing.T) {
	x := &exchange{result: PerpResult{Size: 0.5, Price: 100}}
	w, a := liveWorld(t, x)
	w.venue.equity = 3 // the same account stands behind leader and follower in this world
	w.mustPass()
	all := w.executions(a)
	if len(all) != 1 || len(x.placed) != 0 || *all[0].SkipReason != InsufficientBalance {
		t.Errorf("%v %+v", words(all), x.placed)
	}
}

func TestACloseThatFailedIsMadeAgain(t *testing.T) {
	x := &exchange{result: PerpResult{Size: 1.98, Price: 100}}
	w, a := liveWorld(t, x)
	w.mustPass()
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", -20)
	x.err = fmt.Errorf("%w: halted", ErrRefused)
	w.mustPass()
	x.err = nil
	w.now = w.now.Add(11 * time.Minute)
	w.mustPass()
	all := w.executions(a)
	if last := all[len(all)-1]; all[1].Status != Failed || last.Status != Executed || last.Leg != Close || len(w.account(a).Copies) != 0 {
		t.Errorf("%v", words(all))
	}
}

func TestWhatAFailedCloseOwesIsAddedToTheNext(t *testing.T) {
	x := &exchange{result: PerpResult{Size: 2, Price: 100}}
	w, a := liveWorld(t, x)
	w.mustPass()
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", -10)
	x.err = fmt.Errorf("%w: halted", ErrRefused)
	w.mustPass()
	x.err, x.result = nil, PerpResult{Size: 1.5, Price: 100}
	w.now = w.now.Add(time.Minute)
	w.venue.trade(w.now, "BTC", -5)
	w.mustPass()
	if last := x.placed[len(x.placed)-1]; len(x.placed) != 3 || math.Abs(last.Size-1.5) > 1e-12 {
		t.Errorf("half failed, then half of the rest was closed: %+v", x.placed)
	}
	if c := w.account(a).Copies; len(c) != 1 || math.Abs(c[0].Quantity-0.5) > 1e-12 {
		t.Errorf("%+v", c)
	}
}

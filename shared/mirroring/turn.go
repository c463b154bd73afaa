package mirroring

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// maximumTries is how often an agent's turn begins again because somebody else changed its book meanwhile.
const maximumTries = 100

// round is what all followers of a leader share in a pass.
type round struct {
	at     time.Time
	facts  *leaderFacts
	fresh  []LeaderTrade
	gate   Gate
	quotes *quotes
	// settle is true when copies are looked at even without a trade of the leader.
	settle bool
}

// turn is an agent's part of a round: its book as it was read, and what was decided since and is not yet written.
type turn struct {
	*mirror
	round   *round
	agent   *agent.Agent
	book    store.Book
	account *account
	known   map[string]bool
	rows    []store.Execution
	events  []store.Event
	// entered counts what was written, sequence what was detected.
	entered, sequence int
	// balance is what the account can spend, read once it matters.
	balance *float64
}

// errWait ends a turn whose order's outcome is not known yet; it goes on in a later pass.
var errWait = errors.New("an order's outcome is not known yet")

// follow does everything an agent does in a round, however often the same is asked. It counts the executions that it wrote, and tells
// whether orders are still under way.
func (m *mirror) follow(ctx context.Context, r *round, of *agent.Agent) (entered int, waiting bool, err error) {
	for range maximumTries {
		t := &turn{mirror: m, round: r, agent: of}
		err = t.run(ctx)
		entered += t.entered
		switch {
		case errors.Is(err, store.ErrConflict):
			if err := ctx.Err(); err != nil {
				return entered, false, err
			}
			continue
		case errors.Is(err, errWait):
			return entered, true, nil
		}
		return entered, false, err
	}
	return entered, false, fmt.Errorf("agent %s: others kept changing its book: %w", of.ID, err)
}

// run reads the book first and then what is known of the round's trades, so that whatever is written in between makes the book
// another version and this turn begin again.
func (t *turn) run(ctx context.Context) error {
	var err error
	if t.book, err = t.memory.Executions.Book(ctx, t.agent.Key()); err != nil {
		return err
	}
	if t.account, err = readAccount(&t.book); err != nil {
		return err
	}
	if err := t.resume(ctx); err != nil {
		return err
	}
	trades := existing(t.agent, t.round.facts, t.round.at)
	for i := range t.round.fresh {
		if trade := &t.round.fresh[i]; !trade.At.Before(t.agent.ActivatedAt) {
			trades = append(trades, *trade)
		}
	}
	if err := t.learn(ctx, trades); err != nil {
		return err
	}
	for i := range trades {
		if err := t.trade(ctx, &trades[i], nil); err != nil {
			return t.leave(ctx, err)
		}
	}
	if t.round.settle || len(trades) > 0 {
		if err := t.settleAll(ctx); err != nil {
			return t.leave(ctx, err)
		}
	}
	return t.flush(ctx)
}

// leave ends a turn early. What was decided before a provider failed is not lost by that.
func (t *turn) leave(ctx context.Context, why error) error {
	if errors.Is(why, market.ErrUnavailable) {
		if err := t.flush(ctx); err != nil {
			return err
		}
	}
	return why
}

// learn finds out which of the trades were dealt with before.
func (t *turn) learn(ctx context.Context, trades []LeaderTrade) error {
	if t.known == nil {
		t.known = make(map[string]bool)
	}
	for len(trades) > 0 {
		n := min(len(trades), store.MaximumListed)
		ids := make([]string, n)
		for i := range n {
			ids[i] = executionID(t.agent, &trades[i])
		}
		trades = trades[n:]
		found, err := t.memory.Executions.Known(ctx, t.agent.Key(), ids)
		if err != nil {
			return err
		}
		for id, is := range found {
			t.known[id] = is
		}
	}
	return nil
}

func (t *turn) settleAll(ctx context.Context) error {
	due, failed := t.settlements(ctx)
	if len(due) == 0 {
		return failed
	}
	trades := make([]LeaderTrade, len(due))
	for i := range due {
		trades[i] = due[i].trade
	}
	if err := t.learn(ctx, trades); err != nil {
		return err
	}
	for i := range due {
		if err := t.trade(ctx, &due[i].trade, &due[i].quote); err != nil {
			return err
		}
	}
	return failed
}

// trade decides one leg and does what was decided, unless that was done before.
func (t *turn) trade(ctx context.Context, trade *LeaderTrade, quote *Quote) error {
	id := executionID(t.agent, trade)
	if t.known[id] {
		return nil
	}
	input, err := t.input(ctx, trade, quote)
	if err != nil {
		return err
	}
	d := Decide(input)
	at := t.round.at.Add(time.Duration(t.sequence)) // so that a list keeps the order of what one pass detected
	t.sequence++
	t.known[id] = true
	k := newKept(t.agent, id, trade, &d, at)
	if d.Skip != "" {
		if trade.Leg == Close && d.Part > 0 {
			input.Copy.Owed = d.Part
		}
		return t.add(ctx, k)
	}
	k.Order = &Order{
		Execution: id, Venue: t.agent.Venue, Mode: t.agent.Mode, Partner: t.agent.Partner, Agent: t.agent.ID, Account: t.agent.SmartAccount,
		Asset: trade.Asset, Leg: trade.Leg, Side: trade.Side, Quantity: d.Quantity, Cost: d.Cost, Leverage: d.Leverage, Part: d.Part,
		WorstPrice: d.WorstPrice, At: t.round.at,
	}
	// A market that is over pays out by itself: nothing is sent anywhere.
	if t.agent.Mode == agent.Paper || trade.Own && input.Quote.Closed {
		fill := paper(k.Order, input.Quote, input.Copy)
		k.filled(&fill, t.settle(k.Order, &fill))
		return t.add(ctx, k)
	}
	return t.live(ctx, k)
}

// settle books a fill, and gives what a close came to.
func (t *turn) settle(o *Order, fill *Fill) agent.MicroUSD {
	switch {
	case !(fill.Quantity > 0):
		return 0
	case o.Leg == Open:
		t.account.opened(o, fill)
		if t.balance != nil {
			*t.balance -= fill.Cost.USD() + fill.Fee.USD()
		}
		return 0
	}
	return t.account.closed(o, fill)
}

// add takes an execution into the next step that is written.
func (t *turn) add(ctx context.Context, k *kept) error {
	row, events, err := k.row(t.agent, t.round.at)
	if err != nil {
		return err
	}
	t.rows, t.events = append(t.rows, row), append(t.events, events...)
	if len(t.rows) == store.MaximumEntered || len(t.events) == store.MaximumEvents {
		return t.flush(ctx)
	}
	return nil
}

// flush writes what was decided, together with the book that comes of it. ErrConflict: somebody else changed the book, and nothing was
// written.
func (t *turn) flush(ctx context.Context) error {
	if len(t.rows) == 0 {
		return nil
	}
	next, err := t.account.book(&t.book, t.agent.Risk.MaxUSD)
	if err != nil {
		return err
	}
	if err := t.memory.Executions.Enter(ctx, next, t.rows, t.events...); err != nil {
		return err
	}
	for i := range t.rows {
		if t.rows[i].Version == 1 {
			t.entered++
		}
	}
	t.book = next
	t.rows, t.events = nil, nil
	return nil
}

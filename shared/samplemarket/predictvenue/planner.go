package predictvenue

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// planner plans what everybody is going to do in one event. The event's motion is known to it; what a wallet knows of it is up to the
// wallet's kind.
type planner struct {
	v       *Venue
	e       *event
	actions []action
	// The wallet whose turn it is, with its randomness for this event alone.
	w *wallet
	seeded.Stream
}

func (p *planner) planAll() {
	e := p.e
	crowd := seeded.NewStream(seeded.MixAll(p.v.seed, seeded.HashText("crowd"), uint64(e.index)))
	for _, w := range p.v.wallets {
		if w.kind.plan == nil {
			continue
		}
		key := seeded.MixAll(w.key, uint64(e.index))
		if float64(key>>11)/(1<<53) >= w.kind.takesPart {
			continue
		}
		p.w, p.Stream = w, seeded.NewStream(key)
		before := len(p.actions)
		w.kind.plan(p)
		if len(p.actions) > before {
			p.settle()
		}
	}
	p.Stream = crowd
	p.background()
}

// add plans an action, unless the event is over by then.
func (p *planner) add(a action) bool {
	if a.kind == redeemed || a.kind == rebated {
		if a.at < p.e.closed {
			return false
		}
	} else if a.at < p.e.open || a.at >= p.e.decided {
		return false
	}
	a.event, a.number = p.e, int32(len(p.actions))
	p.actions = append(p.actions, a)
	return true
}

// someone is a wallet of the crowd.
func (p *planner) someone() int16 { return p.v.crowd[p.IntN(len(p.v.crowd))] }

// within is a time after a share of the event's announced life.
func (p *planner) within(low, high float64) int32 {
	return p.e.open + int32(p.Between(low, high)*float64(p.e.ends-p.e.open))
}

// size is how many shares so many dollars buy, in hundredths of a share, in millionths.
func size(usd float64, price int32) int64 {
	return int64(max(usd*whole/float64(price)*100, 1)) * (micro / 100)
}

func (p *planner) usd() float64 { return p.Around(p.w.stake, 0.35) }

// take plans a purchase at the offer, some ten-thousandths above it where the buyer is careless, for what the buyer knows at seen.
func (p *planner) take(at int32, m *market, outcome uint8, usd float64, seen, careless int32) bool {
	_, ask := m.quote(outcome, at)
	price := min(ask+careless/m.tick*m.tick, whole-m.tick)
	if ask >= whole || price < m.tick {
		return false
	}
	return p.add(action{at: at, kind: traded, market: m, wallet: p.w.id, maker: p.someone(), outcome: outcome, price: price,
		size: size(usd, price), truth: float32(m.foreseen(outcome, at, seen))})
}

// quit plans a sale at the bid of a number of shares, 0 for all.
func (p *planner) quit(at int32, m *market, outcome uint8, shares int64) bool {
	bid, _ := m.quote(outcome, at)
	if bid <= 0 {
		return false
	}
	return p.add(action{at: at, kind: traded, market: m, wallet: p.w.id, maker: p.someone(), outcome: outcome, sell: true, price: bid,
		size: shares, truth: float32(m.price(outcome, at))})
}

// rest plans that one of the crowd crosses the wallet's resting order to buy an outcome at the bid. The wallet knows what everybody
// is going to know at seen.
func (p *planner) rest(at int32, m *market, outcome uint8, shares int64, seen int32) bool {
	bid, _ := m.quote(outcome, at)
	if bid <= 0 {
		return false
	}
	return p.add(action{at: at, kind: traded, market: m, wallet: p.someone(), maker: p.w.id, outcome: 1 - outcome, price: whole - bid,
		size: shares, pairs: true, truth: float32(m.foreseen(1-outcome, at, seen))})
}

// pick is a market and an outcome whose offer is between two prices, in ten-thousandths.
func (p *planner) pick(at, low, high int32) (*market, uint8, bool) {
	from, side := p.IntN(len(p.e.markets)), uint8(p.IntN(2))
	for i := range p.e.markets {
		m := p.e.markets[(from+i)%len(p.e.markets)]
		for flip := range uint8(2) {
			outcome := side ^ flip
			if _, ask := m.quote(outcome, at); ask >= low && ask <= high {
				return m, outcome, true
			}
		}
	}
	return nil, 0, false
}

// best is the purchase of most advantage to somebody who knows at a time what everybody will know at seen: its probability less offer
// and fee, in dollars a share.
func (p *planner) best(at, seen, low, high int32) (m *market, outcome uint8, advantage float64) {
	for _, candidate := range p.e.markets {
		for o := range uint8(2) {
			_, ask := candidate.quote(o, at)
			if ask < low || ask > high {
				continue
			}
			fee := float64(candidate.fee(ask, micro)) / micro
			if gain := candidate.foreseen(o, at, seen) - float64(ask)/whole - fee; gain > advantage {
				m, outcome, advantage = candidate, o, gain
			}
		}
	}
	return m, outcome, advantage
}

// settle plans how the wallet gets its money out once the event is closed.
func (p *planner) settle() {
	at, losers := p.e.closed+int32(p.Between(1, 60)*hourSeconds), p.Chance(0.12)
	switch p.w.kind.name {
	case "redeemer":
		at, losers = p.e.closed+int32(p.Between(600, 6*hourSeconds)), true
	case "never-redeemer":
		losers = false
	}
	p.add(action{at: at, kind: redeemed, wallet: p.w.id, losers: losers})
	if p.w.kind.name == "skilled-maker" || p.w.kind.name == "arbitrageur" {
		p.add(action{at: at + 60, kind: rebated, wallet: p.w.id})
	}
}

// background is what the crowd does among itself, and how it settles.
func (p *planner) background() {
	days := float64(p.e.decided-p.e.open) / daySeconds
	for _, m := range p.e.markets {
		for range int(math.Ceil(days*1.6)) + p.IntN(4) {
			p.w = p.v.wallets[p.someone()]
			at, outcome := p.e.open+int32(p.Float64()*float64(p.e.decided-p.e.open)), uint8(p.IntN(2))
			maker := p.someone()
			for maker == p.w.id {
				maker = p.someone()
			}
			_, ask := m.quote(outcome, at)
			a := action{at: at, kind: traded, market: m, wallet: p.w.id, maker: maker, outcome: outcome, price: ask, truth: float32(m.price(outcome, at))}
			if bid, _ := m.quote(outcome, at); p.Chance(0.3) {
				a.sell, a.price = true, bid
			}
			if a.price > 0 && a.price < whole {
				a.size = size(p.usd(), a.price)
				p.add(a)
			}
		}
	}
	for _, id := range p.v.crowd {
		p.add(action{at: p.e.closed + int32(p.Between(1, 50)*hourSeconds), kind: redeemed, wallet: id, losers: p.Chance(0.3)})
	}
}

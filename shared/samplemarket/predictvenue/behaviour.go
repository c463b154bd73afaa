package predictvenue

const (
	// insight is the share of the variance to come that a skilled taker sees ahead of everybody, and worthwhile the advantage in dollars
	// a share from which it buys.
	insight    = 0.10
	worthwhile = 0.05
)

// skilledTaker knows part of what is going to happen in the next days and buys where that is worth it. Nobody else learns it within
// hours, so that a follower pays hardly more.
func (p *planner) skilledTaker() {
	for range 3 {
		at := p.within(0.03, 0.6)
		seen := p.e.ahead(at, insight)
		m, outcome, advantage := p.best(at, seen, 1200, 7800)
		if advantage < worthwhile || p.e.ends-at < 14*hourSeconds {
			continue
		}
		clips := 1 + p.IntN(2)
		usd := p.usd() / float64(clips)
		for n := range clips {
			p.take(at+int32(n*p.IntN(900)), m, outcome, usd, seen, 0)
		}
		if p.Chance(0.25) {
			p.quit(seen+int32(p.Between(1, 8)*hourSeconds), m, outcome, 0)
		}
		return
	}
}

// dormant is a skilled taker that stopped.
func (p *planner) dormant() {
	if p.e.ends < dormantSince*daySeconds {
		p.skilledTaker()
	}
}

// fastTaker buys some seconds before news breaks.
func (p *planner) fastTaker() {
	for i := range p.e.news[:len(p.e.news)-1] {
		n := &p.e.news[i]
		m, outcome, advantage := p.best(n.at-1, n.at, 1200, 7800)
		if advantage >= 0.05 {
			p.take(n.at-int32(4+p.IntN(30)), m, outcome, p.usd(), n.at, 0)
		}
	}
}

// skilledMaker has orders resting on both sides, and merges the pairs that come of it. Where it knows better it rests on one side alone.
func (p *planner) skilledMaker() {
	for _, m := range p.e.markets {
		if !p.Chance(0.6) {
			continue
		}
		for range 1 + p.IntN(3) {
			at := p.within(0.02, 0.9)
			bid, ask := m.quote(0, at)
			if bid < 500 || ask > 9500 {
				continue
			}
			shares := size(p.usd(), bid)
			if p.Chance(0.5) {
				p.rest(at, m, 0, shares, at)
				p.rest(at+int32(p.IntN(int(p.e.step))), m, 1, shares, at)
				continue
			}
			seen, outcome := p.e.ahead(at, insight), uint8(0)
			if m.foreseen(0, at, seen) < m.price(0, at) {
				outcome = 1
			}
			p.rest(at, m, outcome, shares, seen)
		}
		p.add(action{at: p.within(0.91, 0.99), kind: merged, market: m, wallet: p.w.id})
	}
}

// lucky buys at random. In its first months it is right more often than it should be, which nothing but hindsight tells.
func (p *planner) lucky() {
	const low, high = 3500, 6500
	at := p.within(0.05, 0.7)
	m, outcome, found := p.pick(at, low, high)
	if !found {
		return
	}
	if p.e.ends < luckLasts*daySeconds && !p.e.void && m.price(outcome, p.e.ends) == 0 && p.Chance(0.3) {
		if _, ask := m.quote(1-outcome, at); ask >= low && ask <= high {
			outcome = 1 - outcome
		}
	}
	p.take(at, m, outcome, p.usd(), at, 0)
}

// losing buys at random and pays several cents too much.
func (p *planner) losing() {
	at := p.within(0.03, 0.8)
	if m, outcome, found := p.pick(at, 1000, 4800); found {
		p.take(at, m, outcome, p.usd(), at, 100*int32(2+p.IntN(4)))
	}
}

// random buys at random, and sometimes thinks better of it.
func (p *planner) random() {
	at := p.within(0.03, 0.8)
	if m, outcome, found := p.pick(at, 1500, 8500); found {
		p.take(at, m, outcome, p.usd(), at, 0)
		if p.Chance(0.2) {
			p.quit(at+int32(p.Between(2, 40)*hourSeconds), m, outcome, 0)
		}
	}
}

func (p *planner) favouriteBuyer() {
	for range 6 {
		at := p.within(0.1, 0.97)
		if m, outcome, found := p.pick(at, 9050, 9700); found {
			p.take(at, m, outcome, p.usd(), at, 0)
			return
		}
	}
}

func (p *planner) longshotBuyer() {
	for range 4 {
		at := p.within(0.05, 0.9)
		if m, outcome, found := p.pick(at, 150, 1200); found {
			p.take(at, m, outcome, p.usd(), at, 0)
			return
		}
	}
}

// insider knows the outcome hours before it is announced, in one topic alone.
func (p *planner) insider() {
	topics := [...]string{"Politics", "Economics", "Crypto", "Culture"}
	if p.e.category.label != topics[p.w.number%len(topics)] || p.e.void {
		return
	}
	at := p.e.ends - int32(p.Between(0.5, 5)*hourSeconds)
	if m, outcome, advantage := p.best(at, p.e.ends, 1000, 8000); advantage > 0.1 {
		for n := range 1 + p.IntN(3) {
			p.take(at+int32(n*(20+p.IntN(200))), m, outcome, p.usd(), p.e.ends, 0)
		}
	}
}

// washer passes shares to its partner and back near one price. The even one of a pair plans for both.
func (p *planner) washer() {
	if p.w.number%2 == 1 {
		return
	}
	m := p.e.markets[p.IntN(len(p.e.markets))]
	at, partner, me := p.within(0.1, 0.6), p.w.id+1, p.w.id
	bid, ask := m.quote(0, at)
	price := (bid + ask) / 2 / m.tick * m.tick
	if price < 1000 || price > 9000 {
		return
	}
	shares := size(p.usd(), price)
	truth := float32(m.price(0, at))
	if !p.add(action{at: at, kind: split, market: m, wallet: me, size: shares}) {
		return
	}
	for range 3 + p.IntN(6) {
		at += int32(120 + p.IntN(1200))
		there := action{
			at: at, kind: traded, market: m, wallet: me, maker: partner, sell: true, direct: true, price: price, size: shares, truth: truth,
		}
		at += int32(120 + p.IntN(1500))
		back := there
		back.at, back.wallet, back.maker = at, partner, me
		if at >= p.e.decided || !p.add(there) || !p.add(back) {
			return
		}
	}
	p.add(action{at: at + 600, kind: merged, market: m, wallet: me})
}

// arbitrageur sells a split pair, or buys a pair and merges it, for a little more or less than a dollar.
func (p *planner) arbitrageur() {
	for range 1 + p.IntN(2) {
		m := p.e.markets[p.IntN(len(p.e.markets))]
		at := p.within(0.05, 0.85)
		bid, ask := m.quote(0, at)
		if bid < 1000 || ask > 9000 {
			continue
		}
		shares := size(p.usd(), bid)
		if p.Chance(0.5) {
			p.rest(at, m, 0, shares, at)
			p.rest(at+20, m, 1, shares, at)
			p.add(action{at: at + 60, kind: merged, market: m, wallet: p.w.id})
			continue
		}
		if !p.add(action{at: at, kind: split, market: m, wallet: p.w.id, size: shares}) {
			continue
		}
		for outcome := range uint8(2) {
			_, offer := m.quote(outcome, at)
			p.add(action{at: at + 20 + int32(outcome)*25, kind: traded, market: m, wallet: p.someone(), maker: p.w.id, outcome: outcome,
				price: offer, size: shares, truth: float32(m.price(outcome, at))})
		}
	}
}

// hedger buys one side of the event and later the other, or against another market of it.
func (p *planner) hedger() {
	at := p.within(0.05, 0.4)
	m, outcome, found := p.pick(at, 2500, 7500)
	if !found || !p.take(at, m, outcome, p.usd(), at, 0) {
		return
	}
	later := p.within(0.45, 0.8)
	if other, side, found := p.pick(later, 2500, 7500); found && other != m {
		p.take(later, other, side, p.usd(), later, 0)
		return
	}
	p.take(later, m, 1-outcome, p.usd(), later, 0)
}

// bot makes small trades around the clock from some day on, several in one second.
func (p *planner) bot() {
	if p.e.open >= botsBegin*daySeconds {
		p.churn(3.1)
	}
}

// prolific is at it all the time.
func (p *planner) prolific() { p.churn(3.4) }

// churn plans so many small purchases a day of the event's life, and sells some of them soon.
func (p *planner) churn(perDay float64) {
	for left := int(perDay * float64(p.e.ends-p.e.open) / daySeconds); left > 0; {
		at, burst := p.within(0, 1), 1+p.IntN(4)
		m, outcome, found := p.pick(at, 1000, 9000)
		left -= burst
		if !found {
			continue
		}
		for range burst {
			p.take(at, m, outcome, p.usd(), at, 0)
		}
		if p.Chance(0.35) {
			p.quit(at+int32(p.Between(60, 3*hourSeconds)), m, outcome, 0)
		}
	}
}

// newcomer takes part in a handful of events, the same ones however long the venue goes on.
func (p *planner) newcomer() {
	const every = 31
	if place := p.e.index - 40*int32(1+p.w.number); place < 0 || place%every != 0 || place/every >= mostNewEvents {
		return
	}
	p.random()
}

// converter buys against several outcomes of an exclusive event and converts the shares; elsewhere it buys at random.
func (p *planner) converter() {
	if p.e.form != exclusive {
		if p.Chance(0.2) {
			p.random()
		}
		return
	}
	at := p.within(0.05, 0.5)
	count := 2 + p.IntN(len(p.e.markets)-2)
	shares := size(p.usd(), whole/2)
	bits := uint32(0)
	for i, m := range p.e.markets[:count] {
		_, ask := m.quote(1, at)
		if ask >= whole {
			continue
		}
		bits |= 1 << i
		p.add(action{at: at + int32(40*i), kind: traded, market: m, wallet: p.w.id, maker: p.someone(), outcome: 1, price: ask, size: shares,
			truth: float32(m.price(1, at))})
	}
	p.add(action{at: at + 600, kind: converted, wallet: p.w.id, excluded: bits})
}

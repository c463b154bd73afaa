package samplemarket

import (
	"slices"
	"sync"
	"time"
)

// Config is what makes a market. Two markets of the same Seed and Start are the same world.
type Config struct {
	Seed uint64
	// Start is the first instant of the simulated history, cut to the hour. What is older (established tokens, funding) is there too.
	Start time.Time
	// Clock tells the present; the world has happened up to the newest block at that time.
	Clock func() time.Time
}

// Market is the simulated market. It is safe for concurrent use.
type Market struct {
	config Config
	start  int64
	mu     sync.RWMutex
	worlds []*world
	unix   int64 // the world has happened up to here
	door   door
}

// New makes the market and lets its history happen up to the clock. A nil Clock is one that stands at Start.
func New(config Config) *Market {
	config.Start = config.Start.UTC().Truncate(time.Hour)
	if config.Clock == nil {
		start := config.Start
		config.Clock = func() time.Time { return start }
	}
	m := &Market{config: config, start: config.Start.Unix(), door: newDoor(config.Seed)}
	for i := range chainSpecs {
		m.worlds = append(m.worlds, newWorld(&chainSpecs[i], config.Seed, m.start))
	}
	m.advance()
	return m
}

// advance lets the worlds catch up with the clock. A clock that goes back changes nothing.
func (m *Market) advance() {
	now := m.config.Clock().Unix()
	m.mu.RLock()
	behind := now > m.unix
	m.mu.RUnlock()
	if !behind {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if now <= m.unix {
		return
	}
	if now-m.unix < 6*hourSeconds {
		for _, w := range m.worlds {
			w.advance(now)
		}
	} else {
		var group sync.WaitGroup
		for _, w := range m.worlds {
			group.Go(func() { w.advance(now) })
		}
		group.Wait()
	}
	m.unix = now
}

// view runs a function on the market as it is now; nothing moves while it runs.
func (m *Market) view(read func()) {
	m.advance()
	m.mu.RLock()
	defer m.mu.RUnlock()
	read()
}

func (m *Market) worldBySlug(slug string) *world {
	for _, w := range m.worlds {
		if w.spec.slug == slug {
			return w
		}
	}
	return nil
}

func (m *Market) worldWhere(match func(*chainSpec) bool) *world {
	for _, w := range m.worlds {
		if match(w.spec) {
			return w
		}
	}
	return nil
}

func (w *world) time(at int32) time.Time { return time.Unix(w.start+int64(at), 0).UTC() }

// Truth is the ground truth as it stands now.
func (m *Market) Truth() Truth {
	var truth Truth
	m.view(func() {
		for _, w := range m.worlds {
			for i := range w.wallets {
				truth.Wallets = append(truth.Wallets, w.walletTruth(&w.wallets[i]))
			}
			for i := range w.tokens {
				truth.Tokens = append(truth.Tokens, w.tokenTruth(&w.tokens[i]))
			}
		}
	})
	return truth
}

func (w *world) walletTruth(me *wallet) WalletTruth {
	p := me.plan
	t := WalletTruth{
		Address: w.entities[me.entity].address.String(), Chain: w.spec.slug, Group: p.group, Archetype: p.archetype, Skilled: p.skilled, Wash: p.wash,
		Automated: p.automated, HoldStyle: p.holdStyle, Tempo: p.tempo, Posture: w.posture(me.entity), Health: healthOf[me.health], Approvals: healthScenarioNames[me.health],
		Entries: me.made, Closed: me.record.closed,
	}
	if n := me.record.closed; n > 0 {
		t.Edge, t.WinRate = me.record.sumROI/float64(n), float64(me.record.wins)/float64(n)
		holds := slices.Clone(me.record.holds)
		slices.Sort(holds)
		t.MedianHold = time.Duration(holds[n/2]) * time.Second
	}
	if me.made > 0 && me.record.lastEntry != 0 {
		t.FirstEntry, t.LastEntry = w.time(me.record.firstEntry), w.time(me.record.lastEntry)
		if w.now-me.record.lastEntry > 40*daySeconds {
			t.Tempo = "dormant"
		}
	}
	return t
}

// posture is the word for a wallet's purchases against its sales over the last 30 days (90 when there are under five), where the
// share is clear; empty where it is not.
func (w *world) posture(entity int32) string {
	bought, sold, trades := 0.0, 0.0, 0
	for _, days := range []int32{30, 90} {
		bought, sold, trades = w.flows(entity, w.now-days*daySeconds)
		if trades >= 5 {
			break
		}
	}
	if trades < 3 {
		return "inactive"
	}
	share := bought / (bought + sold)
	switch {
	case trades >= 20 && share >= 0.75:
		return "accumulating"
	case trades >= 20 && share <= 0.25:
		return "distributing"
	}
	return ""
}

// flows adds up a wallet's pool trades since a time, in USD.
func (w *world) flows(entity, since int32) (bought, sold float64, trades int) {
	touch := w.entities[entity].touch
	for i := len(touch) - 1; i >= 0; i-- {
		tx := &w.txs[touch[i]]
		if tx.time < since {
			break
		}
		for j := tx.swaps; j < tx.swaps+int32(tx.swapped); j++ {
			s := &w.swaps[j]
			if s.trader != entity || w.pools[s.pool].tokenID < 0 {
				continue
			}
			trades++
			if s.tokenOut > 0 {
				bought += s.usd
			} else {
				sold += s.usd
			}
		}
	}
	return bought, sold, trades
}

func (w *world) tokenTruth(t *token) TokenTruth {
	truth := TokenTruth{
		Address: w.entities[t.entity].address.String(), Chain: w.spec.slug, Symbol: w.assets[t.asset].symbol, Kind: tokenKindNames[t.kind],
		Creator: w.entities[t.creator].address.String(), Created: w.time(t.created), Honeypot: t.kind == kindHoneypot,
		BuyTax: float64(t.buyTax) / 100, SellTax: float64(t.sellTax) / 100, Transactions: len(w.entities[t.entity].touch),
	}
	if t.pool >= 0 {
		truth.Listed, truth.Pool = w.time(t.listed), w.poolAddress(&w.pools[t.pool])
	}
	if t.ruggedAt != 0 {
		truth.RuggedAt = w.time(t.ruggedAt)
	}
	return truth
}

// Samples is a cross-section of addresses to try: of every planted behaviour and kind, spread over the chains.
func (m *Market) Samples() Samples {
	var samples Samples
	m.view(func() {
		seen := map[string]int{}
		for index, w := range m.worlds {
			for i := range w.wallets {
				me := &w.wallets[i]
				group := me.plan.group
				if about, known := sampleAbout[group]; known && seen[group] < 2 && seen[group] <= index/2 && len(w.entities[me.entity].touch) > 0 {
					seen[group]++
					sample := Sample{Address: w.entities[me.entity].address.String(), Chain: w.spec.slug, Kind: group, About: about}
					if me.plan.role == roleTrader && me.record.closed >= 10 {
						samples.Traders = append(samples.Traders, sample)
					}
					samples.Wallets = append(samples.Wallets, sample)
				}
			}
			for i := len(w.tokens) - 1; i >= 0; i-- {
				t := &w.tokens[i]
				kind := tokenKindNames[t.kind]
				if t.pool < 0 || seen["token "+kind] > index/2 || seen["token "+kind] >= 3 || len(w.entities[t.entity].touch) < 20 {
					continue
				}
				seen["token "+kind]++
				samples.Tokens = append(samples.Tokens, Sample{Address: w.entities[t.entity].address.String(), Chain: w.spec.slug, Kind: kind, About: tokenAbout[t.kind]})
			}
		}
	})
	return samples
}

var tokenAbout = [...]string{
	kindMajor: "An established token with deep liquidity.", kindGrower: "Rises over weeks.", kindPhoenix: "Fell by more than half, then recovered.",
	kindPump: "Pumped within hours, then faded.", kindRug: "Its creator can take, or has taken, the liquidity.", kindHoneypot: "It can be bought and not sold.",
	kindTaxed: "Every trade is taxed by the contract.", kindStagnant: "Barely moves.", kindFader: "Bleeds slowly.",
	kindThin: "A few accounts trade it among themselves.", kindSpam: "Sent to wallets unasked.",
}

var sampleAbout = map[string]string{
	"skilled-flipper": "Picks winners and is out within a day.", "skilled-swing": "Picks winners and holds them for days.",
	"skilled-position": "Picks winners and holds them for weeks.", "skilled-launch": "Good on tokens under a day old, ordinary elsewhere.",
	"lucky-swing": "Picks at random and holds for days.", "lucky-few": "Too few trades to tell skill from luck.",
	"losing-swing": "Buys what is about to fall.", "loss-hider": "Takes small profits and never sells a loser.",
	"scalper": "Holds for minutes.", "degen": "Only buys tokens under a week old.", "diamond": "Held through a fall of more than half.",
	"whale": "Trades that move deep pools.", "tourist": "One trade.", "dormant": "Has not traded for months.",
	"wash-round-trip": "Buys and sells the same quantity back within the hour.", "wash-ring": "Passes one token around a closed group.",
	"thin-printer": "Profits only in a token of its own.", "mev-bot": "Buys and sells in the same block, around somebody else.",
	"sniper": "Buys in the first blocks of a pool.", "insider": "Gets tokens from the creator before the pool opens.",
	"airdrop-farmer": "Lives on claims.", "rotator": "Every sale pays for another token.", "accumulator": "Buys steadily, hardly sells.",
	"holder": "A few old positions.", "market-maker": "Trades both sides, around the clock.", "robot": "Fast and never asleep.", "busy": "More than a thousand trades.",
}

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
		Automated: p.automated, HoldStyle: me.holdStyle(), Tempo: w.tempo(me), Posture: w.posture(me), Health: healthOf[me.health], Approvals: healthScenarioNames[me.health],
		Entries: me.made, Closed: me.record.closed,
	}
	if n := me.record.closed; n > 0 {
		t.Edge, t.WinRate = me.record.sumROI/float64(n), float64(me.record.wins)/float64(n)
		holds := slices.Sorted(slices.Values(me.record.holds))
		t.MedianHold = time.Duration(holds[n/2]) * time.Second
	}
	if me.made > 0 && me.record.weeks > 0 {
		t.FirstEntry, t.LastEntry = w.time(me.record.firstEntry), w.time(me.record.lastEntry)
	}
	return t
}

// holdStyles are the classes of holding time with their upper ends in seconds.
var holdStyles = []struct {
	word  string
	below int32
}{{"scalp", hourSeconds}, {"intraday", daySeconds}, {"swing", 14 * daySeconds}, {"position", 90 * daySeconds}, {"long-hold", 1 << 30}}

// holdStyle is the class of the closed positions' holding times where it is plain: the median well inside, and most of them with it.
func (me *wallet) holdStyle() string {
	holds := slices.Sorted(slices.Values(me.record.holds))
	switch p := me.plan; {
	case p.role == roleCrowd || p.role == roleMarketMaker || p.role == roleRing || p.role == rolePuppet || p.role == roleFarmer || p.role == roleInsider:
		return "" // these trade without planned positions
	case len(holds) < 3:
		return "insufficient-data"
	case len(holds) < 4:
		return ""
	}
	median, low := holds[len(holds)/2], int32(0)
	for _, style := range holdStyles {
		if median >= style.below {
			low = style.below
			continue
		}
		inside := 0
		for _, hold := range holds {
			if hold >= low && hold < style.below {
				inside++
			}
		}
		if clear := median >= low+low/5 && median < style.below-style.below/6; clear && inside*10 >= len(holds)*6 {
			return style.word
		}
		return ""
	}
	return ""
}

// tempo is the class of entries per active week where it is plain.
func (w *world) tempo(me *wallet) string {
	idle := w.now - me.record.lastEntry
	switch p := me.plan; {
	case p.role == roleCrowd || p.role == rolePuppet || p.role == roleMarketMaker || p.role == roleRing || p.role == roleFarmer || p.role == roleInsider || p.role == rolePrinter:
		return ""
	case p.role == roleEmpty:
		return "dormant"
	case me.made == 0 || me.record.weeks == 0 || (idle > 27*daySeconds && idle < 33*daySeconds):
		return ""
	case idle >= 33*daySeconds:
		return "dormant"
	case p.role == roleRobot:
		return "machine"
	}
	switch rate := float64(me.made) / float64(me.record.weeks); {
	case rate < 1.6:
		return "slow"
	case rate > 2.5 && rate < 8:
		return "steady"
	case rate > 13 && rate < 40:
		return "active"
	case rate > 65 && rate < 400:
		return "rapid"
	}
	return ""
}

// posture is the word for a wallet's purchases against its sales over the last 30 days (90 when there are under five), where the
// share is plain; empty where it is not.
func (w *world) posture(me *wallet) string {
	bought, sold, trades := 0.0, 0.0, 0
	for _, days := range []int32{30, 90} {
		bought, sold, trades = w.flows(me.entity, w.now-days*daySeconds)
		if trades >= 5 {
			break
		}
	}
	role := me.plan.role
	if trades < 3 {
		if role == roleRing || role == roleFarmer {
			return "" // their trades are not pool trades alone
		}
		return "inactive"
	}
	switch share := bought / (bought + sold); {
	case trades >= 20 && share >= 0.75, trades >= 8 && share >= 0.88:
		return "accumulating"
	case trades >= 20 && share <= 0.25, trades >= 8 && share <= 0.12:
		return "distributing"
	case role == roleRotator && trades >= 10 && share > 0.42 && share < 0.58:
		return "rotating"
	case role == roleTrader && me.plan.perWeek <= 5 && trades >= 20 && share > 0.45 && share < 0.55:
		return "balanced"
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
		for i := range plans {
			group := plans[i].group
			about, wanted := sampleAbout[group]
			for n := range 2 {
				w := m.worlds[(i+3*n)%len(m.worlds)]
				id := w.liveliest(group)
				if !wanted || id < 0 {
					continue
				}
				me := &w.wallets[id]
				sample := Sample{Address: w.entities[me.entity].address.String(), Chain: w.spec.slug, Kind: group, About: about}
				samples.Wallets = append(samples.Wallets, sample)
				if me.plan.role == roleTrader && me.record.closed >= 10 {
					samples.Traders = append(samples.Traders, sample)
				}
			}
		}
		for kind := kindMajor; kind < kindSpam; kind++ {
			for n := range 3 {
				w := m.worlds[(int(kind)+2*n)%len(m.worlds)]
				if t := w.newestOf(kind); t != nil {
					samples.Tokens = append(samples.Tokens, Sample{Address: w.entities[t.entity].address.String(), Chain: w.spec.slug, Kind: tokenKindNames[kind], About: tokenAbout[kind]})
				}
			}
		}
	})
	return samples
}

// liveliest is the wallet of a group with the most transactions, -1 when none has any.
func (w *world) liveliest(group string) int {
	best, most := -1, 0
	for i := range w.wallets {
		if me := &w.wallets[i]; me.plan.group == group && len(w.entities[me.entity].touch) > most {
			best, most = i, len(w.entities[me.entity].touch)
		}
	}
	return best
}

// newestOf is the youngest token of a kind that has traded a while.
func (w *world) newestOf(kind tokenKind) *token {
	for i := len(w.tokens) - 1; i >= 0; i-- {
		if t := &w.tokens[i]; t.kind == kind && t.pool >= 0 && len(w.pools[t.pool].swaps) >= 20 && (kind != kindRug || t.ruggedAt == 0 || i < len(w.tokens)/2) {
			return t
		}
	}
	return nil
}

var tokenAbout = [...]string{
	kindMajor: "An established token with deep liquidity.", kindGrower: "Rises over weeks.", kindPhoenix: "Fell by more than half, then recovered.",
	kindPump: "Pumped within hours, then faded.", kindRug: "Its creator can take, or has taken, the liquidity.", kindHoneypot: "It can be bought and not sold.",
	kindTaxed: "Every trade is taxed by the contract.", kindStagnant: "Barely moves.", kindFader: "Bleeds slowly.",
	kindThin: "A few accounts trade it among themselves.",
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

package samplemarket

import "time"

// LaunchTruth is how a launched token came to market, read off the ledger.
type LaunchTruth struct {
	Token, Pool, Chain string
	// Kind is the token's kind as in TokenTruth.
	Kind       string
	LaunchedAt time.Time
	// LiquidityUSD is what its pool held of the quote asset before the first trade.
	LiquidityUSD float64
	// Settled is true once launchWindow is over; until then the rest may change.
	Settled bool
	// Eligible launches had some liquidity and found some trade.
	Eligible bool
	// Multiple is the highest average price, in the quote asset, of an hour in which many traded, by the price of the referenceSwap-th
	// trade; 0 when there was no such hour. Pumped launches reached pumpMultiple.
	Multiple float64
	Pumped   bool
	// Buyers are the first earlyBuyers accounts that bought, in order.
	Buyers []EarlyTruth
}

// EarlyTruth is one of a launch's first buyers.
type EarlyTruth struct {
	Address string
	// Group is what was planted, as in WalletTruth; "deployer" and "bundle" are accounts of whoever launched the token.
	Group string
	At    time.Time
	// USD is what it spent before the price had doubled. Early is true when that is at least earlyPurchase.
	USD   float64
	Early bool
	// AtOnce is true for those who bought in the block of the launch or the next one.
	AtOnce bool
	// Gifted is true for those who were given some of the token, or were paid by its creator.
	Gifted bool
}

// What makes a launch.
const (
	launchWindow  = 7 * daySeconds
	referenceSwap = 20
	// leastLiquidity and pumpLiquidity are of the quote side, in USD; earlyPurchase is too.
	leastLiquidity = 5_000
	pumpLiquidity  = 10_000
	earlyPurchase  = 50
	earlyBuyers    = 50
	pumpMultiple   = 5
	pumpBuyers     = 10
	pumpSellers    = 5
)

// LaunchTruth is how every launched token came to market, chain by chain, oldest first.
func (m *Market) LaunchTruth() []LaunchTruth {
	var list []LaunchTruth
	m.view(func() {
		for _, w := range m.worlds {
			for _, id := range w.listed {
				list = append(list, w.launchTruth(&w.tokens[id]))
			}
		}
	})
	return list
}

func (w *world) launchTruth(t *token) LaunchTruth {
	p := &w.pools[t.pools[len(t.pools)-1]]
	truth := LaunchTruth{
		Token: w.entities[t.entity].address.String(), Pool: w.poolAddress(p), Chain: w.spec.slug, Kind: tokenKindNames[t.kind], LaunchedAt: w.time(t.listed),
		Settled: w.now-t.listed >= launchWindow,
	}
	swaps := p.swaps
	if len(swaps) > 0 {
		s := &w.swaps[swaps[0]]
		truth.LiquidityUSD = w.quoteLeftUSD(p, s) + w.assets[p.quote].coins(s.quoteOut)*w.quoteUSD(p.quote, w.txs[s.transaction].time)
	}
	for i, id := range swaps {
		if w.swapTime(id)-t.listed >= launchWindow {
			swaps = swaps[:i]
			break
		}
	}
	reference := 0.0
	if len(swaps) >= referenceSwap {
		s := &w.swaps[swaps[referenceSwap-1]]
		reference = w.paid(p, s)
		truth.Eligible = w.quoteLeftUSD(p, s) >= leastLiquidity
	}
	truth.Multiple = w.highestHour(p, swaps, reference)
	truth.Pumped = truth.Eligible && truth.Multiple >= pumpMultiple
	truth.Buyers = w.firstBuyers(t, p, swaps, reference)
	return truth
}

// paid is the price of a trade: coins of the quote asset for one of the token.
func (w *world) paid(p *pool, s *swap) float64 {
	return w.assets[p.quote].coins(abs(s.quoteOut)) / w.assets[p.token].coins(abs(s.tokenOut))
}

// quoteLeftUSD is what the quote side was worth after a trade.
func (w *world) quoteLeftUSD(p *pool, s *swap) float64 {
	return w.assets[p.quote].coins(s.quoteReserve) * w.quoteUSD(p.quote, w.txs[s.transaction].time)
}

// highestHour is the highest average price of a clock hour in which enough different accounts bought and sold, by the reference. Trades
// beside which the pool had little left do not count.
func (w *world) highestHour(p *pool, swaps []int32, reference float64) float64 {
	highest := 0.0
	for i := 0; i < len(swaps) && reference > 0; {
		hour := w.hourOf(swaps[i])
		buyers, sellers := map[int32]bool{}, map[int32]bool{}
		quote, coins := 0.0, 0.0
		for ; i < len(swaps) && w.hourOf(swaps[i]) == hour; i++ {
			s := &w.swaps[swaps[i]]
			if i < referenceSwap || w.quoteLeftUSD(p, s) < pumpLiquidity {
				continue
			}
			quote, coins = quote+w.assets[p.quote].coins(abs(s.quoteOut)), coins+w.assets[p.token].coins(abs(s.tokenOut))
			if s.tokenOut > 0 {
				buyers[s.trader] = true
			} else {
				sellers[s.trader] = true
			}
		}
		if len(buyers) >= pumpBuyers && len(sellers) >= pumpSellers {
			highest = max(highest, quote/coins/reference)
		}
	}
	return highest
}

func (w *world) hourOf(swapID int32) int64 {
	return floorDiv(w.start+int64(w.swapTime(swapID)), hourSeconds)
}

// firstBuyers are the first accounts that bought a token, in order.
func (w *world) firstBuyers(t *token, p *pool, swaps []int32, reference float64) []EarlyTruth {
	var list []EarlyTruth
	place := map[int32]int{}
	doubled := false
	for _, id := range swaps {
		s := &w.swaps[id]
		doubled = doubled || reference > 0 && w.paid(p, s) >= 2*reference
		if s.tokenOut <= 0 {
			continue
		}
		i, known := place[s.trader]
		if !known && len(list) < earlyBuyers {
			i, known = len(list), true
			place[s.trader] = i
			at := w.swapTime(id)
			list = append(list, EarlyTruth{
				Address: w.entities[s.trader].address.String(), Group: w.groupIn(t, s.trader), At: w.time(at),
				AtOnce: int64(at-t.listed) <= w.spec.blockSeconds, Gifted: w.gifted(t, s.trader, at),
			})
		}
		if known && !doubled {
			list[i].USD += s.usd
			list[i].Early = reference > 0 && list[i].USD >= earlyPurchase
		}
	}
	return list
}

// groupIn is what was planted in an account that trades a token.
func (w *world) groupIn(t *token, entity int32) string {
	if entity == t.creator {
		return "deployer"
	}
	for _, bot := range t.bots {
		if bot == entity {
			return "bundle"
		}
	}
	if id, known := w.byEntity[entity]; known {
		return w.wallets[id].plan.group
	}
	return ""
}

// gifted tells whether an account got a token outside of any trade, or coins of its creator, before a time.
func (w *world) gifted(t *token, entity, before int32) bool {
	for _, id := range w.entities[entity].touch {
		tx := &w.txs[id]
		if tx.time > before {
			break
		}
		if tx.from == t.creator && tx.to == entity && tx.value > 0 {
			return true
		}
		for j := tx.legs; j < tx.legs+int32(tx.legCount) && tx.swapped == 0; j++ {
			if l := &w.legs[j]; l.asset == t.asset && l.to == entity {
				return true
			}
		}
	}
	return false
}

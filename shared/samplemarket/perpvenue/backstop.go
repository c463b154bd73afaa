package perpvenue

import (
	"sort"
	"sync"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

const (
	kindLiquidator = "liquidator"
	kindStranger   = "never-used"
	kindGuest      = "guest"
)

// backstop is the venue's own account that takes over positions which the market cannot close, and sells them on. It depends on
// everybody else, so it is played from the beginning when it is asked for at a new time.
type backstop struct {
	address string

	lock   sync.Mutex // of the two below
	played *account
	at     int64
}

// takeover is a position that the backstop is handed: the other side of a fill.
type takeover struct {
	time, size, price, id int64
	coin                  int
	of                    liquidation
}

// account is the backstop as of the venue's present, not yet played. The caller holds the venue's lock for reading.
func (b *backstop) account(v *Venue) *account {
	b.lock.Lock()
	defer b.lock.Unlock()
	if b.played != nil && b.at == v.now {
		return b.played
	}
	var taken []takeover
	for _, a := range v.accounts {
		a.lock.Lock()
		a.run()
		for _, n := range a.backstopped {
			f := &a.fills[n]
			taken = append(taken, takeover{f.time, -f.size, f.price, f.trade, int(f.coin), a.liquidations[f.liquidation-1]})
		}
		a.lock.Unlock()
	}
	sort.SliceStable(taken, func(i, j int) bool { return taken[i].time < taken[j].time })
	key := seeded.MixAll(v.seed, seeded.HashText("perpetuals backstop"))
	a := &account{venue: v, plan: plan{kind: kindLiquidator, role: roleDepositor, deposit: 50_000_000}, key: key, address: b.address,
		stream: seeded.NewStream(key), joined: v.start, nextHour: v.start + hourMillis, positions: make([]position, len(v.coins)), taken: taken}
	a.put(task{at: a.joined, do: doDeposit, size: roundMoney(a.plan.deposit)})
	for n := range taken {
		a.put(task{at: taken[n].time, do: doTakeOver, order: int64(n)})
	}
	b.played, b.at = a, v.now
	return a
}

// takeOver books what the backstop was handed and plans to be rid of it within the hour.
func (a *account) takeOver(t task) {
	o := a.taken[t.order]
	p := &a.positions[o.coin]
	p.leverage = 1
	a.fill(trade{coin: o.coin, at: o.time, size: o.size, price: o.price, order: a.order(o.time), of: &o.of, id: o.id})
	a.put(task{at: o.time + 300_000 + a.stream.Int64N(hourMillis/2), do: doClose, coin: o.coin, episode: p.episode})
}

package perpvenue

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// Config says which venue it is. The same two make the same venue.
type Config struct {
	Seed uint64
	// Start is the first instant of history; it counts in whole hours.
	Start time.Time
}

// Venue is the simulated venue. Exchange alone makes a difference to what it tells, and that of guests alone. Advance is for one caller at a time; all else may be called concurrently.
type Venue struct {
	seed  uint64
	start int64 // milliseconds
	coins []contract

	lock     sync.RWMutex // of all below
	now      int64
	market   *market
	accounts []*account
	byName   map[string]*account
	backstop backstop
	guests   guests
	stranger string // an address that is never used
}

// New makes a venue at its first instant.
func New(c Config) *Venue {
	v := &Venue{seed: c.Seed, start: c.Start.Truncate(time.Hour).UnixMilli(), coins: contracts(), byName: map[string]*account{}, guests: newGuests()}
	v.now = v.start
	v.market = newMarket(c.Seed, v.coins)
	v.backstop.address = addressOf(seeded.MixAll(c.Seed, seeded.HashText("perpetuals backstop")))
	v.stranger = addressOf(seeded.MixAll(c.Seed, seeded.HashText("perpetuals stranger")))
	v.market.extend(v.coins, foresight)
	for _, p := range plans() {
		for n := range p.count {
			v.add(p, n)
		}
	}
	v.join()
	return v
}

func (v *Venue) add(p plan, n int) {
	a := newAccount(v, p, n, len(v.accounts))
	v.accounts = append(v.accounts, a)
	v.byName[a.address] = a
}

// join lets newcomers in; somebody new is always about.
func (v *Venue) join() {
	for p := newcomers(); ; {
		n := 0
		for _, a := range v.accounts {
			if a.plan.kind == p.kind {
				n++
			}
		}
		if v.start+newcomerJoins(n) > v.now {
			return
		}
		v.add(p, n)
	}
}

// Advance lets everything up to now happen. Going back changes nothing.
func (v *Venue) Advance(now time.Time) {
	v.lock.Lock()
	defer v.lock.Unlock()
	if millis := now.UnixMilli(); millis > v.now {
		v.now = millis
		v.market.extend(v.coins, v.hour(millis)+foresight)
		v.join()
	}
}

// hour is how many whole hours after the start a time is.
func (v *Venue) hour(at int64) int { return int((at - v.start) / hourMillis) }

func (v *Venue) pathOf(coin int) *path {
	if f := v.coins[coin].follows; f >= 0 {
		coin = f
	}
	return &v.market.paths[coin]
}

// with plays the account at an address up to the present and shows it; nil when nobody was ever there.
func (v *Venue) with(address string, show func(*account)) {
	address = strings.ToLower(address)
	a := v.byName[address]
	if address == v.backstop.address {
		a = v.backstop.account(v)
	} else if a == nil {
		a = v.guests.account(address)
	}
	if a == nil {
		show(nil)
		return
	}
	a.lock.Lock()
	defer a.lock.Unlock()
	a.run()
	show(a)
}

// Sample is an account worth trying.
type Sample struct {
	Address string
	Kind    string
	About   string
}

// Samples are two accounts of every kind; of those who keep joining the two that came last, the youngest first.
func (v *Venue) Samples() []Sample {
	v.lock.RLock()
	defer v.lock.RUnlock()
	var samples []Sample
	seen := map[string]int{}
	take := func(a *account) {
		if a.joined > v.now {
			return
		}
		if seen[a.plan.kind]++; seen[a.plan.kind] <= 2 {
			samples = append(samples, Sample{a.address, a.plan.kind, a.plan.about})
		}
	}
	for _, a := range v.accounts {
		if !a.plan.newcomer {
			take(a)
		}
	}
	for _, a := range slices.Backward(v.accounts) {
		if a.plan.newcomer {
			take(a)
		}
	}
	return append(samples, Sample{v.backstop.address, kindLiquidator, "Takes over what nobody else would."},
		Sample{v.stranger, kindStranger, "Was never used."})
}

package predictvenue

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// Config is what makes a venue. Two venues of the same Seed and Start are the same.
type Config struct {
	Seed uint64
	// Start is the first instant of the venue's history, cut to the hour.
	Start time.Time
}

// Venue is the simulated venue. What answers from it may run concurrently; Advance may not run beside anything.
type Venue struct {
	seed  uint64
	start int64 // Unix time
	now   int32 // seconds after start up to which everything has happened
	day   int32 // days that are planned

	events      []*event
	markets     []*market
	byCondition map[string]*market
	byToken     map[string]token
	bySlug      map[string]*market
	eventBySlug map[string]*event

	wallets   []*wallet
	byAddress map[string]*wallet
	crowd     []int16 // wallets that everybody else trades with

	// plans are what is going to be done on each planned day that is not over, in order once the day has begun.
	plans map[int32][]action
	doing int32 // the day whose plans are under way
	done  int   // how many of them are carried out
	// scratch is room for the plans of one event.
	scratch []action

	ledger [][]entry // in pages of ledgerPage
	lines  int32
	orders uint32
	fees   int64 // millionths of a dollar that the venue has taken and not paid out
}

type token struct {
	market  *market
	outcome uint8
}

// New makes a venue at its first instant. Its history begins with the first Advance.
func New(c Config) *Venue {
	v := &Venue{
		seed: c.Seed, start: c.Start.UTC().Truncate(time.Hour).Unix(), now: -1,
		byCondition: map[string]*market{}, byToken: map[string]token{}, bySlug: map[string]*market{}, eventBySlug: map[string]*event{},
		byAddress: map[string]*wallet{}, plans: map[int32][]action{},
	}
	for k := range kinds {
		for n := range kinds[k].count {
			v.addWallet(&kinds[k], n)
		}
	}
	v.Advance(c.Start)
	return v
}

func (v *Venue) addWallet(kind *kind, number int) {
	id := int16(len(v.wallets))
	key := seeded.MixAll(v.seed, seeded.HashText("wallet"), uint64(id))
	w := &wallet{
		id: id, kind: kind, number: number, key: key, address: "0x" + v.hex("address", uint64(id), 20), holdings: map[int32]*holding{},
		stake: seeded.NewStream(key).Spread(0.5, 2) * kind.stake,
	}
	w.name = pseudonyms[key%uint64(len(pseudonyms))] + "-" + pseudonyms[(key>>20)%uint64(len(pseudonyms))]
	v.wallets, v.byAddress[w.address] = append(v.wallets, w), w
	if kind.plan == nil {
		v.crowd = append(v.crowd, id)
	}
}

var pseudonyms = []string{"Brisk", "Copper", "Distant", "Early", "Frosted", "Gentle", "Humble", "Ivory", "Jolly", "Keen", "Lunar", "Mellow"}

// Advance lets everything happen that happens up to now. A time that is not later changes nothing.
func (v *Venue) Advance(now time.Time) {
	elapsed := now.Unix() - v.start
	if elapsed <= int64(v.now) || elapsed < 0 {
		return
	}
	v.now = int32(min(elapsed, 1<<30))
	for today := v.now / daySeconds; v.doing <= today; {
		for ; v.day <= v.doing; v.day++ {
			v.planDay(v.day)
		}
		list := v.plans[v.doing]
		if v.done == 0 {
			slices.SortFunc(list, func(a, b action) int {
				return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.event.index, b.event.index), cmp.Compare(a.number, b.number))
			})
		}
		for ; v.done < len(list) && list[v.done].at <= v.now; v.done++ {
			v.do(&list[v.done])
		}
		if v.doing == today {
			return
		}
		delete(v.plans, v.doing)
		v.doing, v.done = v.doing+1, 0
	}
}

// eventsPerTwoDays is how many events open in two days.
const eventsPerTwoDays = 3

// planDay opens a day's events and plans all that anybody is going to do in them.
func (v *Venue) planDay(day int32) {
	for index := day * eventsPerTwoDays / 2; index < (day+1)*eventsPerTwoDays/2; index++ {
		p := planner{v: v, e: v.openEvent(index, day), actions: v.scratch[:0]}
		p.planAll()
		slices.SortFunc(p.actions, func(a, b action) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.number, b.number)) })
		for i := 0; i < len(p.actions); {
			day, from := p.actions[i].at/daySeconds, i
			for i < len(p.actions) && p.actions[i].at/daySeconds == day {
				i++
			}
			v.plans[day] = append(v.plans[day], p.actions[from:i]...)
		}
		v.scratch = p.actions
	}
}

func (v *Venue) listMarkets(e *event) {
	v.events, v.eventBySlug[e.slug] = append(v.events, e), e
	for _, m := range e.markets {
		v.markets = append(v.markets, m)
		v.byCondition[m.condition], v.bySlug[m.slug] = m, m
		for outcome, id := range m.tokens {
			v.byToken[id] = token{m, uint8(outcome)}
		}
	}
}

func (v *Venue) time(at int32) time.Time { return time.Unix(v.start+int64(at), 0).UTC() }

func (v *Venue) unix(at int32) int64 { return v.start + int64(at) }

// wallet looks an address up, in whatever case; nil when the venue does not know it.
func (v *Venue) wallet(address string) *wallet {
	w := v.byAddress[strings.ToLower(address)]
	if w == nil || len(w.entries) == 0 {
		return nil
	}
	return w
}

// isOpen reports whether an event has been listed by now.
func (v *Venue) isOpen(e *event) bool { return e.open <= v.now }

func (v *Venue) isClosed(e *event) bool { return e.closed <= v.now }

// marketOf looks a condition up among the markets that are listed by now.
func (v *Venue) marketOf(condition string) *market {
	if m := v.byCondition[strings.ToLower(condition)]; m != nil && v.isOpen(m.event) {
		return m
	}
	return nil
}

func (v *Venue) tokenOf(id string) (token, bool) {
	t, known := v.byToken[id]
	return t, known && v.isOpen(t.market.event)
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

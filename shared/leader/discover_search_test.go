package leader_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
	"github.com/mirrorworthy/mirrorworthy/shared/launchrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Days of launches, a fifth of which rose: in the older half of the window and in the newer one.
var (
	olderDay = today.Truncate(day).AddDate(0, 0, -120)
	newerDay = today.Truncate(day).AddDate(0, 0, -30)
)

const launchesOfADay = 60

// developer made a launch and put its liquidity in.
func developer(launch int) chain.Address { return account(50_000 + launch) }

// history is a store with examined launches, sixty in either half.
type history struct {
	world  *world
	memory leader.Memory
	early  [2 * launchesOfADay][]chain.Address
}

func rose(launch int) bool { return launch%5 == 0 }

func tokenOf(launch int) chain.Address { return account(70_000 + launch) }

func launchedAt(launch int) time.Time {
	of := olderDay
	if launch >= launchesOfADay {
		of = newerDay
	}
	return of.Add(time.Duration(launch%launchesOfADay) * 20 * time.Minute)
}

// crowded is a history in which sixty wallets without skill are early in four launches of ten.
func crowded(t *testing.T) *history {
	h := &history{world: newWorld(), memory: memoryFor(t)}
	for i := range h.early {
		for j := range 24 {
			h.early[i] = append(h.early[i], account(1_000+(7*i+j*(i%3*2+1))%60))
		}
	}
	return h
}

// buy makes a wallet early in launches of the older and of the newer half, so many that rose and so many that did not.
func (h *history) buy(wallet chain.Address, olderRose, olderFell, newerRose, newerFell int) {
	for half, counts := range [2][2]int{{olderFell, olderRose}, {newerFell, newerRose}} {
		for i := range launchesOfADay {
			launch := half*launchesOfADay + i
			which := 0
			if rose(launch) {
				which = 1
			}
			if counts[which] > 0 {
				counts[which]--
				h.early[launch] = append(h.early[launch], wallet)
			}
		}
	}
}

// keep writes the launches with their outcomes down.
func (h *history) keep(t *testing.T) {
	t.Helper()
	of := make(map[time.Time][]store.Launch)
	for i := range h.early {
		at := launchedAt(i)
		of[at.Truncate(day)] = append(of[at.Truncate(day)], store.Launch{Chain: "base", Token: tokenOf(i).String(), At: at, Data: []byte(`{"pools":[]}`)})
	}
	for begin := today.Truncate(day).AddDate(0, 0, -8-24*7); !begin.After(today); begin = begin.Add(day) {
		if launches := of[begin]; launches != nil {
			if err := h.memory.Launches.Register(t.Context(), "base", begin, launches, begin.Add(8*day)); err != nil {
				t.Fatal(err)
			}
		}
	}
	group := parallel.NewGroup()
	for i := range h.early {
		o := launchrecord.Outcome{
			Status: launchrecord.Eligible, LiquidityUSD: 20_000, ReferencePrice: 1, ReferenceAt: launchedAt(i).Add(time.Hour),
			Team: []chain.Address{developer(i)},
		}
		if rose(i) {
			o.Rose, o.Peak, o.PeakAt = true, 6, launchedAt(i).Add(2*time.Hour)
		}
		early := slices.Clone(h.early[i])
		slices.SortFunc(early, chain.Address.Compare)
		o.Early = early[:min(len(early), 50)]
		data, err := launchrecord.Encode(o)
		if err != nil {
			t.Fatal(err)
		}
		group.Go(func() error {
			return h.memory.Launches.Examine(t.Context(), store.Launch{
				Chain: "base", Token: tokenOf(i).String(), At: launchedAt(i), Data: []byte("{}"), ExaminedAt: today.AddDate(0, 0, -1), Outcome: data,
			})
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
}

// search concludes a pass and returns the findings by EarlyBuyer.
func (h *history) search(t *testing.T, at time.Time) (map[chain.Address]finding, error) {
	t.Helper()
	spread := leader.DiscoverLeaders(h.memory, h.world.onlyLaunches(), []*chain.Chain{base})
	report, err := spread.Conclude(t.Context(), at.Add(time.Hour), store.Pass{ID: "1", At: at})
	if err != nil || len(report) != 1 || report[0].Name != "search/base" {
		t.Fatalf("%+v %v", report, err)
	}
	found := make(map[chain.Address]finding)
	for _, l := range leadersOf(t, h.memory, onBase) {
		for _, f := range l.Findings {
			if f.Source != leader.EarlyBuyer {
				continue
			}
			one := finding{at: f.At}
			if err := json.Unmarshal(f.Data, &one); err != nil || one.Wallet.String() != l.Address {
				t.Fatalf("%s %v", f.Data, err)
			}
			found[one.Wallet] = one
		}
	}
	return found, report.Failed()
}

// finding is what is kept of an early buyer.
type finding struct {
	discovery.Finding
	StoodOutAt, CheckedAt time.Time
	Funders               []chain.Address
	at                    time.Time
}

// gift is a transfer of ether to a wallet, so long before it first bought.
func gift(from, to chain.Address, at time.Time, ether float64) market.Transaction {
	return market.Transaction{
		Time: at, Sender: from, Target: to, Movements: []market.Movement{{Token: chain.Native, Counterparty: from, Amount: raw(ether), In: true}},
	}
}

func (h *history) transactions(wallet chain.Address, all ...market.Transaction) *market.Activity {
	a := h.world.activities[wallet]
	if a == nil {
		a = &market.Activity{Accounts: map[chain.Address]market.Account{}}
		h.world.activities[wallet] = a
	}
	a.Transactions = append(a.Transactions, all...)
	return a
}

func TestASearchKeepsWhomNothingSpeaksAgainst(t *testing.T) {
	h := crowded(t)
	skilled := func(n int) chain.Address {
		h.buy(account(n), 8, 2, 6, 2)
		return account(n)
	}
	first := launchedAt(0)
	good, contract, delegated := skilled(1), skilled(2), skilled(3)
	h.world.contracts[contract] = market.Code{}
	h.world.contracts[delegated] = market.Code{Delegate: account(99)}

	insider, friend, gifted, dusted := skilled(4), skilled(5), skilled(6), skilled(7)
	h.transactions(insider, gift(developer(0), insider, first.Add(-time.Hour), 1))
	h.transactions(friend, gift(account(60), friend, first.Add(-time.Hour), 1))
	h.transactions(account(60), gift(developer(5), account(60), first.Add(-2*time.Hour), 1))                                                // launch 5 is one of the friend's
	h.transactions(gifted, gift(account(64), gifted, first.Add(-90*time.Hour), 1), gift(developer(0), gifted, first.Add(-73*time.Hour), 1)) // too long before
	h.transactions(dusted, gift(account(61), dusted, first.Add(-time.Hour), 1), gift(developer(0), dusted, first.Add(-time.Minute), 0.01))

	born := skilled(14) // its first money of all, a month before
	h.transactions(born, gift(developer(10), born, first.Add(-30*day), 1))
	exchange := skilled(8)
	h.transactions(exchange, gift(account(63), exchange, first.Add(-time.Hour), 1))
	h.transactions(account(63)).Accounts[exchange] = market.Account{Address: exchange, Kind: market.ExchangeAccount}
	h.transactions(good)
	robot := skilled(9)
	var many []market.Movement
	for i := range 101 {
		many = append(many, market.Movement{Token: account(90_000 + i), Amount: raw(1), In: true})
	}
	h.transactions(robot, market.Transaction{Time: first.Add(day), Sender: robot, Movements: many})
	member := skilled(10)
	h.world.activities[member] = h.transactions(account(999)) // nothing known of it, but:
	self := skilled(11)
	h.transactions(self, gift(self, self, first.Add(-time.Hour), 1))

	unconfirmed := account(12)
	h.buy(unconfirmed, 8, 2, 0, 8)
	lucky := account(13)
	h.buy(lucky, 3, 7, 6, 2)
	h.keep(t)

	found, err := h.search(t, today)
	if err != nil {
		t.Fatal(err)
	}
	for name, wallet := range map[string]chain.Address{
		"with nothing against it": good, "a person with delegated code": delegated, "funded long before": gifted, "sent dust": dusted,
		"of which nothing is known": member, "funded by itself": self, "not confirmed": unconfirmed,
	} {
		f, kept := found[wallet]
		if !kept || !f.Found() || f.Older.Launches != 10 || f.Older.Rose != 8 || !f.at.Equal(today) || !f.StoodOutAt.Equal(today) || !f.CheckedAt.Equal(today) {
			t.Errorf("%s: kept %v, %+v", name, kept, f)
		}
		if f.Confirmed != (wallet != unconfirmed) {
			t.Errorf("%s: confirmed %v, %+v", name, f.Confirmed, f.Newer)
		}
	}
	for name, wallet := range map[string]chain.Address{
		"a contract": contract, "an insider": insider, "an insider's friend": friend, "an insider from the beginning": born, "an exchange": exchange, "a robot": robot, "lucky later": lucky,
	} {
		if f, kept := found[wallet]; kept {
			t.Errorf("%s was kept: %+v", name, f)
		}
	}
	if len(found) != 7 {
		t.Errorf("%d kept", len(found))
	}
	if f := found[dusted]; !slices.Equal(f.Funders, []chain.Address{account(61)}) {
		t.Errorf("funders: %v", f.Funders)
	}
	// Concluding again changes nothing, and asks about nobody again.
	h.world.asked = nil
	again, err := h.search(t, today)
	if err != nil || len(again) != len(found) || again[good].Older != found[good].Older {
		t.Errorf("%d kept again, %v", len(again), err)
	}
	if asked := slices.Compact(slices.Sorted(slices.Values(h.world.questions("activity")))); slices.Contains(asked, good.String()) {
		t.Errorf("asked again about %v", asked)
	}
}

func TestTheTeamOfALaunchIsNotKept(t *testing.T) {
	h := crowded(t)
	h.buy(developer(10), 8, 2, 6, 2)
	h.buy(account(1), 8, 2, 6, 2)
	h.keep(t)
	found, err := h.search(t, today)
	if _, kept := found[developer(10)]; err != nil || kept || len(found) != 1 {
		t.Errorf("%v %v", found, err)
	}
}

func TestOneHandIsKeptOnce(t *testing.T) {
	h := crowded(t)
	purse, first := account(60), launchedAt(0)
	for i := range 3 {
		h.buy(account(1+i), 8, 2, 6, 2)
		h.transactions(account(1+i), gift(purse, account(1+i), first.Add(-time.Hour), 1))
	}
	for i := range 2 { // the same launches, money from an exchange that serves many
		h.buy(account(4+i), 8, 2, 6, 2)
		h.transactions(account(4+i), gift(account(62), account(4+i), first.Add(-time.Hour), 1)).Accounts[account(62)] =
			market.Account{Address: account(62), Kind: market.ExchangeAccount}
	}
	h.keep(t)
	found, err := h.search(t, today)
	if err != nil || len(found) != 3 {
		t.Fatalf("%v %v", found, err)
	}
	if f := found[account(1)]; !slices.Equal(f.Siblings, []chain.Address{account(2), account(3)}) {
		t.Errorf("siblings: %v", f.Siblings)
	}
	if f := found[account(4)]; len(f.Siblings) > 0 {
		t.Errorf("siblings: %v", f.Siblings)
	}
}

func TestWhoCannotBeLookedIntoIsLeftOutForNow(t *testing.T) {
	h := crowded(t)
	h.buy(account(1), 8, 2, 6, 2)
	h.buy(account(2), 8, 2, 6, 2)
	h.keep(t)
	h.world.down["activity"] = true
	if found, err := h.search(t, today); err == nil || len(found) > 0 {
		t.Errorf("nobody could be asked about: %v %v", found, err)
	}
	delete(h.world.down, "activity")
	h.world.down[account(1).String()] = true
	found, err := h.search(t, today)
	if _, kept := found[account(2)]; err != nil || !kept || len(found) != 1 {
		t.Errorf("%v %v", found, err)
	}
	delete(h.world.down, account(1).String())
	if found, err = h.search(t, today.Add(time.Hour)); err != nil || len(found) != 2 {
		t.Errorf("%v %v", found, err)
	}
}

func TestAFindingIsRenewedAndItsMoneyLookedIntoAgainAfterAWeek(t *testing.T) {
	h := crowded(t)
	w := account(1)
	h.buy(w, 8, 2, 6, 2)
	h.keep(t)
	if found, err := h.search(t, today); err != nil || !found[w].Found() {
		t.Fatalf("%v %v", found, err)
	}
	later := today.Add(29 * day)
	h.world.asked = nil
	found, err := h.search(t, later)
	if err != nil || !found[w].at.Equal(later) || !found[w].StoodOutAt.Equal(later) {
		t.Errorf("%+v %v", found[w], err)
	}
	if asked := h.world.questions("activity"); !slices.Equal(asked, []string{w.String()}) {
		t.Errorf("what its money told does not hold for so long: %v", asked)
	}
}

func TestLuckOfAnEarlierMonthIsToldAsWhatIsLeftOfIt(t *testing.T) {
	h := crowded(t)
	w := account(1)
	h.buy(w, 8, 2, 1, 9)
	h.keep(t)
	if found, err := h.search(t, today); err != nil || !found[w].Found() || found[w].Confirmed {
		t.Fatalf("%v %v", found[w], err)
	}
	// Sixty-three days later the older launches have left the window, and by the newer ones it does not stand out.
	later := today.Add(63 * day)
	if found, err := h.search(t, later); err != nil || !found[w].at.Equal(today) {
		t.Errorf("told although it is long ago: %+v %v", found[w], err)
	}
	h = crowded(t)
	h.buy(w, 8, 2, 1, 9)
	h.keep(t)
	if _, err := h.search(t, today.Add(49*day)); err != nil {
		t.Fatal(err)
	}
	found, err := h.search(t, later)
	if f := found[w]; err != nil || !f.at.Equal(later) || !f.StoodOutAt.Equal(today.Add(49*day)) || f.Found() || f.Older.Launches != 10 || f.Older.Rose != 1 {
		t.Errorf("%+v %v", f, err)
	}
}

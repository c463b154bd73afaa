package leader

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/launchrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// fairground is a small market with something to do for each of the jobs: two wallets to be found among the first buyers of launches,
// two among those who bought lately, an account on a venue's leaderboard, launches to be listed and examined, entries to be followed.
type fairground struct {
	*scene
	venue  perpVenueOf
	listed []market.ListedToken
	bought []market.TokenTrade
	made   []market.PoolLaunch
	perps  []market.PerpLeader
	// open are the days of launches on which something is left to do when the jobs run first: one to be settled, and the opening's own.
	open []time.Time
	// past are the launches of days that are settled.
	past map[time.Time][]store.Launch
}

// act is what follows a schedule that fires.
type act struct {
	at      time.Time
	job, id string
}

// acts are when the jobs run, by which schedule, with all that follows: at the opening; two hours later, when there are entries to follow
// and a grade that changes; a week later, when the entries are due.
var acts = []act{
	{opening, discoverJob, "first"},
	{opening.Add(2 * time.Hour), discoverJob, "second"},
	{opening.Add(8 * aDay), gradeJob, "third"},
}

const discoverJob = "discover-leaders"

func newFairground() *fairground {
	f := &fairground{scene: newMarket(), past: make(map[time.Time][]store.Launch)}
	f.remember()
	today := opening.Truncate(aDay)
	// Early buyers: a past, and entries after the opening.
	for n := 1; n <= 2; n++ {
		f.trades(walletNumber(n), 3+n)
		for i := range 3 - n {
			at := opening.Add(time.Duration(40+10*i) * time.Minute)
			f.trade(walletNumber(n), 10*n+i, at, 0.5)
			f.price(fmt.Sprint("pool-", 10*n+i), at, 1.25)
			f.price(fmt.Sprint("pool-", 10*n+i), at.Add(7*aDay), 1.5+float64(n))
		}
	}
	// An active buyer that is unrated at the opening and not two hours later, and one that stays unrated.
	f.trades(walletNumber(3), 2)
	f.trade(walletNumber(3), 150, opening.Add(-aDay), 0.5)
	f.trade(walletNumber(3), 150, opening.Add(time.Hour), -0.9)
	f.trades(walletNumber(4), 1)
	token := coin(100)
	f.listed = []market.ListedToken{{Token: token, Pool: market.Pool{ID: "pool-100", Token: token, VolumeUSD24h: 5_000}}}
	for n := 3; n <= 4; n++ {
		f.bought = append(f.bought, market.TokenTrade{Trader: walletNumber(n), Buy: true, Time: opening.Add(-time.Duration(n) * time.Hour)})
	}
	f.perps = []market.PerpLeader{{Account: walletNumber(5), Windows: map[market.LeaderboardWindow]market.VenueFigures{market.DayWindow: {PnLUSD: 900, VolumeUSD: 9_000, Return: 0.1}}}}
	for i := range 4 {
		f.venue.trade(fmt.Sprint("C", i), opening.Add(-time.Duration(20-i)*aDay), 103+float64(i))
	}
	f.open = []time.Time{today.Add(-8 * aDay), today}
	for i, at := range []time.Time{f.open[0].Add(time.Hour), f.open[0].Add(2 * time.Hour), today.Add(3 * time.Hour)} {
		f.made = append(f.made, market.PoolLaunch{
			Token: coin(500 + i), Pool: fmt.Sprint("launched-", i), Version: "v2", Quote: f.on.WrappedNative.Address, Block: uint64(1_000 + i), Time: at,
		})
	}
	return f
}

// settled tells whether nothing is left to do on a day of launches. There are hundreds of those, all alike and never written again: they
// are in no store, and to read one is no step.
func (f *fairground) settled(day time.Time) bool {
	return !day.After(opening) && !slices.Contains(f.open, day)
}

func (f *fairground) launched(r market.LaunchesRequest) []market.PoolLaunch {
	return slices.DeleteFunc(slices.Clone(f.made), func(l market.PoolLaunch) bool { return l.Time.Before(r.From) || !l.Time.Before(r.To) })
}

// historyOf is a pool in which twenty accounts buy and nothing else happens.
func historyOf(l market.PoolLaunch) *market.PoolHistory {
	maker := walletNumber(900)
	h := &market.PoolHistory{Supply: 1e9, MintedAt: l.Time.Add(-time.Hour), MintedTo: maker, Until: l.Time.Add(7 * aDay)}
	h.Changes = []market.LiquidityChange{{Block: l.Block, Time: l.Time, Provider: maker, Quote: 10, Tokens: 1e6, QuoteReserve: 10}}
	for i := range 20 {
		h.Swaps = append(h.Swaps, market.PoolSwap{
			Block: l.Block + 100 + uint64(i), Time: l.Time.Add(time.Duration(i+5) * time.Minute), Trader: walletNumber(600 + i), Buy: true, Tokens: 5_000, Quote: 0.05,
			QuoteReserve: 10 + 0.05*float64(i+1),
		})
	}
	return h
}

// remember makes the launches of two settled days, one in either half of what is searched, among whose first buyers are two wallets that
// always were when the token rose.
func (f *fairground) remember() {
	const ofADay = 20
	from, to := searched(opening)
	for d, of := range []time.Time{from.AddDate(0, 0, 20), to.AddDate(0, 0, -20)} {
		for i := range ofADay {
			at := of.Add(time.Duration(i) * time.Hour)
			outcome := launchrecord.Outcome{Status: launchrecord.Eligible, LiquidityUSD: 20_000, ReferencePrice: 1, ReferenceAt: at.Add(time.Hour)}
			if outcome.Rose = i%5 == 0; outcome.Rose {
				outcome.Peak, outcome.PeakAt, outcome.Early = 6, at.Add(2*time.Hour), []chain.Address{walletNumber(1), walletNumber(2)}
			}
			encoded, err := launchrecord.Encode(outcome)
			if err != nil {
				panic(err)
			}
			f.past[of] = append(f.past[of], store.Launch{
				Chain: "base", Token: coin(1_000 + ofADay*d + i).String(), At: at, Data: []byte(`{"pools":[]}`), ExaminedAt: opening.Add(-aDay), Outcome: encoded,
			})
		}
	}
}

// prepare writes what is known before the opening of the day that is to be settled: its launches, not yet examined.
func (f *fairground) prepare(ctx context.Context, launches store.Launches) error {
	var all []store.Launch
	for _, l := range f.made[:2] {
		data := fmt.Sprintf(`{"pools":[{"pool":%q,"version":"v2","quote":%q,"block":%d,"at":%q}]}`, l.Pool, l.Quote, l.Block, l.Time.Format(time.RFC3339))
		all = append(all, store.Launch{Chain: "base", Token: l.Token.String(), At: l.Time, Data: []byte(data)})
	}
	return launches.Register(ctx, "base", f.open[0], all, f.open[0].Add(aDay))
}

// groups are those of the leaders that can be found.
func (f *fairground) groups() []store.Group {
	return []store.Group{f.group(), {Kind: Perp, Place: PerpVenue}}
}

// inventory is all that the jobs left in a store, but for what their passes counted: a part that is done again counts what was left of
// it.
func (f *fairground) inventory(ctx context.Context, kept engine) (string, error) {
	var text strings.Builder
	tell := func(format string, values ...any) { fmt.Fprintf(&text, format+"\n", values...) }
	var failed error
	for _, name := range []string{discoverJob, gradeJob, resolveJob} {
		pass, err := kept.Passes().Latest(ctx, name)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			failed = err
		}
		tell("pass %s of %s at %v: %d parts, done %v, finished %v: %s", pass.ID, name, pass.At, pass.Parts, pass.Done, pass.FinishedAt, pass.Data)
	}
	for _, group := range f.groups() {
		leaders, err := kept.Leaders().List(ctx, group, "", "", 100)
		failed = errors.Join(failed, err)
		for _, l := range leaders {
			tell("leader %s of %v since %v, graded at %v in %s: %s %s %s", l.Address, l.Group, l.FoundAt, l.Grading.At, l.Grading.Pass, l.Grading.Grade, l.Grading.Verdict, l.Grading.Data)
			for _, finding := range l.Findings {
				tell("  found by %s at %v: %s", finding.Source, finding.At, finding.Data)
			}
		}
	}
	for _, of := range f.open {
		launches, err := kept.Launches().OfDay(ctx, "base", of)
		known, knownErr := kept.Launches().KnownUntil(ctx, "base", of)
		failed = errors.Join(failed, err, knownErr)
		tell("launches of %v, known until %v", of, known)
		for _, l := range launches {
			tell("  %s at %v: %s, examined at %v: %s", l.Token, l.At, l.Data, l.ExaminedAt, l.Outcome)
		}
	}
	forecasts, err := kept.TrackRecords().Forecasts(ctx, spotLeaderGate, "", "", 100)
	failed = errors.Join(failed, err)
	for _, forecast := range forecasts {
		tell("forecast %+v", forecast)
		followUps, err := kept.TrackRecords().FollowUps(ctx, spotLeaderGate, forecast.Chain, forecast.Wallet, "", 100)
		failed = errors.Join(failed, err)
		for _, followUp := range followUps {
			tell("  follow-up %+v", followUp)
		}
	}
	events, err := f.said(ctx, kept)
	failed = errors.Join(failed, err)
	for _, event := range events {
		tell("event %s %s at %v: %s", event.ID, event.Type, event.At, event.Data)
	}
	for _, name := range f.boards() {
		edition, rows, err := boardIn(ctx, kept.Boards(), name)
		failed = errors.Join(failed, err)
		tell("board %s at %v: %s", name, edition.At, edition.Data)
		for _, row := range rows {
			tell("  %s", row)
		}
	}
	return text.String(), failed
}

// said are the events of the days on which the jobs run.
func (f *fairground) said(ctx context.Context, kept engine) ([]store.Event, error) {
	var all []store.Event
	for _, of := range []time.Time{opening, acts[2].at} {
		events, err := kept.Events().Said(ctx, of, time.Time{}, "", 100)
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
	}
	return all, nil
}

// boards are the names of all boards that the jobs publish here.
func (f *fairground) boards() []string {
	names := []string{trackRecordBoard(spotLeaderGate)}
	for _, board := range []string{traderBoard, spotLeaders, topTraders, strategies} {
		names = append(names, boardOf(board, nil), boardOf(board, f.on))
	}
	return names
}

// boardIn reads a board; none is empty.
func boardIn(ctx context.Context, boards store.Boards, name string) (store.Edition, []string, error) {
	edition, err := boards.Current(ctx, name)
	if errors.Is(err, store.ErrNotFound) {
		return edition, nil, nil
	}
	if err != nil {
		return edition, nil, err
	}
	read, err := boards.Rows(ctx, name, edition.At, 0, store.MaximumListed)
	rows := make([]string, len(read))
	for i := range read {
		rows[i] = string(read[i])
	}
	return edition, rows, err
}

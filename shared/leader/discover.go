package leader

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	day = 24 * time.Hour
	// searchedWeeks is the window of launches in which early buyers are searched for.
	searchedWeeks = 24
	// atOnce is how many askings of one part run side by side.
	atOnce = 8
	// spare is what is left of a part's time when it stops for the next pass to go on.
	spare = 20 * time.Second
)

// discoverer is the job that finds leaders.
type discoverer struct {
	memory  Memory
	sources market.Sources
	chains  []*chain.Chain
}

// DiscoverLeaders finds traders that are worth grading.
//
// A part is a chain's UTC day: its launches are listed while it lasts, and each is examined once its first week is over. At most 200
// launches of a chain's day are kept, those whose tokens have the smallest hashes: a choice that knows nothing of what became of them.
// Days that are settled are not touched again. Other parts look for the buyers of a chain's most traded tokens, and read the venues' own
// leaderboards.
//
// A pass ends with a search of each chain's launches of 24 weeks for wallets that were early in risers more often than chance gives,
// whose money is looked into before they are kept. The items of its reports are launches that were judged and traders that were found.
func DiscoverLeaders(memory Memory, sources market.Sources, chains []*chain.Chain) job.Spread {
	d := &discoverer{memory, sources, chains}
	return job.Spread{
		Name: "discover-leaders", Counts: "discovered", Gap: 50 * time.Minute, Plan: d.plan, Part: d.part, Conclude: d.conclude, Then: []string{gradeJob},
	}
}

// What parts are of, before the slash of their names in the plan. After it comes the chain, and the day of launches.
const (
	launchPart     = "launches"
	activePart     = "active"
	perpPart       = "perps"
	predictionPart = "predictions"
)

// plan lists the parts by name.
func (d *discoverer) plan(ctx context.Context, at time.Time) (job.Plan, error) {
	var names []string
	for _, on := range d.chains {
		days, err := d.openDays(ctx, at, on)
		if err != nil {
			return job.Plan{}, err
		}
		for _, of := range days {
			names = append(names, strings.Join([]string{launchPart, string(on.Slug), of.Format(time.DateOnly)}, "/"))
		}
		if d.sources.Has(market.ListingFacts) && d.sources.Has(market.TradeFacts) && d.sources.Has(market.CodeFacts) {
			names = append(names, activePart+"/"+string(on.Slug))
		}
	}
	if d.sources.Has(market.PerpLeaderboardFacts) {
		names = append(names, perpPart)
	}
	if d.sources.Has(market.PredictionLeaderboardFacts) {
		names = append(names, predictionPart)
	}
	data, err := json.Marshal(names)
	return job.Plan{Parts: len(names), Data: data}, err
}

// openDays lists the days of the window, and those since, in which something is left to do.
func (d *discoverer) openDays(ctx context.Context, at time.Time, on *chain.Chain) ([]time.Time, error) {
	if !d.sources.Has(market.LaunchFacts) || !d.sources.Has(market.PoolHistoryFacts) || !d.sources.Has(market.PriceFacts) {
		return nil, nil
	}
	first, _ := searched(at)
	known := make([]time.Time, int(at.Sub(first)/day)+1)
	group, ctx := parallel.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range known {
		group.Go(func() (err error) {
			known[i], err = d.memory.Launches.KnownUntil(ctx, string(on.Slug), first.AddDate(0, 0, i))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var open []time.Time
	for i := range known {
		if l := (launchDay{d, on, first.AddDate(0, 0, i)}); l.listable(at).After(known[i]) || l.examinable(at) && known[i].Before(l.settled()) {
			open = append(open, l.day)
		}
	}
	return open, nil
}

// searched is the window of a search: whole UTC days, the last of which is a week and more over.
func searched(at time.Time) (from, to time.Time) {
	to = at.UTC().Truncate(day).AddDate(0, 0, -8)
	return to.AddDate(0, 0, -7*searchedWeeks), to
}

// part does the part of that number in the pass's plan.
func (d *discoverer) part(ctx context.Context, at time.Time, pass store.Pass, number int) (job.Report, error) {
	var names []string
	if err := json.Unmarshal(pass.Data, &names); err != nil {
		return nil, fmt.Errorf("the plan of pass %s: %w", pass.ID, err)
	}
	if number < 0 || number >= len(names) {
		return nil, fmt.Errorf("pass %s has %d parts, not one of number %d", pass.ID, len(names), number)
	}
	of := strings.Split(names[number], "/")
	switch {
	case of[0] == perpPart && len(of) == 1:
		return reported(names[number])(d.perps(ctx, at))
	case of[0] == predictionPart && len(of) == 1:
		return reported(names[number])(d.predictions(ctx, at))
	case len(of) < 2:
		return nil, fmt.Errorf("pass %s has an unknown part %q", pass.ID, names[number])
	}
	on, supported := chain.Parse(of[1])
	if !supported {
		return nil, fmt.Errorf("pass %s has a part of an unknown chain: %q", pass.ID, names[number])
	}
	switch {
	case of[0] == activePart && len(of) == 2:
		return reported(names[number])(d.active(ctx, at, on))
	case of[0] == launchPart && len(of) == 3:
		begin, err := time.Parse(time.DateOnly, of[2])
		if err != nil {
			return nil, fmt.Errorf("pass %s has a part of an unknown day: %w", pass.ID, err)
		}
		return launchDay{d, on, begin}.work(ctx, at, names[number])
	}
	return nil, fmt.Errorf("pass %s has an unknown part %q", pass.ID, names[number])
}

// reported makes a report of how many things a part dealt with.
func reported(name string) func(items int, err error) (job.Report, error) {
	return func(items int, err error) (job.Report, error) {
		if err != nil {
			return nil, err
		}
		return job.Report{{Name: name, Items: items}}, nil
	}
}

// conclude searches each chain's launches. A chain that fails fails alone.
func (d *discoverer) conclude(ctx context.Context, _ time.Time, pass store.Pass) (job.Report, error) {
	var report job.Report
	for _, on := range d.chains {
		if !d.sources.Has(market.LaunchFacts) {
			break
		}
		found, err := d.search(ctx, pass.At, on)
		report = append(report, job.Part{Name: "search/" + string(on.Slug), Items: found, Err: err})
	}
	return report, nil
}

// budget is a context that ends a while before the caller's, so that what was done can still be written down.
func budget(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, deadline.Add(-spare))
	}
	return context.WithCancel(ctx)
}

// discovered is what a source found of one leader.
type discovered struct {
	address string
	data    []byte
}

// keepAll writes down what a source found of leaders of a group.
func (d *discoverer) keepAll(ctx context.Context, at time.Time, group store.Group, source string, all []discovered) error {
	writes, ctx := parallel.WithContext(ctx)
	writes.SetLimit(atOnce)
	for _, one := range all {
		writes.Go(func() error {
			return d.memory.Leaders.Find(ctx, group, one.address, store.Finding{Source: source, At: at, Data: one.data})
		})
	}
	return writes.Wait()
}

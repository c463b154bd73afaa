package accuracy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
	"github.com/mirrorworthy/mirrorworthy/shared/job"
	"github.com/mirrorworthy/mirrorworthy/shared/launchrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/leader"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/store/embedded"
)

// SampleLeaders measures what a first pass of discovery makes of a sample market: how launches are judged, and who is found.
func SampleLeaders(seed uint64) ([]Row, error) {
	folder, err := os.MkdirTemp("", "accuracy")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	kept, err := embedded.Open(filepath.Join(folder, "store.db"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = kept.Close() }()
	memory := leader.Memory{Leaders: kept.Leaders(), Boards: kept.Boards(), Launches: kept.Launches(), TrackRecords: kept.TrackRecords(), Peers: kept.Peers()}
	now := sampleNow()
	sample := marketAt(seed, now)
	service, err := serviceOn(sample, now)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	if err := discoverOnce(ctx, memory, service.Sources, now); err != nil {
		return nil, err
	}
	rows, err := launchRows(ctx, memory, sample, now)
	if err != nil {
		return nil, err
	}
	more, err := scoutRows(ctx, memory, sample)
	return append(rows, more...), err
}

// discoverOnce runs one pass of discovery, its parts side by side.
func discoverOnce(ctx context.Context, memory leader.Memory, sources market.Sources, at time.Time) error {
	spread := leader.DiscoverLeaders(memory, sources, chain.All())
	plan, err := spread.Plan(ctx, at)
	if err != nil {
		return err
	}
	pass := store.Pass{Job: spread.Name, ID: "first", At: at, Parts: plan.Parts, Data: plan.Data}
	group := parallel.NewGroup()
	group.SetLimit(2 * runtime.GOMAXPROCS(0))
	for i := range plan.Parts {
		group.Go(func() error {
			report, err := spread.Part(ctx, at, pass, i)
			return errors.Join(err, report.Failed())
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	var report job.Report
	if report, err = spread.Conclude(ctx, at, pass); err != nil {
		return err
	}
	return report.Failed()
}

// launchRows compares launches with the ledger.
func launchRows(ctx context.Context, memory leader.Memory, sample *samplemarket.Market, now time.Time) ([]Row, error) {
	var listed, eligible, rose, early, bystanders cases
	counted, risers := 0, 0
	outcomes := make(map[string]map[string]launchrecord.Outcome)
	for _, on := range chain.All() {
		slug := string(on.Slug)
		outcomes[slug] = make(map[string]launchrecord.Outcome)
		for day := now.Add(-sampleHistory).Truncate(24 * time.Hour); day.Before(now); day = day.AddDate(0, 0, 1) {
			all, err := memory.Launches.OfDay(ctx, slug, day)
			if err != nil {
				return nil, err
			}
			for _, l := range all {
				// A token that moves on to another pool is listed again; its launch is the first.
				if _, earlier := outcomes[slug][l.Token]; earlier || l.ExaminedAt.IsZero() {
					continue
				}
				if outcomes[slug][l.Token], err = launchrecord.Decode(l.Outcome); err != nil {
					return nil, err
				}
			}
		}
	}
	for _, truth := range sample.LaunchTruth() {
		if !truth.Settled || now.Sub(truth.LaunchedAt) > 174*24*time.Hour || now.Sub(truth.LaunchedAt) < 8*24*time.Hour {
			continue
		}
		name := truth.Chain + " " + truth.Token
		o, known := outcomes[truth.Chain][truth.Token]
		listed.count(known, func() string { return name })
		if !known {
			continue
		}
		eligible.count(truth.Eligible == (o.Status == launchrecord.Eligible), func() string { return fmt.Sprintf("%s %s is %s", truth.Kind, name, o.Status) })
		if !truth.Eligible || o.Status != launchrecord.Eligible {
			continue
		}
		counted++
		if truth.Pumped {
			risers++
		}
		rose.count(truth.Pumped == o.Rose, func() string { return fmt.Sprintf("%s %s: %.2f, want %.2f", truth.Kind, name, o.Peak, truth.Multiple) })
		for _, b := range truth.Buyers {
			wallet, err := chain.ParseAddress(b.Address)
			if err != nil {
				return nil, err
			}
			is := slices.Contains(o.Early, wallet)
			switch {
			case b.Group == "deployer" || b.Group == "bundle" || b.AtOnce || b.Gifted || !b.Early:
				bystanders.count(!is, func() string { return fmt.Sprintf("%s of %s is early: %+v", b.Address, name, b) })
			default:
				early.count(is, func() string { return fmt.Sprintf("%s of %s: %+v, %+v", b.Address, name, b, o.Excluded) })
			}
		}
	}
	return []Row{
		listed.from(1, "sample launches: listed and examined"),
		eligible.from(0.99, "sample launches: eligible as the ledger says"),
		rose.from(0.99, fmt.Sprintf("sample launches: rose as the ledger says (%d of %d did)", risers, counted)),
		early.from(0.95, "sample launches: early buyers are named"),
		bystanders.from(0.95, "sample launches: those of the launch are not"),
	}, nil
}

// scoutRows compares who was found with what was planted.
func scoutRows(ctx context.Context, memory leader.Memory, sample *samplemarket.Market) ([]Row, error) {
	truth := make(map[string]samplemarket.WalletTruth)
	for _, w := range sample.Truth().Wallets {
		truth[w.Chain+" "+w.Address] = w
	}
	found := make(map[string]bool) // kept, or named as a sibling of one that was
	var skilled cases
	kept := make(map[string]int)
	for _, on := range chain.All() {
		all, err := memory.Leaders.List(ctx, store.Group{Kind: leader.Spot, Place: string(on.Slug)}, "", "", 1000)
		if err != nil {
			return nil, err
		}
		for _, l := range all {
			for _, f := range l.Findings {
				if f.Source != leader.EarlyBuyer {
					continue
				}
				var finding discovery.Finding
				if err := json.Unmarshal(f.Data, &finding); err != nil {
					return nil, err
				}
				name := string(on.Slug) + " " + l.Address
				skilled.count(truth[name].Skilled, func() string { return truth[name].Group + " " + name })
				kept[truth[name].Group]++
				found[name] = true
				for _, sibling := range finding.Siblings {
					found[string(on.Slug)+" "+sibling.String()] = true
				}
			}
		}
	}
	var scouts, siblings cases
	for _, name := range slices.Sorted(maps.Keys(truth)) {
		switch truth[name].Group {
		case "scout", "scout-flash":
			scouts.count(found[name], func() string { return name })
		case "sibling":
			siblings.count(found[name], func() string { return name })
		}
	}
	// Three siblings have one hand, and so one line each hand at most.
	once := kept["sibling"] <= siblings.whole/3
	return []Row{
		skilled.from(0.95, "sample leaders: whoever is found has skill"),
		scouts.from(0.40, "sample leaders: scouts are found (by a dozen older launches each)"),
		{
			Name: "sample leaders: siblings are found once", Goal: "at most one of three",
			Measured: fmt.Sprintf("%d lines for %s siblings", kept["sibling"], siblings.share.String()), Pass: once && kept["sibling"] > 0,
		},
	}, nil
}

package accuracy

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"golang.org/x/sync/errgroup"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
	"github.com/mirrorworthy/mirrorworthy/shared/trader"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

// labelGoal is the precision and the recall asked of every label on the sample market.
const labelGoal = 0.90

// answered is what the accuracy of labels is measured on.
type answered struct {
	TraderScore struct {
		Verdict string `json:"verdict"`
	} `json:"traderScore"`
	WalletPnLQuality struct {
		Verdict string `json:"verdict"`
	} `json:"walletPnlQuality"`
	WalletArchetype struct {
		Archetype string `json:"archetype"`
	} `json:"walletArchetype"`
	TraderStyle struct {
		Style string `json:"style"`
		Tempo string `json:"tempo"`
	} `json:"traderStyle"`
	WalletHealth struct {
		Health string `json:"health"`
	} `json:"walletHealth"`
	WalletNetflow struct {
		Posture string `json:"posture"`
	} `json:"walletNetflow"`
}

// SampleLabels asks for every wallet of a sample market and compares the labels with what was planted: precision and recall of
// each label. A label that was not planted at all does not appear.
func SampleLabels() ([]Row, error) {
	sample, service, err := sampleService(sampleNow())
	if err != nil {
		return nil, err
	}
	handler := overviewHandler(service, service.Sources, sampleNow())
	truth := sample.Truth().Wallets
	answers := make([]answered, len(truth))
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i := range truth {
		group.Go(func() error {
			body, err := overview(handler, truth[i].Address, truth[i].Chain)
			if err != nil {
				return err
			}
			return json.Unmarshal(body, &answers[i])
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var rows []Row
	for _, kind := range labelKinds() {
		rows = append(rows, kind.rows(truth, answers)...)
	}
	lucky, err := luckyElsewhere()
	if err != nil {
		return nil, err
	}
	return append(rows, verdictRows(truth, answers, lucky)...), nil
}

// luckyMarkets is in how many markets those who pick at random are looked at: traders of one market share its luck, and 60 wallets tell
// a rate to four percentage points only.
const luckyMarkets = 4

// groupTally counts the wallets of a group, and who of them is called mirror-worthy.
type groupTally struct {
	skilled       bool
	asked, worthy int
}

func lucky(group string) bool { return group == "lucky-flipper" || group == "lucky-swing" }

// luckyElsewhere grades those who pick at random in further markets.
func luckyElsewhere() (map[string]groupTally, error) {
	tallies := make(map[string]groupTally)
	now := sampleNow()
	for other := range uint64(luckyMarkets - 1) {
		sample := marketAt(sampleSeed+1+other, now)
		service, err := serviceOn(sample, now)
		if err != nil {
			return nil, err
		}
		truth := slices.DeleteFunc(sample.Truth().Wallets, func(w samplemarket.WalletTruth) bool { return !lucky(w.Group) })
		verdicts := make([]string, len(truth))
		var group errgroup.Group
		group.SetLimit(runtime.GOMAXPROCS(0))
		for i := range truth {
			group.Go(func() error {
				on, _ := chain.Parse(truth[i].Chain)
				address, err := chain.ParseAddress(truth[i].Address)
				if err != nil {
					return err
				}
				ctx := context.Background()
				record, err := tradingrecord.Of(ctx, market.NewSession(ctx, service.Sources), on, address, now)
				if err == nil {
					verdicts[i] = wallet.ScoreOf(record, now).Verdict
				}
				return err
			})
		}
		if err := group.Wait(); err != nil {
			return nil, err
		}
		for i := range truth {
			t := tallies[truth[i].Group]
			t.asked++
			if verdicts[i] == trader.MirrorWorthy {
				t.worthy++
			}
			tallies[truth[i].Group] = t
		}
	}
	return tallies, nil
}

// The goals of the mirror-worthy verdict on the sample market: how often a group without an edge may get it, and how often a group
// with one must, once it has a record.
const (
	falseMirrorWorthy = 0.10
	trueMirrorWorthy  = 0.50
	recordLength      = 30
)

// verdictRows measures who is called mirror-worthy, group by group: traders that pick at random, lose, hide losses or wash must
// not be, those that pick winners must. Who holds for weeks at random is left out: the sample market rises, and they with it.
// Elsewhere are wallets of further markets.
func verdictRows(truth []samplemarket.WalletTruth, answers []answered, elsewhere map[string]groupTally) []Row {
	groups := make(map[string]*groupTally)
	var names []string
	for i := range truth {
		w := &truth[i]
		planted := w.Skilled || w.Wash || w.Group == "lucky-few" || lucky(w.Group) || strings.HasPrefix(w.Group, "losing") || w.Group == "loss-hider"
		if !planted || (w.Skilled && w.Closed < recordLength) {
			continue
		}
		if groups[w.Group] == nil {
			there := elsewhere[w.Group]
			groups[w.Group] = &groupTally{skilled: w.Skilled, asked: there.asked, worthy: there.worthy}
			names = append(names, w.Group)
		}
		groups[w.Group].asked++
		if answers[i].TraderScore.Verdict == "mirror-worthy" {
			groups[w.Group].worthy++
		}
	}
	slices.Sort(names)
	var rows []Row
	for _, name := range names {
		g := groups[name]
		share := float64(g.worthy) / float64(g.asked)
		row := Row{
			Name: "sample market: mirror-worthy " + name, Goal: fmt.Sprintf("at most %.2f", falseMirrorWorthy),
			Measured: fmt.Sprintf("%.3f of %d", share, g.asked), Pass: share <= falseMirrorWorthy,
		}
		if g.skilled {
			row.Goal, row.Pass = fmt.Sprintf("at least %.2f with %d closed positions", trueMirrorWorthy, recordLength), share >= trueMirrorWorthy
		}
		rows = append(rows, row)
	}
	return rows
}

// labelKind is one family of labels: what was planted and what was answered. An empty planted label means that it was not
// decided, and the wallet does not count for the family.
type labelKind struct {
	name    string
	planted func(*samplemarket.WalletTruth) string
	found   func(*answered) string
}

func labelKinds() []labelKind {
	yes := func(is bool, label string) string {
		if is {
			return label
		}
		return "not-" + label
	}
	return []labelKind{
		{"archetype", func(t *samplemarket.WalletTruth) string { return t.Archetype }, func(a *answered) string { return a.WalletArchetype.Archetype }},
		{"wash", func(t *samplemarket.WalletTruth) string { return yes(t.Wash, "wash-suspected") }, func(a *answered) string { return yes(a.WalletPnLQuality.Verdict == "wash-suspected", "wash-suspected") }},
		{"style", func(t *samplemarket.WalletTruth) string { return t.HoldStyle }, func(a *answered) string { return a.TraderStyle.Style }},
		{"tempo", func(t *samplemarket.WalletTruth) string { return t.Tempo }, func(a *answered) string { return a.TraderStyle.Tempo }},
		{"posture", func(t *samplemarket.WalletTruth) string { return t.Posture }, func(a *answered) string { return a.WalletNetflow.Posture }},
		{"health", func(t *samplemarket.WalletTruth) string { return t.Health }, func(a *answered) string { return a.WalletHealth.Health }},
	}
}

func (k labelKind) rows(truth []samplemarket.WalletTruth, answers []answered) []Row {
	labels := make([]labelled, len(truth))
	for i := range truth {
		labels[i] = labelled{k.planted(&truth[i]), k.found(&answers[i])}
	}
	return labelRows("sample market: "+k.name, labels, labelGoal)
}

// labelled is a label that was planted, empty where none was, and the one that was answered.
type labelled struct{ planted, found string }

// labelRows are the precision and the recall of each label that was planted, but for those that say that something is not so.
func labelRows(name string, all []labelled, recallGoal float64) []Row {
	type tally struct {
		planted, found, both int
		mistaken             map[string]int
	}
	tallies := make(map[string]*tally)
	of := func(label string) *tally {
		if tallies[label] == nil {
			tallies[label] = &tally{mistaken: make(map[string]int)}
		}
		return tallies[label]
	}
	for _, l := range all {
		if l.planted == "" {
			continue
		}
		of(l.planted).planted++
		of(l.found).found++
		if l.planted == l.found {
			of(l.planted).both++
		} else {
			of(l.planted).mistaken[l.found]++
		}
	}
	var labels []string
	for label, t := range tallies {
		if t.planted > 0 && !strings.HasPrefix(label, "not-") {
			labels = append(labels, label)
		}
	}
	slices.Sort(labels)
	rows := make([]Row, 0, len(labels))
	for _, label := range labels {
		t := tallies[label]
		precision, recall := 1.0, float64(t.both)/float64(t.planted)
		if t.found > 0 {
			precision = float64(t.both) / float64(t.found)
		}
		rows = append(rows, Row{
			Name:     name + " " + label,
			Goal:     fmt.Sprintf("precision >= %.2f, recall >= %.2f", labelGoal, recallGoal),
			Measured: fmt.Sprintf("precision %.3f, recall %.3f of %d planted%s", precision, recall, t.planted, mostMistaken(t.mistaken)),
			Pass:     precision >= labelGoal && recall >= recallGoal,
		})
	}
	return rows
}

// mostMistaken names what a label was taken for most often.
func mostMistaken(mistaken map[string]int) string {
	if len(mistaken) == 0 {
		return ""
	}
	labels := make([]string, 0, len(mistaken))
	for label := range mistaken {
		labels = append(labels, label)
	}
	slices.SortFunc(labels, func(a, b string) int {
		return cmp.Or(cmp.Compare(mistaken[b], mistaken[a]), cmp.Compare(a, b))
	})
	return fmt.Sprintf("; %d taken for %s", mistaken[labels[0]], labels[0])
}

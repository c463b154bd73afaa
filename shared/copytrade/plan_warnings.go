package copytrade

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/copyrecord"
	"github.com/mirrorworthy/mirrorworthy/shared/copysimulation"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
	"github.com/mirrorworthy/mirrorworthy/shared/tradingrecord"
)

const (
	// softConfidence is the confidence below which a grade may well change, plentySample the sample from which on nobody needs to be told
	// how long a record is.
	softConfidence, plentySample = 0.5, 30
	// plainGap is by how much a leader's average may be above its copier's.
	plainGap = 0.10
	// plainShare is the part of what a leader has open from which on one position is most of it.
	plainShare = 0.40
	// staleDays is how long ago a leader may have closed its last position.
	staleDays = 30
	// smallOrderUSD is what a sensible order costs at least.
	smallOrderUSD = 10
	// mostNamed is how many tokens a sentence names.
	mostNamed = 3
)

// warnings are the sentences for whoever confirms the plan, what matters most to the money first.
func (d *draft) warnings() []string {
	var all []string
	add := func(template string, values ...any) { all = append(all, fmt.Sprintf(template, values...)) }
	d.warnOfMoney(add)
	d.warnOfRecord(add)
	d.warnOfCopies(add)
	d.warnOfTokens(add)
	d.warnOfCoverage(add)
	add("Whoever copies can lose all that is put in; what a leader gained says little for certain about what it gains next.")
	return all
}

type warn func(template string, values ...any)

func (d *draft) warnOfMoney(add warn) {
	switch {
	case d.capital == 0:
	case math.IsNaN(d.investableUSD):
		add("The price of a coin that this wallet holds could not be had, so the amount in USD is not known, nor how much running copies leave.")
	case d.investableUSD == 0:
		add("This wallet holds no dollar coins and no %s on %s to copy with.", d.chain.NativeSymbol, d.chain.Slug)
	case d.position*d.investableUSD < smallOrderUSD:
		add("This wallet holds so little on %s that fees would take much of each copy.", d.chain.Slug)
	}
	if d.committedUSD > 0 && d.binding.name == limitTogether {
		add("Your %s may already have much of this wallet's money at stake; all copies together should not have more than %s.",
			display.Count(len(d.running), "running copy"), display.PercentText(mostTogether))
	}
	if slices.ContainsFunc(d.running, func(c RunningCopy) bool { return c.Leader == d.record.Wallet }) {
		add("You copy this leader already; the plan is for a further copy.")
	}
}

func (d *draft) warnOfRecord(add warn) {
	n := d.rating.SampleSize
	switch {
	case d.trial && d.capital > 0:
		add("This leader's record is %s long, with %s simulated; treat the size as a trial.",
			display.Count(n, "trade"), display.Count(d.result.Counted, "copy"))
	case n < plentySample && d.rating.Confidence < softConfidence:
		add("This leader's record is %s long, and its grade may still change.", display.Count(n, "trade"))
	}
	if days := d.record.Measures.DaysSinceLastClose; days > staleDays {
		add("The leader last closed a position %s ago.", display.Count(int(days), "day"))
	}
	leader, copier := d.record.Measures.MeanReturn, d.copierMean()
	if d.result.Counted >= copysimulation.MinimumTrades && leader-copier > plainGap {
		add("The leader's own trades returned %s on average, a delayed copier's %s: part of its gain is in timing that cannot be copied.",
			display.PercentText(leader), display.PercentText(copier))
	}
	if m := d.record.Measures; m.OpenLosing > 0 {
		add("%s of the leader's would bring less than they cost, by %s together; such losses are not in its record yet.",
			display.Count(m.OpenLosing, "open position"), display.PercentText(-m.OpenLosingReturn))
	}
}

// copierMean is the copier's average as the leader's is told: no result counts for more than +300 %.
func (d *draft) copierMean() float64 {
	sum, n := 0.0, 0.0
	for i := range d.result.Trades {
		if net := d.result.Trades[i].Net; !math.IsNaN(net) {
			sum += min(net, 3)
			n++
		}
	}
	return sum / n
}

// warnOfCopies tells of running copies that hold the same tokens as the leader.
func (d *draft) warnOfCopies(add warn) {
	mine := openTokens(d.record.Record)
	copies := 0
	shared := make(map[chain.Address]bool)
	for _, record := range d.compared {
		if record == nil || record.Wallet == d.record.Wallet {
			continue
		}
		same := false
		for token := range openTokens(record) {
			if mine[token] {
				same, shared[token] = true, true
			}
		}
		if same {
			copies++
		}
	}
	if copies > 0 {
		verb := "holds"
		if copies > 1 {
			verb = "hold"
		}
		add("%s of your running copies %s the same tokens: %s.", numberWord(copies), verb, d.names(sortedTokens(shared)))
	}
	if left := d.coverage().CopiesUncompared; left > 0 {
		add("%s not compared with this leader.", wasOrWere(left, "running copy"))
	}
}

func (d *draft) warnOfTokens(add warn) {
	if d.shallow {
		add("The markets of the leader's tokens are shallow: they limit each position to %s of this wallet's money, and there may be more money in the plan than they take.",
			percentText(d.position))
	}
	open, largest := 0.0, 0.0
	var top chain.Address
	count := 0
	for i := range d.record.Book.Positions {
		p := &d.record.Book.Positions[i]
		if p.Status != position.Open || !(p.RecoverableUSD > 0) {
			continue
		}
		count++
		open += p.RecoverableUSD
		if p.RecoverableUSD > largest {
			largest, top = p.RecoverableUSD, p.Token
		}
	}
	if count > 1 && largest > plainShare*open {
		add("%s of what the leader has open is in %s.", display.PercentText(largest/open), d.symbol(top))
	}
	var unknown []chain.Address
	late := 0
	for i := range d.tokens {
		if t := &d.tokens[i]; !t.known() {
			unknown = append(unknown, t.token)
			if t.late {
				late++
			}
		}
	}
	if len(unknown) > 0 {
		text := fmt.Sprintf("The risk of %s of the leader's could not be told: %s", display.Count(len(unknown), "token"), d.names(unknown))
		if late > 0 {
			text += fmt.Sprintf(" (for want of time: %d)", late)
		}
		add("%s.", text)
	}
	if d.beyond > 0 {
		add("The risk of the %d tokens that the leader traded last was looked at; %s that it holds or held lately was not.",
			len(d.tokens), display.Count(d.beyond, "further token"))
	}
}

func (d *draft) warnOfCoverage(add warn) {
	if l := d.record.Book.Ledger; l.Truncated {
		add("Only the last %s of the leader's history were read.", display.DurationText(d.asOf.Sub(l.Since)))
	}
	if d.record.Unreached > 0 {
		add("The prices of %s of the leader's could not be looked up this time and are left out.", display.Count(d.record.Unreached, "token"))
	}
	if d.record.Beyond > 0 {
		add("Copies were simulated of the %d tokens that the leader entered last; %s left out.",
			copyrecord.MaximumTokens, wasOrWere(d.record.Beyond, "earlier one"))
	}
}

// openTokens are the tokens that a wallet has open positions in.
func openTokens(record *tradingrecord.Record) map[chain.Address]bool {
	tokens := make(map[chain.Address]bool)
	for i := range record.Book.Positions {
		if p := &record.Book.Positions[i]; p.Status == position.Open {
			tokens[p.Token] = true
		}
	}
	return tokens
}

func sortedTokens(set map[chain.Address]bool) []chain.Address {
	tokens := make([]chain.Address, 0, len(set))
	for token := range set {
		tokens = append(tokens, token)
	}
	slices.SortFunc(tokens, chain.Address.Compare)
	return tokens
}

// names lists the symbols of a few tokens, and how many more there are.
func (d *draft) names(tokens []chain.Address) string {
	named := make([]string, 0, mostNamed)
	for _, token := range tokens[:min(len(tokens), mostNamed)] {
		named = append(named, d.symbol(token))
	}
	text := strings.Join(named, ", ")
	if more := len(tokens) - len(named); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// numberWord begins a sentence with a number.
func numberWord(n int) string {
	words := []string{"None", "One", "Two", "Three", "Four", "Five"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprint(n)
}

func wasOrWere(n int, noun string) string {
	if n == 1 {
		return display.Count(n, noun) + " was"
	}
	return display.Count(n, noun) + " were"
}

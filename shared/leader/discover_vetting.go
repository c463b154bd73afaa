package leader

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/discovery"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
)

const (
	// fundedWithin is how long before a purchase money counts as given for it.
	fundedWithin = 72 * time.Hour
	// leastFunding is the part of all that a wallet had got of an asset by then which a funder must have given. Dust binds nobody.
	leastFunding = 0.1
	// funderSteps is how many of a wallet's funders are themselves asked where their money came from.
	funderSteps = 2
	// mostTokensADay is how many tokens a person buys on a UTC day at most.
	mostTokensADay = 100
)

// vet looks into wallets that a search named: it leaves out contracts, accounts that are publicly known to be an exchange, a router or
// the like, those who buy everything, and those with money from somebody who had a part in a launch that they were early in. Of wallets
// that share a source of money and buy the same launches it keeps one. A wallet that cannot be looked into now is left out for now; when
// none can, that is an error.
func (d *discoverer) vet(
	ctx context.Context, at time.Time, on *chain.Chain, s *chainSearch, named []discovery.Finding, before map[chain.Address]earlyFinding,
) ([]earlyFinding, error) {
	var mu sync.Mutex
	passed := make(map[chain.Address]earlyFinding)
	failures, failed := 0, error(nil)
	group := parallel.NewGroup()
	group.SetLimit(atOnce)
	for _, finding := range named {
		if f, known := before[finding.Wallet]; known && at.Sub(f.CheckedAt) < checkLife && !newTokens(f.Tokens, finding.Tokens) {
			f.Finding, f.StoodOutAt = finding, at
			mu.Lock() // others are being looked into already
			passed[f.Wallet] = f
			mu.Unlock()
			continue
		}
		group.Go(func() error {
			l, err := d.look(ctx, at, on, s, finding)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failures++
				failed = err
				return nil
			}
			if l.passed {
				passed[finding.Wallet] = earlyFinding{Finding: finding, StoodOutAt: at, CheckedAt: at, Funders: l.funders}
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil { // a panic
		return nil, err
	}
	if failures > 0 && failures == len(named) {
		return nil, fmt.Errorf("none of %d wallets could be looked into, for example: %w", failures, failed)
	}
	var findings []discovery.Finding
	for _, f := range passed {
		findings = append(findings, f.Finding)
	}
	linked := func(a, b chain.Address) bool {
		x, y := passed[a].Funders, passed[b].Funders
		return slices.Contains(x, b) || slices.Contains(y, a) || slices.ContainsFunc(x, func(f chain.Address) bool { return slices.Contains(y, f) })
	}
	kept := []earlyFinding{}
	for _, finding := range discovery.OneOfEachHand(findings, linked) {
		f := passed[finding.Wallet]
		f.Finding = finding
		kept = append(kept, f)
	}
	return kept, nil
}

// newTokens tells whether a wallet was early in a launch that it was not asked about before.
func newTokens(before, now []chain.Address) bool {
	return slices.ContainsFunc(now[:min(len(now), mostTokens)], func(token chain.Address) bool { return !slices.Contains(before, token) })
}

// look is what looking into one wallet showed.
type look struct {
	passed bool
	// funders are whom its first money came from, and what it got before it first bought early, directly or through one more.
	funders []chain.Address
}

// look looks into one wallet.
func (d *discoverer) look(ctx context.Context, at time.Time, on *chain.Chain, s *chainSearch, finding discovery.Finding) (look, error) {
	wallet := finding.Wallet
	code, err := d.sources.Code.Code(ctx, on, wallet)
	if err != nil {
		return look{}, err
	}
	if !code.Empty && code.Delegate.IsZero() {
		return look{}, nil
	}
	activity, err := d.sources.Activity.Activity(ctx, on, wallet)
	if err != nil {
		return look{}, err
	}
	history := activity.Until(at)
	if buysEverything(history, wallet) || serves(history, wallet) {
		return look{}, nil
	}
	l := look{passed: true}
	var first time.Time
	for _, token := range finding.Tokens {
		bought := boughtAt(history, token, s.launchedAt[token])
		given := funders(on, history, wallet, bought)
		team := s.teams[token]
		if slices.Contains(team, wallet) || slices.ContainsFunc(given, func(f chain.Address) bool { return slices.Contains(team, f) }) {
			return look{}, nil
		}
		if first.IsZero() || bought.Before(first) {
			first, l.funders = bought, given
		}
	}
	l.funders = append(l.funders, firstMoney(on, history, wallet)...)
	// One step further: whom the funders had it from. Their histories tell what the wallet is known for, too.
	for _, funder := range l.funders[:min(len(l.funders), funderSteps)] {
		theirs, err := d.sources.Activity.Activity(ctx, on, funder)
		if err != nil {
			return look{}, err
		}
		if serves(theirs, wallet) {
			return look{}, nil
		}
		given := funders(on, theirs.Until(at), funder, first)
		for _, token := range finding.Tokens {
			if slices.ContainsFunc(append(given, funder), func(f chain.Address) bool { return slices.Contains(s.teams[token], f) }) {
				return look{}, nil
			}
		}
		l.funders = append(l.funders, given...)
	}
	slices.SortFunc(l.funders, chain.Address.Compare)
	l.funders = slices.Compact(l.funders)
	return l, nil
}

// boughtAt is when a wallet first got a token, as far as its history tells; otherwise when the token came to market.
func boughtAt(history *market.Activity, token chain.Address, launchedAt time.Time) time.Time {
	for i := range history.Transactions {
		t := &history.Transactions[i]
		if !t.Failed && slices.ContainsFunc(t.Movements, func(m market.Movement) bool { return m.In && m.Token == token }) {
			return t.Time
		}
	}
	return launchedAt
}

// funders are whom a wallet got money from within fundedWithin before a time: who signed the transfers, since money can pass through a
// contract that serves everybody. Money in return for something is none, nor is what came from an exchange, a bridge and the like, which
// serve everybody too.
func funders(on *chain.Chain, history *market.Activity, wallet chain.Address, before time.Time) []chain.Address {
	got := make(map[chain.Address]float64)
	type gift struct {
		from, asset chain.Address
		amount      float64
	}
	var gifts []gift
	for i := range history.Transactions {
		t := &history.Transactions[i]
		if t.Time.After(before) {
			break
		}
		if t.Failed {
			continue
		}
		given := slices.ContainsFunc(t.Movements, func(m market.Movement) bool { return !m.In })
		for _, m := range t.Movements {
			if !m.In || !on.IsQuote(m.Token) {
				continue
			}
			amount := m.Amount.Float64()
			got[m.Token] += amount
			if given || m.Minted || t.Sender == wallet || t.Sender.IsZero() || before.Sub(t.Time) > fundedWithin ||
				serves(history, m.Counterparty) || serves(history, t.Sender) {
				continue
			}
			gifts = append(gifts, gift{t.Sender, m.Token, amount})
		}
	}
	var from []chain.Address
	for _, g := range gifts {
		if g.amount >= leastFunding*got[g.asset] && !slices.Contains(from, g.from) {
			from = append(from, g.from)
		}
	}
	return from
}

// firstMoney is whom the first money of all came from; nobody where the history does not begin with the wallet, or an exchange or the
// like sent it.
func firstMoney(on *chain.Chain, history *market.Activity, wallet chain.Address) []chain.Address {
	if history.Truncated {
		return nil
	}
	for i := range history.Transactions {
		t := &history.Transactions[i]
		for _, m := range t.Movements {
			if t.Failed || !m.In || !on.IsQuote(m.Token) {
				continue
			}
			if t.Sender == wallet || t.Sender.IsZero() || serves(history, m.Counterparty) || serves(history, t.Sender) {
				return nil
			}
			return []chain.Address{t.Sender}
		}
	}
	return nil
}

// serves tells whether an account is publicly known for serving many.
func serves(history *market.Activity, account chain.Address) bool {
	return history.Accounts[account].Kind != market.UnknownAccount
}

// buysEverything tells whether a wallet got more tokens on a UTC day, by transactions of its own, than a person chooses.
func buysEverything(history *market.Activity, wallet chain.Address) bool {
	var of time.Time
	bought := make(map[chain.Address]bool)
	for i := range history.Transactions {
		t := &history.Transactions[i]
		if t.Failed || t.Sender != wallet {
			continue
		}
		if today := t.Time.UTC().Truncate(day); !today.Equal(of) {
			of = today
			clear(bought)
		}
		for _, m := range t.Movements {
			if m.In {
				bought[m.Token] = true
			}
		}
		if len(bought) > mostTokensADay {
			return true
		}
	}
	return false
}

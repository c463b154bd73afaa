package wallet

import (
	"slices"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/position"
)

// rounds makes n positions, one every few days, each held so long.
func rounds(n int, held time.Duration) *story {
	s := newStory()
	for i := range n {
		roi := 0.3
		if i%2 == 0 {
			roi = -0.2
		}
		s.round(i, 500, roi, time.Duration(n-i)*3*day+held+time.Duration(i)*37*minute, held)
	}
	return s
}

func TestStyles(t *testing.T) {
	for _, c := range []struct {
		name  string
		story *story
		want  string
	}{
		{"two positions", rounds(2, hour), "insufficient-data"},
		{"minutes", rounds(10, 20*minute), "scalp"},
		{"hours", rounds(10, 6*hour), "intraday"},
		{"days", rounds(10, 5*day), "swing"},
		{"weeks", rounds(10, 30*day), "position"},
		{"months", rounds(6, 120*day), "long-hold"},
	} {
		answer := assessTraderStyle(c.story.record(), now)
		if answer.Style != c.want {
			t.Errorf("%s: %s, want %s", c.name, answer.Style, c.want)
		}
		wantReasons(t, answer.Reasons, 1)
	}
	mixed := rounds(3, 20*minute)
	for i := range 3 {
		mixed.round(50+i, 500, 0.1, time.Duration(40+i)*day, 6*hour).round(60+i, 500, 0.1, time.Duration(60+i)*day, 5*day)
	}
	if answer := assessTraderStyle(mixed.record(), now); answer.Style != "mixed" {
		t.Errorf("three kinds of holding times are %s", answer.Style)
	}
}

func TestTempos(t *testing.T) {
	entries := func(perWeek, weeks int) *story {
		s := newStory()
		for w := range weeks {
			for i := range perWeek {
				s.trade(i, 1, 100, time.Duration(w)*week+5*day-time.Duration(i)*(10*hour/time.Duration(perWeek)))
			}
		}
		return s
	}
	for _, c := range []struct {
		story *story
		want  string
	}{
		{newStory(), "dormant"}, {newStory().trade(1, 1, 100, 31*day), "dormant"},
		{entries(1, 8), "slow"}, {entries(2, 8), "steady"}, {entries(10, 4), "steady"}, {entries(11, 4), "active"}, {entries(51, 3), "rapid"}, {entries(501, 2), "machine"},
	} {
		answer := assessTraderStyle(c.story.record(), now)
		if answer.Tempo != c.want {
			t.Errorf("%v entries a week: %s, want %s", answer.EntriesPerActiveWeek, answer.Tempo, c.want)
		}
		wantReasons(t, answer.Reasons, 1)
	}
}

func TestArchetypes(t *testing.T) {
	for _, c := range []struct {
		want  string
		facts func() archetypeFacts
	}{
		{"unclassified", func() archetypeFacts { return archetypeFacts{Record: newStory().record()} }},
		{"tourist", func() archetypeFacts { return archetypeFacts{Record: newStory().trade(1, 1, 100, 5*day).record()} }},
		{"tourist", func() archetypeFacts {
			s := newStory()
			for i := range 2 {
				s.round(i, 100, 0.1, 200*day, day)
			}
			return archetypeFacts{Record: s.record()}
		}},
		{"sniper", func() archetypeFacts {
			s := rounds(10, 20*minute)
			for i := range 5 {
				opened := s.ledger.Trades[2*i].Time
				s.launched(i, now.Sub(opened)+30*time.Second, 1e6, 1)
			}
			return archetypeFacts{Record: s.record()}
		}},
		{"insider-suspected", func() archetypeFacts {
			s := newStory()
			for i := range 2 {
				s.launched(i, 20*day, 1e6, 1)
				s.ledger.Transfers = append(s.ledger.Transfers, position.Transfer{Time: now.Add(-21 * day), Token: tokenNumber(i), Quantity: 100, In: true, Origin: position.TransferUnknown, Counterparty: chain.Address{9}})
				s.trade(i, 100, -5000, 19*day)
			}
			return archetypeFacts{Record: s.record()}
		}},
		{"mev-bot", func() archetypeFacts {
			s := newStory()
			for i := range 10 {
				s.round(i, 1000, 0.01, time.Duration(i+1)*day, 0)
			}
			for i := range s.ledger.Trades {
				s.ledger.Trades[i].SameBlock, s.ledger.Trades[i].Block = true, uint64(1000+i/2)
			}
			return archetypeFacts{Record: s.record()}
		}},
		{"airdrop-farmer", func() archetypeFacts {
			s := newStory()
			for i := range 6 {
				s.ledger.Transfers = append(s.ledger.Transfers, position.Transfer{Time: now.Add(-time.Duration(20+i) * day), Token: tokenNumber(i), Quantity: 100, In: true, Origin: position.Airdrop, Counterparty: chain.Address{9}})
				s.trade(i, 100, -400, time.Duration(19-i)*day)
			}
			slices.SortFunc(s.ledger.Transfers, func(a, b position.Transfer) int { return a.Time.Compare(b.Time) })
			return archetypeFacts{Record: s.record()}
		}},
		{"whale", func() archetypeFacts { return archetypeFacts{Record: rounds(5, day).record(), portfolioUSD: 1_000_000} }},
		{"whale", func() archetypeFacts {
			s := rounds(5, day)
			for i := range 5 {
				s.launched(i, 300*day, 50_000, 1)
			}
			return archetypeFacts{Record: s.record()}
		}},
		{"diamond", func() archetypeFacts { return archetypeFacts{Record: rounds(5, 100*day).record(), survived: 2} }},
		{"scalper", func() archetypeFacts { return archetypeFacts{Record: rounds(5, 20*minute).record()} }},
		{"flipper", func() archetypeFacts { return archetypeFacts{Record: rounds(5, 5*hour).record()} }},
		{"swing", func() archetypeFacts { return archetypeFacts{Record: rounds(5, 5*day).record()} }},
		{"rotator", func() archetypeFacts {
			s := newStory()
			for i := range 10 {
				s.round(i, 500, 0.1, time.Duration(20+i*20)*day, 20*day-10*minute)
			}
			return archetypeFacts{Record: s.record()}
		}},
		{"accumulator", func() archetypeFacts {
			s := newStory()
			for i := range 15 {
				s.trade(1, 10, 200, time.Duration(60-i*3)*day).launched(1, 900*day, 1e7, 20)
			}
			return archetypeFacts{Record: s.record()}
		}},
		{"degen", func() archetypeFacts {
			s := newStory()
			for i := range 8 {
				s.trade(i, 10, 200, time.Duration(100-i)*day).launched(i, time.Duration(102-i)*day, 1e6, 20)
			}
			return archetypeFacts{Record: s.record()}
		}},
		{"holder", func() archetypeFacts {
			s := newStory()
			for i := range 4 {
				s.trade(i, 10, 200, time.Duration(80+i)*day).launched(i, 900*day, 1e6, 20)
			}
			return archetypeFacts{Record: s.record()}
		}},
		{"market-maker", func() archetypeFacts {
			s := rounds(20, 40*day)
			r := s.record()
			for i := range r.Activity.Transactions {
				r.Activity.Transactions[i].Sender = chain.Address{0x99}
			}
			return archetypeFacts{Record: r}
		}},
	} {
		answer := assessWalletArchetype(c.facts(), now)
		if answer.Archetype != c.want {
			t.Errorf("%s, want %s: %v", answer.Archetype, c.want, answer.Reasons)
		}
		wantReasons(t, answer.Reasons, 1)
	}
}

// The order of labels is part of the contract: what is said first wins.
func TestArchetypeOrder(t *testing.T) {
	snipes := func() *story {
		s := rounds(10, 20*minute)
		for i := range 10 {
			s.launched(i, now.Sub(s.ledger.Trades[2*i].Time)+10*time.Second, 1e6, 1)
		}
		return s
	}
	if got := assessWalletArchetype(archetypeFacts{Record: snipes().record(), portfolioUSD: 5e6, survived: 9}, now).Archetype; got != "sniper" {
		t.Errorf("a rich sniper is called %s", got)
	}
	if got := assessWalletArchetype(archetypeFacts{Record: rounds(5, 20*minute).record(), portfolioUSD: 5e6}, now).Archetype; got != "whale" {
		t.Errorf("a rich scalper is called %s", got)
	}
}

func TestTraitsNeedObservations(t *testing.T) {
	few := archetypeFacts{Record: rounds(3, day).record()}
	for _, trait := range few.traits(few.measure(now)) {
		if trait.observations < minimumTraitEvents {
			t.Errorf("%+v", trait)
		}
	}
	if assessWalletArchetype(few, now).Traits == nil {
		t.Error("traits are null")
	}
	s := newStory()
	for i := range 10 {
		s.round(i, 500, 0.5, time.Duration(100-i*5)*day, 4*day).round(i+20, 500, -0.3, time.Duration(98-i*5)*day, 2*hour)
	}
	names := assessWalletArchetype(archetypeFacts{Record: s.record()}, now).Traits
	for _, want := range []string{"cuts-losers-fast", "rides-winners", "diversified"} {
		if !slices.Contains(names, want) {
			t.Errorf("no %s in %v", want, names)
		}
	}
}

package copytrade

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/margin"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
)

// The figures were worked out apart from this code. For the first: a long at 10x is liquidated after (1/10-0.0125)/(1-0.0125) = 8.86 %;
// with 4 % a day and k = 1.3 it is 2Φ(ln(1-d)/0.052) that it happens: 7.4 % at 10x, 4.3 % at 9x; a day of 4 % is 40 % of the margin at
// 10x, twice the target.
func TestDecisionsWorkedOutByHand(t *testing.T) {
	type want struct {
		copy              bool
		maximum           int
		size              float64
		distance, funding float64
		touch             float64
	}
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		change func(*perpTerms)
		want   want
	}{
		{"long 10x", func(p *perpTerms) { p.leverage, p.volatility.value = 10, 0.04 }, want{true, 9, 0.5, 9.99, 0.03, 0.043}},
		{"short 10x", func(p *perpTerms) { p.side, p.leverage, p.volatility.value = margin.Short, 10, 0.04 }, want{true, 8, 0.5, 11.11, -0.03, 0.043}},
		{"long 3x", func(p *perpTerms) { p.leverage = 3 }, want{true, 11, 0.95, 32.49, 0.03, 0}},
		{"long 3x of a B that funding pays", func(p *perpTerms) { p.leverage, p.grade, p.fundingHourly = 3, "B", -0.00005 }, want{true, 11, 0.75, 32.49, -0.12, 0}},
		{"funding of 1.2 % of the margin a day", func(p *perpTerms) { p.fundingHourly = 0.0001 }, want{true, 11, 0.6, 18.99, 0.24, 0}},
		// 1 - 0.0135/0.03 = 0.55, eleven whole steps.
		{"funding of 1.35 % of the margin a day", func(p *perpTerms) { p.fundingHourly = 0.0001125 }, want{true, 11, 0.55, 18.99, 0.27, 0}},
		{"funding of 4.8 % of the margin a day", func(p *perpTerms) { p.leverage, p.fundingHourly, p.volatility.value = 20, 0.0001, 0.02 }, want{false, 16, 0, 5.06, 0.24, 0.046}},
		{"funding of 3.12 % of the position a day", func(p *perpTerms) {
			p.leverage, p.fundingHourly, p.venueMaximum.value, p.maintenance.value = 2, 0.0013, 10, 0.05
		}, want{false, 0, 0, nan, 3.12, nan}},
		{"the other side of it, by a C", func(p *perpTerms) {
			p.side, p.leverage, p.fundingHourly, p.volatility.value, p.grade = margin.Short, 2, 0.0013, 0.05, "C"
			p.venueMaximum.value, p.maintenance.value = 10, 0.05
		}, want{true, 5, 0.4, 42.86, -3.12, 0}},
		{"a short too wild for 1x", func(p *perpTerms) {
			p.side, p.leverage, p.fundingHourly, p.volatility.value, p.venueMaximum.value, p.maintenance.value = margin.Short, 1, 0, 0.3, 3, 0.1667
		}, want{true, 1, 0.25, 71.42, 0, 0.167}},
		{"a month at 1x after a D", func(p *perpTerms) {
			p.leverage, p.fundingHourly, p.volatility.value, p.venueMaximum.value, p.maintenance.value = 1, 0, 0.1, 3, 1./6
			p.grade, p.holdTime.value = "D", 720
		}, want{true, 1, 0.15, 100, 0, 0}},
		{"30x is 2.1 % from liquidation", func(p *perpTerms) { p.leverage, p.fundingHourly, p.volatility.value = 30, 0, 0.02 }, want{true, 16, 0.3, 5.06, 0, 0.046}},
		// (1/32-0.0125)/(1-0.0125) = 1.9 %.
		{"32x is too near", func(p *perpTerms) { p.leverage, p.fundingHourly, p.volatility.value = 32, 0, 0.02 }, want{false, 16, 0, 5.06, 0, 0.046}},
		// (1/20-0.04)/(1-0.04) = 1.04 %: a rate that was given is not doubted. At 9x it is 7.41 %.
		{"20x at a high rate", func(p *perpTerms) { p.leverage, p.fundingHourly, p.maintenance.value = 20, 0, 0.04 }, want{false, 9, 0, 7.41, 0, 0.048}},
		{"a liquidation price 1.9 % away", func(p *perpTerms) { p.markPrice, p.liquidation = 100, 98.1 }, want{false, 11, 0, 18.99, 0.03, 0}},
		{"a liquidation price 2.1 % away", func(p *perpTerms) { p.markPrice, p.liquidation = 100, 97.9 }, want{true, 11, 0.95, 18.99, 0.03, 0}},
		// At 10x the trade is after 8.86 %: of 3 % gained, half of the 5.86 % left is 2.93 %; of 2.9 %, half of 5.96 % is 2.98 %.
		{"3 % late", func(p *perpTerms) {
			p.leverage, p.fundingHourly, p.volatility.value, p.entryPrice, p.markPrice = 10, 0, 0.02, 100, 103
		}, want{false, 16, 0, 8.86, 0, 0}},
		{"2.9 % late", func(p *perpTerms) {
			p.leverage, p.fundingHourly, p.volatility.value, p.entryPrice, p.markPrice = 10, 0, 0.02, 100, 102.9
		}, want{true, 16, 1, 8.86, 0, 0}},
		{"a short 3 % late", func(p *perpTerms) {
			p.side, p.leverage, p.fundingHourly, p.volatility.value = margin.Short, 10, 0, 0.02
			p.entryPrice, p.markPrice, p.liquidation = 100, 97, 110
		}, want{false, 15, 0, 8.64, 0, 0.001}},
		// At 1x the trade is after 20 % at most: a third of it is 6.67 %.
		{"1x, 7 % late", func(p *perpTerms) { p.leverage, p.entryPrice, p.markPrice = 1, 100, 107 }, want{false, 11, 0, 100, 0.03, 0}},
		{"1x, 6.5 % late", func(p *perpTerms) { p.leverage, p.entryPrice, p.markPrice = 1, 100, 106.5 }, want{true, 11, 0.95, 100, 0.03, 0}},
		{"at a better price than the leader's", func(p *perpTerms) { p.entryPrice, p.markPrice = 100, 95 }, want{true, 11, 0.95, 18.99, 0.03, 0}},
		{"of an F", func(p *perpTerms) { p.grade = "F" }, want{false, 11, 0, 18.99, 0.03, 0}},
		{"of an unknown", func(p *perpTerms) { p.grade = "" }, want{true, 11, 0.25, 18.99, 0.03, 0}},
		{"half the margin at risk is taken as 1x", func(p *perpTerms) { p.leverage = 0.5 }, want{true, 11, 0.95, 100, 0.03, 0}},
		// 0.2/(0.5*10) = 0.04 is less than one step.
		{"too wild for any size", func(p *perpTerms) { p.leverage, p.volatility.value = 10, 0.5 }, want{false, 1, 0, 100, 0.03, 0}},
	} {
		answer := assessPerp(terms(c.change), now)
		if got := (want{answer.Copy, answer.MaxLeverage, answer.SizeFactor, number(answer.LiqDistancePct), number(answer.FundingCostDaily), number(answer.TouchProbability)}); !same(got.distance, c.want.distance) ||
			!same(got.touch, c.want.touch) || got.copy != c.want.copy || got.maximum != c.want.maximum || got.size != c.want.size || got.funding != c.want.funding {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func number(p *float64) float64 {
	if p == nil {
		return math.NaN()
	}
	return *p
}

func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// What the rule says of k = 1.3 rests on these, which leave k out.
func TestArithmeticIsThatOfTheMargin(t *testing.T) {
	for _, c := range []struct{ got, want, within float64 }{
		{margin.FollowerDistance(margin.Long, 10, 0.0125), 0.0886, 5e-5}, {margin.FollowerDistance(margin.Short, 10, 0.0125), 0.0864, 5e-5},
		{margin.TouchProbability(margin.Long, 0.09, 0.04, 1, 1), 0.0184, 5e-5}, {margin.TouchProbability(margin.Long, 0.09, 0.06, 1, 1), 0.116, 5e-4},
		{margin.TouchProbability(margin.Long, 0.2, 0.06, 7, 1), 0.160, 5e-4},
	} {
		if math.Abs(c.got-c.want) > c.within {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

func TestAllocationIsTheFollowersMoneyScaled(t *testing.T) {
	for _, c := range []struct{ given, size, want float64 }{{1000, 0.6, 600}, {33.33, 0.6, 19.99}, {1e9, 0.6, 6e8}, {0.01, 0.6, 0}} {
		answer := assessPerp(terms(func(p *perpTerms) { p.allocation, p.fundingHourly = c.given, 0.0001 }), now)
		if answer.SizeFactor != c.size || *answer.AllocationUSD != c.want {
			t.Errorf("%v: %v times %v", c.given, answer.SizeFactor, *answer.AllocationUSD)
		}
	}
	if answer := assessPerp(terms(func(p *perpTerms) { p.allocation, p.grade = 1000, "F" }), now); *answer.AllocationUSD != 0 {
		t.Errorf("%v for what is not copied", *answer.AllocationUSD)
	}
	if answer := assessPerp(terms(nil), now); answer.AllocationUSD != nil {
		t.Errorf("%v of no money", *answer.AllocationUSD)
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct {
		flag        string
		with, under func(*perpTerms)
	}{
		{leaderOverlevered, func(p *perpTerms) { p.leverage = 11.5 }, func(p *perpTerms) { p.leverage = 11 }},
		{liquidationClose, func(p *perpTerms) { p.markPrice, p.liquidation = 100, 95.1 }, func(p *perpTerms) { p.markPrice, p.liquidation = 100, 95 }},
		{liquidationClose, func(p *perpTerms) { p.markPrice, p.liquidation = 100, 101 }, func(p *perpTerms) { p.markPrice, p.liquidation = 100, 90 }},
		// 0.005 of the margin a day at 5x is 0.001 of the position a day.
		{fundingHeavy, func(p *perpTerms) { p.fundingHourly = 0.0010001 / 24 }, func(p *perpTerms) { p.fundingHourly = 0.0009999 / 24 }},
		{fundingPaysYou, func(p *perpTerms) { p.fundingHourly = -0.0000125 }, func(p *perpTerms) { p.fundingHourly = -0.000002 }},
		{fundingPaysYou, func(p *perpTerms) { p.side = margin.Short }, func(p *perpTerms) { p.fundingHourly = 0 }},
		{crowdedSide, func(p *perpTerms) { p.crowding = 0.9 }, func(p *perpTerms) { p.crowding = 0.89 }},
		{crowdedSide, func(p *perpTerms) { p.crowding = 1 }, func(p *perpTerms) { p.crowding, p.side = 1, margin.Short }},
		{crowdedSide, func(p *perpTerms) { p.crowding = 1 }, func(p *perpTerms) { p.crowding = math.NaN() }},
		{volatilityAssumed, func(p *perpTerms) { p.volatility.source = byDefault }, func(p *perpTerms) { p.volatility.source = fromVenue }},
		{chasingFlag, func(p *perpTerms) { p.entryPrice, p.markPrice = 100, 106.4 }, func(p *perpTerms) { p.entryPrice, p.markPrice = 100, 106.3 }},
		{thinMarket, func(p *perpTerms) { p.dayVolume = 199_000 }, func(p *perpTerms) { p.dayVolume = 201_000 }},
		{thinMarket, func(p *perpTerms) { p.openInterest, p.dayVolume = 0, math.NaN() }, func(p *perpTerms) { p.openInterest, p.dayVolume = math.NaN(), math.NaN() }},
		{thinMarket, func(p *perpTerms) { p.allocation = 200_001 }, func(p *perpTerms) { p.allocation = 199_999 }},
		{isolatedRecommended, func(p *perpTerms) { p.leverage = 10 }, func(p *perpTerms) { p.leverage = 5 }},
		{isolatedRecommended, func(p *perpTerms) { p.onlyIsolated = true }, func(p *perpTerms) {}},
	} {
		if got := assessPerp(terms(c.with), now).Flags; !slices.Contains(got, c.flag) {
			t.Errorf("no %s in %v", c.flag, got)
		}
		if got := assessPerp(terms(c.under), now).Flags; got == nil || slices.Contains(got, c.flag) {
			t.Errorf("%s without need in %v", c.flag, got)
		}
	}
}

func TestReasons(t *testing.T) {
	for _, c := range []struct {
		code, want string
		change     func(*perpTerms)
	}{
		{"LIQ_TOUCH", "At 9x the chance of touching liquidation, 9.99% away, within 24 hours is 4.3%; up to 5% is accepted.", func(p *perpTerms) { p.leverage, p.volatility.value = 10, 0.04 }},
		{"LIQ_TOUCH", "At 5x the chance of touching liquidation, 18.99% away, within 24 hours is less than 1%; up to 5% is accepted.", nil},
		{"LIQ_TOUCH", "Even at 1x the chance of touching liquidation within 24 hours is 16.7%, more than the 5% that is accepted; the size is cut for it.", func(p *perpTerms) {
			p.side, p.leverage, p.fundingHourly, p.volatility.value, p.maintenance.value = margin.Short, 1, 0, 0.3, 0.1667
		}},
		{"OVERLEV", "The leader uses 20x, more than the 11x that keeps the chance of liquidation within 24 hours at 5% or less.", func(p *perpTerms) { p.leverage = 20 }},
		{"OVERLEV", "The leader uses 25x, more than the 20x that is ever recommended.", func(p *perpTerms) { p.leverage, p.volatility.value = 25, 0.01 }},
		{"OVERLEV", "The leader uses 12x, more than the 10x that the venue allows.", func(p *perpTerms) { p.leverage, p.venueMaximum.value = 12, 10 }},
		{"OVERLEV", "The leader uses 12x, more than the 10x that is supposed to be the venue's maximum.", func(p *perpTerms) {
			p.leverage, p.venueMaximum = 12, figure{10, byDefault}
		}},
		{"OVERLEV", "The leader uses 2x, more than the 1x that is the least there is.", func(p *perpTerms) {
			p.side, p.leverage, p.volatility.value, p.maintenance.value = margin.Short, 2, 0.3, 0.1667
		}},
		{"LIQ_CLOSE", "The leader's liquidation is 1.9% away, less than the 2% below which nothing is copied.", func(p *perpTerms) { p.markPrice, p.liquidation = 100, 98.1 }},
		{"LIQ_CLOSE", "The leader's liquidation is 3% away, against a typical day's move of 3%.", func(p *perpTerms) { p.markPrice, p.liquidation = 100, 97 }},
		{"LIQ_CLOSE", "At 30x, with margin of its own, the leader's liquidation is 2.11% away, against a typical day's move of 3%.", func(p *perpTerms) {
			p.leverage, p.fundingHourly = 30, 0
		}},
		{"LIQ_CLOSE", "The price has reached the leader's liquidation price; at least 2% of distance is asked for.", func(p *perpTerms) { p.markPrice, p.liquidation = 100, 101 }},
		{"CHASING", "Since the leader's entry the price has moved 7% its way; of the 18.99% that such a trade is taken to be after, only 11.99% is left.", func(p *perpTerms) {
			p.entryPrice, p.markPrice = 100, 107
		}},
		{"CHASING", "Since the leader's entry the price has moved 30% its way; of the 18.99% that such a trade is taken to be after, nothing is left.", func(p *perpTerms) {
			p.entryPrice, p.markPrice = 100, 130
		}},
		{"ISOLATED", "At a chance of liquidation of 2.5%, margin of its own keeps a loss from the rest of the account.", func(p *perpTerms) { p.leverage = 10.5 }},
		{"GRADE", "The leader's grade is A, which allows 100% of full size.", nil},
		{"GRADE_CAP", "The leader's grade is C, which allows 40% of full size at most.", func(p *perpTerms) { p.grade = "C" }},
		{"GRADE_UNKNOWN", "No grade of the leader is known, so a copy is at most 25% of full size; at grade A it could be all of it.", func(p *perpTerms) { p.grade = "" }},
		{"GRADE_F", "The leader's grade is F: no size of its trades is worth copying, against up to 100% at grade A.", func(p *perpTerms) { p.grade = "F" }},
		{"FUNDING_BLOCKED", "Funding costs 4.8% of the margin a day at 20x, more than the 3% above which nothing is copied.", func(p *perpTerms) { p.leverage, p.fundingHourly = 20, 0.0001 }},
		{"FUNDING_HEAVY", "Funding costs 1.2% of the margin a day at 5x; more than 0.5% is heavy.", func(p *perpTerms) { p.fundingHourly = 0.0001 }},
		{"FUNDING_PAYS", "Funding pays this side 0.24% of the position a day at present, and can turn within the hour.", func(p *perpTerms) { p.fundingHourly = -0.0001 }},
		{"FUNDING_LIGHT", "Funding costs 0.15% of the margin a day at 5x; up to 0.5% is light.", nil},
		{"VOLATILITY", "A typical day's move of 3%, measured on 30 days, is 15% of the margin at 5x, within the 20% of a full size.", func(p *perpTerms) {
			p.volatility.source, p.volatilityDays = fromVenue, 30
		}},
		{"VOLATILITY_CAP", "A typical day's move of 3% is 30% of the margin at 10x; full size is for 20% at most.", func(p *perpTerms) { p.leverage = 10 }},
		{"VOL_ASSUMED", "No volatility is known: 3.5% a day is assumed, as for contracts with up to 40x.", func(p *perpTerms) { p.coin, p.listed, p.volatility = false, false, figure{0.035, byDefault} }},
		{"VOL_ASSUMED", "Only 4 days of prices can be used, against the 10 needed: 3.5% a day is assumed, as for contracts with up to 40x.", func(p *perpTerms) {
			p.volatility, p.volatilityDays = figure{0.035, byDefault}, 4
		}},
		{"VOL_ASSUMED", "On 30 days the price hardly moved, which measures nothing: 3.5% a day is assumed, as for contracts with up to 40x.", func(p *perpTerms) {
			p.volatility, p.volatilityDays = figure{0.035, byDefault}, 30
		}},
		{"CROWDED", "This side pays more funding than 95% of 100 other contracts; the crowd is on it.", func(p *perpTerms) { p.crowding = 0.95 }},
		{"THIN_MARKET", "As no allocation is given, a full copy of modest size would be 4% of what is traded of the contract in a day or held open; above 1% it moves the price against itself.", func(p *perpTerms) { p.dayVolume = 50_000 }},
		{"THIN_MARKET", "A full copy would be 2% of what is traded of the contract in a day or held open; above 1% it moves the price against itself.", func(p *perpTerms) {
			p.dayVolume, p.allocation = 50_000, 200
		}},
		// 0.2/(0.03*150) is 4.4 % of full size.
		{"NOTHING_LEFT", "The tightest limit leaves 4.44% of full size, less than the 5% that is the smallest copy, so nothing is copied.", func(p *perpTerms) {
			p.leverage, p.fundingHourly, p.markPrice, p.liquidation = 150, 0, 100, 90
		}},
		// The whole 3 % of the margin a day goes into funding.
		{"NOTHING_LEFT", "The tightest limit leaves 0% of full size, less than the 5% that is the smallest copy, so nothing is copied.", func(p *perpTerms) {
			p.leverage, p.fundingHourly = 1, 0.00125
		}},
		{"THIN_MARKET", "Nothing of the contract was traded in a day, or nobody holds it; a copy may find no way out.", func(p *perpTerms) { p.dayVolume = 0 }},
		{"UNCHECKED", "No coin was named, so nothing tells whether this side is crowded or the market thin.", func(p *perpTerms) { p.coin, p.listed, p.crowding = false, false, math.NaN() }},
		{"UNCHECKED", "The venue's contracts could not be read, so nothing tells whether this side is crowded or the market thin.", func(p *perpTerms) { p.listed, p.crowding = false, math.NaN() }},
		{"UNCHECKED", "With 7 other contracts to compare with, where 20 are needed, nothing tells whether this side is crowded.", func(p *perpTerms) { p.contracts, p.crowding = 7, math.NaN() }},
	} {
		answer := assessPerp(terms(c.change), now)
		if got := textOf(t, answer, c.code); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.code, got, c.want)
		}
	}
}

// A refusal says what it is for: what forbids a copy, or that the limits together leave too little.
func TestRefusedCopiesSayWhy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := anyTerms(t)
		p.assume()
		answer, stops := assessPerp(p, now), 0
		for _, r := range answer.Reasons {
			switch r.Code {
			case "GRADE_F", "FUNDING_BLOCKED", "CHASING", "NOTHING_LEFT":
				stops++
			case "LIQ_CLOSE":
				if r.Weight == stopWeight {
					stops++
				}
			}
		}
		if answer.Copy != (stops == 0) {
			t.Fatalf("copy %v with %v", answer.Copy, answer.Reasons)
		}
	})
}

// What stops a copy is said first, what limits it most next.
func TestReasonsAreInTheOrderOfWhatTheyDo(t *testing.T) {
	answer := assessPerp(terms(func(p *perpTerms) { p.grade, p.entryPrice, p.markPrice = "B", 100, 110 }), now)
	if got := reason.Codes(answer.Reasons); got[0] != "CHASING" || !slices.Contains(got[1:], "LIQ_TOUCH") {
		t.Errorf("%v", got)
	}
	answer = assessPerp(terms(func(p *perpTerms) { p.grade, p.leverage, p.fundingHourly = "D", 10, 0.00005 }), now)
	if got := reason.Codes(answer.Reasons); got[0] != "GRADE_CAP" || got[1] != "LIQ_TOUCH" {
		t.Errorf("%v", got)
	}
}

package perpvenue

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

type assetWire struct {
	SizeDecimals int    `json:"szDecimals"`
	Name         string `json:"name"`
	MaxLeverage  int    `json:"maxLeverage"`
	Table        int    `json:"marginTableId"`
	OnlyIsolated bool   `json:"onlyIsolated,omitempty"`
	Delisted     bool   `json:"isDelisted,omitempty"`
}

type tableWire struct {
	Description string     `json:"description"`
	Tiers       []tierWire `json:"marginTiers"`
}

type tierWire struct {
	From        string `json:"lowerBound"`
	MaxLeverage int    `json:"maxLeverage"`
}

type metaWire struct {
	Universe   []assetWire `json:"universe"`
	Tables     []any       `json:"marginTables"`
	Collateral int         `json:"collateralToken"`
}

// metaWire is an exchange's universe. Only tables with more than one tier, and 50, are listed; other ids say their leverage.
func (v *Venue) metaWire(exchange int8) metaWire {
	w := metaWire{Universe: []assetWire{}, Tables: []any{}}
	for i := range v.coins {
		if c := &v.coins[i]; c.exchange == exchange && !c.spot {
			w.Universe = append(w.Universe, assetWire{c.szDecimals, c.name, c.maxLeverage(), c.table, c.onlyIsolate, c.delistedAt(v.hour(v.now))})
		}
	}
	names := map[int]string{51: "tiered 10x", 52: "tiered 10x (2)", 53: "tiered 20x", 54: "tiered 20x (2)", 55: "tiered 25x", 56: "tiered 40x"}
	for id := 50; id <= 56; id++ {
		table := tableWire{Description: names[id]}
		for _, t := range marginTable(id) {
			table.Tiers = append(table.Tiers, tierWire{floatText(t.from, 1), int(t.maxLeverage)})
		}
		w.Tables = append(w.Tables, []any{id, table})
	}
	return w
}

type contextWire struct {
	Funding      string   `json:"funding"`
	OpenInterest string   `json:"openInterest"`
	PreviousDay  string   `json:"prevDayPx"`
	DayNotional  string   `json:"dayNtlVlm"`
	Premium      *string  `json:"premium"`
	Oracle       string   `json:"oraclePx"`
	Mark         string   `json:"markPx"`
	Middle       *string  `json:"midPx"`
	Impact       []string `json:"impactPxs"`
	DayBase      string   `json:"dayBaseVlm"`
}

func (v *Venue) contextsWire(exchange int8) []contextWire {
	wires := []contextWire{}
	for coin := range v.coins {
		if c := &v.coins[coin]; c.exchange == exchange && !c.spot {
			wires = append(wires, v.contextWire(coin))
		}
	}
	return wires
}

func (v *Venue) contextWire(coin int) contextWire {
	c := &v.coins[coin]
	oracle, mark := v.oracle(coin, v.now), v.mark(coin, v.now)
	w := contextWire{Funding: "0.0", OpenInterest: "0.0", DayNotional: "0.0", DayBase: "0.0", Oracle: moneyText(oracle), Mark: moneyText(mark),
		PreviousDay: moneyText(v.mark(coin, max(v.start, v.now-dayMillis)))}
	hour := v.hour(v.now)
	if c.delistedAt(hour) {
		return w
	}
	var coins, dollars float64
	for h := max(0, hour-23); h <= hour; h++ {
		volume := v.hourVolume(coin, h)
		coins += volume
		dollars += volume * v.oracleFloat(coin, v.start+int64(h)*hourMillis)
	}
	w.DayBase, w.DayNotional = floatText(coins, 8), floatText(dollars, 6)
	p := v.pathOf(coin)
	premium := floatText(p.premiumAt(v.now-v.start), 10)
	low, high := v.bestPrices(coin)
	middle := floatText(float64(low+high)/2/million, 7)
	w.Funding = floatText(float64(fundingTenths(p.premiumAt(v.now-v.start)))/fundingScale, 10)
	w.OpenInterest = floatText(math.Round(c.volume*1.2*math.Exp(0.2*normal(p.key^uint64(hour)<<20))), 1)
	w.Premium, w.Middle, w.Impact = &premium, &middle, []string{moneyText(low), moneyText(high)}
	return w
}

// bestPrices are the highest bid and the lowest offer.
func (v *Venue) bestPrices(coin int) (bid, offer int64) {
	c, mark := &v.coins[coin], v.markFloat(coin, v.now)
	bid, offer = c.tick(mark*(1-0.00008)), c.tick(mark*(1+0.00008))
	if bid == offer {
		offer = c.tick(mark * 1.0003)
	}
	return bid, offer
}

// midsWire are the middle prices of an exchange's coins, and of the spot pairs on the main one. What is delisted has none.
func (v *Venue) midsWire(exchange int8) map[string]string {
	mids := map[string]string{}
	for coin := range v.coins {
		if c := &v.coins[coin]; c.exchange == exchange && !c.delistedAt(v.hour(v.now)) {
			bid, offer := v.bestPrices(coin)
			mids[c.name] = floatText(float64(bid+offer)/2/million, 7)
		}
	}
	return mids
}

type bookWire struct {
	Coin   string         `json:"coin"`
	Time   int64          `json:"time"`
	Levels [2][]levelWire `json:"levels"`
}

type levelWire struct {
	Price  string `json:"px"`
	Size   string `json:"sz"`
	Orders int    `json:"n"`
}

func (v *Venue) bookWire(coin int) bookWire {
	c := &v.coins[coin]
	w := bookWire{Coin: c.name, Time: v.now, Levels: [2][]levelWire{{}, {}}}
	for side, levels := range v.book(coin) {
		for _, l := range levels {
			w.Levels[side] = append(w.Levels[side], levelWire{moneyText(l.price), decimalText(l.size, c.unit), l.orders})
		}
	}
	return w
}

// level is what is bid or offered at one price.
type level struct {
	price, size int64
	orders      int
}

// book are the bids and the offers of a coin, the best first. It follows from the present alone: what is taken out of it is there again.
func (v *Venue) book(coin int) (book [2][]level) {
	c := &v.coins[coin]
	if c.delistedAt(v.hour(v.now)) {
		return book
	}
	bid, offer := v.bestPrices(coin)
	s := seeded.NewStream(seeded.MixAll(v.pathOf(coin).key, uint64(v.now), uint64(coin)))
	for side, best := range []int64{bid, offer} {
		price, direction := float64(best)/million, float64(2*side-1)
		last := int64(0)
		for range 20 {
			if at := c.tick(price); at != last {
				last = at
				size := c.units(roundMoney(s.Spread(2_000, 90_000)), at)
				book[side] = append(book[side], level{at, size, 1 + s.IntN(6)})
			}
			price *= 1 + direction*s.Between(0.00005, 0.0006)
		}
	}
	return book
}

type fundingRateWire struct {
	Coin    string `json:"coin"`
	Rate    string `json:"fundingRate"`
	Premium string `json:"premium"`
	Time    int64  `json:"time"`
}

func (v *Venue) fundingHistoryWire(coin int, from, to int64) []fundingRateWire {
	wires := []fundingRateWire{}
	c, p := &v.coins[coin], v.pathOf(coin)
	if c.spot || to < v.start {
		return wires
	}
	for hour := v.hour(max(from, v.start) + hourMillis - 1); hour <= v.hour(to) && len(wires) < entriesPerAnswer && !c.delistedAt(hour); hour++ {
		if hour == 0 {
			continue
		}
		wires = append(wires, fundingRateWire{c.name, floatText(float64(fundingTenths(p.premium[hour]))/fundingScale, 10),
			floatText(p.premium[hour], 10), v.start + int64(hour)*hourMillis})
	}
	return wires
}

type exchangeWire struct {
	Name          string   `json:"name"`
	FullName      string   `json:"fullName"`
	Deployer      string   `json:"deployer"`
	OracleUpdater *string  `json:"oracleUpdater"`
	FeeRecipient  string   `json:"feeRecipient"`
	Caps          [][2]any `json:"assetToStreamingOiCap"`
	SubDeployers  []any    `json:"subDeployers"`
	FeeScale      string   `json:"deployerFeeScale"`
	FeeScaleTime  string   `json:"lastDeployerFeeScaleChangeTime"`
	Multipliers   []any    `json:"assetToFundingMultiplier"`
}

// exchangesWire are the exchanges of builders; null stands for the main one.
func (v *Venue) exchangesWire() []any {
	w := exchangeWire{Name: exchangeNames[builderExchange], FullName: "XYZ", Deployer: addressOf(seeded.MixAll(v.seed, 11)),
		FeeRecipient: addressOf(seeded.MixAll(v.seed, 12)), SubDeployers: []any{}, FeeScale: "1.0", FeeScaleTime: "1970-01-01T00:00:00", Multipliers: []any{}}
	for i := range v.coins {
		if v.coins[i].exchange == builderExchange {
			w.Caps = append(w.Caps, [2]any{v.coins[i].name, "50000000.0"})
		}
	}
	return []any{nil, w}
}

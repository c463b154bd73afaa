package perpvenue

import (
	"math"
	"strings"
)

// tier is one step of a margin table: from so many dollars of position value on, at most such leverage.
type tier struct {
	from        float64
	maxLeverage float64
}

// contract is what the venue says about a coin, and how its price moves.
type contract struct {
	name        string
	exchange    int8 // 0 is the main one, 1 the builder's
	spot        bool
	token       int // of the spot balance
	szDecimals  int
	unit        int // decimals in which sizes are kept
	table       int
	onlyIsolate bool
	delisted    int // hours after the start, 0 for never
	tiers       []tier

	price   float64 // at the start, USD
	beta    float64 // share in the market's moves
	sigma   float64 // own hourly volatility
	drift   float64 // hourly
	premium float64 // mean of mark over oracle
	volume  float64 // coins a day
	follows int     // the contract whose price a spot pair has, -1 for its own
}

var exchangeNames = [...]string{"", "xyz"}

const (
	mainExchange = iota
	builderExchange
	exchangeCount
)

// The coins by their place in contracts.
const (
	coinBTC = iota
	coinETH
	coinSOL
	coinHYPE
	coinXRP
	coinDOGE
	coinAVAX
	coinLINK
	coinSUI
	coinARB
	coinPEPE
	coinWIF
	coinRNDR
	coinXYZ100
	coinTSLA
	coinGOLD
	coinHYPESpot
	coinPURRSpot
	coinCount
)

// delistingHour is when RNDR ends.
const delistingHour = 120 * 24

// marginTable are the tiers of one id. Ids below 50 stand for one tier with that leverage.
func marginTable(id int) []tier {
	switch id {
	case 51:
		return []tier{{0, 10}, {3_000_000, 5}}
	case 52:
		return []tier{{0, 10}, {20_000_000, 5}}
	case 53:
		return []tier{{0, 20}, {40_000_000, 10}}
	case 54:
		return []tier{{0, 20}, {70_000_000, 10}}
	case 55:
		return []tier{{0, 25}, {100_000_000, 15}}
	case 56:
		return []tier{{0, 40}, {150_000_000, 20}}
	}
	return []tier{{0, float64(id)}}
}

func contracts() []contract {
	list := []contract{
		coinBTC:      {name: "BTC", szDecimals: 5, table: 56, price: 68_400, beta: 1, sigma: 0.0015, drift: 2e-5, premium: 0.0002, volume: 32_000},
		coinETH:      {name: "ETH", szDecimals: 4, table: 55, price: 3_580, beta: 1.25, sigma: 0.0025, drift: 1e-5, premium: 0.0002, volume: 900_000},
		coinSOL:      {name: "SOL", szDecimals: 2, table: 54, price: 164, beta: 1.4, sigma: 0.0035, drift: 1e-5, premium: 0.0003, volume: 4e6},
		coinHYPE:     {name: "HYPE", szDecimals: 2, table: 52, price: 31.4, beta: 1.3, sigma: 0.0055, drift: 3e-5, premium: 0.0014, volume: 9e6},
		coinXRP:      {name: "XRP", szDecimals: 0, table: 53, price: 2.31, beta: 1.1, sigma: 0.004, premium: 0.0001, volume: 9e7},
		coinDOGE:     {name: "DOGE", szDecimals: 0, table: 52, price: 0.1982, beta: 1.4, sigma: 0.0045, drift: -1e-5, premium: 0.0002, volume: 6e8},
		coinAVAX:     {name: "AVAX", szDecimals: 2, table: 51, price: 21.7, beta: 1.4, sigma: 0.004, drift: -2e-5, volume: 2e6},
		coinLINK:     {name: "LINK", szDecimals: 1, table: 51, price: 15.9, beta: 1.3, sigma: 0.004, premium: 0.0001, volume: 2e6},
		coinSUI:      {name: "SUI", szDecimals: 1, table: 52, price: 2.74, beta: 1.5, sigma: 0.005, premium: -0.0002, volume: 3e7},
		coinARB:      {name: "ARB", szDecimals: 1, table: 10, price: 0.4126, beta: 1.4, sigma: 0.0045, drift: -4e-5, premium: -0.0006, volume: 3e7},
		coinPEPE:     {name: "kPEPE", szDecimals: 0, table: 10, price: 0.008914, beta: 1.6, sigma: 0.0065, premium: 0.0006, volume: 9e9},
		coinWIF:      {name: "WIF", szDecimals: 0, table: 5, onlyIsolate: true, price: 0.8731, beta: 1.6, sigma: 0.0075, drift: -3e-5, volume: 2e7},
		coinRNDR:     {name: "RNDR", szDecimals: 1, table: 20, delisted: delistingHour, price: 4.82, beta: 1.3, sigma: 0.005, volume: 1e6},
		coinXYZ100:   {name: "xyz:XYZ100", exchange: builderExchange, szDecimals: 4, table: 20, price: 24_610, beta: 0.15, sigma: 0.0018, drift: 1e-5, volume: 4_000},
		coinTSLA:     {name: "xyz:TSLA", exchange: builderExchange, szDecimals: 3, table: 10, price: 421, beta: 0.25, sigma: 0.0045, volume: 60_000},
		coinGOLD:     {name: "xyz:GOLD", exchange: builderExchange, szDecimals: 4, table: 10, price: 4_080, beta: -0.05, sigma: 0.0018, drift: 1e-5, volume: 9_000},
		coinHYPESpot: {name: "@107", spot: true, token: 150, szDecimals: 2, unit: 8, price: 31.4, premium: 0, volume: 2e6},
		coinPURRSpot: {name: "PURR/USDC", spot: true, token: 1, szDecimals: 0, unit: 8, price: 0.1534, beta: 1.2, sigma: 0.009, volume: 3e6},
	}
	for i := range list {
		c := &list[i]
		c.follows = -1
		if c.spot {
			c.tiers = []tier{{0, 1}}
			continue
		}
		c.unit, c.tiers = c.szDecimals, marginTable(c.table)
	}
	list[coinHYPESpot].follows = coinHYPE
	return list
}

// tokenName is what a spot balance of the pair is called.
func (c *contract) tokenName() string {
	if c.name == "@107" {
		return "HYPE"
	}
	return strings.TrimSuffix(c.name, "/USDC")
}

// tick rounds a price as the venue demands: five significant digits and, besides, at most 6 (spot: 8) decimals less those of the
// size. The answer is in millionths.
func (c *contract) tick(price float64) int64 {
	decimals := 6 - c.szDecimals
	if c.spot {
		decimals = min(8-c.szDecimals, 6)
	}
	if price >= 100_000 {
		return int64(math.Round(price)) * million
	}
	return max(int64(math.Round(significant(price, 5, decimals)*million)), 1)
}

// units is how much of the coin so many millionths of a dollar are at a price, rounded down to what may be traded.
func (c *contract) units(micros, price int64) int64 {
	lot := powersOfTen[c.unit-c.szDecimals]
	return int64(float64(micros)/float64(price)*float64(powersOfTen[c.unit])) / lot * lot
}

// value is what so many units are worth at a price, in millionths of a dollar.
func (c *contract) value(units, price int64) int64 {
	return int64(math.Round(float64(units) * float64(price) / float64(powersOfTen[c.unit])))
}

// maxLeverage is that of the first tier.
func (c *contract) maxLeverage() int { return int(c.tiers[0].maxLeverage) }

func (c *contract) delistedAt(hour int) bool { return c.delisted > 0 && hour >= c.delisted }

// maintenance is the rate and the deduction of the tier that a position of such a value is in: the margin it needs is
// value·rate − deduction, with rate = 1/(2·max leverage) and deductions that make that continuous from tier to tier
// (Hyperliquid's documentation, "Margin tiers").
func (c *contract) maintenance(value float64) (rate, deduction float64) {
	for i, t := range c.tiers {
		if i > 0 && value <= t.from {
			break
		}
		next := 1 / (2 * t.maxLeverage)
		deduction += t.from * (next - rate)
		rate = next
	}
	return rate, deduction
}

// liquidationPrice is the price at which equity is down to the maintenance margin, other prices staying as they are; 0 when there
// is none. side is 1 for long and -1 for short, available what equity exceeds the maintenance margin by, in dollars, size in coins:
// price − side·available/size/(1 − rate·side), with the rate of the tier that the position is in at that price.
func (c *contract) liquidationPrice(price, size, equity, otherMaintenance, side float64) float64 {
	at := price
	for range 5 {
		rate, deduction := c.maintenance(at * size)
		available := equity - otherMaintenance - (price*size*rate - deduction)
		next := price - side*available/size/(1-rate*side)
		if next <= 0 || math.IsInf(next, 0) || math.IsNaN(next) {
			return 0
		}
		if again, _ := c.maintenance(next * size); again == rate {
			return next
		}
		at = next
	}
	return at
}

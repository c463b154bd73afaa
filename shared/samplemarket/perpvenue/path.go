package perpvenue

import (
	"math"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

const (
	hourMillis = int64(3_600_000)
	dayMillis  = 24 * hourMillis
	// gridSteps is into how many steps an hour's path is cut; between them the price moves in a straight line.
	gridSteps  = 64
	gridMillis = float64(hourMillis) / gridSteps
	// foresight is how many hours of path exist beyond the present, for those who are given a glimpse of it.
	foresight = 11 * 24
)

// path is a coin's logarithmic oracle price. Values at full hours are drawn in order from one stream; those between are a Brownian
// bridge whose midpoints depend on the key, the hour and the place alone. A jump comes at one step of its hour.
type path struct {
	stream  seeded.Stream
	key     uint64
	logs    []float64 // at full hours
	sigma   []float64 // of the hour's diffusion
	jumps   []jump
	premium []float64 // of the mark price over the oracle, at full hours
	// Prices at full hours as they are served, which is when most are asked for.
	oracles, marks []int64
}

type jump struct {
	size float64
	step uint8
}

// market draws what all coins have in common.
type market struct {
	stream     seeded.Stream
	volatility float64 // logarithm of the factor by which it differs from the usual
	jumped     []float64
	paths      []path
}

const (
	marketSigma     = 0.0036 // hourly
	marketJumpsHour = 1.0 / (24 * 9)
	ownJumpsHour    = 1.0 / (24 * 25)
)

func newMarket(seed uint64, coins []contract) *market {
	m := &market{stream: seeded.NewStream(seeded.MixAll(seed, seeded.HashText("perpetuals market"))), paths: make([]path, len(coins))}
	for i := range coins {
		key := seeded.MixAll(seed, seeded.HashText("perpetuals path"), seeded.HashText(coins[i].name))
		m.paths[i] = path{stream: seeded.NewStream(key), key: key, logs: []float64{math.Log(coins[i].price)}, premium: []float64{coins[i].premium}}
		m.paths[i].price(&coins[i])
	}
	return m
}

// extend draws all paths up to an hour.
func (m *market) extend(coins []contract, hour int) {
	if more := hour - len(m.jumped); more > foresight {
		for i := range m.paths {
			m.paths[i].grow(more)
		}
	}
	for len(m.jumped) < hour {
		m.volatility = 0.985*m.volatility + 0.07*m.stream.NormFloat64()
		swing := math.Exp(m.volatility)
		common := marketSigma * swing * m.stream.NormFloat64()
		leap, step := 0.0, uint8(1+m.stream.IntN(gridSteps-1))
		if m.stream.Chance(marketJumpsHour) {
			leap = -0.003 + 0.035*m.stream.NormFloat64()
		}
		m.jumped = append(m.jumped, leap)
		for i := range coins {
			m.paths[i].draw(&coins[i], swing, common, jump{leap * coins[i].beta, step})
		}
	}
}

// grow makes room for that many hours more.
func (p *path) grow(hours int) {
	p.logs, p.sigma, p.premium = slices.Grow(p.logs, hours), slices.Grow(p.sigma, hours), slices.Grow(p.premium, hours)
	p.jumps, p.oracles, p.marks = slices.Grow(p.jumps, hours), slices.Grow(p.oracles, hours), slices.Grow(p.marks, hours)
}

func (p *path) draw(c *contract, swing, common float64, leap jump) {
	sigma := math.Hypot(c.sigma*swing, c.beta*marketSigma*swing)
	move := c.drift + c.beta*common + c.sigma*swing*p.stream.NormFloat64()
	own, size := p.stream.Float64(), p.stream.NormFloat64()
	if own < ownJumpsHour {
		leap.size += 9 * c.sigma * size
	}
	last, hour := p.logs[len(p.logs)-1], len(p.sigma)
	p.sigma = append(p.sigma, sigma)
	p.jumps = append(p.jumps, leap)
	p.logs = append(p.logs, last+move+leap.size)
	p.premium = append(p.premium, c.premium+0.92*(p.premium[hour]-c.premium)+0.00018*p.stream.NormFloat64())
	p.price(c)
}

// price works out the prices of the latest full hour.
func (p *path) price(c *contract) {
	n := len(p.logs) - 1
	oracle := math.Exp(p.logs[n])
	p.oracles = append(p.oracles, c.tick(oracle))
	p.marks = append(p.marks, c.tick(oracle*(1+p.premium[n])))
}

// normal is nearly standard normal: the sum of four uniforms out of one hash.
func normal(key uint64) float64 {
	h := seeded.Mix(key)
	sum := h&0xffff + h>>16&0xffff + h>>32&0xffff + h>>48
	return (float64(sum)/65536 - 2) * math.Sqrt(3)
}

// displacement is how far the middle of two points of an hour's bridge is from halfway between them.
func (p *path) displacement(hour, low, high int) float64 {
	share := float64(high-low) / gridSteps
	return p.sigma[hour] * math.Sqrt(share) / 2 * normal(p.key^uint64(hour)<<8^uint64(low+high)/2)
}

// grid is the logarithmic price at one step of an hour.
func (p *path) grid(hour, step int) float64 {
	if step == 0 {
		return p.logs[hour]
	}
	leap := p.jumps[hour]
	low, high := 0, gridSteps
	from, to := p.logs[hour], p.logs[hour+1]-leap.size
	for high-low > 1 {
		middle := (low + high) / 2
		value := (from+to)/2 + p.displacement(hour, low, high)
		if step < middle {
			high, to = middle, value
		} else {
			low, from = middle, value
		}
	}
	if step >= int(leap.step) {
		from += leap.size
	}
	return from
}

// logAt is the logarithmic price at a time in milliseconds after the start.
func (p *path) logAt(since int64) float64 {
	hour, rest := int(since/hourMillis), since%hourMillis
	if rest == 0 {
		return p.logs[hour]
	}
	place := float64(rest) / gridMillis
	step := int(place)
	share := place - float64(step)
	from := p.grid(hour, step)
	if share == 0 {
		return from
	}
	to := p.logs[hour+1]
	if step+1 < gridSteps {
		to = p.grid(hour, step+1)
	}
	return from*(1-share) + to*share
}

// premiumAt is by what fraction the mark price exceeds the oracle's.
func (p *path) premiumAt(since int64) float64 {
	hour, share := int(since/hourMillis), float64(since%hourMillis)/float64(hourMillis)
	return p.premium[hour]*(1-share) + p.premium[hour+1]*share
}

// fundingRate is the hourly rate that a mean premium leads to: an eighth of P + clamp(0.01 % − P, ±0.05 %), at most 4 % an hour
// (Hyperliquid's documentation, "Funding").
func fundingRate(premium float64) float64 {
	rate := (premium + math.Max(-0.0005, math.Min(0.0005, 0.0001-premium))) / 8
	return math.Max(-0.04, math.Min(0.04, rate))
}

package perpvenue

import "math"

var intervalMillis = map[string]int64{"1m": 60_000, "3m": 180_000, "5m": 300_000, "15m": 900_000, "30m": 1_800_000, "1h": hourMillis,
	"2h": 2 * hourMillis, "4h": 4 * hourMillis, "8h": 8 * hourMillis, "12h": 12 * hourMillis, "1d": dayMillis, "3d": 3 * dayMillis,
	"1w": 7 * dayMillis, "1M": 30 * dayMillis}

type candleWire struct {
	Open     int64  `json:"t"`
	Close    int64  `json:"T"`
	Coin     string `json:"s"`
	Interval string `json:"i"`
	First    string `json:"o"`
	Last     string `json:"c"`
	High     string `json:"h"`
	Low      string `json:"l"`
	Volume   string `json:"v"`
	Trades   int    `json:"n"`
}

// candlesWire are the candles of a stretch of time, from the one that its beginning falls into, of the latest ones that the venue
// keeps; the last may be under way. Candles begin at multiples of their length, and a month has thirty days.
func (v *Venue) candlesWire(coin int, interval string, length, from, to int64) []candleWire {
	wires := []candleWire{}
	from = min(max(from, 0), v.now+1)
	end := v.tradedUntil(coin, v.now)
	first := max(v.start, v.now-candlesPerCoin*length, from-length+1)
	open := (first + length - 1) / length * length
	if begin := v.start / length * length; first == v.start && begin != open {
		open = begin // the one that was under way when trading began
	}
	for ; open <= min(to, end-1) && len(wires) < candlesPerCoin; open += length {
		wires = append(wires, v.candle(coin, interval, open, length, end))
	}
	return wires
}

// candle reads one off the path: every step of it, and its two ends.
func (v *Venue) candle(coin int, interval string, open, length, end int64) candleWire {
	c, p := &v.coins[coin], v.pathOf(coin)
	from, to := max(open, v.start), min(open+length, end)
	first, last := p.logAt(from-v.start), p.logAt(to-v.start)
	high, low := math.Max(first, last), math.Min(first, last)
	var grid [gridSteps]float64
	volume := 0.0
	for hour := v.hour(from); hour <= v.hour(to-1); hour++ {
		begin := v.start + int64(hour)*hourMillis
		p.hour(hour, &grid)
		inside := 0
		for step := range grid {
			if at := begin + int64(float64(step)*gridMillis); at >= from && at <= to {
				inside++
				high, low = math.Max(high, grid[step]), math.Min(low, grid[step])
			}
		}
		share := float64(min(to, begin+hourMillis)-max(from, begin)) / float64(hourMillis)
		volume += v.hourVolume(coin, hour) * share
	}
	price := func(log float64) string { return moneyText(c.tick(math.Exp(log))) }
	return candleWire{open, open + length - 1, c.name, interval, price(first), price(last), price(high), price(low),
		floatText(volume, c.szDecimals), 1 + int(volume/c.volume*40_000)}
}

// hour is the logarithmic price at every step of an hour.
func (p *path) hour(hour int, grid *[gridSteps]float64) {
	leap := p.jumps[hour]
	var fill func(low, high int, from, to float64)
	fill = func(low, high int, from, to float64) {
		if high-low == 1 {
			return
		}
		middle := (low + high) / 2
		grid[middle] = (from+to)/2 + p.displacement(hour, low, high)
		fill(low, middle, from, grid[middle])
		fill(middle, high, grid[middle], to)
	}
	grid[0] = p.logs[hour]
	fill(0, gridSteps, p.logs[hour], p.logs[hour+1]-leap.size)
	for step := int(leap.step); step < gridSteps; step++ {
		grid[step] += leap.size
	}
}

// hourVolume is what is traded in an hour, in coins: more after prices moved. What the hour itself brings does not show in it.
func (v *Venue) hourVolume(coin, hour int) float64 {
	p, moved := v.pathOf(coin), 1.0
	if hour > 0 {
		moved = math.Abs(p.logs[hour]-p.logs[hour-1]) / math.Max(p.sigma[hour-1], 1e-9)
	}
	return v.coins[coin].volume / 24 * (0.6 + 0.5*moved) * math.Exp(0.3*normal(p.key^uint64(hour)<<24^1))
}

package polymarket

import (
	"encoding/hex"
	"math"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// Adapter implements the five prediction ports of package market. It is safe for concurrent use.
type Adapter struct{ data, gamma, clob *upstream.Client }

var (
	_ market.PredictionActivityPort = (*Adapter)(nil)
	_ market.PredictionPositionPort = (*Adapter)(nil)
	_ market.PredictionMarketPort   = (*Adapter)(nil)
	_ market.PredictionPricePort    = (*Adapter)(nil)

	_ market.PredictionLeaderboardPort = (*Adapter)(nil)
)

// New reads through clients of the data service, the market catalogue (gamma) and the order book service (CLOB), whose bases are the
// services' roots.
func New(data, gamma, clob *upstream.Client) *Adapter { return &Adapter{data, gamma, clob} }

// DataDefaults is the public data service. Of the calls within any ten seconds it allows 200 for trades and 150 for each list of
// positions: the smaller number bounds them all.
func DataDefaults() upstream.Config {
	return upstream.Config{
		Name: "polymarket-data", Base: "https://data-api.polymarket.com", PerMinute: 600, Burst: 50, Concurrency: 12, Timeout: 6 * time.Second,
	}
}

// GammaDefaults is the public market catalogue, which allows 300 calls for markets within any ten seconds.
func GammaDefaults() upstream.Config {
	return upstream.Config{
		Name: "polymarket-gamma", Base: "https://gamma-api.polymarket.com", PerMinute: 1200, Burst: 100, Timeout: 6 * time.Second,
	}
}

// CLOBDefaults is the public order book service, which allows 1,000 calls for past prices within any ten seconds.
func CLOBDefaults() upstream.Config {
	return upstream.Config{
		Name: "polymarket-clob", Base: "https://clob.polymarket.com", PerMinute: 3000, Burst: 100, Timeout: 6 * time.Second,
	}
}

// readHash reads 32 bytes in hexadecimal digits of any case after 0x.
func readHash(text upstream.Text) (hash market.Hash, ok bool) {
	if len(text) != 2+2*len(hash) || text[:2] != "0x" {
		return market.Hash{}, false
	}
	if _, err := hex.Decode(hash[:], []byte(text[2:])); err != nil {
		return market.Hash{}, false
	}
	return hash, true
}

func writeHash(hash market.Hash) string { return "0x" + hex.EncodeToString(hash[:]) }

// readAsset tells an outcome's token: a decimal number of at most 256 bits.
func readAsset(text upstream.Text) (string, bool) {
	const mostDigits = 78
	if text == "" || len(text) > mostDigits || strings.Trim(string(text), "0123456789") != "" {
		return "", false
	}
	return string(text), true
}

// name takes the first text that can be the name of an event or a market: neither empty nor of a length that no name has.
func name(texts ...upstream.Text) string {
	const longest = 300
	for _, text := range texts {
		if trimmed := strings.TrimSpace(string(text)); trimmed != "" && len(trimmed) <= longest {
			return trimmed
		}
	}
	return ""
}

// readOutcome reads the index of an outcome within its market, -1 where there is none: the services write 999 then.
func readOutcome(n upstream.Number) int {
	const most = 255
	if index, ok := n.Count(); ok && index <= most {
		return index
	}
	return -1
}

// within is a number from least to most; NaN and false otherwise.
func within(n upstream.Number, least, most float64) (float64, bool) {
	value, ok := n.Float()
	if !ok || value < least || value > most {
		return math.NaN(), false
	}
	return value + 0, true // minus zero becomes zero
}

// orNaN is a number from least to most, NaN where it is missing or cannot be: for what a row is worth reading without.
func orNaN(n upstream.Number, least, most float64) float64 {
	value, _ := within(n, least, most)
	return value
}

// readDay reads a day or an instant as the services write them, in the past or the future; zero for anything else.
func readDay(text upstream.Text) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05Z07", "2006-01-02 15:04:05Z07:00", time.DateTime, time.DateOnly} {
		if at, err := time.Parse(layout, string(text)); err == nil {
			if at = at.UTC(); at.Year() >= 2015 && at.Year() < 2200 {
				return at
			}
			return time.Time{}
		}
	}
	return time.Time{}
}

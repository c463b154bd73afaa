package tokenfacts

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// Observation is what was measured of a token at one time, kept so that later answers can tell a direction.
type Observation struct {
	At time.Time
	// Holders is the number of accounts with a balance; zero when it was not measured.
	Holders int
	// TopShare is what the ten largest holders had, infrastructure left out, as a fraction of the supply; LiquidityUSD what lay in
	// all pools together, both sides; PriceUSD the price in the deepest. NaN when not measured.
	TopShare, LiquidityUSD, PriceUSD float64
}

// observationVersion is the format that is written; older ones can still be read, newer ones cannot.
const observationVersion = 1

// wireObservation is an observation as it is kept. The names never change.
type wireObservation struct {
	Version      int      `json:"v"`
	Holders      int      `json:"holders,omitempty"`
	TopShare     *float64 `json:"topShare,omitempty"`
	LiquidityUSD *float64 `json:"liquidityUsd,omitempty"`
	PriceUSD     *float64 `json:"priceUsd,omitempty"`
}

// Encode writes what was measured; the time is kept beside it.
func (o Observation) Encode() ([]byte, error) {
	return json.Marshal(wireObservation{
		Version: observationVersion, Holders: max(0, o.Holders),
		TopShare: measured(o.TopShare), LiquidityUSD: measured(o.LiquidityUSD), PriceUSD: measured(o.PriceUSD),
	})
}

// DecodeObservation reads what Encode wrote of a time. What it cannot have written is an error.
func DecodeObservation(at time.Time, data []byte) (Observation, error) {
	var wire wireObservation
	if err := json.Unmarshal(data, &wire); err != nil {
		return Observation{}, fmt.Errorf("observation of %s: %w", at.Format(time.RFC3339), err)
	}
	o := Observation{
		At: at, Holders: wire.Holders,
		TopShare: orNaN(wire.TopShare), LiquidityUSD: orNaN(wire.LiquidityUSD), PriceUSD: orNaN(wire.PriceUSD),
	}
	if wire.Version != observationVersion || o.Holders < 0 || o.TopShare < 0 || o.LiquidityUSD < 0 || o.PriceUSD < 0 {
		return Observation{}, fmt.Errorf("observation of %s: version %d with values out of range", at.Format(time.RFC3339), wire.Version)
	}
	return o, nil
}

// measured is nil for what was not: NaN, infinite or negative.
func measured(x float64) *float64 {
	if math.IsInf(x, 0) || !(x >= 0) {
		return nil
	}
	return &x
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

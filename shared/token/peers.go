package token

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// measure is what a token is valued by: the logarithms of its ratios, NaN where one could not be measured. A ratio to nothing is
// unmeasured, never zero.
type measure struct {
	// Liquidity, Volume and Holders are the logarithms of the valuation over what lies in the pools (both sides, USD), over the
	// last day's volume (USD), and over the number of holders.
	Liquidity, Volume, Holders float64
	// Float is the logarithm of the fully diluted valuation over the market capitalisation.
	Float float64
	// FullyDiluted is true where no market capitalisation is known and the fully diluted valuation stands in for it.
	FullyDiluted bool
	// AgeDays is the age of the first known pool; NaN when unknown.
	AgeDays float64
	// logHolders is the logarithm of the number of holders, NaN when unknown.
	logHolders float64
}

// washMultiple caps a pool's daily volume at so many times its liquidity before it counts: what turns over more than that is traded
// with itself more often than not. The figure is a convention of this service.
const washMultiple = 10

// measureOf measures a token by its pools and its number of holders, zero when unknown.
func measureOf(on *chain.Chain, pools []market.Pool, holders int, asOf time.Time) measure {
	m := measure{Liquidity: math.NaN(), Volume: math.NaN(), Holders: math.NaN(), Float: math.NaN(), AgeDays: math.NaN(), logHolders: logOf(float64(holders))}
	if launched := tokenfacts.Launched(pools); !launched.IsZero() && !launched.After(asOf) {
		m.AgeDays = asOf.Sub(launched).Hours() / 24
	}
	capitalisation, diluted := math.NaN(), math.NaN()
	liquidity, volume := 0.0, 0.0
	for _, pool := range quotedPools(on, pools) {
		if math.IsNaN(capitalisation) && pool.MarketCapUSD > 0 && !math.IsInf(pool.MarketCapUSD, 0) {
			capitalisation = pool.MarketCapUSD
		}
		if math.IsNaN(diluted) && pool.FullyDilutedUSD > 0 && !math.IsInf(pool.FullyDilutedUSD, 0) {
			diluted = pool.FullyDilutedUSD
		}
		if pool.LiquidityUSD > 0 {
			liquidity += pool.LiquidityUSD
			if pool.VolumeUSD24h > 0 {
				volume += min(pool.VolumeUSD24h, washMultiple*pool.LiquidityUSD)
			}
		}
	}
	m.Float = logOf(diluted) - logOf(capitalisation)
	value := logOf(capitalisation)
	if math.IsNaN(value) {
		value, m.FullyDiluted = logOf(diluted), true
	}
	m.FullyDiluted = m.FullyDiluted && !math.IsNaN(value)
	m.Liquidity, m.Volume, m.Holders = value-logOf(liquidity), value-logOf(volume), value-m.logHolders
	return m
}

// quotedPools are the pools against what a chain quotes in, deepest first; all pools where there are none. The liquidity of a pool
// against anything else is worth what somebody says it is.
func quotedPools(on *chain.Chain, pools []market.Pool) []market.Pool {
	var quoted []market.Pool
	for i := range pools {
		if on.IsQuote(pools[i].Quote) {
			quoted = append(quoted, pools[i])
		}
	}
	if len(quoted) == 0 {
		return pools
	}
	return quoted
}

// logOf is the natural logarithm, NaN for what is not a positive finite number.
func logOf(x float64) float64 {
	if !(x > 0) || math.IsInf(x, 0) {
		return math.NaN()
	}
	return math.Log(x)
}

// peer is a token that others are compared with.
type peer struct {
	Token chain.Address
	measure
	// HoldersAt is when the holders were counted; zero when they were not.
	HoldersAt time.Time
}

// peerSetVersion is the format of a peer set that is written and read.
const peerSetVersion = 1

// maximumPeers is how many tokens of a chain are kept at most.
const maximumPeers = 250

// wirePeers is a peer set as it is kept.
type wirePeers struct {
	Version int        `json:"v"`
	Peers   []wirePeer `json:"peers"`
}

type wirePeer struct {
	Token        string    `json:"token"`
	Liquidity    *float64  `json:"liquidity,omitempty"`
	Volume       *float64  `json:"volume,omitempty"`
	Holders      *float64  `json:"holders,omitempty"`
	FullyDiluted bool      `json:"fullyDiluted,omitempty"`
	AgeDays      *float64  `json:"ageDays,omitempty"`
	LogHolders   *float64  `json:"logHolders,omitempty"`
	HoldersAt    time.Time `json:"holdersAt,omitzero"`
}

func encodePeers(peers []peer) ([]byte, error) {
	wire := wirePeers{Version: peerSetVersion, Peers: make([]wirePeer, 0, len(peers))}
	for i := range peers {
		p := &peers[i]
		wire.Peers = append(wire.Peers, wirePeer{
			Token: p.Token.String(), Liquidity: short(p.Liquidity), Volume: short(p.Volume), Holders: short(p.Holders),
			FullyDiluted: p.FullyDiluted, AgeDays: short(p.AgeDays), LogHolders: short(p.logHolders), HoldersAt: p.HoldersAt,
		})
	}
	return json.Marshal(wire)
}

func decodePeers(data []byte) ([]peer, error) {
	var wire wirePeers
	if err := json.Unmarshal(data, &wire); err != nil {
		return nil, fmt.Errorf("read peers: %w", err)
	}
	if wire.Version != peerSetVersion {
		return nil, fmt.Errorf("read peers: version %d, this version reads %d", wire.Version, peerSetVersion)
	}
	if len(wire.Peers) > maximumPeers {
		return nil, errors.New("read peers: too many of them")
	}
	peers := make([]peer, 0, len(wire.Peers))
	for _, w := range wire.Peers {
		token, err := chain.ParseAddress(w.Token)
		if err != nil {
			return nil, fmt.Errorf("read peers: %w", err)
		}
		peers = append(peers, peer{Token: token, HoldersAt: w.HoldersAt, measure: measure{
			Liquidity: orNaN(w.Liquidity), Volume: orNaN(w.Volume), Holders: orNaN(w.Holders), Float: math.NaN(),
			FullyDiluted: w.FullyDiluted, AgeDays: orNaN(w.AgeDays), logHolders: orNaN(w.LogHolders),
		}})
	}
	return peers, nil
}

// short keeps four decimals of a logarithm, which is a hundredth of a percent of the ratio; nil for what was not measured.
func short(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	rounded := math.Round(x*1e4) / 1e4
	return &rounded
}

func orNaN(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

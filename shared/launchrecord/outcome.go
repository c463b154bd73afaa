package launchrecord

import (
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Status says whether a launch counts, or why it does not.
type Status string

// What can be said of a launch.
const (
	// Eligible launches count, whether they rose or not.
	Eligible Status = "eligible"
	// Pending launches are less than a Window old. It is the only status that another look can change.
	Pending Status = "pending"
	// NotNew tokens had been minted before what was read.
	NotNew Status = "not-new"
	// FewTrades launches had less than twenty trades in the window.
	FewTrades Status = "few-trades"
	// HistoryCut launches were too busy to be read for long enough.
	HistoryCut Status = "history-cut"
	// Unmeasured launches have no price of the quote asset, or no reserve.
	Unmeasured Status = "unmeasured"
	// Thin pools held too little at the reference.
	Thin Status = "thin"
)

// Outcome is what became of a launch.
type Outcome struct {
	Status Status
	// LiquidityUSD is what the pool held of the quote asset before its first trade.
	LiquidityUSD float64
	// ReferencePrice is in units of the quote asset for one token; ReferenceAt is the time of the trade it comes from.
	ReferencePrice float64
	ReferenceAt    time.Time
	// Rose is true when the price reached five times the reference with money behind it.
	Rose bool
	// Peak is the largest hourly price over the reference, among hours with enough liquidity, buyers and sellers, and PeakAt the
	// beginning of that hour; zero when there was none.
	Peak   float64
	PeakAt time.Time
	// Early are the early buyers in the order of their first buys, at most fifty.
	Early []chain.Address
	// Team are accounts with a part in the launch: whom the first supply was minted to, and who provided liquidity; at most eight.
	Team     []chain.Address
	Excluded Exclusions
}

// Exclusions counts the accounts among the first buyers that are no early buyers, each by the first cause that applies.
type Exclusions struct {
	// Deployer was minted the first supply; Provider provided liquidity in the window.
	Deployer int `json:"deployer"`
	Provider int `json:"provider"`
	// Supplied got at least a ten-thousandth of the supply other than by trades in the pool.
	Supplied int `json:"supplied"`
	// LaunchBlock bought in the block of the first deposit or in the next one.
	LaunchBlock int `json:"launchBlock"`
	// SameBlock bought and sold in one block.
	SameBlock int `json:"sameBlock"`
	// Large held more than 3 % of the supply a minute after the first trade.
	Large int `json:"large"`
	// Small bought for less than 50 USD, or only at twice the reference and more.
	Small int `json:"small"`
}

// version is that of the encoding.
const version = 1

type wireOutcome struct {
	Version        int             `json:"v"`
	Status         Status          `json:"status"`
	LiquidityUSD   float64         `json:"liquidityUsd,omitzero"`
	ReferencePrice float64         `json:"referencePrice,omitzero"`
	ReferenceAt    time.Time       `json:"referenceAt,omitzero"`
	Rose           bool            `json:"rose,omitzero"`
	Peak           float64         `json:"peak,omitzero"`
	PeakAt         time.Time       `json:"peakAt,omitzero"`
	Early          []chain.Address `json:"early,omitempty"`
	Team           []chain.Address `json:"team,omitempty"`
	Excluded       Exclusions      `json:"excluded,omitzero"`
}

// Encode writes an outcome for the store: at most 4 KiB.
func Encode(o Outcome) ([]byte, error) {
	return json.Marshal(wireOutcome{
		version, o.Status, o.LiquidityUSD, o.ReferencePrice, o.ReferenceAt, o.Rose, o.Peak, o.PeakAt, o.Early, o.Team, o.Excluded,
	})
}

// Decode reads what Encode wrote. Anything else, another version too, is an error.
func Decode(data []byte) (Outcome, error) {
	var w wireOutcome
	if err := json.Unmarshal(data, &w); err != nil {
		return Outcome{}, fmt.Errorf("the outcome of a launch: %w", err)
	}
	if w.Version != version {
		return Outcome{}, fmt.Errorf("the outcome of a launch: version %d, want %d", w.Version, version)
	}
	switch w.Status {
	case Eligible:
		if !(w.LiquidityUSD > 0) || !(w.ReferencePrice > 0) || w.ReferenceAt.IsZero() {
			return Outcome{}, fmt.Errorf("the outcome of a launch: eligible without liquidity or reference")
		}
	case NotNew, FewTrades, HistoryCut, Unmeasured, Thin, Pending:
		if w.Rose || len(w.Early) > 0 {
			return Outcome{}, fmt.Errorf("the outcome of a launch: %q with early buyers or a rise", w.Status)
		}
	default:
		return Outcome{}, fmt.Errorf("the outcome of a launch: status %q", w.Status)
	}
	if w.Rose && !(w.Peak >= riseMultiple) || w.Peak < 0 || math.IsInf(w.Peak, 0) || len(w.Early) > firstBuyers || len(w.Team) > maximumTeam {
		return Outcome{}, fmt.Errorf("the outcome of a launch: peak %v, %d early buyers, team of %d", w.Peak, len(w.Early), len(w.Team))
	}
	return Outcome{
		w.Status, w.LiquidityUSD, w.ReferencePrice, w.ReferenceAt, w.Rose, w.Peak, w.PeakAt, w.Early, w.Team, w.Excluded,
	}, nil
}

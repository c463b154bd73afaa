package agent

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// MicroUSD is an amount of money in millionths of a dollar. It is written as a decimal number in text, like "250.5".
type MicroUSD int64

// Dollar is one.
const Dollar MicroUSD = 1_000_000

// decimalAmount is a whole number of up to twelve digits and up to six after the point, in ASCII, without sign or exponent.
var decimalAmount = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,12}(\.[0-9]{1,6})?$`) })

// ErrAmount is returned for text that is no amount of money.
var ErrAmount = errors.New("not an amount: want a decimal number like 250 or 250.5, with up to 12 digits before and 6 after the point")

// ParseMicroUSD reads an amount.
func ParseMicroUSD(text string) (MicroUSD, error) {
	if !decimalAmount().MatchString(text) {
		return 0, ErrAmount
	}
	whole, fraction, _ := strings.Cut(text, ".")
	digits := whole + fraction + strings.Repeat("0", 6-len(fraction))
	micro, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		return 0, ErrAmount
	}
	return MicroUSD(micro), nil
}

// USD is the amount in dollars.
func (m MicroUSD) USD() float64 { return float64(m) / float64(Dollar) }

// String writes the amount as ParseMicroUSD reads it, and negative ones with a sign.
func (m MicroUSD) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	text := fmt.Sprintf("%s%d.%06d", sign, m/Dollar, m%Dollar)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// MarshalText is String.
func (m MicroUSD) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText is ParseMicroUSD, and reads negative amounts too.
func (m *MicroUSD) UnmarshalText(text []byte) error {
	unsigned, negative := strings.CutPrefix(string(text), "-")
	amount, err := ParseMicroUSD(unsigned)
	if negative {
		amount = -amount
	}
	*m = amount
	return err
}

// RiskConfig is what the owner of an agent allows it. Limits that are nil are not set.
type RiskConfig struct {
	// MaxUSD is the most that open copies may cost together, above zero.
	MaxUSD MicroUSD `json:"maxUsd"`
	// CopyPercent is how much of the leader's size is copied: of the part of its own means that the leader puts into a trade, the part of
	// MaxUSD that the copy takes. Above 0, at most 100.
	CopyPercent float64 `json:"copyPercent"`
	// MaxLeverage bounds the leverage of copies on perpetuals, 1 to 20; null for the usual bound of 3.
	MaxLeverage *float64 `json:"maxLeverage"`
	// MaxSlippageBps is the most that a copy may be worse than the leader's price, in hundredths of a percent, 1 to 5000; null for no
	// bound of its own.
	MaxSlippageBps *int `json:"maxSlippageBps"`
	// DailyLossUSD is the loss within a UTC day after which nothing is opened that day, above zero; null for no such bound.
	DailyLossUSD *MicroUSD `json:"dailyLossUsd"`
	// PerPositionCapPct is the part of maxUsd that one position may cost, above 0, at most 100; null for no such bound.
	PerPositionCapPct *float64 `json:"perPositionCapPct"`
	// ExcludeTokens are never opened: token addresses, or the venue's names of contracts and outcomes.
	ExcludeTokens []string `json:"excludeTokens"`
	// CopyExisting also opens what the leader held already when the agent was activated.
	CopyExisting bool `json:"copyExisting"`
}

const (
	// MaximumLeverage is the highest cap on leverage that an owner can set.
	MaximumLeverage = 20
	// DefaultLeverage is the cap where the owner set none. It is what the owner accepts in the activation.
	DefaultLeverage = 3
)

// LeverageCap is the highest leverage of copies.
func (r *RiskConfig) LeverageCap() float64 {
	if r.MaxLeverage != nil {
		return *r.MaxLeverage
	}
	return DefaultLeverage
}

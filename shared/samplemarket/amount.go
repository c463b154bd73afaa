package samplemarket

import (
	"encoding/binary"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Amounts are whole ledger units: int64 counts of 10^-digits of an asset. On the wire a unit is 10^(decimals-digits) raw units, so
// every sum is exact and nothing needs more than 64 bits inside the simulation.

var powersOfTen = [...]uint64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19}

// mulDiv is floor(a*b/c) for non-negative a, b and positive c whose quotient fits.
func mulDiv(a, b, c int64) int64 {
	high, low := bits.Mul64(uint64(a), uint64(b))
	quotient, _ := bits.Div64(high, low, uint64(c))
	return int64(quotient)
}

// word is the 32-byte big-endian form of a 128-bit number.
func word(high, low uint64) [32]byte {
	var w [32]byte
	binary.BigEndian.PutUint64(w[16:], high)
	binary.BigEndian.PutUint64(w[24:], low)
	return w
}

// rawWord is an amount's raw units as a 32-byte word; a negative amount is in two's complement.
func (a *asset) rawWord(units int64) [32]byte {
	negative := units < 0
	if negative {
		units = -units
	}
	w := word(bits.Mul64(uint64(units), powersOfTen[a.decimals-a.digits]))
	if negative {
		carry := true
		for i := 31; i >= 0; i-- {
			w[i] = ^w[i]
			if carry {
				w[i]++
				carry = w[i] == 0
			}
		}
	}
	return w
}

// raw is an amount's raw units in decimal.
func (a *asset) raw(units int64) string {
	if units == 0 {
		return "0"
	}
	return strconv.FormatInt(units, 10) + strings.Repeat("0", a.decimals-a.digits)
}

// decimal is an amount in whole coins, written out without rounding.
func (a *asset) decimal(units int64) string {
	sign := ""
	if units < 0 {
		sign, units = "-", -units
	}
	scale := int64(powersOfTen[a.digits])
	text := strconv.FormatInt(units/scale, 10)
	if rest := units % scale; rest != 0 {
		digits := strconv.FormatInt(rest, 10)
		text += "." + strings.TrimRight(strings.Repeat("0", a.digits-len(digits))+digits, "0")
	}
	return sign + text
}

func (a *asset) coins(units int64) float64 { return float64(units) / float64(powersOfTen[a.digits]) }

func (a *asset) units(coins float64) int64 {
	return int64(math.Floor(math.Max(0, math.Min(coins*float64(powersOfTen[a.digits]), 4e18))))
}

// number writes a float the way the decimal-string providers do: no exponent, at most 18 significant digits.
func number(x float64) string {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return "0"
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

func round(x float64, places int) float64 {
	scale := math.Pow(10, float64(places))
	return math.Round(x*scale) / scale
}

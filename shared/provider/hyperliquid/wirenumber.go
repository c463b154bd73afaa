package hyperliquid

import (
	"math"
	"strconv"
	"strings"
)

// The venue takes prices of at most five significant digits, of which at most six less those of a size are decimals; whole prices may have
// more digits (https://hyperliquid.gitbook.io/hyperliquid-docs/for-developers/api/tick-and-lot-size).
const (
	significantDigits = 5
	priceDecimals     = 6
)

// wirePrice writes a price that the venue takes, the nearest one that is not worse for whoever limits his order by it: not above for a
// buyer, not below for a seller. It is empty where there is none above zero.
func wirePrice(price float64, sizeDecimals int, buy bool) string {
	digits, exponent, ok := decimalDigits(price)
	if !ok {
		return ""
	}
	// A digit at place i stands for 10^(exponent-1-i), and the first decimal has the place exponent.
	kept := min(max(significantDigits, exponent), exponent+max(0, priceDecimals-sizeDecimals))
	return writeDecimal(roundDigits(digits, exponent, kept, !buy))
}

// wireSize writes a size that the venue takes, the greatest one that is not above. It is empty where there is none above zero.
func wireSize(size float64, sizeDecimals int) string {
	digits, exponent, ok := decimalDigits(size)
	if !ok {
		return ""
	}
	return writeDecimal(roundDigits(digits, exponent, exponent+sizeDecimals, false))
}

// decimalDigits is the shortest decimal that reads as a number: its digits, and the place of the point after so many of them, which may
// lie before the first or after the last. It is what whoever wrote the number meant: 0.3, and not the nearest binary fraction.
func decimalDigits(value float64) (digits string, exponent int, ok bool) {
	if !(value > 0) || math.IsInf(value, 1) {
		return "", 0, false
	}
	mantissa, power, _ := strings.Cut(strconv.FormatFloat(value, 'e', -1, 64), "e")
	exponent, err := strconv.Atoi(power)
	return strings.Replace(mantissa, ".", "", 1), exponent + 1, err == nil
}

// roundDigits keeps so many digits, and counts the last one up if something is left out and the number is to be rounded up.
func roundDigits(digits string, exponent, kept int, up bool) (string, int) {
	if kept >= len(digits) {
		return digits, exponent
	}
	if kept < 0 {
		digits, exponent, kept = strings.Repeat("0", -kept)+digits, exponent-kept, 0
	}
	if !up {
		return digits[:kept], exponent
	}
	rounded := []byte("0" + digits[:kept])
	for i := len(rounded) - 1; ; i-- {
		if rounded[i] != '9' {
			rounded[i]++
			break
		}
		rounded[i] = '0'
	}
	return string(rounded), exponent + 1
}

// writeDecimal writes digits with their point, without zeros that say nothing; empty for zero.
func writeDecimal(digits string, exponent int) string {
	if exponent <= 0 {
		digits, exponent = strings.Repeat("0", 1-exponent)+digits, 1
	}
	digits += strings.Repeat("0", max(0, exponent-len(digits)))
	whole, decimals := strings.TrimLeft(digits[:exponent], "0"), strings.TrimRight(digits[exponent:], "0")
	switch {
	case whole == "" && decimals == "":
		return ""
	case whole == "":
		whole = "0"
	}
	if decimals == "" {
		return whole
	}
	return whole + "." + decimals
}

package perpvenue

import (
	"math"
	"strconv"
	"strings"
)

// Money and prices are whole numbers of millionths of a dollar, so that sums of what is served are exact.
const (
	million       = 1_000_000
	moneyDecimals = 6
)

var powersOfTen = [...]int64{1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000}

// decimalText writes value/10^decimals as the venue does: no trailing zeros but one after the point.
func decimalText(value int64, decimals int) string {
	sign := ""
	if value < 0 {
		sign, value = "-", -value
	}
	whole, rest := value/powersOfTen[decimals], value%powersOfTen[decimals]
	if rest == 0 {
		return sign + strconv.FormatInt(whole, 10) + ".0"
	}
	digits := strconv.FormatInt(rest, 10)
	digits = strings.Repeat("0", decimals-len(digits)) + digits
	return sign + strconv.FormatInt(whole, 10) + "." + strings.TrimRight(digits, "0")
}

func moneyText(micros int64) string { return decimalText(micros, moneyDecimals) }

// floatText writes a number with at most so many decimals, trimmed like decimalText.
func floatText(value float64, decimals int) string {
	text := strings.TrimRight(strconv.FormatFloat(value, 'f', decimals, 64), "0")
	if strings.HasSuffix(text, ".") {
		text += "0"
	}
	if text == "-0.0" {
		return "0.0"
	}
	return text
}

// significant rounds to a number of significant digits, keeping at most so many decimals.
func significant(value float64, digits, decimals int) float64 {
	if value <= 0 {
		return 0
	}
	places := min(max(digits-1-int(math.Floor(math.Log10(value))), 0), decimals)
	scale := math.Pow10(places)
	return math.Round(value*scale) / scale
}

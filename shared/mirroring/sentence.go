package mirroring

import (
	"math"
	"strconv"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
)

// usdText writes dollars for a sentence, like "$12.50". What is not a number is "an unknown amount".
func usdText(usd float64) string {
	if math.IsNaN(usd) || math.IsInf(usd, 0) {
		return "an unknown amount"
	}
	if usd < 0 {
		return "-" + usdText(-usd)
	}
	return "$" + strconv.FormatFloat(usd, 'f', 2, 64)
}

func moneyText(amount agent.MicroUSD) string { return usdText(amount.USD()) }

// fineText writes a part as a percentage with two decimals at most, like "1.25%".
func fineText(part float64) string {
	if math.IsNaN(part) || math.IsInf(part, 0) {
		return "an unknown part"
	}
	return strconv.FormatFloat(math.Round(part*10_000)/100, 'f', -1, 64) + "%"
}

// priceText writes a price with four significant digits at least.
func priceText(price float64) string {
	if !known(price) {
		return "an unknown price"
	}
	decimals := 2
	if price < 1000 {
		decimals = max(2, 3-int(math.Floor(math.Log10(price))))
	}
	return strconv.FormatFloat(price, 'f', min(decimals, 18), 64)
}

// plainText writes a number with one decimal at most.
func plainText(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return "an unknown number"
	}
	return strconv.FormatFloat(math.Round(x*10)/10, 'f', -1, 64)
}

package accuracy

import (
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket"
)

func TestSqueezeRows(t *testing.T) {
	of := func(squeezes, squeezed bool, state string) tokenAnswers {
		a := tokenAnswer("major", "", 900*24*time.Hour, "")
		a.truth.Squeezes, a.truth.Squeezed = squeezes, squeezed
		a.Inflection = &struct {
			State string `json:"state"`
		}{state}
		return a
	}
	rows := squeezeRows([]tokenAnswers{
		of(true, true, "coiled"), of(true, true, "coiling"), of(true, true, "neutral"), of(true, true, "insufficient-data"),
		of(true, false, "coiled"), of(false, false, "coiled"), of(false, false, "neutral"), of(false, false, "insufficient-data"), tokenAnswer("major", "", time.Hour, ""),
	})
	check(t, rows, "a squeezed price is coiled or coiling", "0.667 of 3", false)
	check(t, rows, "coiled or coiling without a squeeze", "0.500 of 2", false)
}

func TestBuyerRows(t *testing.T) {
	yes, no := true, false
	of := func(buyers samplemarket.BuyerTruth, proven int, buying *bool) tokenAnswers {
		a := tokenAnswer("grower", "", 9*24*time.Hour, "")
		a.truth.Buyers = buyers
		a.SmartMoney = &struct {
			Buying         *bool `json:"smartMoneyBuying"`
			Proven         int   `json:"mirrorWorthyBuyers"`
			BuyersAnalyzed int   `json:"buyersAnalyzed"`
		}{buying, proven, 12}
		return a
	}
	rows := buyerRows([]tokenAnswers{
		of(samplemarket.BuyerTruth{All: 12, Skilled: 4, Proven: 3}, 3, &yes), of(samplemarket.BuyerTruth{All: 12, Skilled: 2, Proven: 2}, 0, &no),
		of(samplemarket.BuyerTruth{All: 12, Skilled: 1, Proven: 1, Carried: 1}, 3, &yes), of(samplemarket.BuyerTruth{All: 12}, 1, nil),
		of(samplemarket.BuyerTruth{All: 12}, 0, &no), of(samplemarket.BuyerTruth{All: 5}, 0, nil), tokenAnswer("grower", "", time.Hour, ""),
	})
	check(t, rows, "buyers counted as proven, as many of whom have an edge or rose with the market", "0.714 of 7", false)
	check(t, rows, "smart money said to buy where two buyers with an edge did", "0.500 of 2", false)
	check(t, rows, "proven buyers seen where two with an edge and a record bought", "0.500 of 2", true)
	check(t, rows, "buyers counted as proven among the crowd, machines and washers", "0.042 of 24", true)
}

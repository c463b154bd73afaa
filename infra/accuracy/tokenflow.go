package accuracy

import "github.com/mirrorworthy/mirrorworthy/shared/samplemarket"

// The goals of what is said about quiet prices and about proven buyers on the sample market.
const (
	squeezeRecall   = 0.80
	squeezeAlarms   = 0.20 // a rank of the present width is in the lowest 15 % by chance in as many cases
	provenPrecision = 0.85
	provenFound     = 0.50
	leastBuyers     = 6
)

// squeezeRows measure whether a price that was made to go quiet shows as coiled or coiling, and how often one that never does.
func squeezeRows(all []tokenAnswers) []Row {
	var squeezed, others share
	for i := range all {
		a := &all[i]
		if a.Inflection == nil || a.Inflection.State == "insufficient-data" {
			continue
		}
		tight := a.Inflection.State == "coiled" || a.Inflection.State == "coiling"
		if a.truth.Squeezed {
			squeezed.count(tight)
		} else if !a.truth.Squeezes {
			others.count(tight)
		}
	}
	return []Row{
		squeezed.atLeast("a squeezed price is coiled or coiling", squeezeRecall),
		others.atMost("coiled or coiling without a squeeze", squeezeAlarms),
	}
}

// buyersOf is the group of a token by its latest buyers: several with a planted edge and a record, or nobody with an edge or carried by
// the market. Empty where there are too few, and for those between.
func buyersOf(truth *samplemarket.TokenTruth) string {
	b := truth.Buyers
	switch {
	case b.All < leastBuyers:
		return ""
	case b.Proven >= 2:
		return "proven"
	case b.Skilled == 0 && b.Carried == 0:
		return "plain"
	}
	return ""
}

// buyerRows measure whether those counted as proven buyers are the planted ones.
func buyerRows(all []tokenAnswers) []Row {
	var counted, buying, found, plain share
	for i := range all {
		a := &all[i]
		if a.SmartMoney == nil {
			continue
		}
		skilled, proven := a.truth.Buyers.Skilled, a.SmartMoney.Proven
		counted.whole += proven
		counted.part += min(proven, skilled+a.truth.Buyers.Carried)
		if a.SmartMoney.Buying != nil && *a.SmartMoney.Buying {
			buying.count(skilled >= 2)
		}
		switch buyersOf(&a.truth) {
		case "proven":
			found.count(proven > 0)
		case "plain":
			plain.whole += a.SmartMoney.BuyersAnalyzed
			plain.part += proven
		}
	}
	return []Row{
		counted.atLeast("buyers counted as proven, as many of whom have an edge or rose with the market", provenPrecision),
		buying.atLeast("smart money said to buy where two buyers with an edge did", provenPrecision),
		found.atLeast("proven buyers seen where two with an edge and a record bought", provenFound),
		plain.atMost("buyers counted as proven among the crowd, machines and washers", falseMirrorWorthy),
	}
}

package tokenrisk

import (
	"math"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// Assess judges a token by its facts at an instant. Any facts give a verdict; numbers that cannot be are unknown.
func Assess(f *Facts, asOf time.Time) Assessment {
	a := Assessment{
		BuyTax: math.NaN(), SellTax: math.NaN(), Probability: math.NaN(), Score: math.NaN(),
		LockedShare: math.NaN(), RemovableShare: math.NaN(), TopShare: math.NaN(),
	}
	if f.Contract != nil {
		a.Owner, a.Owned = f.Contract.Owner, f.Contract.Owned
		if f.Contract.Proxy != nil {
			a.Implementation = f.Contract.Proxy.Implementation
		}
	}
	known := f.standing()
	m := measureMarket(f, asOf)
	a.LockedShare, a.RemovableShare, a.UnlocksAt, a.TopShare = m.locked, m.removable, m.unlocksAt, m.topShare

	var j judgement
	sold := j.judgeTrades(f, &a)
	examined := j.judgePrivileges(f, known, &a)
	j.judgeMarket(f, m, known, asOf)

	p := probability(f, m, known)
	if known == ordinary {
		if !sold && a.SellBlocked != market.Yes {
			j.find(floorNotLow, "SELL_NOT_SHOWN", "Nobody could show that the token can be sold.")
		}
		if !examined {
			j.find(floorNotLow, "POWERS_NOT_SHOWN", "Nobody could show what the token's owner is able to do.")
		}
	}
	score := max(100*p.scam, j.floor)
	a.Unchecked = j.unchecked
	a.Flags = j.flags()
	if f.tooLittle(&j, known) && j.floor < criticalScore {
		a.Verdict = Unknown
		a.Reasons = reason.Top(append([]reason.Reason{unknownReason(j.unchecked)}, a.Flags...))
		return a
	}
	a.Score, a.Probability, a.Verdict = score, p.scam, verdictOf(score)
	a.Reasons = reason.Top(append(a.Flags[:len(a.Flags):len(a.Flags)], marketReason(p, known, j.floor), checkedReason(j.unchecked)))
	return a
}

// standing is how well a token is known apart from all checks.
type standing uint8

const (
	ordinary standing = iota
	// trusted tokens are on the security provider's list of well-known ones and have deep markets.
	trusted
	// canonical tokens are the chain's own money: its wrapped coin, the large dollar coins and staking receipts, by address.
	canonical
)

// deepLiquidityUSD is what lies in the pools of a token that many rely on.
const deepLiquidityUSD = 1_000_000

func (f *Facts) standing() standing {
	if f.Chain != nil && f.Chain.IsQuote(f.Token) {
		return canonical
	}
	if f.Security.Known && f.Security.Trusted == market.Yes {
		if depth := tokenfacts.LiquidityUSD(f.Pools); depth >= deepLiquidityUSD && !math.IsInf(depth, 1) {
			return trusted
		}
	}
	return ordinary
}

// tooLittle tells whether too little could be checked for a verdict. The address alone vouches for a canonical token.
func (f *Facts) tooLittle(j *judgement, known standing) bool {
	if known == canonical {
		return false
	}
	traded, read := true, true
	for _, layer := range j.unchecked {
		traded = traded && layer != LayerSimulation
		read = read && layer != LayerBytecode
	}
	return !traded && !read || layers-len(j.unchecked) < fewestLayers
}

// layerNames are the layers in words.
var layerNames = map[string]string{
	LayerSimulation: "test trades", LayerBytecode: "the code", LayerSecurity: "the security provider's findings",
	LayerLiquidity: "who can withdraw the liquidity", LayerHolders: "the largest holders",
}

func enumerate(layers []string) string {
	words := make([]string, len(layers))
	for i, layer := range layers {
		words[i] = layerNames[layer]
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func unknownReason(unchecked []string) reason.Reason {
	return reason.Reason{
		Code: "UNKNOWN", Weight: 100,
		Text: "Too little could be checked for a verdict; missing are " + enumerate(unchecked) + ".",
	}
}

func checkedReason(unchecked []string) reason.Reason {
	r := reason.Reason{Code: "CHECKED", Weight: 1, Text: "Test trades, the code, a security provider's findings, the liquidity and the holders were all checked."}
	if len(unchecked) > 0 {
		r.Weight, r.Text = 2, "The verdict rests on what could be checked; missing are "+enumerate(unchecked)+"."
	}
	return r
}

// weightKnown puts what a well-known token is before what could not be checked of it.
const weightKnown = 17

// marketReason says what the age and the build of the market tell. Where they would not have made the verdict what it is, it says so.
func marketReason(p chance, known standing, floor float64) reason.Reason {
	r := reason.Reason{Code: "MARKET", Weight: 1.5}
	if known != ordinary {
		r.Weight = weightKnown
	}
	switch {
	case known == canonical:
		r.Text = "The address is that of one of the chain's own well-known coins."
	case known == trusted:
		r.Text = "It is on the security provider's list of well-known tokens and has deep markets."
	case floor >= highScore && 100*p.scam < mediumScore:
		r.Text = "The age and the build of its market look sound; the verdict rests on what was found besides."
	case len(p.groups) == 0:
		r.Text = "By the age of its market alone, the chance of a scam is about " + display.PercentText(p.scam) + "."
	default:
		r.Text = "By the age and the build of its market, the chance of a scam is about " + display.PercentText(p.scam) + "."
	}
	return r
}

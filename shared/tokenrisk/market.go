package tokenrisk

import (
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/scorecard"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// measured is how a token's market is built. Fractions, NaN when unknown.
type measured struct {
	locked, removable float64
	unlocksAt         time.Time
	// expiring is the part of the liquidity whose lock ends soon.
	expiring float64
	topShare float64
	// single is the largest share of one holder that is no contract.
	single      float64
	buys, sells int
	age         time.Duration
	aged        bool
	facts       scorecard.Facts
}

// Limits of what a market's build means.
const (
	// soonUnlocked is how close the end of a lock is when it counts as none.
	soonUnlocked = 30 * 24 * time.Hour
	// young tokens are those of which more than half were drained later, of all with liquidity at that age in the reference data.
	young = 3 * 24 * time.Hour
	// settled is from when liquidity in one hand is no sign of a trap by itself.
	settled = 30 * 24 * time.Hour
	// listedProviders is how many liquidity providers are listed at most.
	listedProviders = 10
	// fewestTrades make a ratio of buys and sells.
	fewestTrades = 20
)

func measureMarket(f *Facts, asOf time.Time) measured {
	m := measured{locked: math.NaN(), removable: math.NaN(), expiring: math.NaN(), topShare: math.NaN(), single: math.NaN()}
	nan := math.NaN()
	m.facts = scorecard.Facts{
		LockedLiquidity: nan, CreatorLiquidity: nan, ProviderDeviation: nan, CreatorShare: nan, BuysPerSell: nan, CreatorTokens: nan,
		RemovalsPerWeek: nan, AdditionsPerWeek: nan, AdditionShare: nan, AdditionPeriod: nan,
	}
	if f.Security.Known {
		m.measureLiquidity(f, asOf)
		m.facts.CreatorShare = fraction(f.Security.CreatorShare)
	}
	if f.Holders != nil && f.Holders.Known && len(f.Holders.Top) > 0 {
		m.topShare = tokenfacts.TopShare(f.Holders, f.Pools, f.Token)
		m.single = 0
		for _, h := range tokenfacts.IndependentHolders(f.Holders, f.Pools, f.Token) {
			if !h.Account.Contract {
				m.single = max(m.single, h.Share)
			}
		}
	}
	for i := range f.Pools {
		m.buys += min(max(f.Pools[i].Buys24h, 0), 1<<40)
		m.sells += min(max(f.Pools[i].Sells24h, 0), 1<<40)
	}
	if m.buys+m.sells >= fewestTrades {
		m.facts.BuysPerSell = float64(m.buys) / float64(max(m.sells, 1))
	}
	m.measureAge(f, asOf)
	return m
}

func (m *measured) measureLiquidity(f *Facts, asOf time.Time) {
	providers := f.Security.LiquidityProviders
	var locked, creator, expiring, listed, squares, removable float64
	for _, p := range providers {
		share := fraction(p.Share)
		if math.IsNaN(share) {
			continue
		}
		listed += share
		squares += share * share
		ends := !p.LockedUntil.IsZero()
		if p.Locked && ends && (m.unlocksAt.IsZero() || p.LockedUntil.Before(m.unlocksAt)) {
			m.unlocksAt = p.LockedUntil
		}
		switch soon := ends && p.LockedUntil.Sub(asOf) < soonUnlocked; {
		case p.Locked && !soon:
			locked += share
			continue
		case p.Locked:
			expiring += share
		case !p.Account.Contract:
			removable = max(removable, share)
		}
		if f.creatorIs(p.Account) {
			creator += share
		}
	}
	if listed == 0 || listed > 1.01 {
		m.unlocksAt = time.Time{}
		return
	}
	m.locked, m.removable, m.expiring = min(locked, 1), removable, min(expiring, 1)
	m.facts.LockedLiquidity, m.facts.CreatorLiquidity = m.locked, min(creator, 1)
	if n := float64(len(providers)); n < listedProviders && listed > 0.999 {
		m.facts.ProviderDeviation = 100 * math.Sqrt(max(squares/n-listed*listed/(n*n), 0))
	}
}

// measureAge takes the older of the first pool and the first candle.
func (m *measured) measureAge(f *Facts, asOf time.Time) {
	first := tokenfacts.Launched(f.Pools)
	if f.Chart != nil && len(f.Chart.Hours) > 0 {
		if traded := f.Chart.Hours[0].Time; !traded.IsZero() && (first.IsZero() || traded.Before(first)) {
			first = traded
		}
	}
	m.aged = !first.IsZero()
	if m.aged {
		m.age = max(asOf.Sub(first), 0)
	}
}

// Limits of shares, as fractions.
const (
	mostLiquidity = 0.8
	halfLiquidity = 0.5
	topHigh       = 0.5
	topMedium     = 0.3
	singleNoted   = 0.05
	creatorMedium = 0.2
	sellsFew      = 0.2 // sells for each buy
	manyBuys      = 50
)

// judgeMarket judges liquidity, holders, flow and age. Of well-known tokens it judges whether there is liquidity left.
func (j *judgement) judgeMarket(f *Facts, m measured, known standing, asOf time.Time) {
	j.judgeDepth(f)
	if math.IsNaN(m.locked) {
		j.miss(LayerLiquidity, "UNCHECKED_LIQUIDITY", "It is not known who can withdraw the liquidity.")
	}
	if math.IsNaN(m.topShare) {
		j.miss(LayerHolders, "UNCHECKED_HOLDERS", "It is not known who the largest holders are.")
	}
	if known != ordinary {
		return
	}
	j.judgeCollapse(f)
	j.judgeLock(m, asOf)
	j.judgeHolders(f, m)
	switch {
	case m.buys >= manyBuys && m.sells == 0:
		j.find(floorHigh, "FEW_SELLS", "Nobody sold in the last day, against %s.", display.Count(m.buys, "buy"))
	case m.buys >= fewestTrades && m.sells == 0:
		j.find(floorMedium, "FEW_SELLS", "Nobody sold in the last day, against %s.", display.Count(m.buys, "buy"))
	case m.buys >= fewestTrades && float64(m.sells) < sellsFew*float64(m.buys):
		j.find(floorMedium, "FEW_SELLS", "Only %s for %s in the last day.", display.Count(m.sells, "sell"), display.Count(m.buys, "buy"))
	}
	switch {
	case !m.aged:
		j.find(floorNotLow, "AGE_UNKNOWN", "How long it has been traded is not known.")
	case m.age < young:
		j.find(floorNotLow, "YOUNG", "It has been traded for %s only; most scams end in a token's first days.", display.DurationText(m.age))
	}
}

// judgeLock judges who can withdraw the liquidity. A market of unknown age counts as a young one.
func (j *judgement) judgeLock(m measured, asOf time.Time) {
	if math.IsNaN(m.locked) {
		return
	}
	switch share := display.PercentText(m.removable); {
	case m.removable >= mostLiquidity && !m.aged:
		j.find(floorHigh, "LP_UNLOCKED", "One account can withdraw %s of the liquidity, and how long the token has been traded is not known.", share)
	case m.removable >= mostLiquidity && m.age < settled:
		j.find(floorHigh, "LP_UNLOCKED", "One account can withdraw %s of the liquidity, and the token has been traded for %s only.", share,
			display.DurationText(m.age))
	case m.removable >= halfLiquidity:
		j.find(floorNotLow, "LP_UNLOCKED", "One account can withdraw %s of the liquidity.", share)
	}
	if m.expiring >= halfLiquidity {
		j.find(floorMedium, "LP_EXPIRES", "The lock on %s of the liquidity ends in %s.", display.PercentText(m.expiring),
			display.DurationText(max(m.unlocksAt.Sub(asOf), 0)))
	}
	if m.locked >= halfLiquidity {
		j.find(floorNone, "LOCK_NOT_PROOF", "%s of the liquidity is locked, which keeps it from being withdrawn and is no proof against other traps.", display.PercentText(m.locked))
	}
}

func (j *judgement) judgeHolders(f *Facts, m measured) {
	switch share := display.PercentText(m.topShare); {
	case m.topShare > topHigh:
		j.find(floorMedium, "TOP_HOLDERS", "The ten largest holders have %s of the supply, pools, exchanges and what is locked or burned left out.", share)
	case m.topShare >= topMedium:
		j.find(floorNone, "TOP_HOLDERS", "The ten largest holders have %s of the supply, pools, exchanges and what is locked or burned left out.", share)
	}
	if m.single > singleNoted {
		j.find(floorNone, "SINGLE_HOLDER", "One wallet holds %s of the supply.", display.PercentText(m.single))
	}
	if f.Security.Known {
		held := math.Max(orZero(fraction(f.Security.CreatorShare)), orZero(fraction(f.Security.OwnerShare)))
		if held > creatorMedium {
			j.find(floorMedium, "CREATOR_SHARE", "Its creator or owner holds %s of the supply.", display.PercentText(held))
		}
	}
}

func orZero(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return x
}

package tokenrisk

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

var verdictOrder = []string{Low, Medium, High, Critical}

func number(t *rapid.T, name string) float64 {
	return rapid.OneOf(
		rapid.Float64Range(0, 1), rapid.Float64(), rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 1e300}),
	).Draw(t, name)
}

func tristate(t *rapid.T, name string) market.Tristate {
	return rapid.SampledFrom([]market.Tristate{market.Unknown, market.No, market.Yes}).Draw(t, name)
}

// anything is any combination of facts, most of them sane.
func anything(t *rapid.T) *Facts {
	f := sound()
	f.Contract.Owned, f.Contract.OwnerContract, f.Contract.Owner = tristate(t, "owned"), tristate(t, "owner is a contract"), address(9)
	f.Code.Understood, f.Code.Mints, f.Code.MintBounded = rapid.Bool().Draw(t, "understood"), rapid.Bool().Draw(t, "mints"), rapid.Bool().Draw(t, "bounded")
	f.Code.Leaks, f.Code.TrapProbability = rapid.Bool().Draw(t, "leaks"), number(t, "trap")
	s := &f.Security
	s.Known = rapid.Bool().Draw(t, "known")
	s.Honeypot, s.OpenSource, s.HiddenOwner, s.Trusted = tristate(t, "honeypot"), tristate(t, "source"), tristate(t, "hidden"), tristate(t, "trusted")
	s.SellTax, s.CreatorShare, s.LiquidityProviders[1].Share = number(t, "tax"), number(t, "creator"), number(t, "provider")
	for _, trial := range []*market.Trial{&f.Simulation.Buy, &f.Simulation.SellAll, &f.Simulation.SellLater} {
		*trial = market.Trial{Done: tristate(t, "done"), Tax: number(t, "trial tax")}
	}
	f.Pools[0].LiquidityUSD = number(t, "depth") * 1e6
	f.Pools[0].Buys24h, f.Pools[0].Sells24h = rapid.Int().Draw(t, "buys"), rapid.Int().Draw(t, "sells")
	f.Pools[0].CreatedAt = noon().Add(-time.Duration(rapid.Int64().Draw(t, "age")))
	f.Holders.Top[0].Share = number(t, "holder")
	if rapid.Bool().Draw(t, "proxy") {
		f.Contract.Proxy = &market.Proxy{AdminContract: tristate(t, "admin"), ChangedRecently: tristate(t, "changed"), Upgradeable: tristate(t, "upgradeable")}
	}
	if rapid.IntRange(0, 4).Draw(t, "nothing") == 0 {
		f.Contract, f.Simulation, f.Holders, f.Chart, f.Pools, f.Chain = nil, nil, nil, nil, nil, nil
	}
	return f
}

func TestAnyFactsGiveAValidVerdict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Assess(anything(t), noon())
		unknown := a.Verdict == Unknown
		switch {
		case !unknown && !slices.Contains(verdictOrder, a.Verdict), unknown != math.IsNaN(a.Score), unknown != math.IsNaN(a.Probability):
			t.Fatalf("%+v", a)
		case !unknown && !(a.Score >= 0 && a.Score <= 100 && a.Probability > 0 && a.Probability < 1 && a.Verdict == verdictOf(a.Score)):
			t.Fatalf("%+v", a)
		case len(a.Flags) > MaximumFlags || a.Flags == nil || len(a.Reasons) == 0 || !unknown && len(a.Reasons) < 2:
			t.Fatalf("%+v", a)
		}
		for _, share := range []float64{a.BuyTax, a.SellTax, a.LockedShare, a.RemovableShare, a.TopShare} {
			if share < 0 || share > 1 {
				t.Fatalf("%+v", a)
			}
		}
	})
}

// worse are findings that speak against a token.
var worse = map[string]func(*Facts){
	"sell fails":      func(f *Facts) { f.Simulation.Buy, f.Simulation.SellAll = pass, fail },
	"later fails":     func(f *Facts) { f.Simulation.SellLater = fail },
	"tax":             func(f *Facts) { f.Simulation.SellLarge = taxed(0.7) },
	"scam list":       func(f *Facts) { f.Security.Known, f.Security.Scam = true, market.Yes },
	"mints":           func(f *Facts) { f.Code.Mints, f.Code.MintBounded = true, false },
	"leaks":           func(f *Facts) { f.Code.Leaks = true },
	"lists":           func(f *Facts) { f.Code.ListsAccounts = true },
	"fees":            func(f *Facts) { f.Code.SetsFees, f.Code.FeesBounded = true, false },
	"trap code":       func(f *Facts) { f.Code.TrapProbability = 0.9999 },
	"concentration":   func(f *Facts) { f.Holders.Top[0].Share = 0.9 },
	"closed source":   func(f *Facts) { f.Security.OpenSource = market.No },
	"hidden owner":    func(f *Facts) { f.Security.HiddenOwner = market.Yes },
	"serial creator":  func(f *Facts) { f.Security.CreatorMadeHoneypots = market.Yes },
	"withdrawable":    func(f *Facts) { f.Security.LiquidityProviders[0].Locked = false },
	"lock ends soon":  func(f *Facts) { f.Security.LiquidityProviders[0].LockedUntil = noon().AddDate(0, 0, 5) },
	"to the creator":  func(f *Facts) { f.Security.LiquidityProviders[1].Account.Address = f.Security.Creator },
	"nobody sells":    func(f *Facts) { f.Pools[0].Sells24h = 0 },
	"sold out":        func(f *Facts) { f.Pools[0].LiquidityUSD, f.Chart.Hours = 900, hours(50_000, 1, 0.01) },
	"cannot sell all": func(f *Facts) { f.Security.CannotSellAll = market.Yes },
}

func TestABadFindingNeverMakesATokenBetter(t *testing.T) {
	names := make([]string, 0, len(worse))
	for name := range worse {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		f := sound()
		f.Contract.Owned, f.Contract.OwnerContract = tristate(t, "owned"), tristate(t, "owner")
		f.Pools[0].CreatedAt = noon().Add(-time.Duration(rapid.Int64Range(0, 1000).Draw(t, "hours")) * time.Hour)
		f.Pools[0].Buys24h = rapid.IntRange(0, 500).Draw(t, "buys")
		f.Security.CreatorShare = rapid.Float64Range(0, 1).Draw(t, "creator")
		if rapid.Bool().Draw(t, "known coin") {
			f.Token = eth().Stables[0].Address
		}
		before := Assess(f, noon())
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 5, rapid.ID[string]).Draw(t, "findings") {
			worse[name](f)
			after := Assess(f, noon())
			if after.Score < before.Score {
				t.Fatalf("%s: %v after %v", name, after.Score, before.Score)
			}
			before = after
		}
	})
}

// forget are known goods that become unknown.
var forget = map[string]func(*Facts){
	"simulation": func(f *Facts) { f.Simulation = &market.Simulation{Reason: "no node"} },
	"code":       func(f *Facts) { f.Code.Understood = false },
	"later":      func(f *Facts) { f.Simulation.SellLater = market.Trial{} },
	"honeypot":   func(f *Facts) { f.Security.Honeypot = market.Unknown },
	"source":     func(f *Facts) { f.Security.OpenSource = market.Unknown },
	"liquidity":  func(f *Facts) { f.Security.LiquidityProviders = nil },
	"creator":    func(f *Facts) { f.Security.CreatorShare = math.NaN() },
	"holders":    func(f *Facts) { f.Holders = &market.TokenHolders{} },
	"age":        func(f *Facts) { f.Pools[0].CreatedAt = time.Time{} },
	"flow":       func(f *Facts) { f.Pools[0].Buys24h, f.Pools[0].Sells24h = 0, 0 },
	"owner":      func(f *Facts) { f.Contract.Owned = market.Unknown },
	"provider":   func(f *Facts) { f.Security = tokenfacts.Security{} },
	"chart":      func(f *Facts) { f.Chart = nil },
}

func TestAGoodThatBecomesUnknownNeverImprovesTheVerdict(t *testing.T) {
	names := make([]string, 0, len(forget))
	for name := range forget {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		f := sound()
		if rapid.Bool().Draw(t, "mints") {
			f.Code.Mints = true
		}
		f.Pools[0].CreatedAt = noon().Add(-time.Duration(rapid.Int64Range(24, 20_000).Draw(t, "hours")) * time.Hour)
		before := Assess(f, noon())
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 6, rapid.ID[string]).Draw(t, "forgotten") {
			forget[name](f)
			after := Assess(f, noon())
			if before.Verdict == Unknown {
				if after.Verdict != Unknown {
					t.Fatalf("%s: %s after unknown", name, after.Verdict)
				}
			} else if after.Verdict != Unknown && slices.Index(verdictOrder, after.Verdict) < slices.Index(verdictOrder, before.Verdict) {
				t.Fatalf("%s: %s after %s", name, after.Verdict, before.Verdict)
			}
			before = after
		}
	})
}

func TestTheNullAddressIsNobodysCreator(t *testing.T) {
	f := sound()
	f.Security.Creator = chain.Address{}
	f.Security.LiquidityProviders = []market.Holder{{Account: market.Account{Address: chain.Address{}}, Share: 1, Locked: true}}
	if m := measureMarket(f, noon()); m.facts.CreatorLiquidity != 0 {
		t.Error(m.facts.CreatorLiquidity)
	}
}

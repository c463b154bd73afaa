package tokenrisk

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/bytecode"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/reason"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

func noon() time.Time { return time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC) }

func address(n byte) chain.Address { return chain.Address{0: 0xaa, 19: n} }

func eth() *chain.Chain {
	on, _ := chain.Parse("eth")
	return on
}

var (
	pass = market.Trial{Done: market.Yes}
	fail = market.Trial{Done: market.No, Tax: math.NaN()}
)

func taxed(tax float64) market.Trial { return market.Trial{Done: market.Yes, Tax: tax} }

// sound is a token about which everything is known and good.
func sound() *Facts {
	f := &Facts{
		Chain: eth(), Token: address(1),
		Contract: &market.Contract{Code: []byte{1}, Owned: market.No},
		Code:     bytecode.Report{Understood: true, TrapProbability: 0.1},
		Security: tokenfacts.Security{Known: true, TokenSecurity: market.TokenSecurity{
			Honeypot: market.No, BuyTax: 0, SellTax: 0, TransferTax: 0, OpenSource: market.Yes, HiddenOwner: market.No,
			CreatorShare: 0.0005, OwnerShare: 0, Creator: address(9),
			LiquidityProviders: []market.Holder{
				{Account: market.Account{Address: chain.Burn, Kind: market.BurnAccount}, Share: 0.9, Locked: true},
				{Account: market.Account{Address: address(20)}, Share: 0.1},
			},
		}},
		Simulation: &market.Simulation{
			Source: "node", Buy: pass, SellAll: pass, SellHalves: pass, SellElsewhere: pass, SellLater: pass, SellLarge: pass,
		},
		Pools: []market.Pool{{ID: "0xpool", PriceUSD: 1, LiquidityUSD: 200_000, Buys24h: 100, Sells24h: 95, CreatedAt: noon().AddDate(-1, 0, 0)}},
		Holders: &market.TokenHolders{Known: true, Count: 900, Top: []market.Holder{
			{Account: market.Account{Address: address(30)}, Share: 0.03}, {Account: market.Account{Address: address(31)}, Share: 0.02},
		}},
		Chart: &tokenfacts.Chart{},
	}
	return f
}

// owned gives the token a single account as owner.
func owned(f *Facts) {
	f.Contract.Owned, f.Contract.OwnerContract, f.Contract.Owner = market.Yes, market.No, address(9)
}

func assess(change func(*Facts)) Assessment {
	f := sound()
	if change != nil {
		change(f)
	}
	return Assess(f, noon())
}

func TestASoundTokenIsLow(t *testing.T) {
	a := assess(nil)
	if a.Verdict != Low || a.SellBlocked != market.No || len(a.Unchecked) != 0 || len(a.Reasons) < 2 || a.SellTax != 0 || a.LockedShare != 0.9 {
		t.Errorf("%+v", a)
	}
	if got := reason.Codes(a.Flags); !slices.Equal(got, []string{"LOCK_NOT_PROOF"}) {
		t.Error(got)
	}
}

func TestEachRule(t *testing.T) {
	launched := func(d time.Duration) func(*Facts) { return func(f *Facts) { f.Pools[0].CreatedAt = noon().Add(-d) } }
	single := func(f *Facts) {
		f.Security.LiquidityProviders = []market.Holder{{Account: market.Account{Address: address(20)}, Share: 1}}
	}
	for name, c := range map[string]struct {
		change        func(*Facts)
		code, verdict string
		text          string
	}{
		"sell fails":             {func(f *Facts) { f.Simulation.SellAll = fail }, "SELL_FAILS", Critical, "Selling failed in a test trade; you may not be able to exit."},
		"provider says honeypot": {func(f *Facts) { f.Simulation.Source, f.Security.Honeypot = "", market.Yes }, "SELL_FAILS", Critical, "A security provider found that holders cannot sell; you may not be able to exit."},
		"disputed honeypot":      {func(f *Facts) { f.Security.Honeypot = market.Yes }, "SELL_DISPUTED", High, ""},
		"buy fails":              {func(f *Facts) { f.Simulation = &market.Simulation{Source: "node", Buy: fail} }, "BUY_FAILS", Medium, ""},
		"second wallet":          {func(f *Facts) { f.Simulation.SellElsewhere = fail }, "SELL_AFTER_TRANSFER_FAILS", High, ""},
		"later":                  {func(f *Facts) { f.Simulation.SellLater = fail }, "SELL_LATER_FAILS", High, ""},
		"in parts":               {func(f *Facts) { f.Simulation.SellHalves = fail }, "SELL_PART_FAILS", High, ""},
		"large":                  {func(f *Facts) { f.Simulation.SellLarge = fail }, "SELL_LARGE_FAILS", High, ""},
		"sell everything":        {func(f *Facts) { f.Security.CannotSellAll = market.Yes }, "CANNOT_SELL_ALL", High, ""},
		"tax 50 %":               {func(f *Facts) { f.Simulation.SellLater = taxed(0.5) }, "SELL_TAX", Critical, "Selling costs 50% of the amount."},
		"tax 15 %":               {func(f *Facts) { f.Simulation.SellAll = taxed(0.15) }, "SELL_TAX", High, "Selling costs 15% of the amount."},
		"tax 12 %":               {func(f *Facts) { f.Simulation.SellAll = taxed(0.12) }, "SELL_TAX", Medium, "Selling costs 12% of the amount."},
		"tax 5 %":                {func(f *Facts) { f.Simulation.SellAll = taxed(0.05) }, "SELL_TAX", Low, "Selling costs 5% of the amount."},
		"buy tax":                {func(f *Facts) { f.Simulation.Buy = taxed(0.6) }, "BUY_TAX", Critical, "Buying costs 60% of the amount."},
		"tax the provider saw":   {func(f *Facts) { f.Security.SellTax = 0.4 }, "SELL_TAX_DISPUTED", Medium, "Selling cost 0% of the amount in a test trade, but a security provider found 40%."},
		"scam list":              {func(f *Facts) { f.Security.Scam = market.Yes }, "SCAM_LIST", Critical, ""},
		"serial creator":         {func(f *Facts) { f.Security.CreatorMadeHoneypots = market.Yes }, "CREATOR_SERIAL", High, ""},
		"takes balances":         {func(f *Facts) { owned(f); f.Code.Leaks = true }, "OWNER_TAKES", Critical, ""},
		"takes, renounced":       {func(f *Facts) { f.Code.Leaks = true }, "OWNER_TAKES", Medium, ""},
		"mint by account":        {func(f *Facts) { owned(f); f.Code.Mints = true }, "OWNER_MINT", High, "A single account can create new tokens without limit."},
		"mint by contract":       {func(f *Facts) { owned(f); f.Contract.OwnerContract = market.Yes; f.Code.Mints = true }, "OWNER_MINT", Medium, "The owner, itself a contract, can create new tokens without limit."},
		"mint, renounced":        {func(f *Facts) { f.Code.Mints = true }, "OWNER_MINT", Low, "The code lets an owner create new tokens without limit, but ownership was given up."},
		"mint with a limit":      {func(f *Facts) { owned(f); f.Code.Mints, f.Code.MintBounded = true, true }, "OWNER_MINT", Medium, ""},
		"blacklist":              {func(f *Facts) { owned(f); f.Code.LimitsSelling, f.Code.ListsAccounts = true, true }, "BLACKLIST", High, ""},
		"pause":                  {func(f *Facts) { owned(f); f.Security.TransferPausable = market.Yes }, "PAUSE", High, ""},
		"limits":                 {func(f *Facts) { owned(f); f.Code.LimitsSelling, f.Code.LimitsAmounts = true, true }, "SELL_LIMITS", Medium, ""},
		"fee without limit":      {func(f *Facts) { owned(f); f.Code.SetsFees = true }, "FEE_UNBOUNDED", High, ""},
		"fee with limit":         {func(f *Facts) { owned(f); f.Code.SetsFees, f.Code.FeesBounded = true, true }, "FEE_CHANGES", Medium, ""},
		"personal fee":           {func(f *Facts) { owned(f); f.Security.PersonalTaxModifiable = market.Yes }, "FEE_PERSONAL", High, ""},
		"hidden owner":           {func(f *Facts) { f.Security.HiddenOwner = market.Yes }, "HIDDEN_OWNER", High, ""},
		"takes back":             {func(f *Facts) { f.Security.TakesBackOwnership = market.Yes }, "OWNERSHIP_RETURNS", High, ""},
		"self-destruct":          {func(f *Facts) { owned(f); f.Code.SelfDestructs = true }, "SELF_DESTRUCT", High, ""},
		"closed source":          {func(f *Facts) { f.Security.OpenSource = market.No }, "CLOSED_SOURCE", Medium, ""},
		"proxy by account":       {func(f *Facts) { f.Contract.Proxy = &market.Proxy{AdminContract: market.No} }, "PROXY", Medium, ""},
		"proxy by contract":      {func(f *Facts) { f.Contract.Proxy = &market.Proxy{AdminContract: market.Yes} }, "PROXY", Low, ""},
		"changed and hidden": {func(f *Facts) {
			f.Contract.Proxy = &market.Proxy{AdminContract: market.No, ChangedRecently: market.Yes}
			f.Security.OpenSource = market.No
		}, "PROXY_CHANGED", Critical, ""},
		"changed": {func(f *Facts) {
			f.Contract.Proxy = &market.Proxy{AdminContract: market.Yes, ChangedRecently: market.Yes}
		}, "PROXY_CHANGED", Medium, ""},
		"liquidity in one hand":    {func(f *Facts) { single(f); launched(10 * 24 * time.Hour)(f) }, "LP_UNLOCKED", High, "One account can withdraw 100% of the liquidity, and the token has been traded for 10 days only."},
		"the same, older":          {single, "LP_UNLOCKED", Medium, "One account can withdraw 100% of the liquidity."},
		"lock ends":                {func(f *Facts) { f.Security.LiquidityProviders[0].LockedUntil = noon().AddDate(0, 0, 12) }, "LP_EXPIRES", Medium, "The lock on 90% of the liquidity ends in 12 days."},
		"top holders":              {func(f *Facts) { f.Holders.Top[0].Share = 0.6 }, "TOP_HOLDERS", Medium, "The ten largest holders have 62% of the supply, pools, exchanges and what is locked or burned left out."},
		"one holder":               {func(f *Facts) { f.Holders.Top[0].Share = 0.07 }, "SINGLE_HOLDER", Low, "One wallet holds 7% of the supply."},
		"creator's share":          {func(f *Facts) { f.Security.CreatorShare = 0.3 }, "CREATOR_SHARE", Medium, "Its creator or owner holds 30% of the supply."},
		"few sells":                {func(f *Facts) { f.Pools[0].Sells24h = 8 }, "FEW_SELLS", Medium, "Only 8 sells for 100 buys in the last day."},
		"no sells":                 {func(f *Facts) { f.Pools[0].Sells24h = 0 }, "FEW_SELLS", High, "Nobody sold in the last day, against 100 buys."},
		"no sells of few":          {func(f *Facts) { f.Pools[0].Buys24h, f.Pools[0].Sells24h = 30, 0 }, "FEW_SELLS", Medium, "Nobody sold in the last day, against 30 buys."},
		"young":                    {launched(5 * time.Hour), "YOUNG", Medium, "It has been traded for 5 hours only; most scams end in a token's first days."},
		"age unknown":              {func(f *Facts) { f.Pools[0].CreatedAt = time.Time{} }, "AGE_UNKNOWN", Medium, ""},
		"no simulation":            {func(f *Facts) { f.Simulation = nil }, "UNCHECKED_SIMULATION", Low, ""},
		"selling not shown":        {func(f *Facts) { f.Simulation, f.Security.Honeypot = nil, market.Unknown }, "SELL_NOT_SHOWN", Medium, ""},
		"nothing of powers":        {func(f *Facts) { f.Code.Understood, f.Security.OpenSource = false, market.Unknown }, "POWERS_NOT_SHOWN", Medium, ""},
		"neither trade nor code":   {func(f *Facts) { f.Simulation, f.Code.Understood = nil, false }, "UNCHECKED_BYTECODE", Unknown, ""},
		"too few layers":           {func(f *Facts) { f.Simulation, f.Security, f.Holders = nil, tokenfacts.Security{}, nil }, "UNCHECKED_SECURITY", Unknown, ""},
		"unknown, but on the list": {func(f *Facts) { f.Simulation, f.Code.Understood, f.Security.Scam = nil, false, market.Yes }, "SCAM_LIST", Critical, ""},
		"thin":                     {func(f *Facts) { f.Pools[0].LiquidityUSD = 400 }, "THIN", Medium, ""},
		"liquidity gone": {func(f *Facts) {
			f.Pools[0].LiquidityUSD = 40
			f.Chart.Hours = []market.Candle{{Time: noon().AddDate(0, 0, -3), VolumeUSD: 50_000}}
		}, "LP_REMOVED", Critical, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a := assess(c.change)
			at := slices.IndexFunc(a.Flags, func(r reason.Reason) bool { return r.Code == c.code })
			if a.Verdict != c.verdict || at < 0 {
				t.Fatalf("%s %v with %v", a.Verdict, a.Score, a.Flags)
			}
			if c.text != "" && a.Flags[at].Text != c.text {
				t.Errorf("%q", a.Flags[at].Text)
			}
			if math.IsNaN(a.Score) != (a.Verdict == Unknown) || len(a.Reasons) < 2 && a.Verdict != Unknown || len(a.Reasons) == 0 {
				t.Errorf("%+v", a)
			}
			for _, r := range append(a.Flags, a.Reasons...) {
				if strings.Contains(r.Text, "$") || !strings.HasSuffix(r.Text, ".") || r.Code == "" || strings.Contains(r.Text, "%!") {
					t.Errorf("%+v", r)
				}
			}
		})
	}
}

func TestOneDrainedPoolBesideADeepOneIsNoSign(t *testing.T) {
	a := assess(func(f *Facts) {
		f.Pools = append(f.Pools, market.Pool{ID: "0xold", LiquidityUSD: 1})
		f.Chart.Hours = []market.Candle{{Time: noon().AddDate(0, 0, -3), VolumeUSD: 5e6}}
	})
	if a.Verdict != Low {
		t.Errorf("%s %v", a.Verdict, a.Flags)
	}
}

func TestIssuersOfWellKnownCoinsAreNoRisk(t *testing.T) {
	issuer := func(f *Facts) {
		owned(f)
		f.Code.Mints, f.Code.ListsAccounts, f.Code.PausesTrading, f.Code.Leaks, f.Code.LimitsSelling = true, true, true, true, true
		f.Contract.Proxy = &market.Proxy{AdminContract: market.No}
	}
	coin := func(f *Facts) { issuer(f); f.Token = eth().Stables[0].Address }
	if a := assess(coin); a.Verdict != Low || !a.IssuerControlled || a.Flags[0].Code != "ISSUER" {
		t.Errorf("%s %v", a.Verdict, a.Flags)
	}
	if a := assess(issuer); a.Verdict != Critical || a.IssuerControlled {
		t.Errorf("a fake at another address: %s %v", a.Verdict, a.Flags)
	}
	if a := assess(func(f *Facts) { issuer(f); f.Security.Trusted = market.Yes; f.Pools[0].LiquidityUSD = 5e6 }); a.Verdict != Low || !a.IssuerControlled {
		t.Errorf("trusted and deep: %s %v", a.Verdict, a.Flags)
	}
	if a := assess(func(f *Facts) { issuer(f); f.Security.Trusted = market.Yes }); a.Verdict != Critical {
		t.Errorf("trusted and shallow: %s", a.Verdict)
	}
	if a := assess(func(f *Facts) { coin(f); f.Simulation.SellAll = fail }); a.Verdict != Critical {
		t.Errorf("a coin that cannot be sold: %s", a.Verdict)
	}
	if a := assess(func(f *Facts) {
		coin(f)
		f.Simulation, f.Security, f.Code = nil, tokenfacts.Security{}, bytecode.Report{}
	}); a.Verdict != Low || len(a.Unchecked) == 0 {
		t.Errorf("a coin by its address alone: %s", a.Verdict)
	}
	if a := Assess(&Facts{}, noon()); a.Verdict != Unknown || len(a.Unchecked) != layers || a.Flags == nil {
		t.Errorf("%+v", a)
	}
}

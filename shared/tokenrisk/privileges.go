package tokenrisk

import (
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// holder is who can use what the code reserves for a privileged account, from the most to the least bound.
type holder uint8

const (
	// nobody: ownership was renounced, and nothing suggests a second owner.
	nobody holder = iota
	// contract: the owner is a contract, so that others or a delay may stand in the way.
	contract
	// somebody: there are privileges, and who has them is not known.
	somebody
	// account: the owner is a single account.
	account
	holders
)

func (f *Facts) privileged() holder {
	owned, ownerContract := market.Unknown, market.Unknown
	if f.Contract != nil {
		owned, ownerContract = f.Contract.Owned, f.Contract.OwnerContract
	}
	s := &f.Security
	switch {
	case s.Known && (s.HiddenOwner == market.Yes || s.TakesBackOwnership == market.Yes):
		return account
	case owned == market.Yes && ownerContract == market.No:
		return account
	case owned == market.Yes && ownerContract == market.Yes:
		return contract
	case owned == market.No && s.Known && s.HiddenOwner == market.No:
		return nobody
	}
	return somebody
}

// powers words what each holder can do to everybody else.
var powers = [holders]string{
	nobody:   "The code lets an owner %s, but ownership was given up.",
	contract: "The owner, itself a contract, can %s.",
	somebody: "A privileged account can %s.",
	account:  "A single account can %s.",
}

// privilege is something that a privileged account could do to all others; deed completes "can".
type privilege struct {
	code, deed string
	floors     [holders]float64
}

// The usual floors: harmless once nobody can use it, worst with a single account.
var (
	takesAll = [holders]float64{floorNotLow, floorHigh, floorCritical, floorCritical}
	takes    = [holders]float64{floorNone, floorMedium, floorMedium, floorHigh}
	hinders  = [holders]float64{floorNone, floorNone, floorNotLow, floorMedium}
)

// found lists the privileges that the code or the security provider shows.
func (f *Facts) found() []privilege {
	code := &f.Code
	security := &market.TokenSecurity{}
	if f.Security.Known {
		security = &f.Security.TokenSecurity
	}
	yes := func(t market.Tristate) bool { return t == market.Yes }
	var all []privilege
	add := func(present bool, code, deed string, floors [holders]float64) {
		if present {
			all = append(all, privilege{code, deed, floors})
		}
	}
	add(code.Leaks || yes(security.OwnerChangesBalance), "OWNER_TAKES", "change or take what others hold", takesAll)
	unbounded := code.Mints && !code.MintBounded || yes(security.Mintable) && !(code.Understood && code.Mints && code.MintBounded)
	add(unbounded, "OWNER_MINT", "create new tokens without limit", takes)
	add(!unbounded && code.Mints, "OWNER_MINT", "create new tokens up to a limit", hinders)
	add(code.ListsAccounts || yes(security.Blacklists), "BLACKLIST", "stop chosen holders from selling", takes)
	add(code.PausesTrading || yes(security.TransferPausable), "PAUSE", "stop all trading", takes)
	add(yes(security.Whitelists), "WHITELIST", "exempt chosen holders from the token's rules", hinders)
	limits := code.LimitsAmounts || yes(security.AntiWhaleModifiable) || yes(security.TradingCooldown)
	add(limits, "SELL_LIMITS", "limit how much or how often holders sell", hinders)
	add(code.LimitsSelling && !code.ListsAccounts && !code.PausesTrading && !code.LimitsAmounts, "SELL_LIMITS",
		"keep holders from selling", takes)
	fees := code.SetsFees && !code.FeesBounded
	add(fees, "FEE_UNBOUNDED", "raise the fee on trades without limit", takes)
	add(!fees && (code.SetsFees || yes(security.TaxModifiable)), "FEE_CHANGES", "change the fee on trades", hinders)
	add(yes(security.PersonalTaxModifiable), "FEE_PERSONAL", "set a fee for chosen holders", takes)
	return all
}

// judgePrivileges judges what somebody privileged can do to everybody else. It tells whether privileges were looked for at all.
func (j *judgement) judgePrivileges(f *Facts, known standing, a *Assessment) (examined bool) {
	if !f.Code.Understood {
		j.miss(LayerBytecode, "UNCHECKED_BYTECODE", "The contract's code could not be read to the end.")
	}
	security := &market.TokenSecurity{}
	if f.Security.Known {
		security = &f.Security.TokenSecurity
	} else {
		j.miss(LayerSecurity, "UNCHECKED_SECURITY", "The security provider does not know the token.")
	}
	if security.Scam == market.Yes {
		j.find(floorCritical, "SCAM_LIST", "The token is on a list of frauds, fakes or airdrop scams.")
	}
	if security.CreatorMadeHoneypots == market.Yes && known == ordinary {
		j.find(floorHigh, "CREATOR_SERIAL", "The creator has made another token that holders could not sell.")
	}
	found, actor := f.found(), f.privileged()
	a.IssuerControlled = known != ordinary && (len(found) > 0 || f.replaceable())
	if a.IssuerControlled {
		j.inform(weightIssuer, "ISSUER", "A well-known coin whose issuer can create, block, pause or replace it; that is by design.")
	} else {
		for _, p := range found {
			j.find(p.floors[actor], p.code, powers[actor], p.deed)
		}
	}
	j.judgeProxy(f, security, a.IssuerControlled)
	if known == ordinary {
		j.judgeDisguise(f, security, actor)
	}
	return f.Code.Understood || f.Security.Known && security.OpenSource == market.Yes
}

// judgeDisguise judges what hides the powers of others.
func (j *judgement) judgeDisguise(f *Facts, security *market.TokenSecurity, actor holder) {
	if security.HiddenOwner == market.Yes {
		j.find(floorHigh, "HIDDEN_OWNER", "The contract has an owner besides the one it names.")
	}
	if security.TakesBackOwnership == market.Yes {
		j.find(floorHigh, "OWNERSHIP_RETURNS", "Ownership that was given up can be taken back.")
	}
	if f.Code.SelfDestructs || security.SelfDestructs == market.Yes {
		j.find([holders]float64{floorMedium, floorMedium, floorHigh, floorHigh}[actor], "SELF_DESTRUCT", "The contract can be destroyed.")
	}
	if security.OpenSource == market.No {
		j.find(floorMedium, "CLOSED_SOURCE", "The contract's source is not published.")
	}
	if security.ExternalCall == market.Yes {
		j.find(floorNone, "EXTERNAL_CALL", "Trades of the token run code of another contract.")
	}
}

// replaceable tells whether the code may be replaced behind a proxy.
func (f *Facts) replaceable() bool {
	if f.Contract != nil && f.Contract.Proxy != nil {
		return f.Contract.Proxy.Upgradeable != market.No
	}
	return f.Security.Known && f.Security.Proxy == market.Yes || f.Code.Delegates
}

// judgeProxy judges who can replace the code, and whether somebody just did.
func (j *judgement) judgeProxy(f *Facts, security *market.TokenSecurity, issuer bool) {
	if !f.replaceable() {
		return
	}
	var proxy market.Proxy
	if f.Contract != nil && f.Contract.Proxy != nil {
		proxy = *f.Contract.Proxy
	}
	alone := proxy.AdminContract == market.No || f.Contract != nil && f.Contract.Owned == market.Yes && f.Contract.OwnerContract == market.No
	if proxy.ChangedRecently == market.Yes {
		if alone && security.OpenSource == market.No {
			j.find(floorCritical, "PROXY_CHANGED", "A single account replaced the contract's code within the last week, and its source is not published.")
		} else {
			j.find(floorMedium, "PROXY_CHANGED", "The contract's code was replaced within the last week.")
		}
	}
	switch {
	case issuer:
	case alone:
		j.find(floorMedium, "PROXY", "A single account can replace the contract's code.")
	case proxy.AdminContract == market.Yes:
		j.find(floorNone, "PROXY", "The contract's code can be replaced by another contract that administers it.")
	default:
		j.find(floorNotLow, "PROXY", "The contract's code can be replaced, and by whom could not be told.")
	}
}

package samplemarket

import "github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"

// healthScenario is the state of a wallet's approvals that was planted.
type healthScenario uint8

const (
	healthClean healthScenario = iota
	healthKnownUnlimited
	healthYoungUnverified
	healthAccountSpender
	healthBlacklisted
	healthStale
	healthDelegated
	healthPermit2
	healthCollectible
	healthSpent
	healthScenarios
)

var healthScenarioNames = [...]string{
	"clean", "unlimited-known", "unlimited-young-unverified", "account-spender", "blacklisted-spender", "stale-unused", "delegated-unknown-code",
	"permit2-nested", "collectible-operator", "spent",
}

// healthOf is the word a right assessment gives each scenario; what depends on what is left in the wallet is empty.
var healthOf = [...]string{
	healthClean: "healthy", healthKnownUnlimited: "healthy", healthYoungUnverified: "", healthAccountSpender: "",
	healthBlacklisted: "exposed", healthStale: "healthy", healthDelegated: "", healthPermit2: "healthy", healthCollectible: "", healthSpent: "healthy",
}

// spenderSet are the contracts and accounts that approvals are planted for.
type spenderSet struct {
	young, account, blacklisted, staking, unknownCode, operator, spent int32
}

func planHealth(id int, p *plan) healthScenario {
	switch {
	case p.role == roleCrowd:
		return healthScenario(id % 2)
	case id%5 < 2:
		return healthScenario(id % 2)
	}
	return healthScenario(seeded.MixAll(uint64(id), 77) % uint64(healthScenarios))
}

func (w *world) furnishSpenders() {
	add := func(name, contract string, kind entityKind, verified bool, created int32) int32 {
		return w.addEntity(entity{address: derivedAddress(seeded.MixAll(w.seed, seeded.HashText("spender"), seeded.HashText(name))), kind: kind, ref: -1, name: contract, verified: verified, creator: 0, created: created})
	}
	w.spenders = spenderSet{
		young:       add("young", "", kindSpender, false, 0),
		account:     add("account", "", kindWallet, false, -30*daySeconds),
		blacklisted: add("blacklisted", "", kindSpender, false, -200*daySeconds),
		staking:     add("staking", "StakingVault", kindSpender, true, -500*daySeconds),
		unknownCode: add("unknown code", "", kindSpender, false, 0),
		operator:    add("operator", "", kindSpender, false, 0),
		spent:       add("spent", "", kindSpender, false, -20*daySeconds),
	}
}

// grantPlanned plants a wallet's approvals.
func (w *world) grantPlanned(at, id int32) {
	me := &w.wallets[id]
	w.need(at, me.entity, nativeAsset, 0)
	stable := wrappedAsset + 1
	switch me.health {
	case healthClean:
	case healthKnownUnlimited:
		w.approve(at, me.entity, stable, w.routerV2, unlimitedAmount)
		w.approve(at, me.entity, stable, w.permit2, unlimitedAmount)
	case healthYoungUnverified:
		w.approve(at, me.entity, stable, w.spenders.young, unlimitedAmount)
	case healthAccountSpender:
		w.approve(at, me.entity, stable, w.spenders.account, unlimitedAmount)
	case healthBlacklisted:
		w.approve(at, me.entity, stable, w.spenders.blacklisted, unlimitedAmount)
		w.approve(at, me.entity, wrappedAsset, w.spenders.blacklisted, unlimitedAmount)
	case healthStale:
		w.approve(at, me.entity, stable, w.spenders.staking, w.assets[stable].units(2500))
	case healthDelegated:
		w.begin(at, me.entity, me.entity, methodDelegate)
		w.commit(36_000)
		target := w.entities[w.spenders.unknownCode].address
		w.entities[me.entity].code = append([]byte{0xef, 0x01, 0x00}, target[:]...)
	case healthPermit2:
		w.approve(at, me.entity, stable, w.permit2, unlimitedAmount)
		unix := w.start + int64(at)
		w.approvePermit2(at, me.entity, stable, w.universal, unlimitedAmount, unix+5000*daySeconds)
		w.approvePermit2(at, me.entity, wrappedAsset, w.spenders.young, unlimitedAmount, unix+86400)
	case healthCollectible:
		w.begin(at, me.entity, w.assets[w.collection].entity, methodApproveAll)
		w.grant(approval{owner: me.entity, asset: w.collection, spender: w.spenders.operator, amount: unlimitedAmount})
		w.commit(46_000)
	case healthSpent:
		w.approve(at, me.entity, stable, w.spenders.spent, w.assets[stable].units(150))
		w.approvals[len(w.approvals)-1].spent = true
	}
}

func (w *world) approve(at, owner, assetID, spender int32, amount int64) {
	w.begin(at, owner, w.assets[assetID].entity, methodApprove)
	w.grant(approval{owner: owner, asset: assetID, spender: spender, amount: amount})
	w.commit(46_000)
}

func (w *world) approvePermit2(at, owner, assetID, spender int32, amount, expires int64) {
	w.begin(at, owner, w.permit2, methodPermit2Approve)
	w.grant(approval{owner: owner, asset: assetID, spender: spender, amount: amount, permit2: true, expires: expires})
	w.commit(48_000)
}

// approveRouter is the usual approval before a first sale.
func (w *world) approveRouter(at, owner, assetID int32) {
	w.need(at, owner, nativeAsset, 0)
	w.approve(at, owner, assetID, w.routerV2, unlimitedAmount)
}

// allowance is what a spender may still take now.
func (w *world) allowance(owner, assetID, spender int32) (amount, expires int64) {
	return w.currentAllowance(owner, assetID, spender, false)
}

func (w *world) currentAllowance(owner, assetID, spender int32, permit2 bool) (amount, expires int64) {
	for _, id := range w.byOwner[owner] {
		if a := &w.approvals[id]; a.asset == assetID && a.spender == spender && a.permit2 == permit2 {
			amount, expires = a.amount, a.expires
			if a.spent {
				amount = 0
			}
		}
	}
	return amount, expires
}

package samplemarket

import (
	_ "embed"
	"encoding/hex"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// contractCodes holds the runtime code of the contracts of infra/contracts/sample, one "name hex" a line. Each is there twice, from two
// ways of generating code; the second has /ir after its name.
//
//go:embed contracts.txt
var contractCodes string

// parseContracts reads contractCodes.
func parseContracts() map[string][]byte {
	codes := map[string][]byte{}
	for line := range strings.Lines(contractCodes) {
		name, digits, _ := strings.Cut(strings.TrimSpace(line), " ")
		code, err := hex.DecodeString(digits)
		if err != nil {
			panic("samplemarket: the code of " + name + ": " + err.Error())
		}
		codes[name] = code
	}
	return codes
}

// contractTraits is what a token contract's code lets its owner do, whoever that is now.
type contractTraits struct{ mints, limits, leaks, setsFees bool }

var traitsOfContract = map[string]contractTraits{
	"Fixed": {}, "FixedBurnable": {}, "Wrapped": {},
	"Mintable": {mints: true}, "MintableCapped": {mints: true}, "HiddenMint": {mints: true}, "HiddenMintMany": {mints: true, leaks: true},
	"Listing": {limits: true}, "Leaky": {leaks: true}, "LeakyBurn": {leaks: true},
	"TaxedBounded": {setsFees: true}, "TaxedUnbounded": {setsFees: true}, "SwapBack": {},
	"TrapByWhitelist": {limits: true}, "TrapByMark": {limits: true}, "TrapBySilence": {limits: true}, "TrapByAllowance": {limits: true},
	"Issued": {mints: true, limits: true}, "OldIssued": {mints: true, limits: true, leaks: true},
}

// contractsOfKind are the contracts that a kind of token is dealt.
func contractsOfKind(t *token) []string {
	switch {
	case t.kind == kindHoneypot:
		return []string{"TrapByWhitelist", "TrapByMark", "TrapBySilence", "TrapByAllowance"}
	case t.kind == kindTaxed:
		return []string{"TaxedUnbounded", "TaxedBounded", "SwapBack"}
	case t.kind == kindRug && t.mintable:
		return []string{"Mintable", "HiddenMint", "HiddenMintMany"}
	case t.kind == kindRug && t.slippageMod:
		return []string{"TaxedUnbounded"}
	case t.kind == kindRug:
		return []string{"FixedBurnable", "Leaky", "LeakyBurn"}
	case t.kind == kindMajor:
		return []string{"FixedBurnable", "FixedBurnable", "MintableCapped"}
	case t.owner == 0:
		return []string{"Fixed", "FixedBurnable", "FixedBurnable", "Mintable", "Listing"} // renounced: whatever the code lets an owner do, nobody can
	}
	return []string{"FixedBurnable", "FixedBurnable", "TaxedBounded"}
}

// giveContract chooses what code a token runs. It draws on nothing that the token's life depends on.
func (w *world) giveContract(t *token, id int32) {
	pick := seeded.MixAll(w.seed, seeded.HashText("contract"), uint64(id))
	choices := contractsOfKind(t)
	t.contract = choices[pick%uint64(len(choices))]
	t.proxy = t.kind == kindMajor && pick>>40%3 == 0
	if traits := traitsOfContract[t.contract]; t.owner != 0 {
		t.mintable, t.slippageMod = t.mintable || traits.mints, t.slippageMod || traits.setsFees
	}
	if pick>>32%3 == 0 {
		t.contract += "/ir"
	}
}

// plainContract is a contract's name without the way that its code was generated.
func plainContract(name string) string { return strings.TrimSuffix(name, "/ir") }

// standIn names the contract whose code an entity runs; empty for those that have none of their own. An established token stands behind
// a proxy now and then, as does the first stable coin.
func (w *world) standIn(entity int32) string {
	e := &w.entities[entity]
	switch {
	case e.kind == kindAsset && w.proxied(entity):
		return "Proxy"
	case e.kind == kindAsset:
		return w.assetContract(e.ref)
	case e.kind == kindPool && e.ref >= 0 && w.pools[e.ref].version == poolV2:
		return "Pair"
	case e.kind == kindPool && e.ref >= 0:
		return "RangePool"
	}
	return ""
}

// assetContract names the contract that keeps an asset, behind the proxy where there is one.
func (w *world) assetContract(assetID int32) string {
	a := &w.assets[assetID]
	switch a.kind {
	case assetToken:
		return w.tokens[a.token].contract
	case assetWrapped:
		return "Wrapped"
	case assetCollectible:
		return "Collection"
	case assetStable:
		if a.symbol == "USDT" {
			return "OldIssued"
		}
		return "Issued"
	case assetStaked:
		return "Mintable"
	}
	return ""
}

// proxied tells whether an asset's contract hands its calls to an implementation.
func (w *world) proxied(entity int32) bool {
	a := &w.assets[w.entities[entity].ref]
	if a.kind == assetToken {
		return w.tokens[a.token].proxy
	}
	return a.kind == assetStable && a.symbol == "USDC"
}

// implementation is where a proxied asset's code lies.
func (w *world) implementation(entity int32) address {
	return derivedAddress(seeded.MixAll(w.seed, seeded.HashText("implementation"), firstWord([32]byte(append(w.entities[entity].address[:], make([]byte, 12)...)))))
}

// implementations finds the asset whose implementation lies at an address; nil when there is none. There are a handful of proxies.
func (w *world) implementationAt(a address) *asset {
	for i := range w.assets {
		kind := w.assets[i].kind
		if (kind == assetStable || kind == assetToken && w.tokens[w.assets[i].token].kind == kindMajor) && w.proxied(w.assets[i].entity) && w.implementation(w.assets[i].entity) == a {
			return &w.assets[i]
		}
	}
	return nil
}

// issuer is the account that controls an asset's contract: of a stable coin or a staking receipt a contract of its issuer, of a token
// its owner.
func (w *world) issuer(a *asset) int32 {
	if a.token >= 0 {
		return w.tokens[a.token].owner
	}
	return w.dapps[0]
}

// contractTruth is what was planted in a token's contract.
func (w *world) contractTruth(t *token, truth *TokenTruth) {
	traits := traitsOfContract[plainContract(t.contract)]
	truth.Contract, truth.Proxy = plainContract(t.contract), t.proxy
	truth.Mints, truth.LimitsSelling, truth.Leaks, truth.SetsFees = traits.mints, traits.limits, traits.leaks, traits.setsFees
	if ownedContract(t.contract) && t.owner != 0 {
		truth.Owner = w.entities[t.owner].address.String()
	}
}

// ownedContract tells whether a token's contract has an owner function.
func ownedContract(name string) bool { return plainContract(name) != "Fixed" }

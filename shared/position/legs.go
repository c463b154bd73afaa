package position

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// negligible is the part of an asset's turnover within one transaction under which its balance counts as unchanged:
// rebasing tokens miss by a few raw units.
const negligible = 1e-6

// asset is one asset of the wallet's history. Native and wrapped native are one, named chain.Native.
type asset struct {
	address chain.Address
	token   market.Token
	// scale divides raw amounts. measured is false when nobody knows the decimals, and quantities are then raw.
	scale    float64
	measured bool
	quote    bool
	stable   bool
	// suspicious tokens are listed as spam or have a name that lures.
	suspicious bool
	traded     bool

	// leg is the asset's place in the current transaction, valid when stamp names that transaction.
	leg, stamp int

	// minute, price and priced remember the last price that was asked for.
	minute int64
	price  float64
	priced bool

	// block is that of the last trade, firstTrade the first in it.
	block        uint64
	firstTrade   int
	bought, sold bool
}

// leg is what one transaction moved of one asset, as the wallet sees it.
type leg struct {
	asset   int
	in, out market.Amount
	// from sent the largest amount that came in, to received the largest that went out; zero when it was minted or burned.
	from, to             chain.Address
	largestIn, largestOt market.Amount
	minted, burned       bool
	// quantity is the net amount in token units, positive when the wallet received.
	quantity float64
}

// reader turns transactions into net legs.
type reader struct {
	on       *chain.Chain
	wallet   chain.Address
	activity *market.Activity
	assets   []asset
	places   map[chain.Address]int
	legs     []leg
	kinds    [64]accountKind
	stamp    int
}

// accountKind remembers a recent look-up.
type accountKind struct {
	address chain.Address
	kind    market.AccountKind
}

func newReader(on *chain.Chain, wallet chain.Address, activity *market.Activity) *reader {
	r := &reader{
		on: on, wallet: wallet, activity: activity,
		assets: make([]asset, 0, len(activity.Tokens)+1),
		places: make(map[chain.Address]int, len(activity.Tokens)+2),
	}
	r.place(chain.Native)
	return r
}

// nativePlace is the native coin's place in r.assets.
const nativePlace = 0

// place finds an asset's place in r.assets.
func (r *reader) place(address chain.Address) int {
	if address == r.on.WrappedNative.Address {
		address = chain.Native
	}
	at, found := r.places[address]
	if !found {
		at = len(r.assets)
		r.places[address] = at
		r.assets = append(r.assets, r.describe(address))
	}
	return at
}

func (r *reader) describe(address chain.Address) asset {
	a := asset{address: address, quote: r.on.IsQuote(address), stable: r.on.IsStable(address)}
	token := r.activity.Tokens[address]
	token.Address = address
	if address == chain.Native {
		token.Symbol, token.Decimals, token.Known = r.on.NativeSymbol, r.on.WrappedNative.Decimals, true
	}
	for _, quote := range r.on.Quotes() {
		if address == quote.Address {
			token.Symbol, token.Decimals, token.Known = quote.Symbol, quote.Decimals, true
		}
	}
	a.measured = token.Known && token.Decimals >= 0 && token.Decimals <= 77
	a.scale = 1
	if a.measured {
		a.scale = math.Pow10(token.Decimals)
	}
	a.token = token
	a.suspicious = !a.quote && (token.Spam || lures(token.Symbol) || lures(token.Name))
	return a
}

// lures tells names that carry a web address.
func lures(name string) bool {
	name = strings.ToLower(name)
	if strings.Contains(name, "://") || strings.Contains(name, "www.") || strings.Contains(name, "t.me/") {
		return true
	}
	runes := []rune(name)
	for i, r := range runes {
		switch r {
		case '.', '\u2024', '\u3002', '\ua4f8', '\uff0e':
			if i > 0 && isWord(runes[i-1]) && i+2 < len(runes) && isLetter(runes[i+1]) && isLetter(runes[i+2]) {
				return true
			}
		}
	}
	return false
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' }

func isWord(r rune) bool { return isLetter(r) || r >= '0' && r <= '9' }

// kind tells what an account is publicly known to be.
func (r *reader) kind(address chain.Address) market.AccountKind {
	if len(r.activity.Accounts) == 0 || address.IsZero() {
		return market.UnknownAccount
	}
	recent := &r.kinds[(address[19]^address[7])%64]
	if recent.address != address {
		*recent = accountKind{address: address, kind: r.activity.Accounts[address].Kind}
	}
	return recent.kind
}

// net fills r.legs with what a transaction changed, in the order of the assets' addresses, whatever the order of its
// movements. Amounts are summed as whole numbers and converted once.
func (r *reader) net(tx *market.Transaction) {
	r.stamp++
	r.legs = r.legs[:0]
	for i := range tx.Movements {
		movement := &tx.Movements[i]
		if movement.Amount.IsZero() || movement.Counterparty == r.wallet {
			continue
		}
		at := r.place(movement.Token)
		a := &r.assets[at]
		if a.stamp != r.stamp {
			a.stamp, a.leg = r.stamp, len(r.legs)
			r.legs = append(r.legs, leg{asset: at})
		}
		r.legs[a.leg].add(movement)
	}
	kept := r.legs[:0]
	for i := range r.legs {
		l := &r.legs[i]
		if l.settle(r.assets[l.asset].scale) {
			kept = append(kept, *l)
		}
	}
	r.legs = kept
	if len(kept) == 2 {
		if r.compare(&kept[0], &kept[1]) > 0 {
			kept[0], kept[1] = kept[1], kept[0]
		}
		return
	}
	slices.SortFunc(r.legs, func(a, b leg) int { return r.compare(&a, &b) })
}

func (r *reader) compare(a, b *leg) int {
	return bytes.Compare(r.assets[a.asset].address[:], r.assets[b.asset].address[:])
}

func (l *leg) add(movement *market.Movement) {
	counterparty := movement.Counterparty
	if movement.In {
		saturate(&l.in, &movement.Amount)
		if larger(&movement.Amount, &l.largestIn, counterparty, l.from) {
			l.largestIn, l.from, l.minted = movement.Amount, counterparty, movement.Minted
		}
		return
	}
	saturate(&l.out, &movement.Amount)
	if larger(&movement.Amount, &l.largestOt, counterparty, l.to) {
		l.largestOt, l.to, l.burned = movement.Amount, counterparty, movement.Burned
	}
}

// larger decides between two counterparties by amount, and by address when they are even, so that order does not matter.
func larger(amount, than *market.Amount, counterparty, other chain.Address) bool {
	order := amount.Cmp(than)
	return order > 0 || order == 0 && counterparty.Less(other)
}

func saturate(sum, amount *market.Amount) {
	if _, overflow := sum.AddOverflow(sum, amount); overflow {
		sum.SetAllOne()
	}
}

// settle works out the net quantity and tells whether there is any.
func (l *leg) settle(scale float64) bool {
	var rest market.Amount
	sign, turnover := 1.0, &l.in
	switch {
	case l.out.IsZero():
		rest = l.in
	case l.in.IsZero():
		rest, sign, turnover = l.out, -1, &l.out
	case l.in.Cmp(&l.out) >= 0:
		rest.Sub(&l.in, &l.out)
	default:
		rest.Sub(&l.out, &l.in)
		sign, turnover = -1, &l.out
	}
	raw := float(&rest)
	if raw <= negligible*float(turnover) {
		return false
	}
	l.quantity = sign * raw / scale
	return true
}

func float(amount *market.Amount) float64 {
	if amount.IsUint64() {
		return float64(amount.Uint64())
	}
	return amount.Float64()
}

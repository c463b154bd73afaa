package position

import (
	"bytes"
	"encoding/binary"
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
	from, to               chain.Address
	largestIn, largestOut  float64
	fromNothing, toNothing bool
	// quantity is the net amount in token units, positive when the wallet received.
	quantity float64
	// counterparty is who stands on the other side of the net amount; kind is what is known of it.
	counterparty chain.Address
	kind         market.AccountKind
	quote        bool
	// minted or burned is what happened to the largest amount of the net's direction.
	minted, burned bool
}

// reader turns transactions into net legs.
type reader struct {
	on       *chain.Chain
	wallet   chain.Address
	activity *market.Activity
	assets   []asset
	places   map[chain.Address]int
	legs     []leg
	stamp    int
	// target is the kind of what the current transaction called, called its address, if the wallet itself sent the transaction.
	target market.AccountKind
	called chain.Address
	// given remembers what the wallet sent to whom for nothing: when it comes back from there, it is no gift.
	given map[custody]bool
	// kinds and recent remember look-ups; what nothing was put in yet is true of the zero address.
	kinds  [remembered]accountKind
	recent [remembered]assetPlace
}

// custody is a token that an account was given.
type custody struct{ account, token chain.Address }

// remembered is how many look-ups are kept: a wallet deals with few tokens and pools at a time.
const remembered = 128

type assetPlace struct {
	address chain.Address
	place   int
}

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
	r.places[chain.Native] = nativePlace
	r.assets = append(r.assets, r.describe(chain.Native))
	return r
}

// nativePlace is the native coin's place in r.assets.
const nativePlace = 0

// place finds an asset's place in r.assets.
func (r *reader) place(address *chain.Address) int {
	recent := &r.recent[(address[19]^address[7])%remembered]
	if same(&recent.address, address) {
		return recent.place
	}
	asset := *address
	if asset == r.on.WrappedNative.Address {
		asset = chain.Native
	}
	at, found := r.places[asset]
	if !found {
		at = len(r.assets)
		r.places[asset] = at
		r.assets = append(r.assets, r.describe(asset))
	}
	recent.address, recent.place = *address, at
	return at
}

// same is a == b without a call.
func same(a, b *chain.Address) bool {
	return binary.LittleEndian.Uint64(a[:8]) == binary.LittleEndian.Uint64(b[:8]) &&
		binary.LittleEndian.Uint64(a[8:16]) == binary.LittleEndian.Uint64(b[8:16]) &&
		binary.LittleEndian.Uint32(a[16:]) == binary.LittleEndian.Uint32(b[16:])
}

func (r *reader) describe(address chain.Address) asset {
	a := asset{address: address, quote: r.on.IsQuote(address), stable: r.on.IsStable(address)}
	token := r.activity.Tokens[address]
	token.Address = address
	if address == chain.Native {
		token.Symbol, token.Decimals, token.Known = r.on.NativeSymbol, r.on.WrappedNative.Decimals, true
	}
	for _, quotes := range [...][]chain.Asset{r.on.Stables, r.on.Staked} {
		for i := range quotes {
			if quote := &quotes[i]; address == quote.Address {
				token.Symbol, token.Decimals, token.Known = quote.Symbol, quote.Decimals, true
			}
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
	// A dot within a word, with two letters and more behind it.
	word, letters := false, -1
	for _, r := range name {
		switch {
		case r == '.' || r == '\u2024' || r == '\u3002' || r == '\ua4f8' || r == '\uff0e':
			letters = -1
			if word {
				letters = 0
			}
			word = false
			continue
		case letters >= 0 && isLetter(r):
			if letters++; letters == 2 {
				return true
			}
		default:
			letters = -1
		}
		word = isLetter(r) || r >= '0' && r <= '9'
	}
	return false
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' }

// kind tells what an account is publicly known to be.
func (r *reader) kind(address *chain.Address) market.AccountKind {
	if len(r.activity.Accounts) == 0 || same(address, &chain.Native) {
		return market.UnknownAccount
	}
	recent := &r.kinds[(address[19]^address[7])%remembered]
	if !same(&recent.address, address) {
		recent.address, recent.kind = *address, r.activity.Accounts[*address].Kind
	}
	return recent.kind
}

// net fills r.legs with what a transaction changed, in the order of the assets' addresses, whatever the order of its
// movements. Amounts are summed as whole numbers and converted once.
func (r *reader) net(tx *market.Transaction) {
	r.stamp++
	r.legs = r.legs[:0]
	r.target = r.kind(&tx.Target)
	r.called = chain.Address{}
	if tx.Sender == r.wallet {
		r.called = tx.Target
	}
	for i := range tx.Movements {
		movement := &tx.Movements[i]
		if movement.Amount.IsZero() || same(&movement.Counterparty, &r.wallet) {
			continue
		}
		at := r.place(&movement.Token)
		a := &r.assets[at]
		if a.stamp != r.stamp {
			a.stamp, a.leg = r.stamp, len(r.legs)
			r.legs = append(r.legs, leg{})
			l := &r.legs[a.leg]
			l.asset, l.quote = at, a.quote
		}
		r.legs[a.leg].add(movement)
	}
	kept := 0
	for i := range r.legs {
		l := &r.legs[i]
		if !l.settle(r.assets[l.asset].scale) {
			continue
		}
		l.kind = r.kind(&l.counterparty)
		if kept != i {
			r.legs[kept] = *l
		}
		kept++
	}
	r.legs = r.legs[:kept]
	if kept == 1 && r.legs[0].quantity < 0 {
		if r.given == nil {
			r.given = make(map[custody]bool)
		}
		token := chain.Native // any money: what it buys may come later
		if !r.legs[0].quote {
			token = r.assets[r.legs[0].asset].address
		}
		r.given[custody{r.legs[0].counterparty, token}] = true
	}
	if kept > 1 && !(kept == 2 && r.compare(&r.legs[0], &r.legs[1]) < 0) {
		slices.SortFunc(r.legs, func(a, b leg) int { return r.compare(&a, &b) })
	}
}

func (r *reader) compare(a, b *leg) int {
	return bytes.Compare(r.assets[a.asset].address[:], r.assets[b.asset].address[:])
}

// add notes a movement. The largest amount names the counterparty, even ones the higher address, so that order does not matter.
func (l *leg) add(movement *market.Movement) {
	amount := float(&movement.Amount)
	counterparty := &movement.Counterparty
	if movement.In {
		saturate(&l.in, &movement.Amount)
		if amount > l.largestIn || amount == l.largestIn && l.from.Compare(*counterparty) < 0 {
			l.largestIn, l.from, l.fromNothing = amount, *counterparty, movement.Minted
		}
		return
	}
	saturate(&l.out, &movement.Amount)
	if amount > l.largestOut || amount == l.largestOut && l.to.Compare(*counterparty) < 0 {
		l.largestOut, l.to, l.toNothing = amount, *counterparty, movement.Burned
	}
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
	if sign > 0 {
		l.counterparty, l.minted = l.from, l.fromNothing
	} else {
		l.counterparty, l.burned = l.to, l.toNothing
	}
	return true
}

func float(amount *market.Amount) float64 {
	if amount.IsUint64() {
		return float64(amount.Uint64())
	}
	return amount.Float64()
}

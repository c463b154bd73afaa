package position

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

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

	// leg is the asset's place in the current transaction, valid when stamp names that transaction.
	leg, stamp int

	// handledIn numbers the last transaction, from 1, in which the wallet itself did something with the asset, handledAt the asset's
	// first movement in it.
	handledIn, handledAt int
}

// leg is what one transaction moved of one asset net, as the wallet sees it.
type leg struct {
	asset int
	// quantity is the net amount in token units, positive when the wallet received.
	quantity float64
	// counterparty is who stands on the other side of the net amount; kind is what is known of it.
	counterparty chain.Address
	kind         market.AccountKind
	quote        bool
	// minted or burned is what happened to the largest amount of the net's direction.
	minted, burned bool
	// origin tells how the quantity came or went if it was not traded.
	origin Origin
}

// tally adds up what one transaction moved of one asset.
type tally struct {
	asset   int
	in, out market.Amount
	// from sent the largest amount that came in, to received the largest that went out; zero when it was minted or burned.
	from, to               chain.Address
	largestIn, largestOut  float64
	fromNothing, toNothing bool
}

// reader turns transactions into net legs.
type reader struct {
	on       *chain.Chain
	wallet   chain.Address
	activity *market.Activity
	assets   []asset
	places   map[chain.Address]int
	tallies  []tally
	stamp    int
	// all are the legs of all transactions read, legs those of the current one.
	all, legs []leg
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
		all:    make([]leg, 0, 2*len(activity.Transactions)),
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
	a := asset{address: address, quote: r.on.IsQuote(address)}
	token := r.activity.Tokens[address]
	token.Address = address
	if a.quote {
		a.stable = r.on.IsStable(address)
		r.nameQuote(&token)
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

// nameQuote names a quote asset as the chain does, whatever a provider calls it.
func (r *reader) nameQuote(token *market.Token) {
	if token.Address == chain.Native {
		token.Symbol, token.Decimals, token.Known = r.on.NativeSymbol, r.on.WrappedNative.Decimals, true
	}
	for _, quotes := range [...][]chain.Asset{r.on.Stables, r.on.Staked} {
		for i := range quotes {
			if quote := &quotes[i]; token.Address == quote.Address {
				token.Symbol, token.Decimals, token.Known = quote.Symbol, quote.Decimals, true
			}
		}
	}
}

// lures tells names that carry a web address.
func lures(name string) bool {
	if plain(name) {
		return false
	}
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

// plain tells names of ASCII characters without the colon or the dot that a web address takes.
func plain(name string) bool {
	for i := range len(name) {
		if c := name[i]; c == '.' || c == ':' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
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
	r.tallies = r.tallies[:0]
	r.target = r.kind(&tx.Target)
	r.called = chain.Address{}
	if same(&tx.Sender, &r.wallet) {
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
			a.stamp, a.leg = r.stamp, len(r.tallies)
			r.tallies = append(r.tallies, tally{asset: at})
		}
		r.tallies[a.leg].add(movement)
	}
	first := len(r.all)
	for i := range r.tallies {
		t := &r.tallies[i]
		a := &r.assets[t.asset]
		l := leg{asset: t.asset, quote: a.quote}
		if !t.settle(&l, a.scale) {
			continue
		}
		l.kind = r.kind(&l.counterparty)
		r.all = append(r.all, l)
	}
	r.legs = r.all[first:len(r.all):len(r.all)]
	kept := len(r.legs)
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

// handle notes which assets the wallet itself did something with: those that left it, and all in a transaction that it sent.
func (r *reader) handle(tx *market.Transaction) {
	does := same(&tx.Sender, &r.wallet)
	for i := range tx.Movements {
		does = does || !tx.Movements[i].In
	}
	if !does {
		return
	}
	for i := range tx.Movements {
		if a := &r.assets[r.place(&tx.Movements[i].Token)]; a.handledIn != r.stamp {
			a.handledIn, a.handledAt = r.stamp, i
		}
	}
}

func (r *reader) compare(a, b *leg) int {
	return bytes.Compare(r.assets[a.asset].address[:], r.assets[b.asset].address[:])
}

// add notes a movement. The largest amount names the counterparty, even ones the higher address, so that order does not matter.
func (t *tally) add(movement *market.Movement) {
	amount := float(&movement.Amount)
	counterparty := &movement.Counterparty
	if movement.In {
		saturate(&t.in, &movement.Amount)
		if amount > t.largestIn || amount == t.largestIn && t.from.Compare(*counterparty) < 0 {
			t.largestIn, t.from, t.fromNothing = amount, *counterparty, movement.Minted
		}
		return
	}
	saturate(&t.out, &movement.Amount)
	if amount > t.largestOut || amount == t.largestOut && t.to.Compare(*counterparty) < 0 {
		t.largestOut, t.to, t.toNothing = amount, *counterparty, movement.Burned
	}
}

func saturate(sum, amount *market.Amount) {
	if _, overflow := sum.AddOverflow(sum, amount); overflow {
		sum.SetAllOne()
	}
}

// settle works out the net quantity and whom it is with, and tells whether there is any.
func (t *tally) settle(l *leg, scale float64) bool {
	var rest market.Amount
	sign, turnover := 1.0, &t.in
	switch {
	case t.out.IsZero():
		rest = t.in
	case t.in.IsZero():
		rest, sign, turnover = t.out, -1, &t.out
	case t.in.Cmp(&t.out) >= 0:
		rest.Sub(&t.in, &t.out)
	default:
		rest.Sub(&t.out, &t.in)
		sign, turnover = -1, &t.out
	}
	raw := float(&rest)
	if raw <= negligible*float(turnover) {
		return false
	}
	l.quantity = sign * raw / scale
	if sign > 0 {
		l.counterparty, l.minted = t.from, t.fromNothing
	} else {
		l.counterparty, l.burned = t.to, t.toNothing
	}
	return true
}

func float(amount *market.Amount) float64 {
	if amount.IsUint64() {
		return float64(amount.Uint64())
	}
	return amount.Float64()
}

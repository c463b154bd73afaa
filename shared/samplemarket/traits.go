package samplemarket

import (
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

// rugManner is how a creator takes what the buyers paid.
type rugManner uint8

const (
	rugByWithdrawal rugManner = iota // the liquidity was never locked
	rugAfterLock                     // it was locked, for just as long as it took
	rugByMint                        // it stays locked: new supply is minted and sold into it
)

// spreading is what a creator does with the supply that did not go into the pool.
type spreading uint8

const (
	supplyKept    spreading = iota
	supplyVested            // into a lock
	supplyBurned            // gone
	supplyDropped           // to traders, for nothing
	supplySplit             // over accounts of his own
)

// traits are what a launched token gets beside its price: how its liquidity, its supply and its first buyers are arranged. They are
// drawn from a stream of their own.
type traits struct {
	manner     rugManner
	spreading  spreading
	lockDays   int32
	lockShare  float64 // of the liquidity, where it is locked or burned
	unlocked   bool    // of a honeypot: the creator can take the liquidity too
	bots       int     // accounts of one hand that buy in the first block, 0 for none
	botEvery   int32   // seconds between two of their trades
	botLife    int32   // seconds after the listing for which they trade
	botPaid    bool    // the creator himself funds them
	overlooked bool    // the security provider does not see what is wrong with the contract
	migrates   int32   // days after the listing on which its liquidity moves into another pool, 0 for never
	squeezes   bool    // its price goes quiet now and then, before it breaks out
	absurd     bool    // the contract's balances make no sense, nor do the security provider's shares
}

// overlookedShare is how many traps the security provider misjudges.
const overlookedShare = 0.2

// botShare is how many launches of a kind are bundled.
var botShare = map[tokenKind]float64{
	kindRug: 0.55, kindHoneypot: 0.35, kindPump: 0.45, kindFader: 0.2, kindTaxed: 0.15, kindStagnant: 0.1, kindGrower: 0.05,
}

// spreadings are the odds of what becomes of the supply, by kind, in the order of the constants.
var spreadings = map[tokenKind][5]float64{
	kindGrower: {0.15, 0.5, 0.1, 0.25, 0}, kindStagnant: {0.35, 0.4, 0.15, 0.1, 0}, kindTaxed: {0.4, 0.35, 0.15, 0.1, 0},
	kindFader: {0.4, 0.15, 0.15, 0.1, 0.2}, kindPump: {0.4, 0.1, 0.1, 0.1, 0.3}, kindRug: {0.55, 0, 0.05, 0, 0.4}, kindHoneypot: {0.6, 0.05, 0.05, 0, 0.3},
}

func newTraits(kind tokenKind, s seeded.Stream) traits {
	t := traits{overlooked: s.Chance(overlookedShare), absurd: s.Chance(1.0 / 6), lockDays: []int32{60, 90, 180, 365, 365}[s.IntN(5)], lockShare: 1}
	if kind != kindRug && s.Chance(0.3) {
		t.lockShare = s.Between(0.6, 0.95)
	}
	t.unlocked = s.Chance(0.4)
	if draw := s.Float64(); kind == kindRug && draw >= 0.5 {
		t.manner = rugAfterLock
		if draw >= 0.7 {
			t.manner = rugByMint
		}
	}
	draw := s.Float64()
	for i, odds := range spreadings[kind] {
		if draw -= odds; draw < 0 {
			t.spreading = spreading(i)
			break
		}
	}
	if s.Chance(botShare[kind]) {
		t.bots = 21 + 2*s.IntN(13)
		t.botEvery = int32(s.Between(5, 11) * 60)
		t.botLife = int32(s.Between(1.5, 9) * daySeconds)
		t.botPaid = s.Chance(0.5)
	}
	if days := int32(s.Between(6, 45)); s.Chance(0.4) && kind == kindGrower {
		t.migrates = days
	}
	t.squeezes = s.Chance(0.5) && (kind == kindStagnant || kind == kindGrower || kind == kindTaxed || kind == kindMajor)
	return t
}

// launcher is who launches the next token: mostly a fresh account, now and then one that has done it before.
func (w *world) launcher(at int32, kind tokenKind) int32 {
	s := seeded.NewStream(seeded.MixAll(w.seed, seeded.HashText("launcher"), uint64(len(w.tokens))))
	known, again := &w.honest, 0.12
	if kind == kindRug || kind == kindHoneypot {
		known, again = &w.crooks, 0.55
	}
	if n := len(*known); n > 0 && s.Chance(again) {
		id := (*known)[n-1-s.IntN(min(3, n))]
		w.need(at, id, nativeAsset, w.assets[nativeAsset].units(1000/w.nativeUSD.at(at)))
		return id
	}
	id := w.newCreator(at)
	*known = append(*known, id)
	return id
}

// arrangeLiquidity settles who can withdraw a new pool's liquidity, and when.
func (w *world) arrangeLiquidity(at, id int32) {
	t := &w.tokens[id]
	p := &w.pools[t.pool]
	until := p.created + t.traits.lockDays*daySeconds
	switch {
	case t.kind == kindRug && t.traits.manner == rugByWithdrawal, t.kind == kindHoneypot && t.traits.unlocked:
		return
	case t.traits.migrates > 0 && p.version == poolV2:
		w.queue.push(event{at: t.listed + t.traits.migrates*daySeconds, kind: eventMigrate, token: id})
		return
	case t.kind == kindRug && t.traits.manner == rugAfterLock:
		w.lockLiquidity(at, p, liquidityLocked, 1, t.listed+int32(t.regime.ruggedAt-1)*hourSeconds)
		return
	}
	switch choice := t.stream.IntN(10); {
	case choice < 5:
		w.lockLiquidity(at, p, liquidityBurned, t.traits.lockShare, 0)
	case choice < 8 || t.kind == kindRug:
		w.lockLiquidity(at, p, liquidityLocked, t.traits.lockShare, until)
	}
}

// lockLiquidity gives a share of a pool's liquidity token away for good, or until a time.
func (w *world) lockLiquidity(at int32, p *pool, lock liquidityLock, share float64, until int32) {
	p.lock, p.lockedUntil = lock, until
	if p.receipt < 0 {
		return
	}
	to := w.burn
	if lock == liquidityLocked {
		to = w.locker
	}
	w.transferToken(at, p.owner, to, p.receipt, int64(float64(w.balance(p.owner, p.receipt))*share))
}

// lockedShare is the part of a pool's liquidity that nobody can withdraw now.
func (w *world) lockedShare(p *pool) float64 {
	held := 0.0
	switch {
	case p.receipt < 0 && p.lock != liquidityOpen:
		held = 1
	case p.receipt >= 0:
		away := w.balance(w.burn, p.receipt) + w.balance(w.locker, p.receipt)
		held = float64(away) / float64(max(w.assets[p.receipt].supply, 1))
	}
	if p.lock == liquidityLocked && p.lockedUntil <= w.now {
		return 0
	}
	return held
}

// spreadSupply does with the creator's remaining supply what the token's traits say.
func (w *world) spreadSupply(at, id int32) {
	t := &w.tokens[id]
	left := w.balance(t.creator, t.asset)
	switch t.traits.spreading {
	case supplyVested:
		w.transferToken(at, t.creator, w.teamLock, t.asset, left/100*85)
	case supplyBurned:
		w.transferToken(at, t.creator, w.burn, t.asset, left/100*90)
	case supplyDropped:
		for _, member := range t.crowd[:min(25, len(t.crowd))] {
			w.transferToken(at, t.creator, w.wallets[member].entity, t.asset, left/30)
		}
	case supplySplit:
		for i := range 5 {
			key := seeded.MixAll(w.seed, seeded.HashText("side account"), uint64(id), uint64(i))
			account := w.addEntity(entity{address: derivedAddress(key), kind: kindWallet, ref: -1, created: at})
			w.transferToken(at, w.tokens[id].creator, account, w.tokens[id].asset, left/6)
		}
	}
}

// fundBots gives the accounts of a bundled launch the native coin that they are going to spend, all from one account.
func (w *world) fundBots(at, id int32) {
	t := &w.tokens[id]
	funder, each := t.creator, w.assets[nativeAsset].units(450/w.nativeUSD.at(at))+2*w.gasReserve()
	if !t.traits.botPaid {
		key := seeded.MixAll(w.seed, seeded.HashText("bot funder"), uint64(id))
		funder = w.addEntity(entity{address: derivedAddress(key), kind: kindWallet, ref: -1, created: at})
	}
	w.need(at, funder, nativeAsset, each*int64(t.traits.bots))
	for i := range t.traits.bots {
		key := seeded.MixAll(w.seed, seeded.HashText("bot"), uint64(id), uint64(i))
		bot := w.addEntity(entity{address: derivedAddress(key), kind: kindWallet, ref: -1, created: at})
		w.begin(at, funder, bot, methodPlain)
		w.send(each)
		w.commit(21_000)
		w.tokens[id].bots = append(w.tokens[id].bots, bot)
	}
}

// releaseBots lets the bots buy equal amounts in the block of the listing and begin their clockwork.
func (w *world) releaseBots(at, id int32) {
	t := &w.tokens[id]
	if len(t.bots) == 0 {
		return
	}
	usd := w.liquidityUSD(t) * 0.12 / float64(len(t.bots))
	for _, bot := range t.bots {
		w.buy(at, bot, id, usd, payNative)
	}
	if t.kind != kindHoneypot {
		p := &w.pools[t.pool]
		t.botSize = p.quoteReserve / 500
		w.queue.push(event{at: at + t.traits.botEvery, kind: eventBot, token: id})
	}
}

// botTurn is one trade of a token's bots: in turn one buys and the next sells the same worth, at fixed times.
func (w *world) botTurn(at, id int32, turn int64) {
	t := &w.tokens[id]
	p := &w.pools[t.pool]
	if p.drainedAt != 0 || at > t.listed+t.traits.botLife {
		return
	}
	bot, quote := t.bots[int(turn)%len(t.bots)], &w.assets[p.quote]
	if turn%2 == 0 {
		w.buy(at, bot, id, quote.coins(t.botSize)*w.quoteUSD(p.quote, at), payNative)
	} else {
		w.sell(at, bot, id, int64(float64(t.botSize)/float64(p.quoteReserve)*float64(p.tokenReserve)), payNative)
	}
	w.queue.push(event{at: at + t.traits.botEvery, kind: eventBot, token: id, arg: turn + 1})
}

// migrate moves a token's liquidity out of its first pool into a newer kind, where it is locked: what looks like a withdrawal to
// whoever sees one pool alone.
func (w *world) migrate(at, id int32) {
	t := &w.tokens[id]
	from := &w.pools[t.pool]
	w.need(at, t.creator, nativeAsset, 0)
	quote, before := from.quote, w.balance(t.creator, from.quote)
	tokens := w.withdraw(at, id)
	amount := w.balance(t.creator, quote) - before
	to := w.newPool(at, poolV3, t.asset, quote, 3000, t.creator, id)
	w.begin(at, t.creator, w.routerV3, methodMulticall)
	w.open.made = w.pools[to].entity
	w.addLiquidity(to, tokens, amount, t.creator)
	w.commit(2_310_000)
	w.pools[to].lock = liquidityBurned
	t.pool, t.pools = to, append([]int32{to}, t.pools...)
}

// withdraw takes nearly all liquidity of a token's pool out for its creator, and returns the tokens that came with it.
func (w *world) withdraw(at, id int32) int64 {
	t := &w.tokens[id]
	p := &w.pools[t.pool]
	router, _ := w.routerOf(p)
	w.begin(at, t.creator, router, methodRemoveLiquidity)
	tokenUnits, quoteUnits := p.tokenReserve-p.tokenReserve/2000, p.quoteReserve-p.quoteReserve/2000
	w.removeLiquidity(t.pool, tokenUnits, quoteUnits, t.creator)
	w.commit(265_000)
	p.drainedAt = w.blockTime(at)
	return tokenUnits
}

// dumpLimit keeps what is minted within the range of amounts.
const dumpLimit = 6_000_000_000_000_000_000

// dump mints new supply and sells it into the pool, whose liquidity stays where it is.
func (w *world) dump(at, id int32) {
	t := &w.tokens[id]
	p := &w.pools[t.pool]
	w.need(at, t.creator, nativeAsset, 0)
	w.begin(at, t.creator, t.entity, methodMint)
	minted := p.tokenReserve * min(600, dumpLimit/p.tokenReserve)
	w.move(t.asset, 0, t.creator, minted)
	w.commit(74_000)
	w.sell(at, t.creator, id, minted, payNative)
}

// following is by how much the number of a token's holders outside the simulation has grown since it found its first public, in
// logarithms.
func (t *token) following(at int32) float64 {
	r := &t.regime
	days := func(from, to int) float64 {
		hours := t.ageHours(at)
		if to > 0 {
			hours = min(hours, to)
		}
		return math.Max(0, float64(hours-from)/24)
	}
	switch t.kind {
	case kindGrower:
		return 0.02 * days(r.riseStart, r.riseEnd)
	case kindPhoenix:
		return 0.008*days(r.riseStart, r.riseEnd) - 0.015*days(r.fadeStart, r.riseStart)
	case kindPump:
		return math.Max(0.6*days(r.riseStart, r.riseEnd)-0.03*days(r.fadeStart, 0), -1.2)
	case kindFader:
		return math.Max(-0.02*days(r.fadeStart, 0), -1.3)
	case kindRug:
		return 0.05*days(0, r.ruggedAt) - math.Min(0.1*days(r.ruggedAt, 0), 1.5)
	case kindHoneypot:
		return 0.06 * days(0, r.riseEnd)
	}
	return 0
}

// outsiders counts a token's holders outside the simulation. They come in the first days and follow its fortune.
func (t *token) outsiders(at int32) float64 {
	age := math.Max(0, float64(at-t.listed))
	return float64(150+int(t.entity)%900) * (1 - 0.9*math.Exp(-age/(30*hourSeconds))) * math.Exp(t.following(at))
}

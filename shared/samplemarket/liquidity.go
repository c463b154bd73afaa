package samplemarket

import (
	"encoding/hex"
	"math"
	"math/big"
	"sort"
)

const (
	topicPairCreated     = "0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9"
	topicPoolCreated     = "0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118"
	topicInitializeV3    = "0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95"
	topicInitializeV4    = "0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438"
	topicModifyLiquidity = "0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec"
	topicMintV2          = "0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f"
	topicBurnV2          = "0xdccd412f0b1252819cb1fd330b93224ca42612892bb3f4f789976e6d81936496"
	topicMintV3          = "0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde"
	topicBurnV3          = "0x0c396cd989a39f4459b5fa1aed6a9a8dcdbc45908acfd67e028cd568da98982c"
	topicCollectV3       = "0x70935338e69775456a85ddef226c395fb668b63fa0115f5f20610b388e6ca9c0"
)

// liquidityChange is a deposit into a pool or, negative, a withdrawal, with the reserves that it left behind. The first deposit makes
// the pool.
type liquidityChange struct {
	transaction  int32
	first, after int32 // the legs it begins and ends with
	pool         int32
	provider     int32
	router       int32
	token, quote int64
	tokenReserve int64
	quoteReserve int64
	makes        bool
}

// addLiquidity adds legs of a deposit into a pool to the open transaction.
func (w *world) addLiquidity(poolID int32, tokenUnits, quoteUnits int64, from int32) {
	p := &w.pools[poolID]
	change := liquidityChange{first: int32(len(w.legs)), pool: poolID, provider: from, makes: p.tokenReserve == 0 && p.quoteReserve == 0}
	w.move(p.token, from, p.entity, tokenUnits)
	w.move(p.quote, from, p.entity, quoteUnits)
	if p.receipt >= 0 {
		minted := int64(math.Sqrt(float64(tokenUnits) * float64(quoteUnits)))
		w.move(p.receipt, 0, from, minted)
	}
	w.changeLiquidity(change, tokenUnits, quoteUnits)
}

// removeLiquidity adds legs of a withdrawal from a pool to the open transaction, for whoever holds the pool's liquidity token.
func (w *world) removeLiquidity(poolID int32, tokenUnits, quoteUnits int64, to int32) {
	p := &w.pools[poolID]
	change := liquidityChange{first: int32(len(w.legs)), pool: poolID, provider: to}
	if p.receipt >= 0 {
		w.move(p.receipt, to, 0, w.balance(to, p.receipt)/2000*1999)
	}
	w.move(p.token, p.entity, to, tokenUnits)
	w.move(p.quote, p.entity, to, quoteUnits)
	w.changeLiquidity(change, -tokenUnits, -quoteUnits)
}

func (w *world) changeLiquidity(change liquidityChange, tokenUnits, quoteUnits int64) {
	p := &w.pools[change.pool]
	p.tokenReserve += tokenUnits
	p.quoteReserve += quoteUnits
	change.after, change.router = int32(len(w.legs))-1, w.open.to
	change.token, change.quote = tokenUnits, quoteUnits
	change.tokenReserve, change.quoteReserve = p.tokenReserve, p.quoteReserve
	change.transaction = int32(len(w.txs))
	w.open.pooled++
	w.changes = append(w.changes, change)
	if change.makes {
		w.touch(w.factoryOf(p), change.transaction)
	}
}

// changesOf are the deposits and withdrawals of a transaction.
func (l *ledger) changesOf(tx int32) []liquidityChange {
	count := int(l.txs[tx].pooled)
	if count == 0 {
		return nil
	}
	first := sort.Search(len(l.changes), func(i int) bool { return l.changes[i].transaction >= tx })
	return l.changes[first : first+count]
}

// factoryOf is who makes pools of a pool's version and says so.
func (w *world) factoryOf(p *pool) int32 {
	switch p.version {
	case poolV2:
		return w.factoryV2
	case poolV3:
		return w.factoryV3
	}
	return w.manager
}

// fullRange is the price range of all liquidity, in ticks: as far as the fee's spacing reaches.
func (p *pool) fullRange() (spacing, lower, upper int64) {
	const maxTick = 887272
	switch {
	case p.feeHundredth <= 100:
		spacing = 1
	case p.feeHundredth <= 500:
		spacing = 10
	case p.feeHundredth <= 3000:
		spacing = 60
	default:
		spacing = 200
	}
	upper = maxTick / spacing * spacing
	return spacing, -upper, upper
}

// inOrder puts a word of the token and one of the quote asset in the order of their addresses.
func (w *world) inOrder(p *pool, ofToken, ofQuote string) (first, second string) {
	if w.tokenIsFirst(p) {
		return ofToken, ofQuote
	}
	return ofQuote, ofToken
}

// openingLogs emits what is said before the legs of a deposit or withdrawal: that the pool is made, or that a position shrinks.
func (w *world) openingLogs(c *liquidityChange, emit func(address int32, data string, topics ...string)) {
	p := &w.pools[c.pool]
	spacing, lower, upper := p.fullRange()
	first, second := w.inOrder(p, w.addressTopic(w.assets[p.token].entity), w.addressTopic(w.assets[p.quote].entity))
	price, _, tick := w.curve(p, c.tokenReserve, c.quoteReserve)
	fee, state := hexWord(word(0, uint64(p.feeHundredth))), bigWord(price)+tickWord(tick)
	switch {
	case c.makes && p.version == poolV2:
		number := hexWord(word(0, uint64(c.pool)+1))[2:]
		emit(w.factoryV2, w.addressTopic(p.entity)+number, topicPairCreated, first, second)
	case c.makes && p.version == poolV3:
		emit(w.factoryV3, "0x"+tickWord(spacing)+w.addressTopic(p.entity)[2:], topicPoolCreated, first, second, fee)
		emit(p.entity, "0x"+state, topicInitializeV3)
	case c.makes:
		noHooks := hexWord(word(0, 0))[2:]
		emit(w.manager, fee+tickWord(spacing)+noHooks+state, topicInitializeV4, hexHash(p.id), first, second)
	}
	switch {
	case p.version == poolV4:
		_, liquidity, _ := w.curve(p, abs(c.token), abs(c.quote))
		if c.token < 0 {
			liquidity.Neg(liquidity)
		}
		salt := hexWord(word(0, 0))[2:]
		emit(w.manager, "0x"+tickWord(lower)+tickWord(upper)+bigWord(liquidity)+salt, topicModifyLiquidity, hexHash(p.id), w.addressTopic(c.router))
	case p.version == poolV3 && c.token < 0:
		_, liquidity, _ := w.curve(p, -c.token, -c.quote)
		emit(p.entity, "0x"+bigWord(liquidity)+w.amountWords(p, -c.token, -c.quote), topicBurnV3, w.addressTopic(c.router), "0x"+tickWord(lower), "0x"+tickWord(upper))
	}
}

// closingLogs emits what a pool says after the legs of a deposit or withdrawal.
func (w *world) closingLogs(c *liquidityChange, emit func(address int32, data string, topics ...string)) {
	p := &w.pools[c.pool]
	_, lower, upper := p.fullRange()
	router := w.addressTopic(c.router)
	moved := w.amountWords(p, abs(c.token), abs(c.quote))
	switch p.version {
	case poolV2:
		emit(p.entity, "0x"+w.amountWords(p, c.tokenReserve, c.quoteReserve), topicSync)
		if c.token < 0 {
			emit(p.entity, "0x"+moved, topicBurnV2, router, w.addressTopic(c.provider))
			return
		}
		emit(p.entity, "0x"+moved, topicMintV2, router)
	case poolV3:
		if c.token < 0 {
			emit(p.entity, w.addressTopic(c.provider)+moved, topicCollectV3, router, "0x"+tickWord(lower), "0x"+tickWord(upper))
			return
		}
		_, liquidity, _ := w.curve(p, c.token, c.quote)
		emit(p.entity, router+bigWord(liquidity)+moved, topicMintV3, router, "0x"+tickWord(lower), "0x"+tickWord(upper))
	}
}

// openingCount and closingCount are how many logs those are.
func (w *world) openingCount(c *liquidityChange) int {
	count := 0
	if c.makes {
		count++
	}
	switch w.pools[c.pool].version {
	case poolV3:
		count++ // the first price, or the position that shrinks
		if !c.makes && c.token > 0 {
			count--
		}
	case poolV4:
		count++
	}
	return count
}

func (w *world) closingCount(c *liquidityChange) int {
	return [...]int{poolV2: 2, poolV3: 1, poolV4: 0}[w.pools[c.pool].version]
}

// amountWords are amounts of a pool's two assets in the order of their addresses, without 0x.
func (w *world) amountWords(p *pool, token, quote int64) string {
	ofToken, ofQuote := w.assets[p.token].rawWord(token), w.assets[p.quote].rawWord(quote)
	first, second := w.inOrder(p, hex.EncodeToString(ofToken[:]), hex.EncodeToString(ofQuote[:]))
	return first + second
}

func tickWord(tick int64) string { return bigWord(big.NewInt(tick)) }

func abs(n int64) int64 { return max(n, -n) }

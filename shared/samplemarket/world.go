package samplemarket

import (
	"math"
	"slices"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

const daySeconds = 86400

// world is one chain: its ledger, its markets and the agents that act on them.
type world struct {
	ledger
	seed      uint64
	now       int32 // seconds from Start up to which everything has happened
	nativeUSD *pricePath
	stream    seeded.Stream
	queue     eventQueue
	tokens    []token
	pools     []pool
	wallets   []wallet
	byEntity  map[int32]int32 // wallet by entity

	exchange    int32 // an exchange's hot wallet: where deposits come from and go to
	routerV2    int32
	routerV3    int32
	universal   int32
	manager     int32
	factoryV2   int32
	factoryV3   int32
	aggregator  int32
	settlement  int32
	entryPoint  int32
	bundler     int32
	burn        int32
	locker      int32
	teamLock    int32
	permit2     int32
	mevContract int32
	spammer     int32
	collection  int32 // an ERC-721 collection (asset)
	spenders    spenderSet
	dapps       []int32
	quotePools  []int32 // pools of two quote assets, by quote asset: quotePools[asset], -1 for none

	majors    []int32
	phoenixes []int32
	listed    []int32 // tokens that may be traded by anybody, oldest first
	crowd     []int32
	snipers   []int32
	insiders  []int32
	early     []int32 // who buy launches early; of several of one hand the first
	tipped    []int32
	deck      []tokenKind
	codes     map[string][]byte // of contracts, by name
	sent      *sentLedger
	honest    []int32 // creators of launched tokens, oldest first
	crooks    []int32 // and those of rugs and honeypots
}

func newWorld(spec *chainSpec, seed uint64, start int64) *world {
	w := &world{
		ledger: ledger{
			spec: spec, start: start, byAddress: map[address]int32{}, balances: map[uint64]int64{}, byOwner: map[int32][]int32{},
		},
		seed: seeded.MixAll(seed, seeded.HashText(spec.slug)), byEntity: map[int32]int32{}, now: math.MinInt32,
	}
	w.stream = seeded.NewStream(seeded.MixAll(w.seed, seeded.HashText("world")))
	w.nativeUSD = nativePath(seed, spec.priceStream, spec.nativePrice)
	w.codes = parseContracts()
	w.sent = newSentLedger()
	w.furnish()
	w.populate()
	return w
}

// furnish makes the contracts every chain has.
func (w *world) furnish() {
	contract := func(a address, kind entityKind, name string) int32 {
		return w.addEntity(entity{address: a, kind: kind, ref: -1, name: name, verified: kind != kindExchange && kind != kindValidator, created: -900 * daySeconds})
	}
	named := func(name string) address { return derivedAddress(seeded.MixAll(w.seed, seeded.HashText(name))) }
	contract(zeroAddress, kindBurn, "Null Address")
	w.burn = contract(burnAddress, kindBurn, "Burn Address")
	w.validator = contract(named("validator"), kindValidator, "")
	w.exchange = contract(named("exchange"), kindExchange, "Centralbank Exchange: Hot Wallet 4")
	w.routerV2 = contract(routerV2Address, kindRouter, "UniswapV2Router02")
	w.routerV3 = contract(routerV3Address, kindRouter, "SwapRouter02")
	w.universal = contract(universalRouter, kindRouter, "UniversalRouter")
	w.manager = contract(mustAddress(w.spec.poolManager), kindPool, "PoolManager")
	w.aggregator = contract(aggregator, kindRouter, "AggregationRouterV6")
	w.settlement = contract(named("settlement"), kindRouter, "GPv2Settlement")
	w.entryPoint = contract(entryPoint, kindContract, "EntryPoint")
	w.bundler = w.addEntity(entity{address: named("bundler"), kind: kindValidator, ref: -1, created: -900 * daySeconds})
	w.locker = contract(lockerAddress, kindLocker, "UniswapV2Locker")
	w.teamLock = contract(teamLockAddress, kindLocker, "TeamFinanceLock")
	w.permit2 = contract(permit2Address, kindContract, "Permit2")
	w.mevContract = contract(named("mev"), kindContract, "")
	w.entities[w.mevContract].verified = false
	w.spammer = contract(named("spammer"), kindContract, "")
	w.entities[w.spammer].verified = false
	for i := range 24 {
		w.dapps = append(w.dapps, contract(derivedAddress(seeded.MixAll(w.seed, seeded.HashText("dapp"), uint64(i))), kindContract, "QuestBoard"))
	}
	w.furnishSpenders()

	w.assets = append(w.assets, asset{kind: assetNative, entity: 0, token: -1, symbol: w.spec.native, name: w.spec.nativeName, decimals: 18, digits: 9})
	for _, q := range w.spec.quotes {
		digits := 6
		if q.kind == assetWrapped || q.kind == assetStaked {
			digits = 9
		}
		e := contract(mustAddress(q.address), kindAsset, q.name)
		w.entities[e].ref = int32(len(w.assets))
		w.assets = append(w.assets, asset{kind: q.kind, entity: e, token: -1, symbol: q.symbol, name: q.name, decimals: q.decimals, digits: digits})
	}
	w.factoryV2 = contract(mustAddress(w.spec.factoryV2), kindContract, "UniswapV2Factory")
	w.factoryV3 = contract(mustAddress(w.spec.factoryV3), kindContract, "UniswapV3Factory")
	e := contract(named("collection"), kindAsset, "Pebble Friends")
	w.collection = int32(len(w.assets))
	w.entities[e].ref = w.collection
	w.assets = append(w.assets, asset{kind: assetCollectible, entity: e, token: -1, symbol: "PEBBLE", name: "Pebble Friends"})
	w.quotePools = make([]int32, len(w.assets))
	for i := range w.quotePools {
		w.quotePools[i] = -1
	}

	w.queue.push(event{at: -800 * daySeconds, kind: eventGenesis})
	for i := range 4 {
		w.queue.push(event{at: int32(-700+60*i) * daySeconds, kind: eventCreateMajor, arg: int64(i)})
	}
	for i := range 4 {
		w.queue.push(event{at: -40*daySeconds + int32(i)*hourSeconds, kind: eventCreatePhoenix})
	}
	w.queue.push(event{at: -12 * daySeconds, kind: eventLaunch})
	w.queue.push(event{at: -20 * daySeconds, kind: eventSpam})
	w.queue.push(event{at: 0, kind: eventCensus})
}

// advance lets everything happen up to the newest block at a Unix time.
func (w *world) advance(unix int64) {
	head := w.spec.timeOfBlock(w.spec.blockAt(unix)) - w.start
	until := int32(max(min(head, math.MaxInt32), math.MinInt32+1))
	w.reserve(int(int64(until)-int64(max(w.now, 0))) / daySeconds)
	for len(w.queue.events) > 0 && w.queue.events[0].at <= until {
		e := w.queue.pop()
		w.now = e.at
		w.happen(&e)
	}
	if until > w.now {
		w.now = until
	}
	w.nativeUSD.extend(int(max(w.now, 0)/hourSeconds) + 2) // so that readers, who share the world, never have to
}

// reserve makes room for what so many days usually bring, so that a long history is not copied over and over.
func (w *world) reserve(days int) {
	if days < 3 {
		return
	}
	w.txs = slices.Grow(w.txs, days*720)
	w.legs = slices.Grow(w.legs, days*1960)
	w.swaps = slices.Grow(w.swaps, days*730)
}

func (w *world) happen(e *event) {
	switch e.kind {
	case eventGenesis:
		w.genesis(e.at)
	case eventCreateMajor:
		w.createEstablished(e.at, kindMajor, int(e.arg))
	case eventCreatePhoenix:
		w.createEstablished(e.at, kindPhoenix, 0)
	case eventLaunch:
		w.launch(e.at)
	case eventListing:
		w.openPool(e.at, e.token)
	case eventEarlyBuy:
		w.buyEarly(e.at, e.actor, e.token)
	case eventSnipe:
		w.snipe(e.at, e.actor, e.token)
	case eventBackground:
		w.background(e.at, e.token)
	case eventRug:
		w.pullLiquidity(e.at, e.token)
	case eventQuotePool:
		w.alignQuotePool(e.at, int32(e.arg))
	case eventJoin:
		w.join(e.at, e.actor)
	case eventAct:
		w.act(e.at, e)
	case eventExit:
		w.exit(e.at, e.actor, e.token, e.arg)
	case eventHealth:
		w.grantPlanned(e.at, e.actor)
	case eventSpam:
		w.sendSpam(e.at)
	case eventFundBots:
		w.fundBots(e.at, e.token)
	case eventBot:
		w.botTurn(e.at, e.token, e.arg)
	case eventMigrate:
		w.migrate(e.at, e.token)
	case eventCensus:
		w.takeCensus(e.at)
	}
}

// genesis issues the quote assets to the exchange and opens the pools between them.
func (w *world) genesis(at int32) {
	w.begin(at, w.exchange, w.assets[wrappedAsset].entity, methodMint)
	for id := range w.assets {
		a := &w.assets[id]
		if a.kind <= assetStaked {
			usd := 4e11
			if a.kind == assetStaked {
				usd = 1e9
			}
			w.move(int32(id), 0, w.exchange, a.units(usd/w.quoteUSD(int32(id), 0)))
		}
	}
	w.commit(400_000)
	w.begin(at, w.exchange, w.assets[wrappedAsset].entity, methodInteract)
	w.move(nativeAsset, w.exchange, w.assets[wrappedAsset].entity, w.assets[nativeAsset].units(6e8/w.nativeUSD.at(0)))
	w.commit(46_000)
	w.deposit(at, w.bundler, nativeAsset, w.assets[nativeAsset].units(4e6/w.nativeUSD.at(0)))
	for id := wrappedAsset + 1; int(id) < len(w.assets); id++ {
		a := &w.assets[id]
		if a.kind != assetStable && a.kind != assetStaked {
			continue
		}
		usd, fee := 12e6, int64(500)
		if a.kind == assetStaked {
			usd, fee = 5e6, 100
		}
		pool := w.newPool(at, poolV3, id, wrappedAsset, fee, w.exchange, -1)
		w.quotePools[id] = pool
		w.begin(at, w.exchange, w.routerV3, methodMulticall)
		w.addLiquidity(pool, a.units(usd/w.quoteUSD(id, 0)), w.assets[wrappedAsset].units(usd/w.nativeUSD.at(0)), w.exchange)
		w.commit(380_000)
		w.queue.push(event{at: id * 61, kind: eventQuotePool, arg: int64(pool)})
	}
}

// alignQuotePool is the arbitrage that keeps a pool of two quote assets at the market's price.
func (w *world) alignQuotePool(at int32, poolID int32) {
	p := &w.pools[poolID]
	wanted := w.quoteUSD(p.token, at) / w.quoteUSD(p.quote, at)
	current := w.assets[p.quote].coins(p.quoteReserve) / w.assets[p.token].coins(p.tokenReserve)
	factor := wanted / current
	if gap := math.Abs(math.Log(factor)); gap > 0.0008 {
		trader := w.crowd[int(seeded.MixAll(uint64(at), uint64(poolID))%uint64(min(8, len(w.crowd))))]
		entity := w.wallets[trader].entity
		if factor > 1 {
			w.exchangeQuote(at, entity, p.quote, p.token, int64(p.quoteToReach(factor)))
		} else {
			w.exchangeQuote(at, entity, p.token, p.quote, int64(p.tokensToReach(factor)))
		}
	}
	w.queue.push(event{at: at + 2*hourSeconds + int32(seeded.Mix(uint64(at))%1200), kind: eventQuotePool, arg: int64(poolID)})
}

// exchangeQuote swaps one quote asset for another through their pool.
func (w *world) exchangeQuote(at, entity, from, to int32, amount int64) {
	poolID := w.quotePools[max(from, to)]
	if poolID < 0 || amount <= 0 {
		return
	}
	w.need(at, entity, from, amount)
	w.begin(at, entity, w.routerV3, methodMulticall)
	w.hop(poolID, from == w.pools[poolID].token, amount, entity, entity, entity, w.routerV3)
	w.commit(138_000)
}

// deposit is a withdrawal from the exchange to a wallet.
func (w *world) deposit(at, to, assetID int32, amount int64) {
	if amount <= 0 {
		return
	}
	if assetID == nativeAsset {
		w.begin(at, w.exchange, to, methodPlain)
		w.send(amount)
		w.commit(21_000)
		return
	}
	w.begin(at, w.exchange, w.assets[assetID].entity, methodTransfer)
	w.move(assetID, w.exchange, to, amount)
	w.commit(52_000)
}

// need makes sure an entity can spend an amount and pay for gas; what is missing arrives from the exchange first.
func (w *world) need(at, entity, assetID int32, amount int64) {
	gas := w.gasReserve()
	if assetID == nativeAsset {
		gas += amount
	} else if short := amount - w.balance(entity, assetID); short > 0 {
		w.deposit(at, entity, assetID, short+amount*2)
	}
	if have := w.balance(entity, nativeAsset); have < gas {
		w.deposit(at, entity, nativeAsset, gas*3-have)
	}
}

// gasReserve is enough native coin for a few dozen transactions.
func (w *world) gasReserve() int64 { return w.spec.gasMilliGwei * 500 * 40 }

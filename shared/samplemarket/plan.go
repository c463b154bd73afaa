package samplemarket

type pickMode uint8

const (
	pickAny     pickMode = iota
	pickWinner           // sees, mostly rightly, what will rise over the holding time
	pickLoser            // buys what has risen and is about to fall
	pickMajor            // only established tokens
	pickYoung            // only tokens under a week old
	pickPhoenix          // established tokens that first fall by more than half
	pickLaunch           // sees winners among tokens under a day old, guesses elsewhere
)

type role uint8

const (
	roleTrader role = iota
	roleCrowd
	roleHider
	roleRoundTripper
	roleRing
	rolePrinter
	roleSandwich
	roleSniper
	roleInsider
	roleFarmer
	roleRotator
	roleAccumulator
	roleHolder
	roleMarketMaker
	roleRobot
	rolePuppet
	roleEmpty
	roleEarly  // among the first buyers of launches
	roleTipped // paid by the creator to be
)

// plan is what an agent is made to do. The archetype is the word the service's answers use, empty where none is planted.
type plan struct {
	group      string // what was planted
	role       role
	archetype  string
	skilled    bool
	wash       bool
	automated  bool
	perWeek    float64 // entries in an active week
	holdLow    float64 // hours
	holdHigh   float64
	usd        float64 // median size of an entry
	pick       pickMode
	hit        float64 // how often the pick sees rightly
	activeTo   int32   // day after which it does nothing, 0 for never stopping
	activeFrom float64 // day it begins, at the latest
	entries    int     // how many entries it ever makes, 0 for unbounded
	count      int     // how many per chain
	wealth     float64 // USD funded at the start
	taste      *taste  // of those who buy launches
	hand       int     // so many of the wallets belong to one hand, 0 for each to its own
}

// plans is the population of one chain, but for the crowd.
var plans = []plan{
	{group: "skilled-flipper", archetype: "flipper", skilled: true, perWeek: 6, holdLow: 3, holdHigh: 18, usd: 400, pick: pickWinner, hit: 0.8},
	{group: "skilled-swing", archetype: "swing", skilled: true, perWeek: 4, holdLow: 48, holdHigh: 240, usd: 500, pick: pickWinner, hit: 0.75},
	{group: "skilled-position", skilled: true, perWeek: 5, holdLow: 18 * 24, holdHigh: 40 * 24, usd: 450, pick: pickWinner, hit: 0.8},
	{group: "skilled-launch", archetype: "swing", skilled: true, perWeek: 5, holdLow: 30, holdHigh: 160, usd: 350, pick: pickLaunch, hit: 0.9},
	{group: "skilled-active", archetype: "swing", skilled: true, perWeek: 24, holdLow: 36, holdHigh: 200, usd: 300, pick: pickWinner, hit: 0.65, count: 6},
	{group: "lucky-flipper", archetype: "flipper", perWeek: 4, holdLow: 3, holdHigh: 18, usd: 400},
	{group: "lucky-swing", archetype: "swing", perWeek: 4, holdLow: 48, holdHigh: 240, usd: 500},
	{group: "lucky-position", perWeek: 4.5, holdLow: 18 * 24, holdHigh: 40 * 24, usd: 450},
	{group: "lucky-few", archetype: "swing", perWeek: 1, holdLow: 60, holdHigh: 240, usd: 700, entries: 9},
	{group: "losing-flipper", archetype: "flipper", perWeek: 4, holdLow: 4, holdHigh: 18, usd: 300, pick: pickLoser, hit: 0.7},
	{group: "losing-swing", archetype: "swing", perWeek: 4, holdLow: 48, holdHigh: 240, usd: 400, pick: pickLoser, hit: 0.7},
	{group: "loss-hider", role: roleHider, perWeek: 5, holdLow: 4, holdHigh: 16, usd: 400},
	{group: "scalper", archetype: "scalper", perWeek: 20, pick: pickYoung, holdLow: 0.08, holdHigh: 0.6, usd: 600},
	{group: "skilled-robot", archetype: "flipper", skilled: true, automated: true, perWeek: 20, holdLow: 3, holdHigh: 18, usd: 250, pick: pickWinner, hit: 0.9, count: 6},
	{group: "position", perWeek: 3, holdLow: 20 * 24, holdHigh: 55 * 24, usd: 800, pick: pickMajor},
	{group: "degen", archetype: "degen", perWeek: 5, holdLow: 16 * 24, holdHigh: 45 * 24, usd: 150, pick: pickYoung},
	{group: "diamond", archetype: "diamond", perWeek: 30, holdLow: 110 * 24, holdHigh: 150 * 24, usd: 1500, pick: pickPhoenix, entries: 4, activeFrom: 0.1},
	{group: "whale", archetype: "whale", perWeek: 3, holdLow: 60, holdHigh: 260, usd: 90_000, pick: pickMajor, wealth: 2.4e6},
	{group: "tourist", archetype: "tourist", perWeek: 1, holdLow: 48, holdHigh: 300, usd: 250, entries: 1},
	{group: "dormant", archetype: "swing", perWeek: 4, holdLow: 48, holdHigh: 200, usd: 350, activeTo: 95, activeFrom: 2},
	{group: "busy", archetype: "flipper", perWeek: 38, holdLow: 2, holdHigh: 20, usd: 250, count: 2, activeFrom: 1},
	{group: "wash-round-trip", role: roleRoundTripper, archetype: "wash", wash: true, perWeek: 4, holdLow: 0.05, holdHigh: 0.5, usd: 2500},
	{group: "wash-ring", role: roleRing, archetype: "wash", wash: true, perWeek: 3, usd: 3000},
	{group: "thin-printer", role: rolePrinter, archetype: "wash", wash: true, perWeek: 1, usd: 150},
	{group: "mev-bot", role: roleSandwich, archetype: "mev-bot", automated: true, usd: 4000},
	{group: "sniper", role: roleSniper, archetype: "sniper", usd: 180, holdLow: 0.2, holdHigh: 8},
	{group: "insider", role: roleInsider, archetype: "insider-suspected", usd: 500, holdLow: 6, holdHigh: 60},
	{group: "airdrop-farmer", role: roleFarmer, archetype: "airdrop-farmer", perWeek: 2.5, usd: 20},
	{group: "rotator", role: roleRotator, archetype: "rotator", perWeek: 3, holdLow: 20 * 24, holdHigh: 40 * 24, usd: 600},
	{group: "accumulator", role: roleAccumulator, archetype: "accumulator", perWeek: 3, holdLow: 30 * 24, holdHigh: 60 * 24, usd: 400, pick: pickMajor},
	{group: "holder", role: roleHolder, archetype: "holder", perWeek: 60, usd: 2500, pick: pickMajor, entries: 4, activeFrom: 1},
	{group: "market-maker", role: roleMarketMaker, automated: true, usd: 1500, pick: pickMajor},
	{group: "robot", role: roleRobot, archetype: "flipper", automated: true, usd: 120, holdLow: 2, holdHigh: 6, pick: pickMajor},
	{group: "empty", role: roleEmpty, archetype: "unclassified", count: 3},
	{group: "scout", role: roleEarly, skilled: true, usd: 350, holdLow: 20, holdHigh: 150, count: 7, taste: &taste{runner: 0.97, pump: 0.75, other: 0.05, from: 0.9, to: 3, picky: true}},
	{group: "scout-flash", role: roleEarly, skilled: true, usd: 250, holdLow: 3, holdHigh: 60, count: 3, taste: &taste{runner: 0.2, pump: 0.95, other: 0.055, from: 0.8, to: 2.2}},
	{group: "early-crowd", role: roleEarly, usd: 110, holdLow: 7 * 24, holdHigh: 45 * 24, count: 30, taste: &taste{runner: 0.25, pump: 0.25, other: 0.25, from: 2.5, to: 8}},
	{group: "sibling", role: roleEarly, skilled: true, usd: 200, holdLow: 20, holdHigh: 150, count: 6, hand: 3, taste: &taste{runner: 0.97, pump: 0.75, other: 0.05, from: 0.9, to: 3, picky: true}},
	{group: "tipped", role: roleTipped, usd: 220, holdLow: 8, holdHigh: 60, count: 3},
}

const (
	plantedPerPlan = 10
	crowdPerChain  = 240
)

var crowdPlan = plan{group: "crowd", role: roleCrowd}

// puppetPlan is an account a thin-token printer trades against.
var puppetPlan = plan{group: "sock-puppet", role: rolePuppet, archetype: "wash", wash: true, usd: 60}

const puppetsPerPrinter = 5

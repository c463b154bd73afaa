package perpvenue

// role is the manner in which an account decides.
type role uint8

const (
	roleTrader role = iota
	roleMartingale
	roleHedger
	roleFarmer
	roleMaker
	roleSpot
	roleDepositor
)

// plan is a planted behaviour.
type plan struct {
	kind, about string
	count       int
	role        role
	skilled     bool
	newcomer    bool

	deposit  float64 // USD, median
	coins    []int
	perDay   float64 // entries, or quotes
	hold     float64 // hours, median
	spread   float64 // of the hold's logarithm
	edge     float64 // correlation of what it sees with the return over the hold
	picky    float64 // how strong a signal it waits for, in standard deviations
	long     float64 // share of long entries where it sees nothing; 0 and 1 are exclusive
	leverage [2]int
	fraction [2]float64 // of equity that an entry ties up
	maxOpen  int

	isolated, maker, twap, adds, halves, flips float64 // chances

	takeProfit, stop float64 // moves of the price, 0 for none
	activeDays       float64 // after which nothing is opened any more, 0 for always
	maxBets          int     // 0 for any number
	jackpot          int     // the bet that is no bet, 0 for none
	streak           int     // the first bets that turn out well
	refills          int     // deposits after losing nearly everything
	builder          float64 // share of deposits moved to the builder's exchange
	spot             float64 // share of deposits moved to spot
	neverCloses      bool
}

var (
	majors   = []int{coinBTC, coinETH, coinSOL, coinHYPE}
	anything = []int{coinBTC, coinETH, coinSOL, coinHYPE, coinXRP, coinDOGE, coinAVAX, coinLINK, coinSUI, coinARB, coinPEPE, coinWIF, coinRNDR}
	altcoins = []int{coinHYPE, coinXRP, coinDOGE, coinAVAX, coinLINK, coinSUI, coinARB, coinPEPE, coinWIF, coinRNDR}
	builders = []int{coinBTC, coinETH, coinXYZ100, coinTSLA, coinGOLD}
)

// plans are the planted behaviours but for the newcomers.
func plans() []plan {
	usual := func(p plan) plan {
		if p.maxOpen == 0 {
			p.maxOpen = 3
		}
		if p.spread == 0 {
			p.spread = 0.7
		}
		return p
	}
	list := []plan{
		{kind: "skilled-swing", about: "Sees the next days better than others.", count: 4, skilled: true, deposit: 60_000, coins: anything,
			perDay: 0.9, hold: 22, edge: 0.5, picky: 0.7, long: 0.5, leverage: [2]int{2, 5}, fraction: [2]float64{0.08, 0.2}, isolated: 0.2,
			maker: 0.4, twap: 0.1, adds: 0.2, halves: 0.3, flips: 0.15, spot: 0.05},
		{kind: "skilled-intraday", about: "Sees the next hours better than others.", count: 3, skilled: true, deposit: 25_000, coins: majors,
			perDay: 3, hold: 3, edge: 0.45, picky: 0.6, long: 0.5, leverage: [2]int{4, 10}, fraction: [2]float64{0.08, 0.15}, maker: 0.6, halves: 0.1},
		{kind: "skilled-position", about: "Few, long trades that mostly turn out well.", count: 3, skilled: true, deposit: 400_000, coins: anything,
			perDay: 0.3, hold: 80, spread: 0.5, edge: 0.6, picky: 0.6, long: 0.5, leverage: [2]int{1, 3}, fraction: [2]float64{0.1, 0.25},
			maker: 0.5, twap: 0.5, adds: 0.4, halves: 0.4, maxOpen: 4},
		{kind: "skilled-whale", about: "Positions large enough for the higher margin tiers.", count: 1, skilled: true, deposit: 9_000_000,
			coins: []int{coinAVAX, coinLINK, coinBTC}, perDay: 0.4, hold: 48, edge: 0.5, picky: 0.6, long: 0.5, leverage: [2]int{3, 4},
			fraction: [2]float64{0.15, 0.25}, twap: 0.8, halves: 0.5, spread: 0.5},
		{kind: "lucky-jackpot", about: "One huge win, the rest is chance.", count: 2, deposit: 9_000, coins: anything, perDay: 0.5, hold: 14,
			long: 0.5, leverage: [2]int{6, 8}, fraction: [2]float64{0.02, 0.04}, jackpot: 6, spot: 0.1},
		{kind: "lucky-streak", about: "A few trades that happened to go well.", count: 2, deposit: 6_000, coins: majors, perDay: 0.4, hold: 20,
			long: 0.5, leverage: [2]int{3, 8}, fraction: [2]float64{0.1, 0.3}, streak: 7, maxBets: 9},
		{kind: "losing", about: "Is mostly on the wrong side.", count: 5, deposit: 12_000, coins: anything, perDay: 1.2, hold: 14, edge: -0.3,
			long: 0.5, leverage: [2]int{3, 10}, fraction: [2]float64{0.06, 0.15}, isolated: 0.4, stop: 0.08, adds: 0.2, flips: 0.2, refills: 2},
		{kind: "random", about: "Trades by the toss of a coin.", count: 6, deposit: 15_000, coins: anything, perDay: 0.9, hold: 16, long: 0.5,
			leverage: [2]int{2, 6}, fraction: [2]float64{0.05, 0.12}, isolated: 0.3, maker: 0.3, twap: 0.05, halves: 0.2, flips: 0.1, spot: 0.05},
		{kind: "martingale", about: "Many small wins, rare ruin.", count: 4, role: roleMartingale, deposit: 10_000, coins: majors, perDay: 3,
			hold: 2, long: 0.6, leverage: [2]int{20, 20}, fraction: [2]float64{0.03, 0.04}, takeProfit: 0.006, refills: 3, maxOpen: 1},
		{kind: "liquidated", about: "All in at the highest leverage, again and again.", count: 4, deposit: 4_000, coins: majors, perDay: 0.8,
			hold: 14, long: 0.65, leverage: [2]int{20, 40}, fraction: [2]float64{0.5, 0.9}, isolated: 0.3, refills: 14, maxOpen: 1},
		{kind: "hedged", about: "As much long as short.", count: 4, role: roleHedger, deposit: 80_000, coins: anything[:10], perDay: 0.5,
			hold: 140, spread: 0.3, long: 0.5, leverage: [2]int{3, 5}, fraction: [2]float64{0.1, 0.16}, maker: 0.6, twap: 0.1, maxOpen: 2},
		{kind: "long-only", about: "Never short.", count: 4, deposit: 20_000, coins: anything, perDay: 0.5, hold: 50, long: 1,
			leverage: [2]int{1, 4}, fraction: [2]float64{0.08, 0.18}, isolated: 0.2, maker: 0.3, adds: 0.4, halves: 0.2, spot: 0.1},
		{kind: "short-only", about: "Never long.", count: 4, deposit: 20_000, coins: altcoins, perDay: 0.5, hold: 50, long: 0,
			leverage: [2]int{1, 4}, fraction: [2]float64{0.08, 0.18}, isolated: 0.2, maker: 0.3, adds: 0.3, halves: 0.2},
		{kind: "market-making", about: "Quotes both sides around the clock.", count: 4, role: roleMaker, deposit: 300_000, coins: majors,
			perDay: 14, leverage: [2]int{5, 5}, fraction: [2]float64{0.004, 0.01}},
		{kind: "market-making-busy", about: "Quotes both sides around the clock; more fills than the venue gives out.", count: 2, role: roleMaker,
			deposit: 900_000, coins: majors, perDay: 66, leverage: [2]int{5, 5}, fraction: [2]float64{0.004, 0.01}},
		{kind: "scalper", about: "In and out within minutes.", count: 4, deposit: 8_000, coins: majors, perDay: 5, hold: 0.3, long: 0.5,
			leverage: [2]int{8, 20}, fraction: [2]float64{0.1, 0.25}, stop: 0.02, maker: 0.3, refills: 1},
		{kind: "open-only", about: "Has only ever opened positions.", count: 3, deposit: 15_000, coins: majors, perDay: 0.08, hold: 1,
			long: 0.8, leverage: [2]int{1, 2}, fraction: [2]float64{0.04, 0.08}, neverCloses: true, adds: 0.5, maxOpen: 4},
		{kind: "few-trades", about: "Too few trades for a rate.", count: 4, deposit: 7_000, coins: anything, perDay: 0.05, hold: 60, long: 0.5,
			leverage: [2]int{2, 4}, fraction: [2]float64{0.1, 0.2}, maxBets: 2},
		{kind: "dormant", about: "Has not traded for months.", count: 3, deposit: 18_000, coins: anything, perDay: 1, hold: 12, long: 0.5,
			leverage: [2]int{2, 6}, fraction: [2]float64{0.05, 0.12}, isolated: 0.3, activeDays: 60},
		{kind: "spot-only", about: "Trades spot pairs alone.", count: 3, role: roleSpot, deposit: 9_000, perDay: 0.4, spot: 1},
		{kind: "deposit-only", about: "Money came in and nothing else happened.", count: 2, role: roleDepositor, deposit: 3_000},
		{kind: "funding-farmer", about: "Short where funding is dear, long the coin itself.", count: 3, role: roleFarmer, deposit: 150_000,
			coins: []int{coinHYPE}, perDay: 1, hold: 24 * 14, spread: 0.3, leverage: [2]int{2, 2}, fraction: [2]float64{0.7, 0.8}, spot: 0.6, maxOpen: 1},
		{kind: "multi-exchange", about: "Trades on the main and a builder's exchange.", count: 4, deposit: 40_000, coins: builders, perDay: 1.1,
			hold: 18, long: 0.55, leverage: [2]int{2, 6}, fraction: [2]float64{0.06, 0.15}, maker: 0.4, halves: 0.2, flips: 0.1, builder: 0.45, maxOpen: 4},
	}
	for i := range list {
		list[i] = usual(list[i])
	}
	return list
}

// newcomers is the behaviour of those who keep joining.
func newcomers() plan {
	return plan{kind: "new", about: "Joined within the last days.", newcomer: true, deposit: 5_000, coins: anything, perDay: 2.5, hold: 6,
		spread: 0.7, long: 0.6, leverage: [2]int{3, 10}, fraction: [2]float64{0.08, 0.2}, maxOpen: 3, activeDays: 40}
}

// newcomerJoins is when the n-th newcomer comes, in milliseconds after the start: every two and a half days from day 185 on.
func newcomerJoins(n int) int64 { return 185*dayMillis + int64(n)*60*hourMillis + 17*60_000 }

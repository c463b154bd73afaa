package predictvenue

// kind is a planted behaviour. What skilled and followable mean is said at WalletTruth.
type kind struct {
	name, about string
	count       int
	stake       float64 // dollars of an ordinary purchase
	skilled     bool
	followable  bool
	wash        bool
	// The planted behaviour decides the words that are set here.
	execution, entries, diversification, cadence bool
	// takesPart is the share of events that it looks at, and plan what it does there. A kind without a plan is part of the crowd.
	takesPart float64
	plan      func(*planner)
}

// kinds are all planted behaviours; the crowd comes last.
var kinds = []kind{
	{name: "skilled-taker", about: "Knows what the price is going to be in days, and buys at the offer.", count: 8, stake: 250, skilled: true, followable: true,
		execution: true, entries: true, diversification: true, cadence: true, takesPart: 0.95, plan: (*planner).skilledTaker},
	{name: "fast-taker", about: "Buys seconds before news breaks; a minute later the price has moved.", count: 5, stake: 250, skilled: true,
		execution: true, entries: true, diversification: true, cadence: true, takesPart: 0.85, plan: (*planner).fastTaker},
	{name: "skilled-maker", about: "Earns the spread with resting orders.", count: 6, stake: 200, skilled: true,
		execution: true, diversification: true, cadence: true, takesPart: 0.8, plan: (*planner).skilledMaker},
	{name: "lucky", about: "Knows nothing, and was right more often than not in its first months.", count: 6, stake: 400,
		execution: true, diversification: true, cadence: true, takesPart: 0.13, plan: (*planner).lucky},
	{name: "losing", about: "Buys at random and overpays.", count: 6, stake: 200,
		execution: true, entries: true, diversification: true, cadence: true, takesPart: 0.6, plan: (*planner).losing},
	{name: "favourite-buyer", about: "Buys at 90 cents and more: nearly always right, and loses on the whole.", count: 6, stake: 500,
		execution: true, entries: true, diversification: true, cadence: true, takesPart: 0.7, plan: (*planner).favouriteBuyer},
	{name: "longshot-buyer", about: "Buys what costs a few cents.", count: 5, stake: 40,
		execution: true, entries: true, diversification: true, cadence: true, takesPart: 0.6, plan: (*planner).longshotBuyer},
	{name: "insider", about: "A few large bets in one topic hours before the outcome, always right.", count: 4, stake: 6000, skilled: true,
		execution: true, cadence: true, takesPart: 0.65, plan: (*planner).insider},
	{name: "washer", about: "A pair that passes the same shares to and fro.", count: 6, stake: 700, wash: true, takesPart: 0.25, plan: (*planner).washer},
	{name: "arbitrageur", about: "Splits dollars into pairs of shares and sells both, or buys both and merges them.", count: 3, stake: 800,
		execution: true, diversification: true, takesPart: 0.7, plan: (*planner).arbitrageur},
	{name: "never-redeemer", about: "Loses, and leaves every lost share where it is.", count: 4, stake: 150,
		execution: true, diversification: true, cadence: true, takesPart: 0.5, plan: (*planner).losing},
	{name: "redeemer", about: "Redeems every share, worthless ones too.", count: 4, stake: 150,
		execution: true, diversification: true, cadence: true, takesPart: 0.5, plan: (*planner).random},
	{name: "hedger", about: "Buys both sides of one event.", count: 4, stake: 300,
		execution: true, diversification: true, cadence: true, takesPart: 0.4, plan: (*planner).hedger},
	{name: "bot", about: "Hundreds of small trades a week, several in one second.", count: 3, stake: 15,
		execution: true, diversification: true, cadence: true, takesPart: 1, plan: (*planner).bot},
	{name: "new", about: "Fewer than ten events.", count: 5, stake: 200, execution: true, takesPart: 1, plan: (*planner).newcomer},
	{name: "dormant", about: "A good record, and nothing since its hundredth day.", count: 3, stake: 250, skilled: true,
		execution: true, entries: true, diversification: true, cadence: true, takesPart: 0.95, plan: (*planner).dormant},
	{name: "converter", about: "Holds against several outcomes of one event and converts the shares.", count: 4, stake: 200,
		execution: true, diversification: true, cadence: true, takesPart: 0.8, plan: (*planner).converter},
	{name: "prolific", about: "More history than the venue lets one read.", count: 1, stake: 20,
		execution: true, diversification: true, cadence: true, takesPart: 1, plan: (*planner).prolific},
	{name: "crowd", about: "One of the many that everybody trades with.", count: 24, stake: 60},
}

const (
	// luckLasts is how many days a lucky wallet's luck lasts, botsBegin and dormantSince the days on which bots begin and dormant wallets
	// stop.
	luckLasts    = 150
	botsBegin    = 60
	dormantSince = 100
	// newcomers take part in at most this many events.
	mostNewEvents = 8
)

package samplemarket

// Samples are addresses worth trying, a cross-section of what the market holds.
type Samples struct {
	Wallets []Sample `json:"wallets"`
	Tokens  []Sample `json:"tokens"`
	Traders []Sample `json:"traders"`
	// Leaders are wallets that are early in launches, with skill, without, or in other people's pay.
	Leaders []Sample `json:"leaders"`
	// Perps are accounts of the venue of perpetual contracts, Predictions wallets of the prediction venue.
	Perps       []Sample `json:"perps"`
	Predictions []Sample `json:"predictions"`
}

// Sample is one address to try.
type Sample struct {
	Address string `json:"address"`
	// Chain is empty for what is on no chain of the market.
	Chain string `json:"chain,omitzero"`
	Kind  string `json:"kind"`
	About string `json:"about"`
}

// Samples is a cross-section of addresses to try: of every planted behaviour and kind, spread over the chains.
func (m *Market) Samples() Samples {
	m.openPerps()
	m.openPredictions()
	var samples Samples
	m.view(func() {
		for i := range plans {
			group := plans[i].group
			about, wanted := sampleAbout[group]
			for n := range 2 {
				w := m.worlds[(i+3*n)%len(m.worlds)]
				id := w.liveliest(group)
				if !wanted || id < 0 {
					continue
				}
				me := &w.wallets[id]
				sample := Sample{Address: w.entities[me.entity].address.String(), Chain: w.spec.slug, Kind: group, About: about}
				samples.Wallets = append(samples.Wallets, sample)
				if me.plan.role == roleTrader && me.record.closed >= 10 {
					samples.Traders = append(samples.Traders, sample)
				}
			}
		}
		samples.Leaders = m.leaderSamples()
		samples.Tokens = m.tokenSamples()
		for _, s := range m.venues.perps.Samples() {
			samples.Perps = append(samples.Perps, Sample{Address: s.Address, Kind: s.Kind, About: s.About})
		}
		for _, s := range m.venues.predictions.Samples() {
			samples.Predictions = append(samples.Predictions, Sample{Address: s.Address, Kind: s.Kind, About: s.About})
		}
	})
	return samples
}

// leaderSamples are early buyers of every planted sort, on chains in turn.
func (m *Market) leaderSamples() []Sample {
	list := []Sample{}
	for i, group := range []string{"scout", "scout-flash", "sibling", "tipped", "early-crowd"} {
		for n := range 2 {
			w := m.worlds[(i+3*n)%len(m.worlds)]
			if id := w.liveliest(group); id >= 0 {
				list = append(list, Sample{Address: w.entities[w.wallets[id].entity].address.String(), Chain: w.spec.slug, Kind: group, About: leaderAbout[group]})
			}
		}
	}
	return list
}

// liveliest is the wallet of a group with the most transactions, -1 when none has any.
func (w *world) liveliest(group string) int {
	best, most := -1, 0
	for i := range w.wallets {
		if me := &w.wallets[i]; me.plan.group == group && len(w.entities[me.entity].touch) > most {
			best, most = i, len(w.entities[me.entity].touch)
		}
	}
	return best
}

var sampleAbout = map[string]string{
	"skilled-flipper": "Picks winners and is out within a day.", "skilled-swing": "Picks winners and holds them for days.",
	"skilled-position": "Picks winners and holds them for weeks.", "skilled-launch": "Good on tokens under a day old, ordinary elsewhere.",
	"lucky-swing": "Picks at random and holds for days.", "lucky-few": "Too few trades to tell skill from luck.",
	"losing-swing": "Buys what is about to fall.", "loss-hider": "Takes small profits and never sells a loser.",
	"scalper": "Holds for minutes.", "degen": "Only buys tokens under a week old.", "diamond": "Held through a fall of more than half.",
	"whale": "Trades that move deep pools.", "tourist": "One trade.", "dormant": "Has not traded for months.",
	"wash-round-trip": "Buys and sells the same quantity back within the hour.", "wash-ring": "Passes one token around a closed group.",
	"thin-printer": "Profits only in a token of its own.", "mev-bot": "Buys and sells in the same block, around somebody else.",
	"sniper": "Buys in the first blocks of a pool.", "insider": "Gets tokens from the creator before the pool opens.",
	"airdrop-farmer": "Lives on claims.", "rotator": "Every sale pays for another token.", "accumulator": "Buys steadily, hardly sells.",
	"holder": "A few old positions.", "market-maker": "Trades both sides, around the clock.", "robot": "Fast and never asleep.", "busy": "More than a thousand trades.",
}

var leaderAbout = map[string]string{
	"scout":       "Early in launches, and mostly in those that rise and keep it.",
	"scout-flash": "Early in launches that rise and are gone within days: nobody could follow.",
	"sibling":     "Does what two other wallets of the same hand do.",
	"tipped":      "Paid by creators to be among the first buyers.",
	"early-crowd": "Early in as many launches, whatever they are.",
}

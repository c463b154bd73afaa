package trader

import (
	"cmp"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Exchange is a quantity of a token that changed hands between two accounts for value.
type Exchange struct {
	Token         chain.Address
	Seller, Buyer chain.Address
	// Quantity is in token units; what is not positive is ignored.
	Quantity float64
	Time     time.Time
}

// Matching sets how closed clusters are looked for.
type Matching struct {
	// Windows are the lengths of time within which a cluster's trading has to cancel out, tried one after the other.
	Windows []time.Duration
	// Occurrences is how often a group of accounts must have traded in a circle to be a cluster.
	Occurrences int
	// Margin is how far an account may be from flat, as a fraction of the mean trade size.
	Margin float64
	// OfTurnover measures the margin against what the account itself turned over in the window, half of what it bought and
	// sold together, so that small random differences may add up over many trades. For two trades both are the same.
	OfTurnover bool
}

// MarketMatching is how Victor & Weintraud (2021) examine whole exchanges.
func MarketMatching() Matching {
	return Matching{Windows: []time.Duration{time.Hour, day, week}, Occurrences: 100, Margin: 0.01}
}

// WalletMatching suits the accounts around one wallet, where a few circles already say something.
func WalletMatching() Matching {
	return Matching{Windows: []time.Duration{time.Hour, day, week}, Occurrences: 5, Margin: 0.01, OfTurnover: true}
}

// Cluster is a group of accounts that sold one token around among themselves, within one window of time, until everybody was
// flat again.
type Cluster struct {
	Token chain.Address
	// Members are in address order; a single one traded with itself.
	Members []chain.Address
	// Exchanges are indices of the trades that cancel out, in order of time.
	Exchanges []int
}

// ClosedClusters finds trading that changed nothing: accounts that sell a token in a circle, and end where they began. It is
// the method of Victor & Weintraud (2021): strongly connected components of the graph of sellers and buyers, layer by layer
// of its multiplicities, name the groups; within windows of time the longest beginning of a group's trades that leaves all
// members flat is wash trading. Trades of an account with itself always are. No exchange is in two clusters. The order of
// exchanges does not matter as long as their times differ.
func ClosedClusters(exchanges []Exchange, matching Matching) []Cluster {
	var clusters []Cluster
	byToken := make(map[chain.Address][]int)
	for i := range exchanges {
		if e := &exchanges[i]; e.Quantity > 0 && !math.IsInf(e.Quantity, 1) {
			byToken[e.Token] = append(byToken[e.Token], i)
		}
	}
	markets := make([]*ring, 0, len(byToken))
	for token, indices := range byToken {
		markets = append(markets, newRing(token, exchanges, indices))
	}
	slices.SortFunc(markets, func(a, b *ring) int { return a.token.Compare(b.token) })
	// A group is counted over all tokens, for rings often move on to the next one.
	occurrences := make(map[string]int)
	groups := make([]map[string][]int, len(markets))
	for i, m := range markets {
		clusters = append(clusters, m.selfTrades(exchanges)...)
		groups[i] = make(map[string][]int)
		m.layers(func(members []int, times int) {
			key := m.key(members)
			groups[i][key] = members
			occurrences[key] += times
		})
	}
	for i, m := range markets {
		keys := make([]string, 0, len(groups[i]))
		for key := range groups[i] {
			if occurrences[key] >= matching.Occurrences {
				keys = append(keys, key)
			}
		}
		slices.SortFunc(keys, func(a, b string) int {
			return cmp.Or(cmp.Compare(occurrences[b], occurrences[a]), cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
		})
		for _, window := range matching.Windows {
			for _, key := range keys {
				clusters = append(clusters, m.match(exchanges, groups[i][key], window, matching)...)
			}
		}
	}
	return clusters
}

// edge is a seller and a buyer, by account number.
type edge struct{ from, to int }

// ring is one token's market while it is searched for clusters.
type ring struct {
	token    chain.Address
	accounts []chain.Address
	// between lists the exchanges of each seller and buyer in order of time; partners lists each account's buyers.
	between  map[edge][]int
	partners [][]int
	own      map[int][]int
	labelled map[int]bool
	// net, gross and trades are scratch space of match, by account.
	net, gross []float64
	trades     []int
}

func newRing(token chain.Address, exchanges []Exchange, indices []int) *ring {
	slices.SortStableFunc(indices, func(a, b int) int { return exchanges[a].Time.Compare(exchanges[b].Time) })
	m := &ring{token: token, between: make(map[edge][]int), own: make(map[int][]int), labelled: make(map[int]bool)}
	number := make(map[chain.Address]int)
	for _, i := range indices {
		for _, account := range [...]chain.Address{exchanges[i].Seller, exchanges[i].Buyer} {
			if _, known := number[account]; !known {
				number[account] = 0
				m.accounts = append(m.accounts, account)
			}
		}
	}
	slices.SortFunc(m.accounts, chain.Address.Compare)
	for i, account := range m.accounts {
		number[account] = i
	}
	m.partners = make([][]int, len(m.accounts))
	m.net, m.gross, m.trades = make([]float64, len(m.accounts)), make([]float64, len(m.accounts)), make([]int, len(m.accounts))
	for _, i := range indices {
		e := edge{number[exchanges[i].Seller], number[exchanges[i].Buyer]}
		if e.from == e.to {
			m.own[e.from] = append(m.own[e.from], i)
			continue
		}
		if len(m.between[e]) == 0 {
			m.partners[e.from] = append(m.partners[e.from], e.to)
		}
		m.between[e] = append(m.between[e], i)
	}
	return m
}

func (m *ring) selfTrades(exchanges []Exchange) []Cluster {
	var clusters []Cluster
	for account := range m.accounts {
		if own := m.own[account]; len(own) > 0 {
			clusters = append(clusters, Cluster{Token: m.token, Members: []chain.Address{m.accounts[account]}, Exchanges: own})
		}
	}
	return clusters
}

func (m *ring) key(members []int) string {
	key := make([]byte, 0, len(members)*len(chain.Address{}))
	for _, account := range members {
		key = append(key, m.accounts[account][:]...)
	}
	return string(key)
}

// multiplicity is an edge and how many of its trades are left.
type multiplicity struct {
	edge
	left int
}

// layers reports every strongly connected group of accounts and in how many layers of the multigraph it appears. Taking one
// trade off every edge until one is used up leaves a group as it was, so those layers are counted at once; and an edge that
// has left its group never comes back.
func (m *ring) layers(report func(members []int, times int)) {
	var all []multiplicity
	for from := range m.partners {
		for _, to := range m.partners[from] {
			all = append(all, multiplicity{edge{from, to}, len(m.between[edge{from, to}])})
		}
	}
	for pending := m.components(all); len(pending) > 0; {
		edges := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		times := edges[0].left
		for _, e := range edges {
			times = min(times, e.left)
		}
		report(membersOf(edges), times)
		rest := edges[:0]
		for _, e := range edges {
			if e.left -= times; e.left > 0 {
				rest = append(rest, e)
			}
		}
		pending = append(pending, m.components(rest)...)
	}
}

// components splits edges by the strongly connected group that both their ends belong to, and drops those between groups.
func (m *ring) components(edges []multiplicity) [][]multiplicity {
	if len(edges) < 2 {
		return nil
	}
	graph := simple.NewDirectedGraph()
	for _, e := range edges {
		graph.SetEdge(simple.Edge{F: simple.Node(e.from), T: simple.Node(e.to)})
	}
	group := make(map[int]int)
	count := 0
	for _, nodes := range topo.TarjanSCC(graph) {
		if len(nodes) > 1 {
			for _, node := range nodes {
				group[int(node.ID())] = count + 1
			}
			count++
		}
	}
	split := make([][]multiplicity, count)
	for _, e := range edges {
		if g := group[e.from]; g > 0 && g == group[e.to] {
			split[g-1] = append(split[g-1], e)
		}
	}
	return split
}

func membersOf(edges []multiplicity) []int {
	members := make([]int, 0, 2*len(edges))
	for _, e := range edges {
		members = append(members, e.from, e.to)
	}
	slices.Sort(members)
	return slices.Compact(members)
}

// match labels the trades within a group that cancel out inside one window.
func (m *ring) match(exchanges []Exchange, members []int, window time.Duration, matching Matching) []Cluster {
	var open []int
	for _, from := range members {
		for _, to := range m.partners[from] {
			if _, inside := slices.BinarySearch(members, to); !inside {
				continue
			}
			for _, i := range m.between[edge{from, to}] {
				if !m.labelled[i] {
					open = append(open, i)
				}
			}
		}
	}
	slices.SortFunc(open, func(a, b int) int {
		return cmp.Or(exchanges[a].Time.Compare(exchanges[b].Time), cmp.Compare(a, b))
	})
	accounts := make([]chain.Address, len(members))
	for i, account := range members {
		accounts[i] = m.accounts[account]
	}
	var clusters []Cluster
	for start := 0; start < len(open); {
		end := start + 1
		for end < len(open) && exchanges[open[end]].Time.Sub(exchanges[open[start]].Time) <= window {
			end++
		}
		if flat := m.flatPrefix(exchanges, open[start:end], matching); flat > 0 {
			wash := open[start : start+flat : start+flat]
			for _, i := range wash {
				m.labelled[i] = true
			}
			clusters = append(clusters, Cluster{Token: m.token, Members: accounts, Exchanges: wash})
		}
		start = end
	}
	return clusters
}

// flatPrefix is how many trades from the first on leave everybody flat.
func (m *ring) flatPrefix(exchanges []Exchange, indices []int, matching Matching) int {
	var accounts []int
	total := 0.0
	ends := make([]edge, len(indices))
	for at, i := range indices {
		e := &exchanges[i]
		ends[at] = edge{m.number(e.Seller), m.number(e.Buyer)}
		for _, account := range [...]int{ends[at].from, ends[at].to} {
			if m.trades[account] == 0 {
				accounts = append(accounts, account)
			}
			m.trades[account]++
			m.gross[account] += e.Quantity
		}
		m.net[ends[at].from] -= e.Quantity
		m.net[ends[at].to] += e.Quantity
		total += e.Quantity
	}
	length := len(indices)
	for suspect := 0; length > 1; {
		allowed := matching.Margin * total / float64(length)
		flat := true
		// Whoever was not flat a trade ago is likely still not flat, so it is asked first.
		for step := range accounts {
			account := accounts[(suspect+step)%len(accounts)]
			if matching.OfTurnover {
				allowed = matching.Margin * m.gross[account] / 2
			}
			if math.Abs(m.net[account]) > allowed*(1+1e-9) {
				suspect, flat = (suspect+step)%len(accounts), false
				break
			}
		}
		if flat {
			break
		}
		length--
		quantity := exchanges[indices[length]].Quantity
		last := ends[length]
		m.net[last.from] += quantity
		m.net[last.to] -= quantity
		m.gross[last.from] -= quantity
		m.gross[last.to] -= quantity
		total -= quantity
	}
	for _, account := range accounts {
		m.net[account], m.gross[account], m.trades[account] = 0, 0, 0
	}
	if length < 2 {
		return 0
	}
	return length
}

func (m *ring) number(account chain.Address) int {
	at, _ := slices.BinarySearchFunc(m.accounts, account, chain.Address.Compare)
	return at
}

package token

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
	"github.com/mirrorworthy/mirrorworthy/shared/tokenfacts"
)

// trading is a chain's market as the refresh sees it: so many tokens in one pool each, the first the deepest.
type trading struct {
	tokens  int
	failing map[chain.Slug]error
	panics  chain.Slug
	// thin is a token with next to nothing in its pool.
	thin chain.Address

	mu     sync.Mutex
	listed []chain.Slug
	held   []chain.Address
}

func (m *trading) Listed(_ context.Context, on *chain.Chain) ([]market.ListedToken, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.listed = append(m.listed, on.Slug)
	if on.Slug == m.panics {
		panic("a listing that cannot be")
	}
	if err := m.failing[on.Slug]; err != nil {
		return nil, err
	}
	listed := []market.ListedToken{{Token: on.WrappedNative.Address, Pool: quotedPool(on, 1e9, 1e9, 1e9)}}
	for i := range m.tokens {
		listed = append(listed, market.ListedToken{Token: addressOf(1 + i), Pool: m.pool(on, addressOf(1+i))})
	}
	return listed, nil
}

func (m *trading) pool(on *chain.Chain, token chain.Address) market.Pool {
	if token == m.thin {
		return quotedPool(on, 1e6, 999, 100)
	}
	n := float64(token[18])*256 + float64(token[19])
	return quotedPool(on, 1e6, 1e6/n, 1e5/n)
}

func (m *trading) Pools(_ context.Context, on *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	pools := make(map[chain.Address][]market.Pool)
	for _, token := range tokens {
		pools[token] = []market.Pool{m.pool(on, token)}
	}
	return pools, nil
}

func (m *trading) Holders(_ context.Context, _ *chain.Chain, token chain.Address) (*market.TokenHolders, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = append(m.held, token)
	if token == addressOf(2) {
		return nil, fmt.Errorf("holders: %w", market.ErrUnavailable)
	}
	return &market.TokenHolders{Known: true, Count: 100, Top: []market.Holder{{Account: market.Account{Address: addressOf(9999)}, Share: 0.25}}}, nil
}

func (m *trading) sources() market.Sources {
	return market.Sources{Listings: m, Pools: m, Holders: m}
}

func keptPeers(t *testing.T, memory Memory, on chain.Slug) ([]peer, time.Time) {
	t.Helper()
	set, err := memory.Peers.PeersOf(t.Context(), string(on))
	if err != nil {
		t.Fatal(err)
	}
	peers, err := decodePeers(set.Data)
	if err != nil {
		t.Fatal(err)
	}
	return peers, set.At
}

func TestAThinPoolMakesNoPeer(t *testing.T) {
	memory, m := openMemory(t), &trading{tokens: 25, thin: addressOf(7)}
	RefreshPeers(t.Context(), memory, m.sources(), valuedAt)
	peers, _ := keptPeers(t, memory, chain.Base)
	if len(peers) != 24 || slices.ContainsFunc(peers, func(p peer) bool { return p.Token == addressOf(7) }) {
		t.Errorf("%d peers", len(peers))
	}
}

func TestRefreshedPeers(t *testing.T) {
	memory, m := openMemory(t), &trading{tokens: 50}
	for _, refreshed := range RefreshPeers(t.Context(), memory, m.sources(), valuedAt) {
		if refreshed.Err != nil || refreshed.Tokens != 50 || refreshed.Fresh {
			t.Errorf("%+v", refreshed)
		}
	}
	peers, at := keptPeers(t, memory, chain.Base)
	if len(peers) != 50 || !at.Equal(valuedAt) {
		t.Fatal(len(peers), at)
	}
	on := onBase(t)
	counted := 0
	for i, p := range peers {
		if p.Token == on.WrappedNative.Address || i > 0 && p.Token.Compare(peers[i-1].Token) <= 0 {
			t.Errorf("peer %d is %s", i, p.Token)
		}
		n := float64(i + 1)
		if math.Abs(p.Liquidity-math.Log(n)) > 1e-4 || math.Abs(p.AgeDays-30) > 1e-4 {
			t.Errorf("peer %d: %+v", i, p)
		}
		if !math.IsNaN(p.Holders) {
			counted++
			if math.Abs(p.Holders-math.Log(1e4)) > 1e-4 || !p.HoldersAt.Equal(valuedAt) {
				t.Errorf("peer %d: %+v", i, p)
			}
		}
	}
	// One of those who were asked could not be counted; the others are none the worse for it.
	if counted != holdersAtMost-1 || !math.IsNaN(peers[1].Holders) {
		t.Errorf("the holders of %d tokens were counted, want %d", counted, holdersAtMost-1)
	}
	observed, err := memory.Observations.Observed(t.Context(), "base", addressOf(1).String(), valuedAt.Add(-time.Hour))
	if err != nil || len(observed) != 1 {
		t.Fatal(observed, err)
	}
	o, err := tokenfacts.DecodeObservation(observed[0].At, observed[0].Data)
	if err != nil || o != (tokenfacts.Observation{At: valuedAt, Holders: 100, TopShare: 0.25, LiquidityUSD: 1e6, PriceUSD: 1}) {
		t.Errorf("%+v %v", o, err)
	}
}

// A run that comes twice asks nobody; the next one counts the holders of those that had not been counted.
func TestARefreshCanBeRepeated(t *testing.T) {
	memory, m := openMemory(t), &trading{tokens: 50}
	RefreshPeers(t.Context(), memory, m.sources(), valuedAt)
	first := slices.Clone(m.listed)
	for _, refreshed := range RefreshPeers(t.Context(), memory, m.sources(), valuedAt.Add(peersFresh-1)) {
		if refreshed.Err != nil || !refreshed.Fresh {
			t.Errorf("%+v", refreshed)
		}
	}
	if len(m.listed) != len(first) {
		t.Errorf("%d listings were read, the first time %d", len(m.listed), len(first))
	}
	RefreshPeers(t.Context(), memory, m.sources(), valuedAt.Add(time.Hour))
	peers, at := keptPeers(t, memory, chain.Base)
	counted := 0
	for _, p := range peers {
		if !math.IsNaN(p.Holders) {
			counted++
		}
	}
	if counted != 49 || !at.Equal(valuedAt.Add(time.Hour)) {
		t.Errorf("the holders of %d tokens are known at %v, want all but the one that fails", counted, at)
	}
	RefreshPeers(t.Context(), memory, m.sources(), valuedAt.Add(time.Hour+holdersLast))
	if peers, _ = keptPeers(t, memory, chain.Base); !slices.ContainsFunc(peers, func(p peer) bool { return p.HoldersAt.IsZero() && p.Token != addressOf(2) }) {
		t.Error("counts of a day ago are still used")
	}
}

func TestAChainThatFailsLeavesTheOthersAndItsOwnPeers(t *testing.T) {
	memory, m := openMemory(t), &trading{tokens: 30}
	RefreshPeers(t.Context(), memory, m.sources(), valuedAt)
	cause := errors.New("no such host")
	m.failing, m.panics = map[chain.Slug]error{chain.Base: cause}, chain.Polygon
	later := valuedAt.Add(time.Hour)
	for _, refreshed := range RefreshPeers(t.Context(), memory, m.sources(), later) {
		failed := refreshed.Chain == chain.Base || refreshed.Chain == chain.Polygon
		if (refreshed.Err != nil) != failed || refreshed.Chain == chain.Base && !errors.Is(refreshed.Err, cause) {
			t.Errorf("%+v", refreshed)
		}
		_, at := keptPeers(t, memory, refreshed.Chain)
		if want := map[bool]time.Time{true: valuedAt, false: later}[failed]; !at.Equal(want) {
			t.Errorf("the peers of %s are of %v, want %v", refreshed.Chain, at, want)
		}
	}
	// A chain on which nothing can be valued has not been refreshed.
	m.failing, m.panics, m.tokens = nil, "", 0
	for _, refreshed := range RefreshPeers(t.Context(), memory, m.sources(), later.Add(time.Hour)) {
		if refreshed.Err == nil {
			t.Errorf("%+v", refreshed)
		}
	}
}

func TestTheListIsBounded(t *testing.T) {
	memory, m := openMemory(t), &trading{tokens: 400}
	RefreshPeers(t.Context(), memory, m.sources(), valuedAt)
	set, err := memory.Peers.PeersOf(t.Context(), "base")
	if err != nil || len(set.Data) > store.MaximumPeerSet/2 {
		t.Fatal(len(set.Data), err)
	}
	peers, _ := keptPeers(t, memory, chain.Base)
	if len(peers) != listedAtMost || peers[0].Token != addressOf(1) || peers[listedAtMost-1].Token != addressOf(listedAtMost) {
		t.Errorf("%d peers, from %s to %s; want the %d deepest", len(peers), peers[0].Token, peers[len(peers)-1].Token, listedAtMost)
	}
	if len(m.held) != holdersAtMost*len(chain.All()) {
		t.Errorf("%d tokens were asked for their holders", len(m.held))
	}
}

// What is refreshed is what tokens are valued by.
func TestRefreshedPeersValueAToken(t *testing.T) {
	memory, m := openMemory(t), &trading{tokens: 50}
	RefreshPeers(t.Context(), memory, m.sources(), valuedAt)
	p := page{memory}
	peers, at, err := p.peersOn(t.Context(), onBase(t), valuedAt)
	if err != nil || len(peers) != 50 || !at.Equal(valuedAt) {
		t.Fatal(len(peers), at, err)
	}
	answer := valued(onBase(t), quotedPool(onBase(t), 1e6, 1e6/49, 1e5/49), 100, peers)
	if answer.Zscore == nil || *answer.Zscore <= 0 || answer.PeerCount != 49 {
		t.Errorf("%+v", answer)
	}
	if old, _, err := p.peersOn(t.Context(), onBase(t), valuedAt.Add(peersLast+time.Second)); err != nil || len(old) != 0 {
		t.Errorf("%d peers of two days ago, %v", len(old), err)
	}
}

func TestPeerSetsComeBack(t *testing.T) {
	value := rapid.OneOf(rapid.Float64Range(-50, 50), rapid.Just(math.NaN()))
	rapid.Check(t, func(t *rapid.T) {
		var want []peer
		for i := range rapid.IntRange(0, maximumPeers).Draw(t, "peers") {
			want = append(want, peer{Token: addressOf(i), HoldersAt: valuedAt, measure: measure{
				Liquidity: value.Draw(t, "liquidity"), Volume: value.Draw(t, "volume"), Holders: value.Draw(t, "holders"), AgeDays: value.Draw(t, "age"),
				logHolders: value.Draw(t, "count"), FullyDiluted: rapid.Bool().Draw(t, "diluted"),
			}})
		}
		data, err := encodePeers(want)
		if err != nil || len(data) > store.MaximumPeerSet {
			t.Fatal(len(data), err)
		}
		got, err := decodePeers(data)
		if err != nil || len(got) != len(want) {
			t.Fatal(len(got), err)
		}
		near := func(a, b float64) bool { return math.Abs(a-b) <= 5.1e-5 || math.IsNaN(a) && math.IsNaN(b) }
		for i := range want {
			a, b := want[i], got[i]
			if a.Token != b.Token || !a.HoldersAt.Equal(b.HoldersAt) || a.FullyDiluted != b.FullyDiluted || !near(a.Liquidity, b.Liquidity) ||
				!near(a.Volume, b.Volume) || !near(a.Holders, b.Holders) || !near(a.AgeDays, b.AgeDays) || !near(a.logHolders, b.logHolders) {
				t.Fatalf("%+v, want %+v", b, a)
			}
		}
	})
	for _, bad := range []string{"", "{", "{}", `{"v":2,"peers":[]}`, `{"v":1,"peers":[{"token":"0x1"}]}`} {
		if _, err := decodePeers([]byte(bad)); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

package tokenfacts

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// ErrNotAToken is wrapped by every error about an address that is no fungible token; the error's text says what it is instead.
var ErrNotAToken = errors.New("not a token")

// NotAToken is such an error.
type NotAToken struct{ Message string }

func (e *NotAToken) Error() string { return e.Message }

// Is makes it an ErrNotAToken.
func (e *NotAToken) Is(target error) bool { return target == ErrNotAToken }

// Subject is the token that facts are asked for, at the instant that the answer describes.
type Subject struct {
	Chain *chain.Chain
	Token chain.Address
	AsOf  time.Time
}

type factKey struct {
	fact  market.Port
	on    chain.Slug
	token chain.Address
	asOf  int64
}

func (s Subject) key(fact market.Port) factKey {
	return factKey{fact, s.Chain.Slug, s.Token, s.AsOf.Unix()}
}

// Pools are the token's pools, deepest first; none for a token without a market.
func Pools(ctx context.Context, session *market.Session, s Subject) ([]market.Pool, error) {
	return market.Once(ctx, session, s.key(market.PoolFacts), func(ctx context.Context) ([]market.Pool, error) {
		pools, err := session.Sources.Pools.Pools(ctx, s.Chain, []chain.Address{s.Token})
		return pools[s.Token], err
	})
}

// PoolsOfAll are the pools of several tokens, read in one go. Pools and all that builds on it finds them in the session afterwards
// and asks nobody again; pools that the session has read before stay as they are.
func PoolsOfAll(
	ctx context.Context, session *market.Session, on *chain.Chain, tokens []chain.Address, asOf time.Time,
) (map[chain.Address][]market.Pool, error) {
	found, err := session.Sources.Pools.Pools(ctx, on, tokens)
	if err != nil {
		return nil, err
	}
	pools := make(map[chain.Address][]market.Pool, len(found))
	for _, token := range tokens {
		key := Subject{on, token, asOf}.key(market.PoolFacts)
		of, err := market.Once(ctx, session, key, func(context.Context) ([]market.Pool, error) { return found[token], nil })
		if err != nil {
			return nil, err
		}
		if len(of) > 0 {
			pools[token] = of
		}
	}
	return pools, nil
}

// Deepest is the first pool with a price and liquidity.
func Deepest(pools []market.Pool) (market.Pool, bool) {
	for i := range pools {
		if pools[i].PriceUSD > 0 && pools[i].LiquidityUSD > 0 {
			return pools[i], true
		}
	}
	return market.Pool{}, false
}

// LiquidityUSD is what lies in all pools together, both sides; NaN when no pool tells.
func LiquidityUSD(pools []market.Pool) float64 {
	sum, known := 0.0, false
	for i := range pools {
		if depth := pools[i].LiquidityUSD; !math.IsNaN(depth) {
			sum, known = sum+depth, true
		}
	}
	if !known {
		return math.NaN()
	}
	return sum
}

// Launched is when the token's first known pool was made; zero when unknown.
func Launched(pools []market.Pool) time.Time {
	var first time.Time
	for i := range pools {
		if made := pools[i].CreatedAt; !made.IsZero() && (first.IsZero() || made.Before(first)) {
			first = made
		}
	}
	return first
}

// Security is what the security provider says. The second result is false when it does not know the token.
type Security struct {
	market.TokenSecurity
	Known bool
}

// SecurityOf asks the security provider.
func SecurityOf(ctx context.Context, session *market.Session, s Subject) (Security, error) {
	return market.Once(ctx, session, s.key(market.TokenSecurityFacts), func(ctx context.Context) (Security, error) {
		found, err := session.Sources.TokenSecurity.TokenSecurity(ctx, s.Chain, []chain.Address{s.Token})
		security, known := found[s.Token]
		return Security{security, known}, err
	})
}

// Contract is the account's code and how it answers as a token, whether or not it is one.
func Contract(ctx context.Context, session *market.Session, s Subject) (*market.Contract, error) {
	return market.Once(ctx, session, s.key(market.ContractFacts), func(ctx context.Context) (*market.Contract, error) {
		return session.Sources.Contracts.Contract(ctx, s.Chain, s.Token)
	})
}

// CheckToken is a NotAToken unless the contract is a fungible token. What could not be told is given the benefit of the doubt.
func CheckToken(contract *market.Contract) error {
	switch {
	case len(contract.Code) == 0:
		return &NotAToken{"This address has no contract code on this chain: it is a wallet or was never used. Give the address of a token contract."}
	case contract.NonFungible == market.Yes:
		return &NotAToken{"This contract is an NFT collection. Give the address of an ERC-20 token."}
	case contract.PoolShare == market.Yes:
		return &NotAToken{"This contract is a liquidity pool. Give the address of one of the tokens in it."}
	case contract.AnswersSupply == market.No || contract.AnswersDecimals == market.No || contract.AnswersBalance == market.No:
		return &NotAToken{"This contract does not behave like an ERC-20 token. Give the address of a token contract."}
	}
	return nil
}

// Holders are the token's largest holders and how many there are: from the explorer, else from the security provider.
func Holders(ctx context.Context, session *market.Session, s Subject) (*market.TokenHolders, error) {
	return market.Once(ctx, session, s.key(market.HolderFacts), func(ctx context.Context) (*market.TokenHolders, error) {
		holders, err := session.Sources.Holders.Holders(ctx, s.Chain, s.Token)
		if err != nil || holders.Known {
			return holders, err
		}
		security, err := SecurityOf(ctx, session, s)
		if err != nil {
			return nil, err
		}
		return &market.TokenHolders{Known: len(security.Top) > 0 || security.Holders > 0, Count: security.Holders, Top: security.Top}, nil
	})
}

// Trades are the latest trades in the deepest pool up to the subject's instant; none without a pool.
func Trades(ctx context.Context, session *market.Session, s Subject) (*market.TokenTrades, error) {
	return market.Once(ctx, session, s.key(market.TradeFacts), func(ctx context.Context) (*market.TokenTrades, error) {
		pools, err := Pools(ctx, session, s)
		if err != nil {
			return nil, err
		}
		deepest, found := Deepest(pools)
		if !found {
			return &market.TokenTrades{Since: s.AsOf}, nil
		}
		trades, err := session.Sources.Trades.Trades(ctx, s.Chain, market.TradesRequest{Pool: deepest.ID, Token: s.Token})
		if err != nil {
			return nil, err
		}
		return until(trades, s.AsOf), nil
	})
}

func until(trades *market.TokenTrades, asOf time.Time) *market.TokenTrades {
	n := len(trades.Trades)
	for n > 0 && trades.Trades[n-1].Time.After(asOf) {
		n--
	}
	if n == len(trades.Trades) {
		return trades
	}
	cut := *trades
	cut.Trades = trades.Trades[:n:n]
	return &cut
}

// Chart is a token's hourly candles in its deepest pool, complete hours only.
type Chart struct {
	// Pool is the pool that was read; its ID is empty when the token has none.
	Pool  market.Pool
	Hours []market.Candle
	// Truncated is true when the provider's history ends within the window.
	Truncated bool
}

// ChartWindow is how far back charts reach.
const ChartWindow = 90 * 24 * time.Hour

// ChartOf reads the candles of the last ChartWindow, the hour that is still open left out.
func ChartOf(ctx context.Context, session *market.Session, s Subject) (*Chart, error) {
	return market.Once(ctx, session, s.key(market.CandleFacts), func(ctx context.Context) (*Chart, error) {
		pools, err := Pools(ctx, session, s)
		if err != nil {
			return nil, err
		}
		deepest, found := Deepest(pools)
		if !found {
			return &Chart{}, nil
		}
		to := s.AsOf.Truncate(time.Hour)
		from := to.Add(-ChartWindow)
		if made := deepest.CreatedAt; made.After(from) {
			from = made.Truncate(time.Hour)
		}
		if !from.Before(to) {
			return &Chart{Pool: deepest}, nil
		}
		candles, err := session.Sources.Candles.Candles(ctx, s.Chain, market.CandleRequest{Pool: deepest.ID, Token: s.Token, From: from, To: to})
		if err != nil {
			return nil, err
		}
		return &Chart{Pool: deepest, Hours: candles.Hours, Truncated: candles.Truncated}, nil
	})
}

// Simulation is the outcome of test trades in the token's pools.
func Simulation(ctx context.Context, session *market.Session, s Subject) (*market.Simulation, error) {
	return market.Once(ctx, session, s.key(market.SimulationFacts), func(ctx context.Context) (*market.Simulation, error) {
		pools, err := Pools(ctx, session, s)
		if err != nil {
			return nil, err
		}
		return session.Sources.Simulation.Simulate(ctx, s.Chain, market.SimulationRequest{Token: s.Token, Pools: pools})
	})
}

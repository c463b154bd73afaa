package leader

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// What a process asks of the store. Each method is a step.

func (p *process) memory() Memory {
	kept := memoryIn(p.own)
	return Memory{
		Leaders: processLeaders{p, kept.Leaders}, Boards: processBoards{p, kept.Boards},
		Launches: processLaunches{p, kept.Launches}, TrackRecords: processRecords{p, kept.TrackRecords}, Peers: processPeers{p, kept.Peers},
	}
}

type processPasses struct {
	*process
	store.Passes
}

func (p processPasses) Begin(ctx context.Context, pass store.Pass, gap time.Duration) (current store.Pass, begun bool, err error) {
	current, err = asked(p.process, true, "begin "+pass.Job+" "+pass.ID, func() (current store.Pass, err error) {
		current, begun, err = p.Passes.Begin(ctx, pass, gap)
		return current, err
	})
	return current, begun && err == nil, err
}

func (p processPasses) Latest(ctx context.Context, job string) (store.Pass, error) {
	return asked(p.process, false, "latest "+job, func() (store.Pass, error) { return p.Passes.Latest(ctx, job) })
}

func (p processPasses) CompletePart(ctx context.Context, job, id string, part, items, failed int) (store.Pass, error) {
	return asked(p.process, true, fmt.Sprint("complete ", job, part), func() (store.Pass, error) {
		return p.Passes.CompletePart(ctx, job, id, part, items, failed)
	})
}

func (p processPasses) Finish(ctx context.Context, job, id string, at time.Time) error {
	return p.step(true, "finish "+job, func() error { return p.Passes.Finish(ctx, job, id, at) })
}

type processPeers struct {
	*process
	store.Peers
}

func (p processPeers) PutPeers(ctx context.Context, name string, set store.PeerSet) error {
	return p.step(true, "peers "+name, func() error { return p.Peers.PutPeers(ctx, name, set) })
}

func (p processPeers) PeersOf(ctx context.Context, name string) (store.PeerSet, error) {
	return asked(p.process, false, "peers "+name, func() (store.PeerSet, error) { return p.Peers.PeersOf(ctx, name) })
}

type processLeaders struct {
	*process
	store.Leaders
}

func (p processLeaders) Find(ctx context.Context, group store.Group, address string, finding store.Finding) error {
	return p.step(true, "find "+address+" "+finding.Source, func() error { return p.Leaders.Find(ctx, group, address, finding) })
}

func (p processLeaders) Leader(ctx context.Context, group store.Group, address string) (store.Leader, error) {
	return asked(p.process, false, "leader "+address, func() (store.Leader, error) { return p.Leaders.Leader(ctx, group, address) })
}

func (p processLeaders) List(ctx context.Context, group store.Group, from, to string, limit int) ([]store.Leader, error) {
	return asked(p.process, false, fmt.Sprint("leaders ", group, from), func() ([]store.Leader, error) {
		return p.Leaders.List(ctx, group, from, to, limit)
	})
}

func (p processLeaders) Grade(ctx context.Context, group store.Group, address string, since time.Time, grading store.Grading, events ...store.Event) error {
	return p.step(true, "grade "+address, func() error { return p.Leaders.Grade(ctx, group, address, since, grading, events...) })
}

func (p processLeaders) Remove(ctx context.Context, group store.Group, address string, notFoundSince time.Time) error {
	return p.step(true, "remove "+address, func() error { return p.Leaders.Remove(ctx, group, address, notFoundSince) })
}

type processBoards struct {
	*process
	store.Boards
}

func (p processBoards) Publish(ctx context.Context, edition store.Edition, rows [][]byte) error {
	return p.step(true, "publish "+edition.Board, func() error { return p.Boards.Publish(ctx, edition, rows) })
}

type processLaunches struct {
	*process
	store.Launches
}

func (p processLaunches) Register(ctx context.Context, chain string, day time.Time, launches []store.Launch, knownUntil time.Time) error {
	return p.step(true, "register "+day.Format(time.DateOnly), func() error { return p.Launches.Register(ctx, chain, day, launches, knownUntil) })
}

func (p processLaunches) KnownUntil(ctx context.Context, chain string, day time.Time) (time.Time, error) {
	if p.market.settled(day) {
		return day.Add(8 * aDay), nil
	}
	return asked(p.process, false, "known "+day.Format(time.DateOnly), func() (time.Time, error) { return p.Launches.KnownUntil(ctx, chain, day) })
}

func (p processLaunches) OfDay(ctx context.Context, chain string, day time.Time) ([]store.Launch, error) {
	if p.market.settled(day) {
		return slices.Clone(p.market.past[day]), nil
	}
	return asked(p.process, false, "day "+day.Format(time.DateOnly), func() ([]store.Launch, error) { return p.Launches.OfDay(ctx, chain, day) })
}

func (p processLaunches) Examine(ctx context.Context, launch store.Launch) error {
	return p.step(true, "examine "+launch.Token, func() error { return p.Launches.Examine(ctx, launch) })
}

type processRecords struct {
	*process
	store.TrackRecords
}

func (p processRecords) Forecast(ctx context.Context, forecast store.Forecast) (store.Forecast, error) {
	return asked(p.process, true, "forecast "+forecast.Wallet, func() (store.Forecast, error) { return p.TrackRecords.Forecast(ctx, forecast) })
}

func (p processRecords) Forecasts(ctx context.Context, source, afterChain, afterWallet string, limit int) ([]store.Forecast, error) {
	return asked(p.process, false, "forecasts", func() ([]store.Forecast, error) {
		return p.TrackRecords.Forecasts(ctx, source, afterChain, afterWallet, limit)
	})
}

func (p processRecords) FollowUp(ctx context.Context, followUp store.FollowUp) error {
	return p.step(true, "follow "+followUp.ID, func() error { return p.TrackRecords.FollowUp(ctx, followUp) })
}

func (p processRecords) FollowUps(ctx context.Context, source, chain, wallet, after string, limit int) ([]store.FollowUp, error) {
	return asked(p.process, false, "follow-ups "+wallet, func() ([]store.FollowUp, error) {
		return p.TrackRecords.FollowUps(ctx, source, chain, wallet, after, limit)
	})
}

func (p processRecords) Due(ctx context.Context, source string, at, after time.Time, afterID string, limit int) ([]store.FollowUp, error) {
	return asked(p.process, false, "due", func() ([]store.FollowUp, error) {
		return p.TrackRecords.Due(ctx, source, at, after, afterID, limit)
	})
}

func (p processRecords) Resolve(ctx context.Context, source, chain, wallet, id string, outcome store.Outcome) error {
	return p.step(true, "resolve "+id, func() error {
		err := p.TrackRecords.Resolve(ctx, source, chain, wallet, id, outcome)
		if err == nil {
			p.happens("follow-up %s is resolved", id)
		}
		return err
	})
}

// What a process asks of the providers.

func (p *process) sources() market.Sources {
	q := question{p}
	return market.Sources{
		Activity: q, Prices: q, Pools: q, Candles: q, TokenSecurity: q, Code: q, Listings: q, Trades: q, Launches: q, PoolHistories: q,
		PerpLeaderboard: q, PerpFills: q, PerpAccounts: q, PerpFunding: q, PerpLedgers: q, PerpMarkets: q,
	}
}

// question is a process that asks providers.
type question struct{ *process }

func (q question) Activity(ctx context.Context, on *chain.Chain, wallet chain.Address) (*market.Activity, error) {
	return asked(q.process, false, "activity "+wallet.String(), func() (*market.Activity, error) { return q.market.Activity(ctx, on, wallet) })
}

func (q question) Prices(ctx context.Context, on *chain.Chain, requests []market.PriceRequest) ([]market.PriceSeries, error) {
	return asked(q.process, false, fmt.Sprint("prices ", requests[0].Asset, len(requests[0].Times)), func() ([]market.PriceSeries, error) { return q.market.Prices(ctx, on, requests) })
}

func (q question) Pools(ctx context.Context, on *chain.Chain, tokens []chain.Address) (map[chain.Address][]market.Pool, error) {
	return asked(q.process, false, fmt.Sprint("pools ", tokens), func() (map[chain.Address][]market.Pool, error) { return q.market.Pools(ctx, on, tokens) })
}

func (q question) Candles(ctx context.Context, on *chain.Chain, r market.CandleRequest) (*market.Candles, error) {
	return asked(q.process, false, fmt.Sprint("candles ", r.Pool, r.From), func() (*market.Candles, error) { return q.market.Candles(ctx, on, r) })
}

func (q question) TokenSecurity(ctx context.Context, on *chain.Chain, tokens []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	return asked(q.process, false, fmt.Sprint("security ", tokens), func() (map[chain.Address]market.TokenSecurity, error) {
		return q.market.TokenSecurity(ctx, on, tokens)
	})
}

func (q question) Code(ctx context.Context, on *chain.Chain, account chain.Address) (market.Code, error) {
	return asked(q.process, false, "code "+account.String(), func() (market.Code, error) { return market.Code{Empty: true}, nil })
}

func (q question) Listed(context.Context, *chain.Chain) ([]market.ListedToken, error) {
	return asked(q.process, false, "listed", func() ([]market.ListedToken, error) { return q.market.listed, nil })
}

func (q question) Trades(context.Context, *chain.Chain, market.TradesRequest) (*market.TokenTrades, error) {
	return asked(q.process, false, "trades", func() (*market.TokenTrades, error) { return &market.TokenTrades{Trades: q.market.bought}, nil })
}

func (q question) Launches(_ context.Context, _ *chain.Chain, r market.LaunchesRequest) ([]market.PoolLaunch, error) {
	return asked(q.process, false, "launches "+r.From.Format(time.DateTime), func() ([]market.PoolLaunch, error) { return q.market.launched(r), nil })
}

func (q question) PoolHistory(_ context.Context, _ *chain.Chain, r market.PoolHistoryRequest) (*market.PoolHistory, error) {
	return asked(q.process, false, "history "+r.Launch.Pool, func() (*market.PoolHistory, error) { return historyOf(r.Launch), nil })
}

func (q question) PerpLeaderboard(context.Context, int) ([]market.PerpLeader, error) {
	return asked(q.process, false, "perps", func() ([]market.PerpLeader, error) { return q.market.perps, nil })
}

func (q question) PerpFills(ctx context.Context, account chain.Address) (*market.PerpFills, error) {
	return asked(q.process, false, "fills", func() (*market.PerpFills, error) { return q.market.venue.PerpFills(ctx, account) })
}

func (q question) PerpAccount(ctx context.Context, account chain.Address, venues []string) (*market.PerpAccount, error) {
	return asked(q.process, false, "account", func() (*market.PerpAccount, error) { return q.market.venue.PerpAccount(ctx, account, venues) })
}

func (q question) PerpFunding(ctx context.Context, account chain.Address, since time.Time) (*market.PerpFunding, error) {
	return asked(q.process, false, "funding", func() (*market.PerpFunding, error) { return q.market.venue.PerpFunding(ctx, account, since) })
}

func (q question) PerpLedger(ctx context.Context, account chain.Address) (*market.PerpLedger, error) {
	return asked(q.process, false, "ledger", func() (*market.PerpLedger, error) { return q.market.venue.PerpLedger(ctx, account) })
}

func (q question) PerpMarkets(ctx context.Context, venue string) ([]market.PerpMarket, error) {
	return asked(q.process, false, "markets", func() ([]market.PerpMarket, error) { return q.market.venue.PerpMarkets(ctx, venue) })
}

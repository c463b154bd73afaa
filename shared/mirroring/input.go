package mirroring

import (
	"context"
	"math"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
)

// input gathers what a decision depends on.
func (t *turn) input(ctx context.Context, trade *LeaderTrade, quote *Quote) (*Input, error) {
	in := &Input{
		Venue: t.agent.Venue, Mode: t.agent.Mode, Status: t.agent.Status, ExpiresAt: t.agent.CredentialsExpireAt, Risk: &t.agent.Risk,
		Gate: t.round.gate, Trade: trade, Quote: quote, Copy: t.account.copyOf(trade.Asset.Key), Against: t.account.against(&trade.Asset),
		Copies: len(t.account.Copies), Exposure: t.account.exposure(), LostToday: t.account.lostToday(t.round.at),
		BalanceUSD: math.NaN(), Now: t.round.at,
	}
	if quote != nil {
		return in, nil
	}
	// What is refused whatever the market says needs no question to it.
	nothing := unquoted()
	in.Quote = &nothing
	if trade.Leg == Open && refusedAnyway(in) || trade.Leg == Close && (in.Copy == nil || in.Copy.Side != trade.Side) {
		return in, nil
	}
	found, err := t.round.quotes.of(ctx, t.agent.Venue, &trade.Asset, trade.Leg)
	switch {
	case err == nil:
		in.Quote = found
	case trade.Leg == Close && t.round.at.Sub(trade.At) > limitsOf(in.Venue, trade.Asset.Chain).stale:
		return in, nil // it is owed, so that what comes after it need not wait any longer
	default:
		return nil, err
	}
	if trade.Leg == Open && t.agent.Mode == agent.Live && t.agent.Venue == agent.Perps {
		if in.BalanceUSD, err = t.spendable(ctx); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// refusedAnyway tells whether an opening is refused for a reason that no quote changes.
func refusedAnyway(in *Input) bool {
	switch why, _ := forbidden(in); why {
	case AgentExpired, AgentPaused, Duplicate, AssetExcluded, LeaderGateFailed, SignalStale:
		return true
	}
	return false
}

// spendable is what the agent's account at the perpetuals venue can put up as margin.
func (t *turn) spendable(ctx context.Context) (float64, error) {
	if t.balance == nil {
		standing, err := t.sources.PerpAccounts.PerpAccount(ctx, t.agent.SmartAccount, nil)
		if err != nil {
			return 0, err
		}
		free := 0.0
		if len(standing.Clearinghouses) > 0 {
			house := &standing.Clearinghouses[0]
			free = house.ValueUSD
			for i := range house.Positions {
				free -= house.Positions[i].MarginUsedUSD
			}
		}
		free = max(0, free)
		t.balance = &free
	}
	return *t.balance, nil
}

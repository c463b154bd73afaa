package agent

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/endpoint"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Parameters of a new agent.
var (
	venueParameter    = endpoint.Choice("venue", "Where the agent trades.", string(Spot), string(Perps), string(Prediction)).Required()
	smartAccount      = endpoint.Address("smartAccountAddress", "The account that trades: the smart account, the perpetuals account or the proxy wallet.")
	leaderWallet      = endpoint.Address("leaderWalletAddress", "The wallet whose trades are mirrored.")
	chainOfAgent      = endpoint.Chain.Optional()
	modeParameter     = endpoint.Choice("mode", "paper (the default) fills orders at the market's price and moves no money; live sends them to the venue.", string(Paper), string(Live))
	riskParameter     = endpoint.Object("riskConfig", "What the agent may do.", maxUSD, copyPercent, maxLeverage, maxSlippageBps, dailyLossUSD, perPositionCapPct, excludeTokens, copyExisting).Required()
	maxUSD            = endpoint.Text("maxUsd", "The most that open copies may cost together, a decimal number in text like \"250\".", 1, 19).Required()
	copyPercent       = endpoint.Number("copyPercent", "How much of the leader's size is copied, above 0 to 100.", endpoint.Range{Minimum: 0, Maximum: 100, AboveMinimum: true}).Required()
	maxLeverage       = endpoint.Number("maxLeverage", "The highest leverage on perpetuals, 1 to 20; 3 when left out.", endpoint.Range{Minimum: 1, Maximum: MaximumLeverage})
	maxSlippageBps    = endpoint.Integer("maxSlippageBps", "How much worse than the leader's price a copy may be, in hundredths of a percent.", 1, 5000, 0)
	dailyLossUSD      = endpoint.Text("dailyLossUsd", "The loss within a UTC day after which nothing is opened, a decimal number in text.", 1, 19)
	perPositionCapPct = endpoint.Number("perPositionCapPct", "The part of maxUsd that one position may cost, above 0 to 100.",
		endpoint.Range{Minimum: 0, Maximum: 100, AboveMinimum: true})
	excludeTokens = endpoint.TextList("excludeTokens", "Tokens, contracts or outcomes that are never opened.", maximumExcluded)
	copyExisting  = endpoint.Boolean("copyExisting", "true also opens what the leader holds already.")
)

const (
	maximumExcluded = 50
	longestExcluded = 100
)

// Created answers the creation of an agent.
type Created struct {
	Answer
	// Next says what to do next.
	Next string `json:"next"`
}

func (d Desk) create() endpoint.Endpoint {
	return endpoint.Operation(endpoint.Declaration{
		Name: "create-agent", Path: "/v1/copy/agents", Units: units, Status: http.StatusCreated, Idempotent: true,
		Summary:    "Makes an agent that mirrors a leader for the wallet that signed; it does nothing before it is activated.",
		Parameters: []endpoint.Parameter{venueParameter, smartAccount, leaderWallet, riskParameter, modeParameter, chainOfAgent},
		Headers:    Headers, Refuses: []string{SignatureInvalid},
		Check: func(ctx context.Context, r *endpoint.Request) error {
			if _, err := d.wanted(r); err != nil {
				return err
			}
			return d.Check(ctx, r)
		},
	}, func(ctx context.Context, r *endpoint.Request) (Created, error) {
		agent, err := d.wanted(r)
		if err != nil {
			return Created{}, err
		}
		if agent.Venue == Spot && agent.Chain == nil {
			if agent.Chain, err = d.chainOfLeader(ctx, agent.Leader); err != nil {
				return Created{}, err
			}
		}
		made, err := d.make(ctx, r, agent)
		if err != nil {
			return Created{}, err
		}
		return Created{Answer: made.answer(), Next: "Read the activation of this agent, and have the wallet do the steps."}, nil
	})
}

// wanted is the agent that a request asks for, without an owner.
func (d Desk) wanted(r *endpoint.Request) (*Agent, error) {
	venue := Venue(venueParameter.Of(r))
	agent := &Agent{
		Partner: r.Partner, ID: "ag_" + r.Operation, SmartAccount: smartAccount.Of(r), Venue: venue, Chain: chainOfAgent.Of(r), Leader: leaderWallet.Of(r),
		Mode: Paper, Status: PendingActivation, LastRequest: r.Operation, CreatedAt: r.ReceivedAt, ChangedAt: r.ReceivedAt, Version: 1,
	}
	if Mode(modeParameter.Of(r)) == Live {
		agent.Mode = Live
	}
	switch {
	case agent.SmartAccount.IsZero():
		return nil, endpoint.Invalid("smartAccountAddress", "smartAccountAddress is the zero address, which nobody can sign for.")
	case agent.Leader.IsZero():
		return nil, endpoint.Invalid("leaderWalletAddress", "leaderWalletAddress is the zero address, which never trades.")
	case agent.Leader == agent.SmartAccount:
		return nil, endpoint.Invalid("leaderWalletAddress", "An account cannot mirror itself: leaderWalletAddress and smartAccountAddress are the same.")
	case agent.Mode == Live && venue != Perps:
		return nil, endpoint.Invalid("mode", "Live trading is offered on "+string(Perps)+" only. Use paper here.")
	case agent.Mode == Live && !d.LivePerps:
		return nil, endpoint.Invalid("mode", "Live trading is switched off in this service. Use paper.")
	case venue == Perps && agent.Chain != nil:
		return nil, endpoint.Invalid("chain", "The perpetuals venue is on none of the supported chains. Leave chain out.")
	case venue == Prediction:
		polygon, _ := chain.Parse(string(chain.Polygon))
		if agent.Chain != nil && agent.Chain != polygon {
			return nil, endpoint.Invalid("chain", "The prediction market is on polygon. Leave chain out.")
		}
		agent.Chain = polygon
	}
	var err error
	agent.Risk, err = riskOf(riskParameter.Of(r), venue)
	return agent, err
}

// riskOf reads what the agent is allowed.
func riskOf(given endpoint.Fields, venue Venue) (RiskConfig, error) {
	risk := RiskConfig{CopyPercent: copyPercent.Of(given), CopyExisting: copyExisting.Of(given), ExcludeTokens: excludeTokens.Of(given)}
	var err error
	if risk.MaxUSD, err = ParseMicroUSD(maxUSD.Of(given)); err != nil || risk.MaxUSD == 0 {
		return risk, endpoint.Invalid("riskConfig.maxUsd", "maxUsd must be a decimal number in text, above 0, like \"250\" or \"250.5\": up to 12 digits before the point and 6 after it.")
	}
	if dailyLossUSD.Has(given) {
		loss, err := ParseMicroUSD(dailyLossUSD.Of(given))
		if err != nil || loss == 0 {
			return risk, endpoint.Invalid("riskConfig.dailyLossUsd", "dailyLossUsd must be a decimal number in text, above 0, like \"50\".")
		}
		risk.DailyLossUSD = &loss
	}
	if maxLeverage.Has(given) {
		if venue != Perps {
			return risk, endpoint.Invalid("riskConfig.maxLeverage", "maxLeverage is for "+string(Perps)+" only. Leave it out here.")
		}
		leverage := maxLeverage.Of(given)
		risk.MaxLeverage = &leverage
	}
	if maxSlippageBps.Has(given) {
		bps := maxSlippageBps.Of(given)
		risk.MaxSlippageBps = &bps
	}
	if perPositionCapPct.Has(given) {
		pct := perPositionCapPct.Of(given)
		risk.PerPositionCapPct = &pct
	}
	for _, name := range risk.ExcludeTokens {
		if !excludable(name) {
			return risk, endpoint.Invalid("riskConfig.excludeTokens", fmt.Sprintf("excludeTokens holds token addresses or the venue's names, 1 to %d printable ASCII characters each, without spaces.", longestExcluded))
		}
	}
	return risk, nil
}

// excludable tells whether a text can name something to trade.
func excludable(name string) bool {
	if name == "" || len(name) > longestExcluded {
		return false
	}
	for i := range len(name) {
		if name[i] <= ' ' || name[i] > '~' {
			return false
		}
	}
	return true
}

// chainOfLeader is the chain that a leader is known on, when it is one.
func (d Desk) chainOfLeader(ctx context.Context, leader chain.Address) (*chain.Chain, error) {
	var found *chain.Chain
	for _, on := range chain.All() {
		_, err := d.Leaders.Leader(ctx, GroupOf(Spot, on), leader.String())
		switch {
		case errors.Is(err, store.ErrNotFound):
			continue
		case err != nil:
			return nil, unavailable(err)
		case found != nil:
			return nil, chainMissing("This leader trades on several chains. Add chain.")
		}
		found = on
	}
	if found == nil {
		return nil, chainMissing("This leader is on none of our boards yet, so add the chain whose trades are to be mirrored.")
	}
	return found, nil
}

func chainMissing(message string) error {
	return &endpoint.Problem{Status: http.StatusBadRequest, Code: "missing_param", Parameter: "chain", Message: message, Supported: chain.Slugs()}
}

// make keeps a new agent of the wallet that signed, and has its leader graded. The same request makes one agent, however often it is
// done.
func (d Desk) make(ctx context.Context, r *endpoint.Request, agent *Agent) (*Agent, error) {
	agent.Owner = r.Wallet
	if agent.Leader == agent.Owner {
		return nil, endpoint.Invalid("leaderWalletAddress", "A wallet cannot mirror itself: leaderWalletAddress is the wallet that signed.")
	}
	if agent.Mode == Live && agent.SmartAccount != agent.Owner {
		return nil, endpoint.Invalid("smartAccountAddress", "Live trading on "+string(Perps)+" is for the account of the wallet that signed: smartAccountAddress must be that wallet.")
	}
	if err := d.Follow(ctx, agent.Followed(), r.ReceivedAt); err != nil {
		return nil, unavailable(err)
	}
	record, err := agent.Record()
	if err != nil {
		return nil, err
	}
	switch err := d.Agents.Create(ctx, record); {
	case errors.Is(err, store.ErrConflict):
		return d.read(ctx, r, agent.Key())
	case err != nil:
		return nil, unavailable(err)
	}
	return agent, nil
}

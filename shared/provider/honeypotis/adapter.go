// Package honeypotis reads from honeypot.is (https://docs.honeypot.is) how a test trade of a token ends: a buy and a sell of all that
// was bought, on three chains.
//
// It asks GET /v2/IsHoneypot, one token a call. It judges nothing, and does not take the service's words for its reasons: what the
// service does not try is unknown, and a trade that it cannot try says nothing of the token.
package honeypotis

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// Source is the name under which simulations of this service go.
const Source = "honeypot.is"

// rounding is how far below nothing, in percent, a tax may lie by the service's arithmetic.
const rounding = 1.0

// Why there is no simulation.
const (
	notCovered  = "honeypot.is does not cover the chain"
	notTradable = "honeypot.is found no pool to try a trade in"
	notTried    = "honeypot.is could not try a trade"
)

// Adapter implements market.SimulationPort.
type Adapter struct{ client *upstream.Client }

var _ market.SimulationPort = (*Adapter)(nil)

// Defaults is the public service. It publishes no limit for callers without a key.
func Defaults() upstream.Config {
	return upstream.Config{Name: "honeypotis", Base: "https://api.honeypot.is", PerMinute: 60, Burst: 10, Timeout: 5 * time.Second}
}

// New reads through a client whose base is the service's root.
func New(client *upstream.Client) *Adapter { return &Adapter{client: client} }

// covers tells whether the service tries trades on a chain.
func covers(on *chain.Chain) bool {
	return on.Slug == chain.Ethereum || on.Slug == chain.BSC || on.Slug == chain.Base
}

type answer struct {
	Tried  upstream.Flag `json:"simulationSuccess"`
	Result *struct {
		Honeypot upstream.Flag `json:"isHoneypot"`
	} `json:"honeypotResult"`
	// Taxes are in percent.
	Taxes struct {
		Buy  upstream.Number `json:"buyTax"`
		Sell upstream.Number `json:"sellTax"`
	} `json:"simulationResult"`
}

// Simulate asks for a test trade in the pool that the service itself chooses. Where it does not cover the chain, finds no pool, or
// cannot try, the answer has no source and says why.
func (a *Adapter) Simulate(ctx context.Context, on *chain.Chain, request market.SimulationRequest) (*market.Simulation, error) {
	if !covers(on) {
		return nobody(notCovered), nil
	}
	query := url.Values{"address": {on.ERC20(request.Token).Checksum()}, "chainID": {strconv.FormatInt(on.ID, 10)}}
	return upstream.Get(ctx, a.client, "/v2/IsHoneypot", query, read)
}

func read(response *upstream.Response) (*market.Simulation, error) {
	if response.Status == http.StatusNotFound {
		return nobody(notTradable), nil
	}
	found, err := upstream.JSON[answer](response)
	if err != nil {
		return nil, err
	}
	switch market.Tristate(found.Tried) {
	case market.No:
		return nobody(notTried), nil
	case market.Unknown:
		return nil, fmt.Errorf("%w: it does not tell whether a trade was tried", upstream.ErrUnreadable)
	}
	if found.Result == nil || market.Tristate(found.Result.Honeypot) == market.Unknown {
		return nil, fmt.Errorf("%w: it does not tell how the trade ended", upstream.ErrUnreadable)
	}
	simulation := nobody("")
	simulation.Source = Source
	simulation.Buy = market.Trial{Done: market.Yes, Tax: tax(found.Taxes.Buy)}
	if market.Tristate(found.Result.Honeypot) == market.Yes {
		simulation.SellAll.Done = market.No
	} else {
		simulation.SellAll = market.Trial{Done: market.Yes, Tax: tax(found.Taxes.Sell)}
	}
	return simulation, nil
}

// nobody is a simulation without a trial.
func nobody(reason string) *market.Simulation {
	untried := market.Trial{Tax: math.NaN()}
	return &market.Simulation{
		Reason: reason, Buy: untried, SellAll: untried, SellHalves: untried, SellElsewhere: untried, SellLater: untried, SellLarge: untried,
	}
}

// tax is a part, 0 to 1, of a number in percent; NaN for what is missing or cannot be.
func tax(percent upstream.Number) float64 {
	value, ok := percent.Float()
	if !ok || value < -rounding {
		return math.NaN()
	}
	return math.Min(math.Max(value, 0)/100, 1)
}

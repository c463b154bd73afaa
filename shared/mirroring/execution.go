package mirroring

import (
	"fmt"
	"math"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/display"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Status is how far an execution is.
type Status string

// The states. The last four are final.
const (
	Detected  Status = "detected"
	Submitted Status = "submitted"
	Executed  Status = "executed"
	Partial   Status = "partial"
	Skipped   Status = "skipped"
	Failed    Status = "failed"
)

// Statuses lists them in the order in which executions go through them.
func Statuses() []Status { return []Status{Detected, Submitted, Executed, Partial, Skipped, Failed} }

// Execution is what an agent did with one leg of a leader's trade, or why it did nothing. What was not measured is null.
type Execution struct {
	// ExecutionID is made of the agent, the leader's trade and the leg: a trade makes at most one execution of an agent.
	ExecutionID string `json:"executionId"`
	// AgentID names the agent.
	AgentID string `json:"agentId"`
	// Status is how far the execution is.
	Status Status `json:"status"`
	// SkipReason says in a word why nothing was done; null unless status is skipped.
	SkipReason *SkipReason `json:"skipReason"`
	// Reason is a sentence: how the size came about, or why nothing was done.
	Reason string `json:"reason"`
	// Venue is where the agent trades.
	Venue agent.Venue `json:"venue"`
	// Mode says whether the order moves money.
	Mode agent.Mode `json:"mode"`
	// Leg says whether the trade adds to a position or takes from one.
	Leg Leg `json:"leg"`
	// Side is the position's direction on perpetuals, what was done elsewhere. One of long, short, buy or sell.
	Side string `json:"side"`
	// Asset is what was traded.
	Asset AssetAnswer `json:"asset"`
	// LeaderTradeAt is null where no trade of the leader asked for it: for what it held at the activation, and for closes by the market.
	LeaderTradeAt *string `json:"leaderTradeAt"`
	// DetectedAt is when the leader's trade was seen.
	DetectedAt string `json:"detectedAt"`
	// SubmittedAt is when the order was sent.
	SubmittedAt *string `json:"submittedAt"`
	// ExecutedAt is when the order was filled.
	ExecutedAt *string `json:"executedAt"`
	// LeaderPrice is the leader's price in USD per coin, token or share.
	LeaderPrice *float64 `json:"leaderPrice"`
	// Price is ours, in USD per coin, token or share.
	Price *float64 `json:"price"`
	// SlippageBps is how much worse than the leader's the price was, in hundredths of a percent; negative for better.
	SlippageBps *float64 `json:"slippageBps"`
	// LatencyMs is the time from the leader's trade to ours.
	LatencyMs *int64 `json:"latencyMs"`
	// CopyRatio is our quantity over the leader's.
	CopyRatio *float64 `json:"copyRatio"`
	// Leverage is null outside perpetuals.
	Leverage *float64 `json:"leverage"`
	// SizeUSD is the value of what was filled.
	SizeUSD *agent.MicroUSD `json:"sizeUsd"`
	// CostUSD is what it took of the agent's limit, on perpetuals the margin; a close gives it back.
	CostUSD *agent.MicroUSD `json:"costUsd"`
	// Quantity is how many coins, tokens or shares were filled.
	Quantity *float64 `json:"quantity"`
	// FeeUSD is what the venue took.
	FeeUSD *agent.MicroUSD `json:"feeUsd"`
	// RealizedUSD is the result of a close after the fees of both ways and funding.
	RealizedUSD *agent.MicroUSD `json:"realizedUsd"`
	// FundingUSD is the funding of the position, negative for what was paid.
	FundingUSD *agent.MicroUSD `json:"fundingUsd"`
}

// AssetAnswer names what was traded. A token has a chain and an address, a contract a coin, an outcome a market and an outcome token.
type AssetAnswer struct {
	// Name is a name for display.
	Name string `json:"name"`
	// Chain is a token's chain; null otherwise.
	Chain *chain.Slug `json:"chain"`
	// Address is a token's contract; null otherwise.
	Address *string `json:"address"`
	// Coin is a contract's name at the perpetuals venue; null otherwise.
	Coin *string `json:"coin"`
	// Market is a prediction market's condition; null otherwise.
	Market *string `json:"market"`
	// Outcome is the outcome's number in its market, from 0; null otherwise.
	Outcome *int `json:"outcome"`
	// OutcomeToken is the outcome's token; null otherwise.
	OutcomeToken *string `json:"outcomeToken"`
}

func (a Asset) answer() AssetAnswer {
	answer := AssetAnswer{Name: a.Name}
	switch {
	case a.Chain != "":
		answer.Chain, answer.Address = &a.Chain, &a.Key
	case a.Market != "":
		answer.Market, answer.OutcomeToken = &a.Market, &a.Key
		if a.Outcome >= 0 {
			answer.Outcome = &a.Outcome
		}
	default:
		answer.Coin = &a.Name
	}
	return answer
}

// kept is the Data of an execution: what is answered, and of one that was an order, the order and what its leader did.
type kept struct {
	Answer Execution `json:"answer"`
	Order  *Order    `json:"order,omitzero"`
	// LeaderAt, LeaderPrice and LeaderQuantity are zero for what is not known.
	LeaderAt       time.Time `json:"leaderAt,omitzero"`
	LeaderPrice    float64   `json:"leaderPrice,omitzero"`
	LeaderQuantity float64   `json:"leaderQuantity,omitzero"`
	SubmittedAt    time.Time `json:"submittedAt,omitzero"`
	DetectedAt     time.Time `json:"detectedAt"`
	Version        int64     `json:"version"`
}

// newKept is an execution as it begins.
func newKept(of *agent.Agent, id string, t *LeaderTrade, d *Decision, at time.Time) *kept {
	k := &kept{DetectedAt: at, Answer: Execution{
		ExecutionID: id, AgentID: of.ID, Status: Detected, Reason: d.Reason, Venue: of.Venue, Mode: of.Mode, Leg: t.Leg, Side: sideWord(of.Venue, t),
		Asset: t.Asset.answer(), DetectedAt: timeText(at),
	}}
	if !t.Own && !t.Existing {
		k.LeaderAt = t.At
		k.Answer.LeaderTradeAt = textOf(t.At)
	}
	if known(t.Price) && !t.Own {
		price := t.Price
		k.LeaderPrice, k.Answer.LeaderPrice = price, &price
	}
	if known(t.Quantity) && !t.Own {
		k.LeaderQuantity = t.Quantity
	}
	if d.Skip != "" {
		k.Answer.Status, k.Answer.SkipReason = Skipped, &d.Skip
	}
	return k
}

func sideWord(venue agent.Venue, t *LeaderTrade) string {
	switch {
	case venue == agent.Perps:
		return string(t.Side)
	case t.Leg == Open:
		return "buy"
	}
	return "sell"
}

// filled writes down what became of the order.
func (k *kept) filled(fill *Fill, realized agent.MicroUSD) {
	a, o := &k.Answer, k.Order
	a.Status = Executed
	if fill.Why != "" {
		a.Status = Partial
		a.Reason += " " + fill.Why
	}
	if !(fill.Quantity > 0) {
		a.Status = Failed
		return
	}
	size := signedMicro(fill.Quantity * fill.Price)
	price, quantity, fee := fill.Price, fill.Quantity, fill.Fee
	a.Price, a.Quantity, a.SizeUSD, a.FeeUSD, a.ExecutedAt = &price, &quantity, &size, &fee, textOf(fill.At)
	if o.Leg == Open {
		cost := fill.Cost
		a.CostUSD = &cost
	} else {
		a.RealizedUSD = &realized
		if o.Venue == agent.Perps {
			funding := fill.Funding
			a.FundingUSD = &funding
		}
	}
	if o.Venue == agent.Perps {
		leverage := o.Leverage
		a.Leverage = &leverage
	}
	if k.LeaderPrice > 0 {
		worse := (fill.Price/k.LeaderPrice - 1) * 10_000
		if !o.Buys() {
			worse = -worse
		}
		a.SlippageBps = finite(display.Round(worse, 1))
	}
	if k.LeaderQuantity > 0 {
		a.CopyRatio = finite(fill.Quantity / k.LeaderQuantity)
	}
	if !k.LeaderAt.IsZero() {
		latency := max(0, fill.At.Sub(k.LeaderAt).Milliseconds())
		a.LatencyMs = &latency
	}
}

// failed writes down that nothing was traded.
// skipped writes down that nothing was done, and why.
func (k *kept) skipped(skip SkipReason, why string) {
	k.Answer.Status, k.Answer.SkipReason, k.Answer.Reason = Skipped, &skip, why
}

func (k *kept) failed(why string) {
	k.Answer.Status = Failed
	k.Answer.Reason = why
}

// row is the execution as it is stored, and the event that tells of it where it is final.
func (k *kept) row(of *agent.Agent, now time.Time) (store.Execution, []store.Event, error) {
	k.Version++
	data, err := json.Marshal(k, json.Deterministic(true))
	if err != nil {
		return store.Execution{}, nil, fmt.Errorf("keep execution %s: %w", k.Answer.ExecutionID, err)
	}
	row := store.Execution{
		Agent: of.Key(), ID: k.Answer.ExecutionID, At: k.DetectedAt, Status: string(k.Answer.Status), Version: k.Version, Data: data,
	}
	kinds := map[Status]string{
		Executed: agent.EventExecutionExecuted, Partial: agent.EventExecutionPartial,
		Skipped: agent.EventExecutionSkipped, Failed: agent.EventExecutionFailed,
	}
	kind, told := kinds[k.Answer.Status]
	if !told {
		return row, nil, nil
	}
	event, err := agent.NewEvent(of.Partner, kind, now, k.Answer, of.ID, k.Answer.ExecutionID, string(k.Answer.Status))
	return row, []store.Event{event}, err
}

// readKept reads an execution that is stored.
func readKept(row *store.Execution) (*kept, error) {
	k := new(kept)
	if err := json.Unmarshal(row.Data, k); err != nil {
		return nil, fmt.Errorf("read execution %s: %w", row.ID, err)
	}
	k.Version = row.Version
	return k, nil
}

func timeText(at time.Time) string { return at.UTC().Format(time.RFC3339) }

func textOf(at time.Time) *string {
	text := timeText(at)
	return &text
}

// finite is nil for what is no number.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

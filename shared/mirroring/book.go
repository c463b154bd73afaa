package mirroring

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/agent"
	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

// Copy is a position that an agent opened after a leader.
type Copy struct {
	Asset Asset `json:"asset"`
	Side  Side  `json:"side"`
	// Quantity is in coins, tokens or shares, Price the mean price paid for them in USD.
	Quantity float64 `json:"quantity"`
	Price    float64 `json:"price"`
	// Cost is what it takes of the agent's limit: its margin on perpetuals, elsewhere all that was paid. Fees are what was paid besides.
	Cost     agent.MicroUSD `json:"cost"`
	Fees     agent.MicroUSD `json:"fees"`
	Leverage float64        `json:"leverage"`
	// OpenedBy is the execution that opened it. FundedAt is up to when its funding was paid.
	OpenedBy string    `json:"openedBy"`
	OpenedAt time.Time `json:"openedAt"`
	FundedAt time.Time `json:"fundedAt"`
	// Owed is the part of it that closes which could not be made would have closed, 0 to 1.
	Owed float64 `json:"owed,omitzero"`
}

// underWay is an order that was written down and whose outcome was not.
type underWay struct {
	Execution string `json:"execution"`
	// Reserved is what it may cost.
	Reserved agent.MicroUSD `json:"reserved"`
}

// account is an agent's book as it is read: what is open, what is under way, and what the day brought.
type account struct {
	// Copies are in order of their keys.
	Copies   []Copy     `json:"copies,omitzero"`
	UnderWay []underWay `json:"underWay,omitzero"`
	// Day is the UTC day that Realized adds up the results of.
	Day      string         `json:"day,omitzero"`
	Realized agent.MicroUSD `json:"realized,omitzero"`
}

// readAccount reads a book.
func readAccount(book *store.Book) (*account, error) {
	a := new(account)
	if len(book.Data) == 0 {
		return a, nil
	}
	if err := json.Unmarshal(book.Data, a); err != nil {
		return nil, fmt.Errorf("the book of agent %s: %w", book.Agent.ID, err)
	}
	return a, nil
}

// book is the account as the version after another.
func (a *account) book(before *store.Book, limit agent.MicroUSD) (store.Book, error) {
	data, err := json.Marshal(a, json.Deterministic(true))
	return store.Book{
		Agent: before.Agent, Version: before.Version + 1, ExposureMicroUSD: int64(a.exposure()), LimitMicroUSD: int64(limit), Data: data,
	}, err
}

// exposure is what the open copies cost and what orders under way may cost.
func (a *account) exposure() agent.MicroUSD {
	var sum agent.MicroUSD
	for i := range a.Copies {
		sum += a.Copies[i].Cost
	}
	for i := range a.UnderWay {
		sum += a.UnderWay[i].Reserved
	}
	return sum
}

// place is where the copy of an asset is, or would be.
func (a *account) place(key string) (int, bool) {
	return slices.BinarySearchFunc(a.Copies, key, func(c Copy, key string) int { return strings.Compare(c.Asset.Key, key) })
}

// copyOf is the open copy of an asset, nil for none. It is good until the account changes.
func (a *account) copyOf(key string) *Copy {
	if i, found := a.place(key); found {
		return &a.Copies[i]
	}
	return nil
}

// against is an open copy that bets against an asset, nil for none.
func (a *account) against(asset *Asset) *Copy {
	if asset.Market == "" {
		return nil
	}
	for i := range a.Copies {
		if a.Copies[i].Asset.against(*asset) {
			return &a.Copies[i]
		}
	}
	return nil
}

// lostToday is what was lost on the UTC day of an instant, not below zero.
func (a *account) lostToday(at time.Time) agent.MicroUSD {
	if a.Day != dayOf(at) {
		return 0
	}
	return max(0, -a.Realized)
}

func dayOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// opened adds what an order bought.
func (a *account) opened(order *Order, fill *Fill) {
	i, found := a.place(order.Asset.Key)
	if !found {
		a.Copies = slices.Insert(a.Copies, i, Copy{
			Asset: order.Asset, Side: order.Side, Leverage: order.Leverage, OpenedBy: order.Execution, OpenedAt: fill.At, FundedAt: fill.At,
		})
	}
	c := &a.Copies[i]
	if total := c.Quantity + fill.Quantity; total > 0 {
		if found && fill.At.After(c.FundedAt) { // one time for both parts, such that what they have paid so far is the same
			c.FundedAt = fill.At.Add(-time.Duration(float64(fill.At.Sub(c.FundedAt)) * c.Quantity / total))
		}
		c.Owed *= c.Quantity / total // it is owed of the older part alone
		c.Price = (c.Price*c.Quantity + fill.Price*fill.Quantity) / total
		c.Quantity = total
	}
	c.Cost += fill.Cost
	if order.Venue == agent.Perps { // elsewhere the fee is in the cost
		c.Fees += fill.Fee
	}
}

// closed takes what an order sold, and books the result: what came in, less what it had cost, less the fees of both ways, and the funding.
func (a *account) closed(order *Order, fill *Fill) agent.MicroUSD {
	i, found := a.place(order.Asset.Key)
	if !found {
		return 0
	}
	c := &a.Copies[i]
	part := 1.0
	if fill.Quantity < c.Quantity*(1-whole) {
		part = fill.Quantity / c.Quantity
	}
	cost, fees := agent.MicroUSD(float64(c.Cost)*part), agent.MicroUSD(float64(c.Fees)*part)
	if part == 1 {
		cost, fees = c.Cost, c.Fees
	}
	gain := signedMicro(c.Side.sign() * (fill.Price - c.Price) * min(fill.Quantity, c.Quantity))
	if order.Venue != agent.Perps {
		gain = signedMicro(fill.Price*min(fill.Quantity, c.Quantity)) - cost
	}
	realized := gain - fill.Fee - fees + fill.Funding
	if order.Venue == agent.Perps && order.Mode == agent.Paper {
		realized = max(realized, -cost-fees) // margin of its own: no more can be lost
	}
	if part == 1 {
		a.Copies = slices.Delete(a.Copies, i, i+1)
	} else {
		c.Quantity -= fill.Quantity
		c.Cost -= cost
		c.Fees -= fees
		c.Owed = 0
		if order.Part > part { // the order was filled in part
			c.Owed = min(1, (order.Part-part)/(1-part))
		}
	}
	if day := dayOf(fill.At); a.Day != day {
		a.Day, a.Realized = day, 0
	}
	a.Realized += realized
	return realized
}

// whole is the part of a copy within which what is left counts as nothing.
const whole = 1e-9

// release takes an order off those under way.
func (a *account) release(execution string) {
	a.UnderWay = slices.DeleteFunc(a.UnderWay, func(u underWay) bool { return u.Execution == execution })
}

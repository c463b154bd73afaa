package perpvenue

import (
	"slices"
	"strings"
)

type orderStatusWire struct {
	Status string          `json:"status"`
	Order  *orderStateWire `json:"order,omitempty"`
}

type orderStateWire struct {
	Order  orderDetailWire `json:"order"`
	Status string          `json:"status"`
	Since  int64           `json:"statusTimestamp"`
}

type orderDetailWire struct {
	Coin             string  `json:"coin"`
	Side             string  `json:"side"`
	Limit            string  `json:"limitPx"`
	Size             string  `json:"sz"`
	Order            int64   `json:"oid"`
	Time             int64   `json:"timestamp"`
	TriggerCondition string  `json:"triggerCondition"`
	Trigger          bool    `json:"isTrigger"`
	TriggerPrice     string  `json:"triggerPx"`
	Children         []any   `json:"children"`
	PositionTPSL     bool    `json:"isPositionTpsl"`
	ReduceOnly       bool    `json:"reduceOnly"`
	Kind             string  `json:"orderType"`
	Original         string  `json:"origSz"`
	TimeInForce      string  `json:"tif"`
	ClientID         *string `json:"cloid"`
}

// orderStatus is the state of an order by its client id.
func (v *Venue) orderStatus(account, clientID string) orderStatusWire {
	v.guests.mu.Lock()
	defer v.guests.mu.Unlock()
	o := v.guests.orders[strings.ToLower(account)+strings.ToLower(clientID)]
	if o == nil {
		return orderStatusWire{Status: "unknownOid"}
	}
	c := &v.coins[o.coin]
	w := orderDetailWire{Coin: c.name, Side: "A", Limit: o.limit, Size: decimalText(o.size-o.filled, c.unit), Order: o.id, Time: o.at, TriggerCondition: "N/A",
		TriggerPrice: "0.0", Children: []any{}, ReduceOnly: o.reduceOnly, Kind: "Limit", Original: decimalText(o.size, c.unit), TimeInForce: o.tif,
		ClientID: &o.clientID}
	if o.buy {
		w.Side = "B"
	}
	return orderStatusWire{"order", &orderStateWire{w, o.status, o.at}}
}

type agentWire struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	Until   int64  `json:"validUntil"`
}

// agentsWire are the agents that an account approved by name.
func (v *Venue) agentsWire(account string) []agentWire {
	v.guests.mu.Lock()
	defer v.guests.mu.Unlock()
	wires := []agentWire{}
	for _, a := range v.guests.agents {
		if a.account == strings.ToLower(account) && a.name != "" && v.now < a.until {
			wires = append(wires, agentWire{a.name, a.address, a.until})
		}
	}
	slices.SortFunc(wires, func(a, b agentWire) int { return strings.Compare(a.Name, b.Name) })
	return wires
}

package perpvenue

import (
	"fmt"
	"strings"
)

// order is an order of a guest. None stays in the book.
type order struct {
	id, at               int64
	clientID, limit, tif string
	coin                 int
	buy, reduceOnly      bool
	size, filled         int64 // in the contract's units
	status               string
}

type ordersWire struct {
	Type     string      `json:"type"`
	Orders   []orderWire `json:"orders"`
	Grouping string      `json:"grouping"`
}

type orderWire struct {
	Asset      uint32 `json:"a"`
	Buy        bool   `json:"b"`
	Price      string `json:"p"`
	Size       string `json:"s"`
	ReduceOnly bool   `json:"r"`
	Kind       struct {
		Limit *struct {
			TimeInForce string `json:"tif"`
		} `json:"limit"`
	} `json:"t"`
	ClientID *string `json:"c"`
}

// packOrders packs orders as they are signed; false for what the venue does not take.
func packOrders(w *ordersWire) (string, bool) {
	var p packed
	p.table(3).text("type").text("order").text("orders").list(len(w.Orders))
	for i := range w.Orders {
		o := &w.Orders[i]
		price, priced := plainDecimal(o.Price)
		size, sized := plainDecimal(o.Size)
		if !priced || !sized || o.Kind.Limit == nil || o.ClientID != nil && !isClientID(*o.ClientID) {
			return "", false
		}
		o.Price, o.Size = price, size
		members := 6
		if o.ClientID != nil {
			members = 7
		}
		p.table(members).text("a").number(o.Asset).text("b").truth(o.Buy).text("p").text(price).text("s").text(size)
		p.text("r").truth(o.ReduceOnly).text("t").table(1).text("limit").table(1).text("tif").text(o.Kind.Limit.TimeInForce)
		if o.ClientID != nil {
			p.text("c").text(*o.ClientID)
		}
	}
	p.text("grouping").text(w.Grouping)
	return p.String(), len(w.Orders) > 0 && len(w.Orders) <= 1_000 && w.Grouping == "na"
}

func isClientID(text string) bool {
	return len(text) == 34 && strings.HasPrefix(text, "0x") && strings.Trim(text[2:], "0123456789abcdefABCDEF") == ""
}

type cancelsWire struct {
	Type    string `json:"type"`
	Cancels []struct {
		Asset    uint32 `json:"asset"`
		ClientID string `json:"cloid"`
	} `json:"cancels"`
}

func packCancels(w *cancelsWire) (string, bool) {
	var p packed
	p.table(2).text("type").text("cancelByCloid").text("cancels").list(len(w.Cancels))
	for _, c := range w.Cancels {
		p.table(2).text("asset").number(c.Asset).text("cloid").text(c.ClientID)
	}
	return p.String(), len(w.Cancels) > 0 && len(w.Cancels) <= 1_000
}

// cancelOrders finds none, as none stays in the book.
func (v *Venue) cancelOrders(_ *account, w *cancelsWire) (responseWire, error) {
	statuses := make([]any, len(w.Cancels))
	for i, c := range w.Cancels {
		statuses[i] = errorWire{fmt.Sprintf("Order was never placed, already canceled, or filled. asset=%d", c.Asset)}
	}
	return responseWire{"cancel", statusesWire{statuses}}, nil
}

type leverageUpdateWire struct {
	Type     string `json:"type"`
	Asset    uint32 `json:"asset"`
	Cross    bool   `json:"isCross"`
	Leverage uint32 `json:"leverage"`
}

func packLeverage(w *leverageUpdateWire) (string, bool) {
	var p packed
	p.table(4).text("type").text("updateLeverage").text("asset").number(w.Asset).text("isCross").truth(w.Cross)
	p.text("leverage").number(w.Leverage)
	return p.String(), true
}

// updateLeverage changes what an open position ties up only as far as there is margin for it.
func (v *Venue) updateLeverage(a *account, w *leverageUpdateWire) (responseWire, error) {
	coin := v.assetNumbered(w.Asset)
	if coin < 0 {
		return responseWire{}, failure("Invalid asset")
	}
	c, p := &v.coins[coin], &a.positions[coin]
	switch {
	case w.Leverage < 1 || int(w.Leverage) > c.maxLeverage():
		return responseWire{}, failure("Invalid leverage value")
	case w.Cross && c.onlyIsolate:
		return responseWire{}, failure("Cross margin is not allowed for this asset.")
	case p.size != 0 && p.isolated == w.Cross:
		return responseWire{}, failure("Cannot switch leverage type with open position.")
	case p.size != 0 && p.isolated && int(w.Leverage) != p.leverage:
		return responseWire{}, failure("Cannot change the leverage of an open isolated position here.")
	}
	before := p.leverage
	p.leverage, p.isolated = int(w.Leverage), !w.Cross
	if p.size != 0 {
		if s := a.standing(c.exchange, v.now); s.crossUsed > s.crossValue {
			p.leverage = before
			return responseWire{}, failure("Insufficient margin to change leverage.")
		}
	}
	return defaultResponse, nil
}

// assetNumbered is the place of a contract by the venue's number of it, -1 for none.
func (v *Venue) assetNumbered(asset uint32) int {
	exchange, first := int8(mainExchange), uint32(0)
	if asset >= 100_000 {
		exchange, first = builderExchange, 110_000
	}
	place := first
	for coin := range v.coins {
		if c := &v.coins[coin]; c.spot || c.exchange != exchange {
			continue
		}
		if place == asset {
			return coin
		}
		place++
	}
	return -1
}

func (v *Venue) placeOrders(a *account, w *ordersWire) (responseWire, error) {
	statuses := make([]any, len(w.Orders))
	for i := range w.Orders {
		statuses[i] = v.placeOrder(a, &w.Orders[i])
	}
	return responseWire{"order", statusesWire{statuses}}, nil
}

type filledWire struct {
	Filled filledDetailWire `json:"filled"`
}

type filledDetailWire struct {
	Size  string `json:"totalSz"`
	Price string `json:"avgPx"`
	Order int64  `json:"oid"`
}

// placeOrder fills an order at once as far as its limit allows and drops the rest.
func (v *Venue) placeOrder(a *account, w *orderWire) any {
	coin := v.assetNumbered(w.Asset)
	if coin < 0 {
		return errorWire{fmt.Sprintf("Invalid asset. asset=%d", w.Asset)}
	}
	c := &v.coins[coin]
	o := &order{id: a.order(v.now), at: v.now, limit: w.Price, tif: w.Kind.Limit.TimeInForce, coin: coin, buy: w.Buy, reduceOnly: w.ReduceOnly}
	if w.ClientID != nil {
		o.clientID = strings.ToLower(*w.ClientID)
		name := a.address + o.clientID
		if v.guests.orders[name] != nil {
			return errorWire{fmt.Sprintf("Duplicate cloid. asset=%d", w.Asset)}
		}
		defer func() { v.guests.orders[name] = o }()
	}
	value, refused := v.match(a, o, w)
	if refused != nil {
		o.status = refused.status
		return errorWire{fmt.Sprintf("%s asset=%d", refused.text, w.Asset)}
	}
	o.status = "filled"
	if o.filled < o.size {
		o.status = "canceled"
	}
	price := float64(value) / million / (float64(o.filled) / float64(powersOfTen[c.unit]))
	return filledWire{filledDetailWire{decimalText(o.filled, c.unit), floatText(significant(price, 8, 8), 8), o.id}}
}

package perpvenue

import (
	"fmt"
	"sort"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

type fillWire struct {
	Coin          string           `json:"coin"`
	Price         string           `json:"px"`
	Size          string           `json:"sz"`
	Side          string           `json:"side"`
	Time          int64            `json:"time"`
	StartPosition string           `json:"startPosition"`
	Direction     string           `json:"dir"`
	ClosedPnL     string           `json:"closedPnl"`
	Hash          string           `json:"hash"`
	Order         int64            `json:"oid"`
	Crossed       bool             `json:"crossed"`
	Fee           string           `json:"fee"`
	Trade         int64            `json:"tid"`
	Liquidation   *liquidationWire `json:"liquidation,omitempty"`
	FeeToken      string           `json:"feeToken"`
	TWAP          *int64           `json:"twapId"`
}

type liquidationWire struct {
	User   string `json:"liquidatedUser"`
	Mark   string `json:"markPx"`
	Method string `json:"method"`
}

const noHash = "0x0000000000000000000000000000000000000000000000000000000000000000"

func hashOf(values ...uint64) string {
	key := seeded.MixAll(values...)
	return fmt.Sprintf("0x%016x%016x%016x%016x", seeded.Mix(key), seeded.Mix(key+1), seeded.Mix(key+2), seeded.Mix(key+3))
}

// fillsWire are the account's fills of a stretch of time, of those that are reachable: the oldest first, or the newest.
func (a *account) fillsWire(from, to int64, newestFirst, aggregate bool) []fillWire {
	wires := []fillWire{}
	if a == nil {
		return wires
	}
	fills := a.fills[max(0, len(a.fills)-reachableFills):]
	low := sort.Search(len(fills), func(i int) bool { return fills[i].time >= from })
	high := max(low, sort.Search(len(fills), func(i int) bool { return fills[i].time > to }))
	fills = fills[low:high]
	if aggregate {
		fills = a.aggregated(fills)
	}
	n := min(len(fills), fillsPerAnswer)
	wires = make([]fillWire, n)
	for i := range n {
		if newestFirst {
			wires[i] = a.fillWire(&fills[len(fills)-1-i])
		} else {
			wires[i] = a.fillWire(&fills[i])
		}
	}
	return wires
}

// aggregated are fills with the parts that a crossing order had in one millisecond made one, at their mean price.
func (a *account) aggregated(fills []fill) []fill {
	var merged []fill
	for _, f := range fills {
		c := &a.venue.coins[f.coin]
		if n := len(merged); n > 0 && f.taker && merged[n-1].order == f.order && merged[n-1].time == f.time {
			last := &merged[n-1]
			value := c.value(last.size, last.price) + c.value(f.size, f.price)
			last.size += f.size
			last.profit += f.profit
			last.fee += f.fee
			last.price = c.tick(float64(value) / float64(last.size) * float64(powersOfTen[c.unit]) / million)
			last.direction = directionOf(c.spot, last.before, last.size)
			continue
		}
		merged = append(merged, f)
	}
	return merged
}

func (a *account) fillWire(f *fill) fillWire {
	c := &a.venue.coins[f.coin]
	w := fillWire{Coin: c.name, Price: moneyText(f.price), Size: decimalText(absolute(f.size), c.unit), Side: "B", Time: f.time,
		StartPosition: decimalText(f.before, c.unit), Direction: directionNames[f.direction], ClosedPnL: moneyText(f.profit), Hash: noHash,
		Order: f.order, Crossed: f.taker, Fee: moneyText(f.fee), Trade: f.trade, FeeToken: "USDC"}
	if f.size < 0 {
		w.Side = "A"
	}
	if c.spot && f.size > 0 {
		w.FeeToken, w.Fee = c.tokenName(), decimalText(f.fee, c.unit)
	}
	if !f.quiet {
		w.Hash = hashOf(a.key, uint64(f.order), uint64(f.time))
	}
	if f.schedule != 0 {
		id := int64(f.schedule)
		w.TWAP = &id
	}
	if f.direction == dirLiquidatedCross || f.direction == dirLiquidatedIsolated {
		w.Direction += map[bool]string{true: "Long", false: "Short"}[f.before > 0]
	}
	if f.liquidation > 0 {
		l := a.liquidations[f.liquidation-1]
		w.Liquidation = &liquidationWire{l.user, moneyText(l.mark), map[bool]string{true: "backstop", false: "market"}[l.backstop]}
	}
	return w
}

type fundingWire struct {
	Time  int64            `json:"time"`
	Hash  string           `json:"hash"`
	Delta fundingDeltaWire `json:"delta"`
}

type fundingDeltaWire struct {
	Type    string `json:"type"`
	Coin    string `json:"coin"`
	USD     string `json:"usdc"`
	Size    string `json:"szi"`
	Rate    string `json:"fundingRate"`
	Samples *int   `json:"nSamples"`
}

func (a *account) fundingWire(from, to int64) []fundingWire {
	wires := []fundingWire{}
	if a == nil {
		return wires
	}
	first := sort.Search(len(a.payments), func(i int) bool { return a.payments[i].time >= from })
	for _, p := range a.payments[first:] {
		if p.time > to || len(wires) == entriesPerAnswer {
			break
		}
		c := &a.venue.coins[p.coin]
		wires = append(wires, fundingWire{p.time, noHash, fundingDeltaWire{Type: "funding", Coin: c.name, USD: moneyText(p.usd),
			Size: decimalText(p.size, c.unit), Rate: floatText(float64(p.rate)/fundingScale, 10)}})
	}
	return wires
}

type ledgerWire struct {
	Time  int64  `json:"time"`
	Hash  string `json:"hash"`
	Delta any    `json:"delta"`
}

type depositWire struct {
	Type string `json:"type"`
	USD  string `json:"usdc"`
}

type withdrawalWire struct {
	Type  string `json:"type"`
	USD   string `json:"usdc"`
	Nonce int64  `json:"nonce"`
	Fee   string `json:"fee"`
}

type classTransferWire struct {
	Type   string `json:"type"`
	USD    string `json:"usdc"`
	ToPerp bool   `json:"toPerp"`
}

type sendWire struct {
	Type        string `json:"type"`
	User        string `json:"user"`
	Destination string `json:"destination"`
	From        string `json:"sourceDex"`
	To          string `json:"destinationDex"`
	Token       string `json:"token"`
	Amount      string `json:"amount"`
	USD         string `json:"usdcValue"`
	Fee         string `json:"fee"`
	NativeFee   string `json:"nativeTokenFee"`
	Nonce       int64  `json:"nonce"`
	FeeToken    string `json:"feeToken"`
}

type liquidatedWire struct {
	Type      string        `json:"type"`
	Notional  string        `json:"liquidatedNtlPos"`
	Value     string        `json:"accountValue"`
	Leverage  string        `json:"leverageType"`
	Positions []holdingWire `json:"liquidatedPositions"`
}

type holdingWire struct {
	Coin string `json:"coin"`
	Size string `json:"szi"`
}

func (a *account) ledgerWire(from, to int64) []ledgerWire {
	wires := []ledgerWire{}
	if a == nil {
		return wires
	}
	for i, e := range a.ledger {
		if e.time >= from && e.time <= to && len(wires) < entriesPerAnswer {
			wires = append(wires, ledgerWire{e.time, hashOf(a.key, uint64(i), uint64(e.time)), a.delta(&e)})
		}
	}
	return wires
}

func (a *account) delta(e *entry) any {
	usd := moneyText(e.usd)
	switch e.kind {
	case entryDeposit:
		return depositWire{"deposit", usd}
	case entryWithdrawal:
		return withdrawalWire{"withdraw", usd, e.time - 700, moneyText(withdrawalFee)}
	case entryToSpot:
		return classTransferWire{"accountClassTransfer", usd, false}
	case entryToBuilder:
		return sendWire{"send", a.address, a.address, exchangeNames[mainExchange], exchangeNames[builderExchange], "USDC", usd, usd, "0.0", "0.0",
			e.time - 400, ""}
	}
	w := liquidatedWire{"liquidation", usd, moneyText(e.value), "Isolated", []holdingWire{}}
	if e.cross {
		w.Leverage = "Cross"
	}
	for _, h := range e.lost {
		c := &a.venue.coins[h.coin]
		w.Positions = append(w.Positions, holdingWire{c.name, decimalText(h.size, c.unit)})
	}
	return w
}

type roleWire struct {
	Role string `json:"role"`
}

func (a *account) roleWire(v *Venue) roleWire {
	switch {
	case a == nil || a.joined > v.now:
		return roleWire{"missing"}
	case a.plan.kind == kindLiquidator:
		return roleWire{"vault"}
	}
	return roleWire{"user"}
}

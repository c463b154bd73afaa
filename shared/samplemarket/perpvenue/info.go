package perpvenue

import (
	"encoding/json"
	"math"
	"net/http"
	"strings"
)

// The limits of what one answer holds, and of how many fills are reachable at all.
const (
	fillsPerAnswer   = 2_000
	reachableFills   = 10_000
	entriesPerAnswer = 500
	candlesPerCoin   = 5_000
)

type request struct {
	Type      string `json:"type"`
	User      string `json:"user"`
	Coin      string `json:"coin"`
	Dex       string `json:"dex"`
	StartTime *int64 `json:"startTime"`
	EndTime   *int64 `json:"endTime"`
	Reversed  bool   `json:"reversed"`
	Aggregate bool   `json:"aggregateByTime"`
	// Order is the client id of one; orders' own numbers are not answered.
	Order   string `json:"oid"`
	Candles *struct {
		Coin      string `json:"coin"`
		Interval  string `json:"interval"`
		StartTime int64  `json:"startTime"`
		EndTime   int64  `json:"endTime"`
	} `json:"req"`
}

const refusal = "Failed to deserialize the JSON body into the target type"

// Info answers the body of a POST to /info as of the last Advance: a status and what encoding/json writes as the venue's answer.
// What it does not know is refused with 422 and a text. It changes nothing that can be seen and may be called concurrently.
func (v *Venue) Info(body []byte) (status int, answer any) {
	v.lock.RLock()
	defer v.lock.RUnlock()
	var r request
	if json.Unmarshal(body, &r) != nil {
		return http.StatusUnprocessableEntity, refusal
	}
	var known bool
	switch {
	case isAddress(r.User) && r.Type == "orderStatus" && isClientID(r.Order):
		answer, known = v.orderStatus(r.User, r.Order), true
	case isAddress(r.User) && r.Type == "extraAgents":
		answer, known = v.agentsWire(r.User), true
	case strings.HasPrefix(r.Type, "user") || r.Type == "clearinghouseState" || r.Type == "spotClearinghouseState" || r.Type == "portfolio":
		answer, known = v.infoOfUser(&r)
	default:
		answer, known = v.infoOfMarket(&r)
	}
	if !known {
		return http.StatusUnprocessableEntity, refusal
	}
	return http.StatusOK, answer
}

func (v *Venue) infoOfUser(r *request) (answer any, known bool) {
	if !isAddress(r.User) {
		return nil, false
	}
	from, to := r.window(v.now)
	timed := r.StartTime != nil
	exchange, known := exchangeNamed(r.Dex)
	v.with(r.User, func(a *account) {
		switch {
		case r.Type == "userFills":
			answer = a.fillsWire(math.MinInt64, math.MaxInt64, true, r.Aggregate)
		case r.Type == "userFillsByTime" && timed:
			answer = a.fillsWire(from, to, r.Reversed, r.Aggregate)
		case r.Type == "clearinghouseState" && known:
			answer = a.clearinghouse(v, exchange)
		case r.Type == "spotClearinghouseState":
			answer = a.spotWire(v)
		case r.Type == "userFunding" && timed:
			answer = a.fundingWire(from, to)
		case r.Type == "userNonFundingLedgerUpdates" && timed:
			answer = a.ledgerWire(from, to)
		case r.Type == "portfolio":
			answer = a.portfolioWire(v)
		case r.Type == "userRole":
			answer = a.roleWire(v)
		}
	})
	return answer, answer != nil
}

func (v *Venue) infoOfMarket(r *request) (answer any, known bool) {
	exchange, known := exchangeNamed(r.Dex)
	coin := v.coinNamed(r.Coin)
	from, to := r.window(v.now)
	switch {
	case r.Type == "perpDexs":
		return v.exchangesWire(), true
	case r.Type == "meta" && known:
		return v.metaWire(exchange), true
	case r.Type == "metaAndAssetCtxs" && known:
		return []any{v.metaWire(exchange), v.contextsWire(exchange)}, true
	case r.Type == "allMids" && known:
		return v.midsWire(exchange), true
	case r.Type == "l2Book" && coin >= 0:
		return v.bookWire(coin), true
	case r.Type == "fundingHistory" && coin >= 0 && r.StartTime != nil:
		return v.fundingHistoryWire(coin, from, to), true
	case r.Type == "candleSnapshot" && r.Candles != nil:
		c := r.Candles
		if coin, length := v.coinNamed(c.Coin), intervalMillis[c.Interval]; coin >= 0 && length > 0 {
			return v.candlesWire(coin, c.Interval, length, c.StartTime, c.EndTime), true
		}
	}
	return nil, false
}

// window is the time asked for, without the future.
func (r *request) window(now int64) (from, to int64) {
	from, to = math.MinInt64, now
	if r.StartTime != nil {
		from = min(*r.StartTime, now+1)
	}
	if r.EndTime != nil {
		to = min(to, *r.EndTime)
	}
	return from, to
}

func isAddress(text string) bool {
	if len(text) != 42 || text[0] != '0' || text[1] != 'x' && text[1] != 'X' {
		return false
	}
	for _, c := range text[2:] {
		if !strings.ContainsRune("0123456789abcdefABCDEF", c) {
			return false
		}
	}
	return true
}

func exchangeNamed(name string) (int8, bool) {
	for i, n := range exchangeNames {
		if n == name {
			return int8(i), true
		}
	}
	return 0, false
}

// coinNamed is a coin's place, -1 when there is none of that name.
func (v *Venue) coinNamed(name string) int {
	for i := range v.coins {
		if v.coins[i].name == name {
			return i
		}
	}
	return -1
}

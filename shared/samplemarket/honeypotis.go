package samplemarket

import (
	"net/http"
	"strconv"
)

type honeypotToken struct {
	Name         string `json:"name"`
	Symbol       string `json:"symbol"`
	Decimals     int    `json:"decimals"`
	Address      string `json:"address"`
	TotalHolders int    `json:"totalHolders"`
}

type honeypotVerdict struct {
	IsHoneypot     bool   `json:"isHoneypot"`
	HoneypotReason string `json:"honeypotReason,omitempty"`
}

// honeypotTrade has taxes in percent.
type honeypotTrade struct {
	BuyTax      float64 `json:"buyTax"`
	SellTax     float64 `json:"sellTax"`
	TransferTax float64 `json:"transferTax"`
	BuyGas      string  `json:"buyGas"`
	SellGas     string  `json:"sellGas"`
}

type honeypotHolders struct {
	Holders    string  `json:"holders"`
	Successful string  `json:"successful"`
	Failed     string  `json:"failed"`
	Siphoned   string  `json:"siphoned"`
	AverageTax float64 `json:"averageTax"`
	HighestTax float64 `json:"highestTax"`
}

type honeypotCode struct {
	OpenSource     bool `json:"openSource"`
	RootOpenSource bool `json:"rootOpenSource"`
	IsProxy        bool `json:"isProxy"`
	HasProxyCalls  bool `json:"hasProxyCalls"`
}

type honeypotPair struct {
	Pair struct {
		Name    string `json:"name"`
		Address string `json:"address"`
		Token0  string `json:"token0"`
		Token1  string `json:"token1"`
		Type    string `json:"type"`
	} `json:"pair"`
	ChainID            string  `json:"chainId"`
	Reserves0          string  `json:"reserves0"`
	Reserves1          string  `json:"reserves1"`
	Liquidity          float64 `json:"liquidity"`
	Router             string  `json:"router"`
	CreatedAtTimestamp string  `json:"createdAtTimestamp"`
}

type honeypotAnswer struct {
	Token             honeypotToken    `json:"token"`
	WithToken         honeypotToken    `json:"withToken"`
	SimulationSuccess bool             `json:"simulationSuccess"`
	SimulationError   string           `json:"simulationError,omitempty"`
	HoneypotResult    *honeypotVerdict `json:"honeypotResult,omitempty"`
	SimulationResult  *honeypotTrade   `json:"simulationResult,omitempty"`
	HolderAnalysis    *honeypotHolders `json:"holderAnalysis,omitempty"`
	Flags             []string         `json:"flags"`
	ContractCode      honeypotCode     `json:"contractCode"`
	Pair              honeypotPair     `json:"pair"`
	PairAddress       string           `json:"pairAddress"`
}

// honeypotChains are those that honeypot.is simulates on.
var honeypotChains = map[string]bool{"eth": true, "bsc": true, "base": true}

func honeypotError(status int, message string) (int, any) {
	return status, map[string]any{"code": status, "error": message}
}

// serveHoneypotIs answers v2/IsHoneypot: a test trade at the newest block, on three chains only.
func (m *Market) serveHoneypotIs(r *request) (int, any) {
	if r.part(0) != "v2" || r.part(1) != "IsHoneypot" || len(r.path) != 2 {
		return honeypotError(http.StatusNotFound, "Not found")
	}
	asked, ok := parseAddress(r.query.Get("address"))
	if !ok {
		return honeypotError(http.StatusBadRequest, "Invalid address")
	}
	id := int64(1)
	if text := r.query.Get("chainID"); text != "" {
		var err error
		if id, err = strconv.ParseInt(text, 10, 64); err != nil {
			return honeypotError(http.StatusBadRequest, "Invalid chain id")
		}
	}
	w := m.worldWhere(func(c *chainSpec) bool { return c.id == id && honeypotChains[c.slug] })
	if w == nil {
		return honeypotError(http.StatusBadRequest, "Chain not supported")
	}
	assetID, known := w.assetByAddress(asked.String())
	if !known || assetID == nativeAsset || w.assets[assetID].token < 0 || w.tokens[w.assets[assetID].token].pool < 0 {
		return honeypotError(http.StatusNotFound, "No pairs found")
	}
	return http.StatusOK, w.honeypotAnswer(&w.tokens[w.assets[assetID].token])
}

func (w *world) honeypotToken(assetID int32) honeypotToken {
	a := &w.assets[assetID]
	return honeypotToken{Name: a.name, Symbol: a.symbol, Decimals: a.decimals, Address: w.entities[a.entity].sum, TotalHolders: w.holdersOf(assetID)}
}

func (w *world) honeypotAnswer(t *token) honeypotAnswer {
	p := &w.pools[t.pool]
	a := &w.assets[t.asset]
	out := honeypotAnswer{
		Token: w.honeypotToken(t.asset), WithToken: w.honeypotToken(p.quote), Flags: []string{},
		ContractCode: honeypotCode{OpenSource: t.openSource, RootOpenSource: t.openSource, IsProxy: t.proxy, HasProxyCalls: t.proxy},
		PairAddress:  w.poolAddress(p),
	}
	router, _ := w.routerOf(p)
	out.Pair = honeypotPair{
		ChainID: strconv.FormatInt(w.spec.id, 10), Reserves0: a.raw(p.tokenReserve), Reserves1: w.assets[p.quote].raw(p.quoteReserve), Liquidity: round(w.reserveUSD(p), 2),
		Router: w.entities[router].sum, CreatedAtTimestamp: strconv.FormatInt(w.start+int64(p.created), 10),
	}
	out.Pair.Pair.Name, out.Pair.Pair.Address = w.spec.v2Name+": "+w.assets[p.quote].symbol+"-"+a.symbol, out.PairAddress
	out.Pair.Pair.Token0, out.Pair.Pair.Token1 = w.entities[a.entity].sum, w.entities[w.assets[p.quote].entity].sum
	out.Pair.Pair.Type = [...]string{"UniswapV2", "UniswapV3", "UniswapV4"}[p.version]
	switch {
	case p.version == poolV4:
		out.SimulationError = "Pool type not supported"
		return out
	case p.drainedAt != 0:
		out.SimulationError = "Low liquidity"
		out.Flags = append(out.Flags, "low_liquidity")
		return out
	}
	holders := min(a.holding, 30)
	text := strconv.Itoa
	out.SimulationSuccess = true
	if t.kind == kindHoneypot {
		out.HoneypotResult = &honeypotVerdict{IsHoneypot: true, HoneypotReason: "execution reverted: TRANSFER_FROM_FAILED"}
		out.SimulationResult = &honeypotTrade{BuyTax: float64(t.buyTax), SellTax: 100, BuyGas: "152000", SellGas: "61000"}
		out.HolderAnalysis = &honeypotHolders{Holders: text(holders), Successful: "1", Failed: text(max(holders-1, 0)), Siphoned: "0"}
		return out
	}
	out.HoneypotResult = &honeypotVerdict{}
	out.SimulationResult = &honeypotTrade{BuyTax: float64(t.buyTax), SellTax: float64(t.sellTax), BuyGas: "152000", SellGas: "166000"}
	out.HolderAnalysis = &honeypotHolders{
		Holders: text(holders), Successful: text(holders), Failed: "0", Siphoned: "0", AverageTax: float64(t.sellTax), HighestTax: float64(t.sellTax),
	}
	return out
}

package predictvenue

type gammaMarket struct {
	ID                    string       `json:"id"`
	Question              string       `json:"question"`
	ConditionID           string       `json:"conditionId"`
	Slug                  string       `json:"slug"`
	Category              string       `json:"category,omitempty"`
	ResolutionSource      string       `json:"resolutionSource"`
	EndDate               string       `json:"endDate"`
	StartDate             string       `json:"startDate"`
	Image                 string       `json:"image"`
	Icon                  string       `json:"icon"`
	Description           string       `json:"description"`
	Outcomes              string       `json:"outcomes"`
	OutcomePrices         string       `json:"outcomePrices"`
	Volume                string       `json:"volume,omitempty"`
	Liquidity             string       `json:"liquidity,omitempty"`
	Active                bool         `json:"active"`
	Closed                bool         `json:"closed"`
	Archived              bool         `json:"archived"`
	Restricted            bool         `json:"restricted"`
	CreatedAt             string       `json:"createdAt"`
	ClosedTime            string       `json:"closedTime,omitempty"`
	UMAEndDate            string       `json:"umaEndDate,omitempty"`
	UMAResolutionStatus   string       `json:"umaResolutionStatus,omitempty"`
	UMAResolutionStatuses string       `json:"umaResolutionStatuses"`
	EnableOrderBook       bool         `json:"enableOrderBook"`
	TickSize              float64      `json:"orderPriceMinTickSize"`
	MinSize               int          `json:"orderMinSize"`
	VolumeNum             float64      `json:"volumeNum,omitempty"`
	LiquidityNum          float64      `json:"liquidityNum,omitempty"`
	EndDateISO            string       `json:"endDateIso"`
	StartDateISO          string       `json:"startDateIso"`
	ClobTokenIDs          string       `json:"clobTokenIds"`
	AcceptingOrders       bool         `json:"acceptingOrders"`
	NegRisk               bool         `json:"negRisk"`
	NegRiskMarketID       string       `json:"negRiskMarketID,omitempty"`
	AutomaticallyResolved bool         `json:"automaticallyResolved,omitempty"`
	LastTradePrice        float64      `json:"lastTradePrice"`
	BestBid               float64      `json:"bestBid,omitempty"`
	BestAsk               float64      `json:"bestAsk"`
	Spread                float64      `json:"spread"`
	FeesEnabled           bool         `json:"feesEnabled"`
	FeeType               *string      `json:"feeType"`
	FeeSchedule           *feeSchedule `json:"feeSchedule,omitempty"`
	Events                []gammaEvent `json:"events,omitempty"`
}

type feeSchedule struct {
	Exponent   int     `json:"exponent"`
	Rate       float64 `json:"rate"`
	TakerOnly  bool    `json:"takerOnly"`
	RebateRate float64 `json:"rebateRate"`
}

type gammaEvent struct {
	ID              string        `json:"id"`
	Ticker          string        `json:"ticker"`
	Slug            string        `json:"slug"`
	Title           string        `json:"title"`
	Description     string        `json:"description"`
	StartDate       string        `json:"startDate"`
	EndDate         string        `json:"endDate"`
	Icon            string        `json:"icon"`
	Active          bool          `json:"active"`
	Closed          bool          `json:"closed"`
	Archived        bool          `json:"archived"`
	Restricted      bool          `json:"restricted"`
	Volume          float64       `json:"volume"`
	EnableOrderBook bool          `json:"enableOrderBook"`
	NegRisk         bool          `json:"negRisk"`
	NegRiskMarketID string        `json:"negRiskMarketID,omitempty"`
	Markets         []gammaMarket `json:"markets,omitempty"`
	Tags            []gammaTag    `json:"tags,omitempty"`
}

type gammaTag struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Slug  string `json:"slug"`
}

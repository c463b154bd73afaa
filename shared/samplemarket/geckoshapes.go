package samplemarket

type geckoRef struct {
	Data geckoID `json:"data"`
}

type geckoRefs struct {
	Data []geckoID `json:"data"`
}

type geckoID struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

type geckoObject struct {
	ID            string         `json:"id"`
	Type          string         `json:"type"`
	Attributes    any            `json:"attributes"`
	Relationships map[string]any `json:"relationships,omitempty"`
}

type geckoAnswer struct {
	Data     any           `json:"data"`
	Included []geckoObject `json:"included,omitempty"`
	Meta     any           `json:"meta,omitempty"`
}

type geckoVolume struct {
	H24 string `json:"h24"`
}

type geckoToken struct {
	Address            string      `json:"address"`
	Name               string      `json:"name"`
	Symbol             string      `json:"symbol"`
	Decimals           int         `json:"decimals"`
	ImageURL           *string     `json:"image_url"`
	CoingeckoCoinID    *string     `json:"coingecko_coin_id"`
	TotalSupply        string      `json:"total_supply"`
	NormalizedSupply   string      `json:"normalized_total_supply"`
	PriceUSD           *string     `json:"price_usd"`
	FDVUSD             *string     `json:"fdv_usd"`
	TotalReserveInUSD  string      `json:"total_reserve_in_usd"`
	VolumeUSD          geckoVolume `json:"volume_usd"`
	MarketCapUSD       *string     `json:"market_cap_usd"`
	LastTradeTimestamp *string     `json:"last_trade_timestamp,omitempty"`
}

type geckoDistribution struct {
	Top10      string `json:"top_10"`
	From11To30 string `json:"11_30"`
	From31To50 string `json:"31_50"`
	Rest       string `json:"rest"`
}

type geckoHolders struct {
	Count                  int               `json:"count"`
	DistributionPercentage geckoDistribution `json:"distribution_percentage"`
	LastUpdated            string            `json:"last_updated"`
}

type geckoInfo struct {
	Address                    string        `json:"address"`
	Name                       string        `json:"name"`
	Symbol                     string        `json:"symbol"`
	Decimals                   int           `json:"decimals"`
	ImageURL                   *string       `json:"image_url"`
	CoingeckoCoinID            *string       `json:"coingecko_coin_id"`
	Websites                   []string      `json:"websites"`
	DiscordURL                 *string       `json:"discord_url"`
	FarcasterURL               *string       `json:"farcaster_url"`
	ZoraURL                    *string       `json:"zora_url"`
	TelegramHandle             *string       `json:"telegram_handle"`
	TwitterHandle              *string       `json:"twitter_handle"`
	Description                *string       `json:"description"`
	GTScore                    float64       `json:"gt_score"`
	GTScoreDetails             geckoScores   `json:"gt_score_details"`
	GTVerified                 bool          `json:"gt_verified"`
	Categories                 []string      `json:"categories"`
	GTCategoryIDs              []string      `json:"gt_category_ids"`
	Holders                    *geckoHolders `json:"holders"`
	MintAuthority              *string       `json:"mint_authority"`
	FreezeAuthority            *string       `json:"freeze_authority"`
	IsHoneypot                 any           `json:"is_honeypot"`
	DeveloperAddress           *string       `json:"developer_address"`
	DeveloperHoldingPercentage *string       `json:"developer_holding_percentage"`
}

type geckoScores struct {
	Pool        float64 `json:"pool"`
	Transaction float64 `json:"transaction"`
	Creation    float64 `json:"creation"`
	Info        float64 `json:"info"`
	Holders     float64 `json:"holders"`
}

type geckoTrades struct {
	Buys    int `json:"buys"`
	Sells   int `json:"sells"`
	Buyers  int `json:"buyers"`
	Sellers int `json:"sellers"`
}

type geckoWindows[T any] struct {
	M5  T `json:"m5"`
	M15 T `json:"m15"`
	M30 T `json:"m30"`
	H1  T `json:"h1"`
	H6  T `json:"h6"`
	H24 T `json:"h24"`
}

type geckoPool struct {
	BaseTokenPriceUSD         string                    `json:"base_token_price_usd"`
	BaseTokenPriceNative      string                    `json:"base_token_price_native_currency"`
	QuoteTokenPriceUSD        string                    `json:"quote_token_price_usd"`
	QuoteTokenPriceNative     string                    `json:"quote_token_price_native_currency"`
	BaseTokenPriceQuoteToken  string                    `json:"base_token_price_quote_token"`
	QuoteTokenPriceBaseToken  string                    `json:"quote_token_price_base_token"`
	BaseTokenBalance          *string                   `json:"base_token_balance,omitempty"`
	BaseTokenLiquidityUSD     *string                   `json:"base_token_liquidity_usd,omitempty"`
	QuoteTokenBalance         *string                   `json:"quote_token_balance,omitempty"`
	QuoteTokenLiquidityUSD    *string                   `json:"quote_token_liquidity_usd,omitempty"`
	Address                   string                    `json:"address"`
	Name                      string                    `json:"name"`
	PoolName                  string                    `json:"pool_name"`
	PoolFeePercentage         *string                   `json:"pool_fee_percentage"`
	PoolCreatedAt             string                    `json:"pool_created_at"`
	TokenPriceUSD             *string                   `json:"token_price_usd,omitempty"`
	FDVUSD                    *string                   `json:"fdv_usd"`
	MarketCapUSD              *string                   `json:"market_cap_usd"`
	PriceChangePercentage     geckoWindows[string]      `json:"price_change_percentage"`
	Transactions              geckoWindows[geckoTrades] `json:"transactions"`
	VolumeUSD                 geckoWindows[string]      `json:"volume_usd"`
	ReserveInUSD              string                    `json:"reserve_in_usd"`
	LockedLiquidityPercentage *string                   `json:"locked_liquidity_percentage"`
}

type geckoTrade struct {
	BlockNumber              int64  `json:"block_number"`
	TxHash                   string `json:"tx_hash"`
	TxFromAddress            string `json:"tx_from_address"`
	FromTokenAmount          string `json:"from_token_amount"`
	ToTokenAmount            string `json:"to_token_amount"`
	PriceFromInCurrencyToken string `json:"price_from_in_currency_token"`
	PriceToInCurrencyToken   string `json:"price_to_in_currency_token"`
	PriceFromInUSD           string `json:"price_from_in_usd"`
	PriceToInUSD             string `json:"price_to_in_usd"`
	BlockTimestamp           string `json:"block_timestamp"`
	Kind                     string `json:"kind"`
	VolumeInUSD              string `json:"volume_in_usd"`
	FromTokenAddress         string `json:"from_token_address"`
	ToTokenAddress           string `json:"to_token_address"`
}

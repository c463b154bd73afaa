package samplemarket

type tagParam struct {
	Meta    map[string]string `json:"meta"`
	Name    string            `json:"name"`
	Ordinal int               `json:"ordinal"`
	Slug    string            `json:"slug"`
	TagType string            `json:"tagType"`
}

type metadataParam struct {
	Tags []tagParam `json:"tags"`
}

type implementationParam struct {
	AddressHash string  `json:"address_hash"`
	Name        *string `json:"name"`
}

type addressParam struct {
	EnsDomainName   *string               `json:"ens_domain_name"`
	Hash            string                `json:"hash"`
	Implementations []implementationParam `json:"implementations"`
	IsContract      bool                  `json:"is_contract"`
	IsScam          bool                  `json:"is_scam"`
	IsVerified      *bool                 `json:"is_verified"`
	Metadata        *metadataParam        `json:"metadata"`
	Name            *string               `json:"name"`
	PrivateTags     []string              `json:"private_tags"`
	ProxyType       *string               `json:"proxy_type"`
	PublicTags      []string              `json:"public_tags"`
	Reputation      string                `json:"reputation"`
	WatchlistNames  []string              `json:"watchlist_names"`
}

type tokenInfo struct {
	AddressHash          string  `json:"address_hash"`
	CirculatingMarketCap *string `json:"circulating_market_cap"`
	Decimals             *string `json:"decimals"`
	ExchangeRate         *string `json:"exchange_rate"`
	HoldersCount         string  `json:"holders_count"`
	IconURL              *string `json:"icon_url"`
	Name                 *string `json:"name"`
	Reputation           string  `json:"reputation"`
	Symbol               *string `json:"symbol"`
	TotalSupply          *string `json:"total_supply"`
	Type                 string  `json:"type"`
	Volume24h            *string `json:"volume_24h"`
}

type tokenTotal struct {
	Decimals *string `json:"decimals"`
	Value    string  `json:"value"`
}

type tokenTransfer struct {
	BlockHash       string       `json:"block_hash"`
	BlockNumber     int64        `json:"block_number"`
	From            addressParam `json:"from"`
	LogIndex        int          `json:"log_index"`
	Method          *string      `json:"method"`
	Timestamp       *string      `json:"timestamp"`
	To              addressParam `json:"to"`
	Token           tokenInfo    `json:"token"`
	TokenType       string       `json:"token_type"`
	Total           tokenTotal   `json:"total"`
	TransactionHash string       `json:"transaction_hash"`
	Type            string       `json:"type"`
}

type typedValue struct {
	Type  string `json:"type"`
	Value string `json:"value"`
}

type blockscoutTransaction struct {
	AuthorizationList      []any           `json:"authorization_list"`
	Actions                []any           `json:"actions"`
	BaseFeePerGas          *string         `json:"base_fee_per_gas"`
	BlockNumber            int64           `json:"block_number"`
	Confirmations          int64           `json:"confirmations"`
	ConfirmationDuration   [2]int          `json:"confirmation_duration"`
	CreatedContract        *addressParam   `json:"created_contract"`
	DecodedInput           *decodedInput   `json:"decoded_input"`
	ExchangeRate           *string         `json:"exchange_rate"`
	Fee                    typedValue      `json:"fee"`
	From                   addressParam    `json:"from"`
	GasLimit               string          `json:"gas_limit"`
	GasPrice               string          `json:"gas_price"`
	GasUsed                string          `json:"gas_used"`
	HasErrorInInternal     bool            `json:"has_error_in_internal_transactions"`
	Hash                   string          `json:"hash"`
	HistoricExchangeRate   *string         `json:"historic_exchange_rate"`
	MaxFeePerGas           *string         `json:"max_fee_per_gas"`
	MaxPriorityFeePerGas   *string         `json:"max_priority_fee_per_gas"`
	Method                 *string         `json:"method"`
	Nonce                  uint32          `json:"nonce"`
	Position               int             `json:"position"`
	RawInput               string          `json:"raw_input"`
	Result                 string          `json:"result"`
	RevertReason           any             `json:"revert_reason"`
	Status                 string          `json:"status"`
	Timestamp              string          `json:"timestamp"`
	To                     *addressParam   `json:"to"`
	TokenTransfers         []tokenTransfer `json:"token_transfers"`
	TokenTransfersOverflow *bool           `json:"token_transfers_overflow"`
	TransactionTag         *string         `json:"transaction_tag"`
	TransactionTypes       []string        `json:"transaction_types"`
	Type                   int             `json:"type"`
	Value                  string          `json:"value"`
}

type decodedInput struct {
	MethodCall string `json:"method_call"`
	MethodID   string `json:"method_id"`
	Parameters []any  `json:"parameters"`
}

type internalTransaction struct {
	BlockIndex       int           `json:"block_index"`
	BlockNumber      int64         `json:"block_number"`
	CreatedContract  *addressParam `json:"created_contract"`
	Error            *string       `json:"error"`
	From             addressParam  `json:"from"`
	GasLimit         string        `json:"gas_limit"`
	Index            int           `json:"index"`
	Success          bool          `json:"success"`
	Timestamp        string        `json:"timestamp"`
	To               addressParam  `json:"to"`
	TransactionHash  string        `json:"transaction_hash"`
	TransactionIndex int           `json:"transaction_index"`
	Type             string        `json:"type"`
	Value            string        `json:"value"`
}

type page[T any] struct {
	Items          []T `json:"items"`
	NextPageParams any `json:"next_page_params"`
}

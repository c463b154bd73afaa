package blockscout

import (
	"encoding/hex"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// fungible is the only token type that is read.
const fungible = "ERC-20"

// wireAccount is an address as its own page shows it.
type wireAccount struct {
	Hash         upstream.Text   `json:"hash"`
	Balance      upstream.Number `json:"coin_balance"`
	ExchangeRate upstream.Number `json:"exchange_rate"`
}

// wireAddress is an address as a party of something.
type wireAddress struct {
	Hash            upstream.Text `json:"hash"`
	Name            upstream.Text `json:"name"`
	IsContract      upstream.Flag `json:"is_contract"`
	IsVerified      upstream.Flag `json:"is_verified"`
	ProxyType       upstream.Text `json:"proxy_type"`
	Implementations upstream.Rows[struct {
		Name upstream.Text `json:"name"`
	}] `json:"implementations"`
	Metadata *struct {
		Tags upstream.Rows[wireTag] `json:"tags"`
	} `json:"metadata"`
	PublicTags upstream.Rows[struct {
		Label       upstream.Text `json:"label"`
		DisplayName upstream.Text `json:"display_name"`
	}] `json:"public_tags"`
}

type wireTag struct {
	Name    upstream.Text   `json:"name"`
	Slug    upstream.Text   `json:"slug"`
	Type    upstream.Text   `json:"tagType"`
	Ordinal upstream.Number `json:"ordinal"`
}

// address is zero for null; ok is false for what is no address.
func (w *wireAddress) address() (address chain.Address, ok bool) {
	if w == nil {
		return chain.Address{}, true
	}
	address, err := chain.ParseWireAddress(string(w.Hash))
	return address, err == nil
}

// wireToken is a token's description. Old instances call some members otherwise.
type wireToken struct {
	AddressHash  upstream.Text   `json:"address_hash"`
	Address      upstream.Text   `json:"address"`
	Name         upstream.Text   `json:"name"`
	Symbol       upstream.Text   `json:"symbol"`
	Decimals     upstream.Number `json:"decimals"`
	Type         upstream.Text   `json:"type"`
	HoldersCount upstream.Number `json:"holders_count"`
	Holders      upstream.Number `json:"holders"`
	TotalSupply  upstream.Number `json:"total_supply"`
	ExchangeRate upstream.Number `json:"exchange_rate"`
	Reputation   upstream.Text   `json:"reputation"`
	IsScam       upstream.Flag   `json:"is_scam"`
}

// token is false for what names no contract.
func (w *wireToken) token() (market.Token, bool) {
	address, err := chain.ParseWireAddress(string(either(w.AddressHash, w.Address)))
	if err != nil || address == chain.Native {
		return market.Token{}, false
	}
	token := market.Token{
		Address: address, Symbol: string(w.Symbol), Name: string(w.Name),
		Spam: w.Reputation == "scam" || w.Reputation == "spam" || market.Tristate(w.IsScam) == market.Yes,
	}
	token.Decimals, token.Known = w.Decimals.Decimals()
	token.TotalSupply, _ = w.TotalSupply.Amount()
	token.Holders, _ = either(w.HoldersCount, w.Holders).Count()
	return token, true
}

func either[T ~string](first, second T) T {
	if first != "" {
		return first
	}
	return second
}

type wireBalance struct {
	Token wireToken       `json:"token"`
	Value upstream.Number `json:"value"`
}

// place is where and when a row happened.
type place struct {
	TransactionHash upstream.Text   `json:"transaction_hash"`
	OldHash         upstream.Text   `json:"tx_hash"`
	BlockNumber     upstream.Number `json:"block_number"`
	OldBlock        upstream.Number `json:"block"`
	Timestamp       upstream.Text   `json:"timestamp"`
}

func (p *place) block() (uint64, bool) {
	block, ok := either(p.BlockNumber, p.OldBlock).Int()
	return uint64(max(block, 0)), ok && block >= 0
}

func (p *place) at(now time.Time) (hash market.Hash, block uint64, at time.Time, ok bool) {
	hash, ok1 := parseHash(either(p.TransactionHash, p.OldHash))
	block, ok2 := p.block()
	at, ok3 := upstream.Timestamp(string(p.Timestamp), now)
	return hash, block, at, ok1 && ok2 && ok3
}

// legible tells whether a row names its transaction.
func (p *place) legible() bool {
	_, ok := parseHash(either(p.TransactionHash, p.OldHash))
	return ok
}

func (w *wireTransaction) legible() bool {
	_, ok := parseHash(w.Hash)
	return ok
}

func parseHash(text upstream.Text) (hash market.Hash, ok bool) {
	if len(text) != 66 || text[:2] != "0x" {
		return market.Hash{}, false
	}
	_, err := hex.Decode(hash[:], []byte(text[2:]))
	return hash, err == nil
}

type wireTransfer struct {
	place
	From      *wireAddress    `json:"from"`
	To        *wireAddress    `json:"to"`
	LogIndex  upstream.Number `json:"log_index"`
	Method    upstream.Text   `json:"method"`
	Token     wireToken       `json:"token"`
	TokenType upstream.Text   `json:"token_type"`
	Total     struct {
		Value    upstream.Number `json:"value"`
		Decimals upstream.Number `json:"decimals"`
	} `json:"total"`
}

type wireTransaction struct {
	place
	Hash     upstream.Text   `json:"hash"`
	Position upstream.Number `json:"position"`
	From     *wireAddress    `json:"from"`
	To       *wireAddress    `json:"to"`
	Method   upstream.Text   `json:"method"`
	Status   upstream.Text   `json:"status"`
	Value    upstream.Number `json:"value"`
	Fee      struct {
		Value upstream.Number `json:"value"`
	} `json:"fee"`
}

type wireInternal struct {
	place
	Index   upstream.Number `json:"index"`
	Type    upstream.Text   `json:"type"`
	Success upstream.Flag   `json:"success"`
	From    *wireAddress    `json:"from"`
	To      *wireAddress    `json:"to"`
	Created *wireAddress    `json:"created_contract"`
	Value   upstream.Number `json:"value"`
}

// wirePage is a page of a list. Next names the parameters of the one after it; null ends the list.
type wirePage[T any] struct {
	Items *upstream.Rows[T]         `json:"items"`
	Next  map[string]jsontext.Value `json:"next_page_params"`
}

package evmrpc

import (
	"bytes"
	"context"
	"strings"

	"github.com/holiman/uint256"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/parallel"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

// selector is the first four bytes of a call's data.
type selector [4]byte

var (
	allowanceSelector        = selector{0xdd, 0x62, 0xed, 0x3e}
	balanceOfSelector        = selector{0x70, 0xa0, 0x82, 0x31}
	decimalsSelector         = selector{0x31, 0x3c, 0xe5, 0x67}
	totalSupplySelector      = selector{0x18, 0x16, 0x0d, 0xdd}
	symbolSelector           = selector{0x95, 0xd8, 0x9b, 0x41}
	nameSelector             = selector{0x06, 0xfd, 0xde, 0x03}
	isApprovedForAllSelector = selector{0xe9, 0x85, 0xe9, 0xc5}
	permit2AllowanceSelector = selector{0x92, 0x7d, 0xa1, 0x05}
)

// callData is a selector with address arguments, in hex.
func callData(function selector, arguments ...chain.Address) string {
	const digits = "0123456789abcdef"
	var text strings.Builder
	text.Grow(2 + 8 + 64*len(arguments))
	text.WriteString("0x")
	write := func(b []byte) {
		for _, one := range b {
			text.WriteByte(digits[one>>4])
			text.WriteByte(digits[one&0xf])
		}
	}
	write(function[:])
	for _, argument := range arguments {
		word := addressWord(argument)
		write(word[:])
	}
	return text.String()
}

// read calls a view function. A definite revert, and data of an account without code, give empty data.
func read(ctx context.Context, client *upstream.Client, contract chain.Address, data string) ([]byte, error) {
	type message struct {
		To   chain.Address `json:"to"`
		Data string        `json:"data"`
	}
	answer, err := ask(ctx, client, call{"eth_call", []any{message{contract, data}, "latest"}}, parseData)
	if f, isFault := asFault(err); isFault && f.reverted() {
		return nil, nil
	}
	return answer, err
}

// readAmount calls a view function that returns one number. The second result is false when there is no such function.
func readAmount(ctx context.Context, client *upstream.Client, contract chain.Address, data string) (uint256.Int, bool, error) {
	answer, err := read(ctx, client, contract, data)
	if err != nil || len(answer) < 32 {
		return uint256.Int{}, false, err
	}
	return *new(uint256.Int).SetBytes32(answer[:32]), true, nil
}

// longestText bounds a token's name and symbol.
const longestText = 256

// parseText reads an ABI-encoded string, or the zero-padded bytes32 of early tokens. Anything else is empty.
func parseText(data []byte) string {
	if len(data) == 32 {
		return strings.ToValidUTF8(string(bytes.TrimRight(data, "\x00")), "\uFFFD")
	}
	if len(data) < 64 {
		return ""
	}
	offset := new(uint256.Int).SetBytes32(data[:32])
	if !offset.IsUint64() || offset.Uint64() > uint64(len(data)-32) {
		return ""
	}
	rest := data[offset.Uint64():]
	length := new(uint256.Int).SetBytes32(rest[:32])
	if !length.IsUint64() || length.Uint64() > uint64(len(rest)-32) {
		return ""
	}
	text := rest[32 : 32+length.Uint64()]
	text = text[:min(len(text), longestText)]
	return strings.ToValidUTF8(string(text), "\uFFFD")
}

// describe reads what tokens tell of themselves, each once and side by side. A token without decimals is not Known.
func (a *Adapter) describe(ctx context.Context, client *upstream.Client, on *chain.Chain, addresses []chain.Address) (map[chain.Address]market.Token, error) {
	tokens := make(map[chain.Address]market.Token, len(addresses))
	described := make([]market.Token, len(addresses))
	group, groupContext := parallel.WithContext(ctx)
	group.SetLimit(parallelCalls)
	for i, address := range addresses {
		group.Go(func() (err error) {
			described[i], err = a.token(groupContext, client, on, address)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for i, address := range addresses {
		tokens[address] = described[i]
	}
	return tokens, nil
}

func (a *Adapter) token(ctx context.Context, client *upstream.Client, on *chain.Chain, address chain.Address) (market.Token, error) {
	if address == chain.Native {
		return market.NativeToken(on), nil
	}
	for _, quote := range on.Quotes() {
		if quote.Address == address {
			return market.Token{Address: address, Symbol: quote.Symbol, Name: quote.Symbol, Decimals: quote.Decimals, Known: true}, nil
		}
	}
	key := tokenKey{on.Slug, address}
	if token, found := a.tokens.Get(key); found {
		return token, nil
	}
	token := market.Token{Address: address}
	decimals, ok, err := readAmount(ctx, client, address, callData(decimalsSelector))
	if err != nil {
		return market.Token{}, err
	}
	if ok && decimals.IsUint64() && decimals.Uint64() <= upstream.MaximumDecimals {
		token.Decimals, token.Known = int(decimals.Uint64()), true
	}
	symbol, err := read(ctx, client, address, callData(symbolSelector))
	if err != nil {
		return market.Token{}, err
	}
	token.Symbol = parseText(symbol)
	name, err := read(ctx, client, address, callData(nameSelector))
	if err != nil {
		return market.Token{}, err
	}
	token.Name = parseText(name)
	a.tokens.Set(key, token)
	return token, nil
}

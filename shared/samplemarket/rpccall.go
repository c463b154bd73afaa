package samplemarket

import (
	"encoding/hex"
	"encoding/json"
	"strings"
)

func hexBytes(b []byte) string { return hex.EncodeToString(b) }

var errRevert = &rpcError{Code: 3, Message: "execution reverted", Data: "0x"}

// ethCall answers the usual read-only calls of tokens, pairs and Permit2 out of the ledger. Anything else is run by the contract's
// code, as is every call with overrides; an account returns nothing.
func (w *world) ethCall(params []json.RawMessage) (any, *rpcError) {
	if len(params) > 2 {
		return w.runCall(params)
	}
	var call struct {
		To    string `json:"to"`
		Data  string `json:"data"`
		Input string `json:"input"`
	}
	if json.Unmarshal(params[0], &call) != nil {
		return nil, errParams
	}
	if call.Data == "" {
		call.Data = call.Input
	}
	to, ok := parseAddress(call.To)
	if !ok {
		return nil, errParams
	}
	data, err := hex.DecodeString(strings.TrimPrefix(call.Data, "0x"))
	if err != nil {
		return nil, errParams
	}
	entity, known := w.byAddress[to]
	if !known && (w.sent.hasCode(to) || w.standingAccount(to) != nil) {
		return w.runCall(params)
	}
	if !known || !w.isContract(entity) {
		return "0x", nil
	}
	if len(data) < 4 {
		return nil, errRevert
	}
	selector, args := hex.EncodeToString(data[:4]), data[4:]
	e := &w.entities[entity]
	switch {
	case entity == w.permit2 && selector == "927da105" && len(args) >= 96: // allowance(user, token, spender)
		return w.permit2Allowance(args), nil
	case e.kind == kindAsset:
		if granted, found := w.sent.allowance(to, selector, args); found {
			return hexWord(granted), nil
		}
		result, failure := w.tokenCall(e.ref, selector, args)
		return w.orRun(params, result, failure)
	case e.kind == kindPool && e.ref >= 0:
		result, failure := w.poolCall(&w.pools[e.ref], selector, args)
		return w.orRun(params, result, failure)
	}
	return nil, errRevert
}

// orRun lets the contract's own code answer what the ledger does not.
func (w *world) orRun(params []json.RawMessage, result any, failure *rpcError) (any, *rpcError) {
	if failure == nil {
		return result, nil
	}
	return w.runCall(params)
}

// argument is the entity named by an ABI argument, -1 when nobody knows it.
func (w *world) argument(args []byte, i int) int32 {
	if len(args) < 32*(i+1) {
		return -1
	}
	var a address
	copy(a[:], args[32*i+12:32*i+32])
	if entity, known := w.byAddress[a]; known {
		return entity
	}
	return -1
}

// abiText is a dynamic string result.
func abiText(text string) string {
	padded := []byte(text)
	for len(padded)%32 != 0 {
		padded = append(padded, 0)
	}
	return hexWord(word(0, 32)) + hexWord(word(0, uint64(len(text))))[2:] + hexBytes(padded)
}

func (w *world) addressWord(entity int32) string { return w.addressTopic(entity) }

func (w *world) tokenCall(assetID int32, selector string, args []byte) (any, *rpcError) {
	a := &w.assets[assetID]
	collectible := a.kind == assetCollectible
	switch selector {
	case "06fdde03":
		return abiText(a.name), nil
	case "95d89b41":
		return abiText(a.symbol), nil
	case "313ce567":
		if collectible {
			return nil, errRevert
		}
		return hexWord(word(0, uint64(a.decimals))), nil
	case "18160ddd":
		return hexWord(a.rawWord(a.supply)), nil
	case "70a08231": // balanceOf(owner)
		if len(args) < 32 {
			return nil, errRevert
		}
		holder := w.argument(args, 0)
		if holder < 0 {
			return hexWord([32]byte{}), nil
		}
		return hexWord(a.rawWord(max(0, w.balance(holder, assetID)))), nil
	case "dd62ed3e": // allowance(owner, spender)
		owner, spender := w.argument(args, 0), w.argument(args, 1)
		if len(args) < 64 || collectible {
			return nil, errRevert
		}
		if owner < 0 || spender < 0 {
			return hexWord([32]byte{}), nil
		}
		amount, _ := w.allowance(owner, assetID, spender)
		return hexWord(allowanceWord(a, amount, 256)), nil
	case "e985e9c5": // isApprovedForAll(owner, operator)
		if !collectible || len(args) < 64 {
			return nil, errRevert
		}
		owner, operator := w.argument(args, 0), w.argument(args, 1)
		amount := int64(0)
		if owner >= 0 && operator >= 0 {
			amount, _ = w.allowance(owner, assetID, operator)
		}
		if amount != 0 {
			return hexWord(word(0, 1)), nil
		}
		return hexWord([32]byte{}), nil
	case "8da5cb5b": // owner()
		if a.token >= 0 && !ownedContract(w.tokens[a.token].contract) || a.token < 0 && a.kind != assetStable && a.kind != assetStaked {
			return nil, errRevert
		}
		return w.addressWord(w.issuer(a)), nil
	}
	return nil, errRevert
}

func (w *world) poolCall(p *pool, selector string, args []byte) (any, *rpcError) {
	first, second := p.token, p.quote
	firstReserve, secondReserve := p.tokenReserve, p.quoteReserve
	if !w.tokenIsFirst(p) {
		first, second = second, first
		firstReserve, secondReserve = secondReserve, firstReserve
	}
	switch selector {
	case "0dfe1681":
		return w.addressWord(w.assets[first].entity), nil
	case "d21220a7":
		return w.addressWord(w.assets[second].entity), nil
	}
	switch p.version {
	case poolV2:
		if selector == "0902f1ac" { // getReserves()
			stamp := uint64(w.start + int64(p.created))
			if n := len(p.swaps); n > 0 {
				stamp = uint64(w.start + int64(w.txs[w.swaps[p.swaps[n-1]].transaction].time))
			}
			return hexWord(w.assets[first].rawWord(firstReserve)) + hexWord(w.assets[second].rawWord(secondReserve))[2:] + hexWord(word(0, stamp&0xffffffff))[2:], nil
		}
		return w.tokenCall(p.receipt, selector, args)
	case poolV3:
		price, liquidity, tick := w.curve(p, p.tokenReserve, p.quoteReserve)
		switch selector {
		case "3850c7bd": // slot0()
			return "0x" + bigWord(price) + bigWord(w.assets[nativeAsset].rawBig(0).SetInt64(tick)) + strings.Repeat("0", 64*4) + hexWord(word(0, 1))[2:], nil
		case "1a686502": // liquidity()
			return "0x" + bigWord(liquidity), nil
		case "ddca3f43": // fee()
			return hexWord(word(0, uint64(p.feeHundredth))), nil
		}
	}
	return nil, errRevert
}

// permit2Allowance answers (amount, expiration, nonce).
func (w *world) permit2Allowance(args []byte) string {
	owner, token, spender := w.argument(args, 0), w.argument(args, 1), w.argument(args, 2)
	zero := hexWord([32]byte{})
	if owner < 0 || token < 0 || spender < 0 || w.entities[token].kind != kindAsset {
		return zero + zero[2:] + zero[2:]
	}
	assetID := w.entities[token].ref
	amount, expires := w.currentAllowance(owner, assetID, spender, true)
	return hexWord(allowanceWord(&w.assets[assetID], amount, 160)) + hexWord(word(0, uint64(expires)))[2:] + zero[2:]
}

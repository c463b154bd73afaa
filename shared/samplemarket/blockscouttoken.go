package samplemarket

import (
	"net/http"
	"slices"
	"sort"
	"strconv"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/samplemarket/seeded"
)

type holderItem struct {
	Address addressParam `json:"address"`
	TokenID *string      `json:"token_id"`
	Value   string       `json:"value"`
}

// holding is one holder's balance.
type holding struct {
	entity int32
	units  int64
}

// holdersOf counts an asset's holders. A token with a public market has holders outside the simulation too, with next to nothing
// each; they are counted and not listed.
func (w *world) holdersOf(assetID int32) int {
	a := &w.assets[assetID]
	if a.token < 0 {
		return a.holding
	}
	t := &w.tokens[a.token]
	if t.kind == kindThin || t.kind == kindSpam || t.listed == 0 || a.holding == 0 {
		return a.holding
	}
	wobble := float64(seeded.Mix(uint64(a.entity)<<32+uint64(max(w.now, 0)/(6*hourSeconds)))%1001)/500 - 1
	return a.holding + int(t.outsiders(w.now)*(1+0.004*wobble))
}

// holdings lists an asset's holders, largest first.
func (w *world) holdings(assetID int32) []holding {
	a := &w.assets[assetID]
	list := make([]holding, 0, len(a.holders))
	for _, holder := range a.holders {
		if units := w.balance(holder, assetID); units > 0 {
			list = append(list, holding{holder, units})
		}
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].units != list[j].units {
			return list[i].units > list[j].units
		}
		return list[i].entity < list[j].entity
	})
	return list
}

func (w *world) blockscoutToken(r *request, entity int32, known bool, sub string) (int, any) {
	if !known || (w.entities[entity].kind != kindAsset && !w.isPair(entity)) {
		return http.StatusNotFound, blockscoutNotFound
	}
	assetID := w.entities[entity].ref
	if w.isPair(entity) {
		assetID = w.pools[assetID].receipt
	}
	switch sub {
	case "":
		return http.StatusOK, w.tokenInfo(assetID)
	case "counters":
		a := &w.assets[assetID]
		return http.StatusOK, map[string]string{"token_holders_count": strconv.Itoa(w.holdersOf(assetID)), "transfers_count": strconv.Itoa(a.logs)}
	case "holders":
		all := w.holdings(assetID)
		from := min(cursorOf(r, "index", 1<<30), len(all))
		if !r.query.Has("index") {
			from = 0
		}
		items := []holderItem{}
		for _, h := range all[from:min(from+blockscoutPage, len(all))] {
			items = append(items, holderItem{Address: w.addressParam(h.entity), Value: w.assets[assetID].raw(h.units)})
		}
		var next any
		if end := from + blockscoutPage; end < len(all) {
			last := all[end-1]
			next = map[string]any{"address_hash": w.entities[last.entity].address.String(), "value": w.assets[assetID].raw(last.units), "index": end, "items_count": 50}
		}
		return http.StatusOK, page[holderItem]{Items: items, NextPageParams: next}
	case "transfers":
		r.query.Set("token", w.entities[entity].address.String())
		return http.StatusOK, w.blockscoutTokenTransfers(r, entity, assetID)
	}
	return http.StatusNotFound, blockscoutNotFound
}

func (w *world) blockscoutTokenTransfers(r *request, entity, assetID int32) page[tokenTransfer] {
	touch := w.entities[entity].touch
	at := cursorOf(r, "index", len(touch))
	items := []tokenTransfer{}
	for at > 0 && len(items) < blockscoutPage {
		id := touch[at-1]
		var found []tokenTransfer
		w.eachTransfer(id, func(leg int32, index int) {
			if w.legs[leg].asset == assetID {
				found = append(found, w.blockscoutTransfer(id, leg, index, false))
			}
		})
		if len(items) > 0 && len(items)+len(found) > blockscoutPage {
			break
		}
		slices.Reverse(found)
		items = append(items, found...)
		at--
	}
	var next any
	if at > 0 {
		next = map[string]any{"block_number": w.blockNumber(&w.txs[touch[at-1]]), "index": at, "items_count": 50}
	}
	return page[tokenTransfer]{Items: items, NextPageParams: next}
}

func (w *world) isPair(entity int32) bool {
	e := &w.entities[entity]
	return e.kind == kindPool && e.ref >= 0 && w.pools[e.ref].receipt >= 0
}

func (w *world) blockscoutContract(entity int32, known bool) (int, any) {
	if !known || !w.isContract(entity) || !w.entities[entity].verified {
		return http.StatusNotFound, blockscoutNotFound
	}
	e := &w.entities[entity]
	return http.StatusOK, map[string]any{
		"is_verified": true, "name": e.name, "compiler_version": "v0.8.24+commit.e11b9ed9", "optimization_enabled": true, "proxy_type": nil, "implementations": []any{},
		"verified_at": time.Unix(w.start+int64(e.created), 0).UTC().Format(blockscoutTime), "abi": []any{}, "source_code": "// SPDX-License-Identifier: MIT\npragma solidity ^0.8.20;\n",
		"language": "solidity", "license_type": "mit", "is_fully_verified": true,
	}
}

type tokenBalance struct {
	Token         tokenInfo `json:"token"`
	TokenID       *string   `json:"token_id"`
	TokenInstance any       `json:"token_instance"`
	Value         string    `json:"value"`
}

func (w *world) blockscoutBalances(entity int32, paged bool) (int, any) {
	balances := []tokenBalance{}
	for _, assetID := range w.assetsOf(entity) {
		if units := w.balance(entity, assetID); units > 0 && assetID != nativeAsset {
			balances = append(balances, tokenBalance{Token: w.tokenInfo(assetID), Value: w.assets[assetID].raw(units)})
		}
	}
	if paged {
		return http.StatusOK, page[tokenBalance]{Items: balances[:min(len(balances), blockscoutPage)]}
	}
	return http.StatusOK, balances
}

// assetsOf lists every asset an entity has ever touched, in order of their numbers.
func (w *world) assetsOf(entity int32) []int32 {
	seen := map[int32]bool{wrappedAsset: true}
	list := []int32{wrappedAsset}
	for _, id := range w.entities[entity].touch {
		t := &w.txs[id]
		for j := t.legs; j < t.legs+int32(t.legCount); j++ {
			if l := &w.legs[j]; (l.from == entity || l.to == entity) && !seen[l.asset] {
				seen[l.asset] = true
				list = append(list, l.asset)
			}
		}
	}
	slices.Sort(list)
	return list
}

package samplemarket

import (
	"net/http"
	"slices"
	"strconv"
)

const (
	blockscoutPage = 50
	blockscoutTime = "2006-01-02T15:04:05.000000Z"
)

var blockscoutNotFound = map[string]string{"message": "Not found"}

func blockscoutInvalid(pointer string) (int, any) {
	return http.StatusUnprocessableEntity, map[string]any{"errors": []any{map[string]any{
		"title": "Invalid value", "source": map[string]string{"pointer": pointer}, "detail": "Invalid format. Expected ~r/^0x([A-Fa-f0-9]{40})$/",
	}}}
}

// serveBlockscout answers {chain}/api/v2/….
func (m *Market) serveBlockscout(r *request) (int, any) {
	w := m.worldBySlug(r.part(0))
	if w == nil || !w.spec.blockscout || r.part(1) != "api" || r.part(2) != "v2" || len(r.path) > 6 {
		return http.StatusNotFound, blockscoutNotFound
	}
	section, id, sub := r.part(3), r.part(4), r.part(5)
	switch section {
	case "addresses", "tokens", "smart-contracts":
		a, ok := parseAddress(id)
		if !ok {
			return blockscoutInvalid("/address_hash_param")
		}
		entity, known := w.byAddress[a]
		known = known && len(w.entities[entity].touch) > 0 || known && w.entities[entity].kind != kindWallet
		switch {
		case section == "tokens":
			return w.blockscoutToken(r, entity, known, sub)
		case section == "smart-contracts":
			return w.blockscoutContract(entity, known)
		case sub == "":
			return w.blockscoutAddress(a, entity, known)
		}
		if !known {
			if sub == "counters" {
				return http.StatusOK, counters{"0", "0", "0", "0"}
			}
			return http.StatusNotFound, blockscoutNotFound
		}
		return w.blockscoutAddressPart(r, entity, sub)
	case "transactions":
		hash, ok := parseHash(id)
		if !ok {
			return blockscoutInvalid("/transaction_hash_param")
		}
		tx, known := w.txByHash(hash)
		if !known {
			return http.StatusNotFound, blockscoutNotFound
		}
		switch sub {
		case "":
			return http.StatusOK, w.blockscoutTransaction(tx, true)
		case "token-transfers":
			transfers := []tokenTransfer{}
			w.eachTransfer(tx, func(i int32, index int) { transfers = append(transfers, w.blockscoutTransfer(tx, i, index, false)) })
			return http.StatusOK, page[tokenTransfer]{Items: transfers}
		}
	}
	return http.StatusNotFound, blockscoutNotFound
}

type counters struct {
	TransactionsCount   string `json:"transactions_count"`
	TokenTransfersCount string `json:"token_transfers_count"`
	GasUsageCount       string `json:"gas_usage_count"`
	ValidationsCount    string `json:"validations_count"`
}

func (w *world) isContract(entity int32) bool {
	e := &w.entities[entity]
	return e.kind != kindWallet && e.kind != kindExchange && e.kind != kindValidator && !(e.kind == kindBurn)
}

func (w *world) addressParam(entity int32) addressParam {
	e := &w.entities[entity]
	p := addressParam{Hash: e.sum, Implementations: []implementationParam{}, IsContract: w.isContract(entity), PrivateTags: []string{}, PublicTags: []string{}, WatchlistNames: []string{}, Reputation: "ok"}
	verified := e.verified && p.IsContract
	p.IsVerified = &verified
	if e.name != "" && p.IsContract && e.verified {
		p.Name = &e.name
	}
	if entity == w.spenders.blacklisted || entity == w.spammer {
		p.IsScam, p.Reputation = true, "scam"
	}
	tags := w.tags(entity)
	if len(tags) > 0 {
		p.Metadata = &metadataParam{Tags: tags}
	}
	return p
}

// tags are the public labels of an address.
func (w *world) tags(entity int32) []tagParam {
	tag := func(name, slug, kind string, ordinal int) tagParam {
		return tagParam{Meta: map[string]string{}, Name: name, Ordinal: ordinal, Slug: slug, TagType: kind}
	}
	switch e := &w.entities[entity]; e.kind {
	case kindRouter:
		return []tagParam{tag(e.name, "router", "name", 10), tag("DEX", "dex", "generic", 0)}
	case kindPool:
		return []tagParam{tag("DEX", "dex", "generic", 0), tag("Liquidity Pool", "liquidity-pool", "generic", 0)}
	case kindBurn:
		return []tagParam{tag(e.name, "burn", "generic", 0)}
	case kindExchange:
		return []tagParam{tag(e.name, "centralized-exchange-hot-wallet", "name", 10), tag("CEX", "cex", "generic", 0)}
	case kindDistributor:
		return []tagParam{tag("Airdrop: Merkle Distributor", "merkle-distributor", "name", 10), tag("Airdrop", "airdrop", "generic", 0)}
	case kindLocker:
		return []tagParam{tag(e.name, "token-locker", "name", 10)}
	}
	if entity == w.mevContract {
		return []tagParam{tag("MEV Bot", "mev-bot", "generic", 0)}
	}
	return nil
}

func (w *world) blockscoutAddress(a address, entity int32, known bool) (int, any) {
	if !known {
		return http.StatusNotFound, blockscoutNotFound
	}
	e := &w.entities[entity]
	var answer struct {
		addressParam
		BlockNumberBalanceUpdatedAt int64      `json:"block_number_balance_updated_at"`
		CoinBalance                 string     `json:"coin_balance"`
		CreationTransactionHash     *string    `json:"creation_transaction_hash"`
		CreatorAddressHash          *string    `json:"creator_address_hash"`
		ExchangeRate                string     `json:"exchange_rate"`
		HasBeaconChainWithdrawals   bool       `json:"has_beacon_chain_withdrawals"`
		HasLogs                     bool       `json:"has_logs"`
		HasTokenTransfers           bool       `json:"has_token_transfers"`
		HasTokens                   bool       `json:"has_tokens"`
		HasValidatedBlocks          bool       `json:"has_validated_blocks"`
		Token                       *tokenInfo `json:"token"`
	}
	answer.addressParam = w.addressParam(entity)
	answer.BlockNumberBalanceUpdatedAt = w.spec.blockAt(w.start + int64(w.now))
	answer.CoinBalance = w.assets[nativeAsset].raw(w.balance(entity, nativeAsset))
	answer.ExchangeRate = number(round(w.nativeUSD.at(w.now), 2))
	answer.HasTokenTransfers, answer.HasTokens = len(e.touch) > 0, len(e.touch) > 0
	answer.HasLogs = answer.IsContract
	if answer.IsContract && e.creator > 0 {
		creator := w.entities[e.creator].sum
		answer.CreatorAddressHash = &creator
		if len(e.touch) > 0 && w.txs[e.touch[0]].made == entity {
			hash := hexHash(w.txHash(e.touch[0]))
			answer.CreationTransactionHash = &hash
		}
	}
	if e.kind == kindAsset {
		info := w.tokenInfo(e.ref)
		answer.Token = &info
	}
	if len(e.code) > 0 {
		kind := "eip7702"
		answer.ProxyType = &kind
		answer.Implementations = []implementationParam{{AddressHash: w.entities[w.spenders.unknownCode].sum}}
	}
	return http.StatusOK, answer
}

func (w *world) tokenInfo(assetID int32) tokenInfo {
	a := &w.assets[assetID]
	info := tokenInfo{AddressHash: w.entities[a.entity].sum, HoldersCount: strconv.Itoa(w.holdersOf(assetID)), Name: &a.name, Symbol: &a.symbol, Type: "ERC-20", Reputation: "ok"}
	if a.kind == assetCollectible {
		info.Type = "ERC-721"
		return info
	}
	decimals, supply := strconv.Itoa(a.decimals), a.raw(a.supply)
	info.Decimals, info.TotalSupply = &decimals, &supply
	switch {
	case a.token >= 0:
		t := &w.tokens[a.token]
		if t.kind == kindSpam {
			info.Reputation = "scam"
		}
		if t.category == "major" || t.category == "defi" {
			rate := number(round(w.priceUSD(t), 8))
			info.ExchangeRate = &rate
			capital := number(round(w.priceUSD(t)*a.coins(w.circulating(assetID)), 2))
			info.CirculatingMarketCap = &capital
		}
	case a.kind <= assetStaked:
		rate := number(round(w.quoteUSD(assetID, w.now), 6))
		info.ExchangeRate = &rate
	}
	return info
}

// eachTransfer visits the ERC-20 legs of a transaction with the index of their log in the block: the one logsOf gives, without
// rendering any log.
func (w *world) eachTransfer(tx int32, visit func(leg int32, logIndex int)) {
	t := &w.txs[tx]
	wrapper := w.assets[wrappedAsset].entity
	index, next, changes := int(t.index)*logStride, t.swaps, w.changesOf(tx)
	for j := t.legs; j < t.legs+int32(t.legCount); j++ {
		if len(changes) > 0 && changes[0].first == j {
			index += w.openingCount(&changes[0])
		}
		switch l := &w.legs[j]; {
		case l.asset != nativeAsset:
			visit(j, index)
			index++
		case l.to == wrapper || l.from == wrapper:
			index++
		}
		for ; next < t.swaps+int32(t.swapped) && w.swaps[next].after == j; next++ {
			index++
			if w.pools[w.swaps[next].pool].version == poolV2 {
				index++ // the Sync before the Swap
			}
		}
		if len(changes) > 0 && changes[0].after == j {
			index += w.closingCount(&changes[0])
			changes = changes[1:]
		}
	}
}

func (w *world) blockscoutTransfer(tx, legID int32, logIndex int, nested bool) tokenTransfer {
	t, l := &w.txs[tx], &w.legs[legID]
	a := &w.assets[l.asset]
	number := w.blockNumber(t)
	out := tokenTransfer{
		BlockHash: hexHash(w.blockHash(number)), BlockNumber: number, From: w.addressParam(l.from), To: w.addressParam(l.to), LogIndex: logIndex,
		Token: w.tokenInfo(l.asset), TokenType: "ERC-20", TransactionHash: hexHash(w.txHash(tx)), Type: "token_transfer",
	}
	decimals := strconv.Itoa(a.decimals)
	out.Total = tokenTotal{Decimals: &decimals, Value: a.raw(l.amount)}
	if !nested {
		stamp := w.time(t.time).Format(blockscoutTime)
		out.Timestamp = &stamp
		out.Method = t.methodName()
	}
	switch {
	case l.from == 0:
		out.Type = "token_minting"
	case l.to == 0:
		out.Type = "token_burning"
	}
	return out
}

func (t *transaction) methodName() *string {
	spec := &methods[t.method]
	switch {
	case spec.name != "":
		return &spec.name
	case spec.selector != "" && t.method != methodCreate:
		selector := "0x" + spec.selector
		return &selector
	}
	return nil
}

func (w *world) blockscoutTransaction(id int32, full bool) blockscoutTransaction {
	t := &w.txs[id]
	out := blockscoutTransaction{
		AuthorizationList: []any{}, Actions: []any{}, BlockNumber: w.blockNumber(t), From: w.addressParam(t.from),
		Confirmations: w.spec.blockAt(w.start+int64(w.now)) - w.blockNumber(t) + 1, ConfirmationDuration: [2]int{0, int(w.spec.blockSeconds) * 1000},
		Fee:     typedValue{Type: "actual", Value: w.assets[nativeAsset].raw(t.fee())},
		GasUsed: strconv.Itoa(int(t.gasUsed)), GasLimit: strconv.Itoa(int(t.gasUsed) * 3 / 2), GasPrice: strconv.FormatInt(int64(t.gasPrice)*1e6, 10),
		Hash: hexHash(w.txHash(id)), Method: t.methodName(), Nonce: t.nonce, Position: int(t.index), Result: "success", Status: "ok",
		Timestamp: w.time(t.time).Format(blockscoutTime), Type: 2, Value: w.assets[nativeAsset].raw(t.value), TransactionTypes: []string{},
	}
	out.RawInput = w.input(t)
	if t.failed {
		out.Status, out.Result = "error", "execution reverted"
		out.RevertReason = map[string]string{"raw": "0x08c379a0"}
	}
	switch {
	case t.to >= 0:
		to := w.addressParam(t.to)
		out.To = &to
	case t.made >= 0:
		created := w.addressParam(t.made)
		out.CreatedContract = &created
		out.TransactionTypes = append(out.TransactionTypes, "contract_creation")
	}
	if t.value > 0 {
		out.TransactionTypes = append(out.TransactionTypes, "coin_transfer")
	}
	if t.method != methodPlain && t.to >= 0 {
		out.TransactionTypes = append(out.TransactionTypes, "contract_call")
	}
	if spec := &methods[t.method]; spec.signature != "" && t.to >= 0 {
		out.DecodedInput = &decodedInput{MethodCall: spec.signature, MethodID: spec.selector, Parameters: []any{}}
	}
	tokens := false
	if full {
		out.TokenTransfers = []tokenTransfer{}
	}
	overflow := false
	w.eachTransfer(id, func(leg int32, index int) {
		tokens = true
		if !full {
			return
		}
		if len(out.TokenTransfers) == 10 {
			overflow = true
			return
		}
		out.TokenTransfers = append(out.TokenTransfers, w.blockscoutTransfer(id, leg, index, true))
	})
	if full {
		out.TokenTransfersOverflow = &overflow
	}
	if tokens {
		out.TransactionTypes = append(out.TransactionTypes, "token_transfer")
	}
	return out
}

// cursorOf is where a page of an address's history goes on: before this place in its index.
func cursorOf(r *request, key string, end int) int {
	if text := r.query.Get(key); text != "" {
		if n, err := strconv.Atoi(text); err == nil {
			return min(max(n, 0), end)
		}
	}
	return end
}

func (w *world) blockscoutAddressPart(r *request, entity int32, sub string) (int, any) {
	switch sub {
	case "counters":
		return http.StatusOK, w.blockscoutCounters(entity)
	case "transactions":
		return http.StatusOK, w.blockscoutTransactions(r, entity)
	case "token-transfers":
		if r.query.Has("limit") {
			return http.StatusUnprocessableEntity, map[string]any{"errors": []any{map[string]any{"title": "Unexpected field", "source": map[string]string{"pointer": "/limit"}, "detail": "Unexpected field: limit"}}}
		}
		return http.StatusOK, w.blockscoutTransfers(r, entity)
	case "internal-transactions":
		return http.StatusOK, w.blockscoutInternals(r, entity)
	case "token-balances", "tokens":
		return w.blockscoutBalances(entity, sub == "tokens")
	}
	return http.StatusNotFound, blockscoutNotFound
}

func (w *world) blockscoutCounters(entity int32) counters {
	sent, gas, transfers := 0, int64(0), 0
	for _, id := range w.entities[entity].touch {
		t := &w.txs[id]
		if t.from == entity {
			sent++
			gas += int64(t.gasUsed)
		}
		for j := t.legs; j < t.legs+int32(t.legCount); j++ {
			if l := &w.legs[j]; l.asset != nativeAsset && (l.from == entity || l.to == entity) {
				transfers++
			}
		}
	}
	return counters{strconv.Itoa(sent), strconv.Itoa(transfers), strconv.FormatInt(gas, 10), "0"}
}

func (w *world) blockscoutTransactions(r *request, entity int32) page[blockscoutTransaction] {
	touch := w.entities[entity].touch
	filter := r.query.Get("filter")
	items := []blockscoutTransaction{}
	at := cursorOf(r, "index", len(touch))
	for at > 0 && len(items) < blockscoutPage {
		at--
		t := &w.txs[touch[at]]
		if (t.from == entity && filter != "to") || (t.to == entity && filter != "from") {
			items = append(items, w.blockscoutTransaction(touch[at], false))
		}
	}
	return page[blockscoutTransaction]{Items: items, NextPageParams: w.next(at, len(items), func() bool {
		for i := at - 1; i >= 0; i-- {
			t := &w.txs[touch[i]]
			if (t.from == entity && filter != "to") || (t.to == entity && filter != "from") {
				return true
			}
		}
		return false
	}, func() map[string]any {
		return map[string]any{"block_number": w.blockNumber(&w.txs[touch[at]]), "index": at, "items_count": 50}
	})}
}

// next is the continuation of a page: nil when nothing is left.
func (w *world) next(at, count int, more func() bool, params func() map[string]any) any {
	if at == 0 || count < blockscoutPage || !more() {
		return nil
	}
	return params()
}

func (w *world) blockscoutTransfers(r *request, entity int32) page[tokenTransfer] {
	filter, only := r.query.Get("filter"), int32(-1)
	if a, ok := parseAddress(r.query.Get("token")); ok {
		only = w.byAddress[a]
	}
	if kind := r.query.Get("type"); kind != "" && !slices.Contains(splitList(kind), "ERC-20") {
		return page[tokenTransfer]{Items: []tokenTransfer{}}
	}
	// The cursor counts transfers: (place in the index, legs of that transaction already given).
	touch := w.entities[entity].touch
	at := cursorOf(r, "index", len(touch))
	skip := 0
	if n, err := strconv.Atoi(r.query.Get("batch_log_index")); err == nil && n > 0 {
		skip = n
	}
	items := []tokenTransfer{}
	for at > 0 {
		id := touch[at-1]
		var legs []int32
		var indexes []int
		w.eachTransfer(id, func(leg int32, index int) {
			l := &w.legs[leg]
			if (l.from == entity && filter != "to" || l.to == entity && filter != "from") && (only < 0 || w.assets[l.asset].entity == only) {
				legs, indexes = append(legs, leg), append(indexes, index)
			}
		})
		for i := len(legs) - 1 - skip; i >= 0; i-- {
			if len(items) == blockscoutPage {
				return page[tokenTransfer]{Items: items, NextPageParams: map[string]any{
					"block_number": w.blockNumber(&w.txs[id]), "index": at, "batch_log_index": len(legs) - 1 - i, "items_count": 50,
				}}
			}
			items = append(items, w.blockscoutTransfer(id, legs[i], indexes[i], false))
		}
		skip = 0
		at--
	}
	return page[tokenTransfer]{Items: items}
}

func (w *world) blockscoutInternals(r *request, entity int32) page[internalTransaction] {
	touch := w.entities[entity].touch
	filter := r.query.Get("filter")
	at := cursorOf(r, "index", len(touch))
	items := []internalTransaction{}
	for at > 0 && len(items) < blockscoutPage {
		id := touch[at-1]
		t := &w.txs[id]
		var found []internalTransaction
		for j := t.legs + int32(t.legCount) - 1; j >= t.legs; j-- {
			l := &w.legs[j]
			if l.asset != nativeAsset || !(l.from == entity && filter != "to" || l.to == entity && filter != "from") {
				continue
			}
			found = append(found, internalTransaction{
				BlockIndex: int(t.index), BlockNumber: w.blockNumber(t), From: w.addressParam(l.from), To: w.addressParam(l.to), GasLimit: "30000",
				Index: int(j-t.legs) + 1, Success: true, Timestamp: w.time(t.time).Format(blockscoutTime), TransactionHash: hexHash(w.txHash(id)),
				TransactionIndex: int(t.index), Type: "call", Value: w.assets[nativeAsset].raw(l.amount),
			})
		}
		if len(items)+len(found) > blockscoutPage {
			break
		}
		items = append(items, found...)
		at--
	}
	var next any
	if at > 0 {
		next = map[string]any{"block_number": w.blockNumber(&w.txs[touch[at-1]]), "index": at, "transaction_index": 0, "items_count": 50}
	}
	return page[internalTransaction]{Items: items, NextPageParams: next}
}

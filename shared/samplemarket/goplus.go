package samplemarket

import (
	"net/http"
	"strconv"
)

type goplusEnvelope struct {
	Code    int     `json:"code"`
	Message *string `json:"message"`
	Result  any     `json:"result"`
}

func goplusOK(result any) (int, any) {
	message := "OK"
	return http.StatusOK, goplusEnvelope{1, &message, result}
}

func goplusError(code int, message string) (int, any) {
	return http.StatusOK, goplusEnvelope{code, &message, nil}
}

// serveGoPlus answers api/v1/… and api/v2/…; every status is 200, the code tells.
func (m *Market) serveGoPlus(r *request) (int, any) {
	if r.part(0) != "api" {
		return http.StatusNotFound, map[string]string{"message": "Not found"}
	}
	version, call, id := r.part(1), r.part(2), r.part(3)
	switch version + "/" + call {
	case "v1/supported_chains":
		list := []map[string]string{}
		for _, w := range m.worlds {
			list = append(list, map[string]string{"id": strconv.FormatInt(w.spec.id, 10), "name": w.spec.dexscreener})
		}
		return goplusOK(list)
	case "v1/address_security":
		return m.goplusAddress(r, id)
	}
	chain, err := strconv.ParseInt(id, 10, 64)
	w := m.worldWhere(func(c *chainSpec) bool { return c.id == chain })
	if err != nil || w == nil {
		return goplusError(2018, "ChainID not supported")
	}
	key := "contract_addresses"
	if version == "v2" {
		key = "addresses"
	}
	asked := splitList(r.query.Get(key))
	if len(asked) == 0 {
		return goplusError(5006, "param error!")
	}
	for _, text := range asked {
		if _, ok := parseAddress(text); !ok {
			return goplusError(2004, "Contract address format error!")
		}
	}
	switch version + "/" + call {
	case "v1/token_security":
		result := map[string]*goplusToken{}
		for _, text := range asked {
			if assetID, ok := w.assetByAddress(text); ok && assetID != nativeAsset {
				result[lower(text)] = w.goplusToken(assetID)
			}
		}
		return goplusOK(result)
	case "v1/approval_security":
		return w.goplusSpender(asked[0])
	case "v2/token_approval_security":
		return goplusOK(w.goplusApprovals(asked[0], false))
	case "v2/nft721_approval_security":
		return goplusOK(w.goplusApprovals(asked[0], true))
	case "v2/nft1155_approval_security":
		return goplusOK([]any{})
	}
	return goplusError(5000, "system error")
}

type goplusDex struct {
	LiquidityType string `json:"liquidity_type"`
	Name          string `json:"name"`
	Liquidity     string `json:"liquidity"`
	Pair          string `json:"pair"`
}

type goplusLock struct {
	Amount  string `json:"amount"`
	EndTime string `json:"end_time"`
	OptTime string `json:"opt_time"`
}

type goplusHolder struct {
	Address      string       `json:"address"`
	Tag          string       `json:"tag"`
	IsContract   int          `json:"is_contract"`
	Balance      string       `json:"balance"`
	Percent      string       `json:"percent"`
	IsLocked     int          `json:"is_locked"`
	LockedDetail []goplusLock `json:"locked_detail,omitempty"`
}

type goplusNFT struct {
	Value         string `json:"value"`
	NFTID         string `json:"NFT_id"`
	Amount        string `json:"amount"`
	InEffect      string `json:"in_effect"`
	NFTPercentage string `json:"NFT_percentage"`
}

type goplusLPHolder struct {
	Address      string       `json:"address"`
	Tag          string       `json:"tag"`
	Value        *string      `json:"value"`
	IsContract   int          `json:"is_contract"`
	Balance      string       `json:"balance"`
	Percent      string       `json:"percent"`
	NFTList      []goplusNFT  `json:"NFT_list"`
	IsLocked     int          `json:"is_locked"`
	LockedDetail []goplusLock `json:"locked_detail,omitempty"`
}

type goplusToken struct {
	AntiWhaleModifiable        string           `json:"anti_whale_modifiable,omitempty"`
	BuyTax                     *string          `json:"buy_tax,omitempty"`
	CanTakeBackOwnership       string           `json:"can_take_back_ownership,omitempty"`
	CannotBuy                  string           `json:"cannot_buy,omitempty"`
	CannotSellAll              string           `json:"cannot_sell_all,omitempty"`
	CreatorAddress             string           `json:"creator_address"`
	CreatorBalance             string           `json:"creator_balance"`
	CreatorPercent             string           `json:"creator_percent"`
	Dex                        []goplusDex      `json:"dex,omitempty"`
	ExternalCall               string           `json:"external_call,omitempty"`
	HiddenOwner                string           `json:"hidden_owner,omitempty"`
	HolderCount                string           `json:"holder_count"`
	Holders                    []goplusHolder   `json:"holders"`
	HoneypotWithSameCreator    string           `json:"honeypot_with_same_creator"`
	IsAirdropScam              string           `json:"is_airdrop_scam,omitempty"`
	IsAntiWhale                string           `json:"is_anti_whale,omitempty"`
	IsBlacklisted              string           `json:"is_blacklisted,omitempty"`
	IsHoneypot                 string           `json:"is_honeypot,omitempty"`
	IsInDex                    string           `json:"is_in_dex"`
	IsMintable                 string           `json:"is_mintable,omitempty"`
	IsOpenSource               string           `json:"is_open_source"`
	IsProxy                    string           `json:"is_proxy,omitempty"`
	IsTrueToken                string           `json:"is_true_token,omitempty"`
	IsWhitelisted              string           `json:"is_whitelisted,omitempty"`
	LPHolderCount              string           `json:"lp_holder_count,omitempty"`
	LPHolders                  []goplusLPHolder `json:"lp_holders,omitempty"`
	LPTotalSupply              string           `json:"lp_total_supply,omitempty"`
	OwnerAddress               *string          `json:"owner_address,omitempty"`
	OwnerBalance               string           `json:"owner_balance,omitempty"`
	OwnerChangeBalance         string           `json:"owner_change_balance,omitempty"`
	OwnerPercent               string           `json:"owner_percent,omitempty"`
	PersonalSlippageModifiable string           `json:"personal_slippage_modifiable,omitempty"`
	Selfdestruct               string           `json:"selfdestruct,omitempty"`
	SellTax                    *string          `json:"sell_tax,omitempty"`
	SlippageModifiable         string           `json:"slippage_modifiable,omitempty"`
	TokenName                  string           `json:"token_name"`
	TokenSymbol                string           `json:"token_symbol"`
	TotalSupply                string           `json:"total_supply"`
	TradingCooldown            string           `json:"trading_cooldown,omitempty"`
	TransferPausable           string           `json:"transfer_pausable,omitempty"`
	TransferTax                *string          `json:"transfer_tax,omitempty"`
	TrustList                  string           `json:"trust_list,omitempty"`
}

func flag(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

func share(part, whole int64) string {
	if whole == 0 {
		return "0"
	}
	return strconv.FormatFloat(float64(part)/float64(whole), 'f', 18, 64)
}

func percentage(percent int64) *string {
	return optional(strconv.FormatFloat(float64(percent)/100, 'f', -1, 64))
}

func (w *world) goplusToken(assetID int32) *goplusToken {
	a := &w.assets[assetID]
	out := &goplusToken{
		HolderCount: strconv.Itoa(w.holdersOf(assetID)), Holders: w.goplusHolders(assetID), HoneypotWithSameCreator: "0", IsInDex: "1", IsOpenSource: "1",
		TokenName: a.name, TokenSymbol: a.symbol, TotalSupply: a.decimal(a.supply), CreatorBalance: "0", CreatorPercent: "0.000000",
	}
	if a.token < 0 {
		out.contractFlags(nil, "0")
		if a.kind == assetStable {
			out.contractFlags(nil, "1")
		}
		out.CreatorAddress = w.entities[w.exchange].address.String()
		out.TrustList, out.TransferTax = "1", optional("")
		return out
	}
	t := &w.tokens[a.token]
	out.CreatorAddress = w.entities[t.creator].address.String()
	creatorUnits := w.balance(t.creator, assetID)
	out.CreatorBalance, out.CreatorPercent = a.decimal(creatorUnits), share(creatorUnits, a.supply)
	out.IsOpenSource, out.IsInDex = flag(t.openSource), flag(t.pool >= 0)
	if t.kind == kindSpam {
		out.IsAirdropScam = "1"
	}
	if t.openSource {
		out.contractFlags(t, "0")
		owner := w.entities[t.owner].address.String()
		ownerUnits := w.balance(t.owner, assetID)
		out.OwnerAddress, out.OwnerBalance, out.OwnerPercent = &owner, a.decimal(ownerUnits), share(ownerUnits, a.supply)
	}
	if t.kind == kindHoneypot && t.siblings > 0 {
		out.HoneypotWithSameCreator = flag(true)
	}
	if t.category == "major" {
		out.TrustList = "1"
	}
	if t.pool < 0 {
		return out
	}
	out.BuyTax, out.SellTax, out.TransferTax = percentage(t.buyTax), percentage(t.sellTax), optional("0")
	out.CannotBuy, out.IsHoneypot = "0", flag(t.kind == kindHoneypot)
	out.CannotSellAll = flag(t.kind == kindHoneypot)
	if t.kind == kindHoneypot {
		out.SellTax = optional("1")
	}
	if w.now-t.listed < 2*hourSeconds { // too young: the provider has not simulated a trade yet
		out.BuyTax, out.SellTax, out.TransferTax = optional(""), optional(""), optional("")
		out.IsHoneypot, out.CannotBuy, out.CannotSellAll = "", "", ""
	}
	for _, id := range t.pools {
		p := &w.pools[id]
		out.Dex = append(out.Dex, goplusDex{
			LiquidityType: [...]string{"UniV2", "UniV3", "UniV4"}[p.version], Name: [...]string{w.spec.v2Name, "UniswapV3", "UniswapV4"}[p.version],
			Liquidity: strconv.FormatFloat(w.reserveUSD(p), 'f', 8, 64), Pair: w.poolAddress(p),
		})
	}
	w.goplusLiquidity(out, &w.pools[t.pool])
	return out
}

// contractFlags are those of the source; without a plan they are a blue chip's.
func (g *goplusToken) contractFlags(t *token, issuer string) {
	g.AntiWhaleModifiable, g.CanTakeBackOwnership, g.ExternalCall, g.HiddenOwner, g.IsAntiWhale, g.IsWhitelisted = "0", "0", "0", "0", "0", "0"
	g.PersonalSlippageModifiable, g.Selfdestruct, g.TradingCooldown, g.OwnerChangeBalance, g.SlippageModifiable = "0", "0", "0", "0", "0"
	g.IsMintable, g.IsBlacklisted, g.TransferPausable, g.IsProxy = issuer, issuer, issuer, issuer
	g.IsHoneypot = "0"
	if t != nil {
		g.IsMintable, g.IsBlacklisted, g.TransferPausable, g.IsProxy = flag(t.mintable), flag(t.blacklists), flag(t.pausable), flag(t.proxy)
		g.SlippageModifiable = flag(t.slippageMod)
		g.HiddenOwner = flag(t.kind == kindHoneypot)
	}
}

func (w *world) holderTag(entity int32) string {
	switch e := &w.entities[entity]; e.kind {
	case kindPool:
		return w.spec.v2Name
	case kindLocker:
		return map[int32]string{w.locker: "UniCrypt", w.teamLock: "TeamFinance"}[entity]
	case kindExchange:
		return "Exchange"
	case kindBurn:
		return "Null Address"
	}
	return ""
}

func (w *world) goplusHolders(assetID int32) []goplusHolder {
	a := &w.assets[assetID]
	list := []goplusHolder{}
	for _, h := range w.holdings(assetID) {
		if len(list) == 10 {
			break
		}
		e := &w.entities[h.entity]
		holder := goplusHolder{Address: e.address.String(), Tag: w.holderTag(h.entity), Balance: a.decimal(h.units), Percent: share(h.units, a.supply)}
		if w.isContract(h.entity) {
			holder.IsContract = 1
		}
		if e.kind == kindLocker || e.kind == kindBurn {
			holder.IsLocked = 1
		}
		list = append(list, holder)
	}
	return list
}

// goplusLiquidity tells who holds the main pool's liquidity and whether it is locked.
func (w *world) goplusLiquidity(out *goplusToken, p *pool) {
	if p.receipt < 0 {
		owner := goplusLPHolder{Address: w.entities[p.owner].address.String(), Value: optional(strconv.FormatFloat(w.reserveUSD(p), 'f', 4, 64)), Balance: "1", Percent: "1.000000000000000000", NFTList: []goplusNFT{{
			Value: strconv.FormatFloat(w.reserveUSD(p), 'f', 4, 64), NFTID: strconv.FormatUint(firstWord(p.id)%900_000, 10), Amount: "1", InEffect: "1", NFTPercentage: "1.000000000000000000",
		}}}
		switch p.lock {
		case liquidityBurned:
			owner.Address, owner.IsLocked = burnAddress.String(), 1
		case liquidityLocked:
			owner.Address, owner.Tag, owner.IsLocked, owner.IsContract = lockerAddress.String(), "UniCrypt", 1, 1
			owner.LockedDetail = w.lockDetail(p, "1")
		}
		out.LPHolderCount, out.LPTotalSupply, out.LPHolders = "1", "1", []goplusLPHolder{owner}
		return
	}
	a := &w.assets[p.receipt]
	out.LPHolders = []goplusLPHolder{}
	for _, h := range w.holdings(p.receipt) {
		holder := goplusLPHolder{Address: w.entities[h.entity].address.String(), Tag: w.holderTag(h.entity), Balance: a.decimal(h.units), Percent: share(h.units, a.supply)}
		switch w.entities[h.entity].kind {
		case kindBurn:
			holder.IsLocked, holder.Tag = 1, ""
		case kindLocker:
			holder.IsLocked, holder.IsContract = 1, 1
			holder.LockedDetail = w.lockDetail(p, holder.Balance)
		}
		out.LPHolders = append(out.LPHolders, holder)
	}
	out.LPHolderCount, out.LPTotalSupply = strconv.Itoa(len(out.LPHolders)), a.decimal(a.supply)
}

// lockDetail is a lock of a year from the pool's opening.
func (w *world) lockDetail(p *pool, amount string) []goplusLock {
	const format = "2006-01-02T15:04:05+00:00"
	return []goplusLock{{Amount: amount, EndTime: w.time(p.created + 365*daySeconds).Format(format), OptTime: w.time(p.created).Format(format)}}
}

func (m *Market) goplusAddress(r *request, text string) (int, any) {
	a, ok := parseAddress(text)
	if !ok {
		return goplusError(2004, "address format error!")
	}
	flags := map[string]string{}
	for _, name := range []string{
		"cybercrime", "money_laundering", "number_of_malicious_contracts_created", "gas_abuse", "financial_crime", "darkweb_transactions", "reinit", "phishing_activities",
		"fake_kyc", "blacklist_doubt", "fake_standard_interface", "stealing_attack", "blackmail_activities", "sanctioned", "malicious_mining_activities", "mixer",
		"fake_token", "honeypot_related_address", "contract_address",
	} {
		flags[name] = "0"
	}
	flags["data_source"] = ""
	for _, w := range m.worlds {
		if chain := r.query.Get("chain_id"); chain != "" && chain != strconv.FormatInt(w.spec.id, 10) {
			continue
		}
		entity, known := w.byAddress[a]
		if !known {
			continue
		}
		if w.isContract(entity) {
			flags["contract_address"] = "1"
		}
		if entity == w.spenders.blacklisted {
			flags["phishing_activities"], flags["stealing_attack"], flags["blacklist_doubt"], flags["data_source"] = "1", "1", "1", "SlowMist"
		}
		honeypots := 0
		for i := range w.tokens {
			if t := &w.tokens[i]; t.creator == entity && t.kind == kindHoneypot {
				honeypots += 1 + t.siblings
			}
		}
		if honeypots > 0 {
			flags["honeypot_related_address"], flags["number_of_malicious_contracts_created"] = "1", strconv.Itoa(honeypots)
		}
	}
	return goplusOK(flags)
}

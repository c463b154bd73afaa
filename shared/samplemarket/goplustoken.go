package samplemarket

import "strconv"

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

type goplusFake struct {
	Value            int    `json:"value"`
	TrueTokenAddress string `json:"true_token_address"`
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
	FakeToken                  *goplusFake      `json:"fake_token,omitempty"`
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

// The security provider knows nothing of a pool for its first minutes and has not tried to trade in it for its first hours.
const (
	goplusBlind   = 40 * 60
	goplusUntried = 2 * hourSeconds
)

func (w *world) goplusKnows(assetID int32) bool {
	if assetID == nativeAsset {
		return false
	}
	id := w.assets[assetID].token
	return id < 0 || w.tokens[id].pool < 0 || w.now-w.tokens[id].listed >= goplusBlind
}

func (w *world) goplusToken(assetID int32) *goplusToken {
	a := &w.assets[assetID]
	out := &goplusToken{
		HolderCount: strconv.Itoa(w.holdersOf(assetID)), Holders: w.goplusHolders(assetID), HoneypotWithSameCreator: "0", IsInDex: "1", IsOpenSource: "1",
		TokenName: a.name, TokenSymbol: a.symbol, TotalSupply: a.decimal(a.supply), CreatorBalance: "0", CreatorPercent: "0.000000",
	}
	if a.token < 0 {
		out.goplusIssued(a)
		out.CreatorAddress = w.entities[w.exchange].address.String()
		if w.spec.slug == "bsc" && a.symbol == "USDT" {
			out.HolderCount = "0" // not counted
		}
		return out
	}
	t := &w.tokens[a.token]
	out.CreatorAddress = w.entities[t.creator].address.String()
	creatorUnits := w.balance(t.creator, assetID)
	out.CreatorBalance, out.CreatorPercent = a.decimal(creatorUnits), share(creatorUnits, a.supply)
	out.IsOpenSource, out.IsInDex = flag(t.openSource), flag(t.pool >= 0)
	if t.kind == kindSpam {
		out.IsAirdropScam = "1"
		if a.symbol == "USDC\u200b" {
			out.FakeToken = &goplusFake{Value: 1, TrueTokenAddress: w.assetAddress(wrappedAsset + 1)}
		}
	}
	if t.openSource {
		out.contractFlags(t)
		owner := w.entities[t.owner].address.String()
		ownerUnits := w.balance(t.owner, assetID)
		if t.owner == 0 {
			ownerUnits = 0
		}
		out.OwnerAddress, out.OwnerBalance, out.OwnerPercent = &owner, a.decimal(ownerUnits), share(ownerUnits, a.supply)
	}
	if n := w.honeypotsBy(t); n > 0 {
		out.HoneypotWithSameCreator = strconv.Itoa(n)
	}
	if t.category == "major" {
		out.TrustList = "1"
	}
	if t.kind == kindHoneypot && t.traits.absurd {
		out.makeAbsurd(t)
	}
	if t.pool < 0 {
		return out
	}
	w.goplusTrial(out, t)
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

// goplusTrial tells how the provider's own test trade went. Behind unpublished code it finds out less.
func (w *world) goplusTrial(out *goplusToken, t *token) {
	trapped := t.kind == kindHoneypot && !t.traits.overlooked
	switch {
	case w.now-t.listed < goplusUntried, !t.openSource && t.traits.overlooked:
		out.BuyTax, out.SellTax, out.TransferTax = optional(""), optional(""), optional("")
		out.IsHoneypot = ""
		return
	}
	out.BuyTax, out.SellTax, out.TransferTax = percentage(t.buyTax), percentage(t.sellTax), optional("0")
	out.CannotBuy, out.IsHoneypot, out.CannotSellAll = "0", flag(trapped), flag(trapped)
	if trapped {
		out.SellTax = optional("1")
		if t.traits.absurd {
			out.SellTax = optional("") // a sale that reverts has no tax
		}
	}
	if !t.openSource {
		out.CannotBuy, out.CannotSellAll = "", ""
	}
}

// goplusIssued describes a coin that its issuer controls, or a plain wrapper.
func (g *goplusToken) goplusIssued(a *asset) {
	g.cleanFlags()
	if a.kind == assetStable {
		g.IsMintable, g.IsBlacklisted, g.TransferPausable, g.IsProxy = "1", "1", "1", "1"
	}
	g.TrustList, g.TransferTax = "1", optional("")
}

// cleanFlags are those of a contract that does nothing but what the standard says.
func (g *goplusToken) cleanFlags() {
	g.AntiWhaleModifiable, g.CanTakeBackOwnership, g.ExternalCall, g.HiddenOwner, g.IsAntiWhale, g.IsWhitelisted = "0", "0", "0", "0", "0", "0"
	g.PersonalSlippageModifiable, g.Selfdestruct, g.TradingCooldown, g.OwnerChangeBalance, g.SlippageModifiable = "0", "0", "0", "0", "0"
	g.IsMintable, g.IsBlacklisted, g.TransferPausable, g.IsProxy, g.IsHoneypot = "0", "0", "0", "0", "0"
}

// contractFlags are read off the published source: all of them but for what the provider overlooks in a trap. Of a proxy it knows
// little.
func (g *goplusToken) contractFlags(t *token) {
	g.cleanFlags()
	trap := t.kind == kindRug || t.kind == kindHoneypot
	if trap && t.traits.overlooked {
		return
	}
	g.IsMintable, g.IsBlacklisted, g.TransferPausable, g.IsProxy = flag(t.mintable), flag(t.blacklists), flag(t.pausable), flag(t.proxy)
	g.SlippageModifiable, g.HiddenOwner = flag(t.slippageMod), flag(t.kind == kindHoneypot)
	if t.proxy {
		g.IsMintable, g.IsBlacklisted, g.TransferPausable, g.SlippageModifiable = "", "", "", ""
		g.OwnerChangeBalance, g.CanTakeBackOwnership, g.PersonalSlippageModifiable = "", "", ""
	}
}

// makeAbsurd gives shares of the supply far above one, as balances that are not backed by the supply do.
func (g *goplusToken) makeAbsurd(t *token) {
	factor := float64(1_769_801 + int(t.entity)%1000)
	inflate := func(text string) string {
		share, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return text
		}
		return strconv.FormatFloat(share*factor, 'f', 18, 64)
	}
	g.CreatorPercent = inflate(g.CreatorPercent)
	if len(g.Holders) > 0 {
		g.Holders[0].Percent = inflate(g.Holders[0].Percent)
	}
}

// honeypotsBy counts the other tokens of a token's creator that could not be sold.
func (w *world) honeypotsBy(t *token) int {
	count := 0
	for i := range w.tokens {
		if other := &w.tokens[i]; other != t && other.creator == t.creator && other.kind == kindHoneypot && other.pool >= 0 {
			count++
		}
	}
	return count
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

// lockDetail tells from when and until when the liquidity is locked.
func (w *world) lockDetail(p *pool, amount string) []goplusLock {
	const format = "2006-01-02T15:04:05+00:00"
	return []goplusLock{{Amount: amount, EndTime: w.time(p.lockedUntil).Format(format), OptTime: w.time(p.created).Format(format)}}
}

package goplus

import (
	"cmp"
	"context"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

type tokenRow struct {
	IsHoneypot    upstream.Flag `json:"is_honeypot"`
	CannotSellAll upstream.Flag `json:"cannot_sell_all"`
	CannotBuy     upstream.Flag `json:"cannot_buy"`

	BuyTax      upstream.Number `json:"buy_tax"`
	SellTax     upstream.Number `json:"sell_tax"`
	TransferTax upstream.Number `json:"transfer_tax"`

	OpenSource            upstream.Flag `json:"is_open_source"`
	Proxy                 upstream.Flag `json:"is_proxy"`
	Mintable              upstream.Flag `json:"is_mintable"`
	OwnerChangesBalance   upstream.Flag `json:"owner_change_balance"`
	HiddenOwner           upstream.Flag `json:"hidden_owner"`
	TakesBackOwnership    upstream.Flag `json:"can_take_back_ownership"`
	SelfDestructs         upstream.Flag `json:"selfdestruct"`
	ExternalCall          upstream.Flag `json:"external_call"`
	TaxModifiable         upstream.Flag `json:"slippage_modifiable"`
	PersonalTaxModifiable upstream.Flag `json:"personal_slippage_modifiable"`
	TransferPausable      upstream.Flag `json:"transfer_pausable"`
	Blacklists            upstream.Flag `json:"is_blacklisted"`
	Whitelists            upstream.Flag `json:"is_whitelisted"`
	AntiWhale             upstream.Flag `json:"is_anti_whale"`
	AntiWhaleModifiable   upstream.Flag `json:"anti_whale_modifiable"`
	TradingCooldown       upstream.Flag `json:"trading_cooldown"`

	// Owner is missing for a contract that knows no owner, and empty or null where the service did not find out.
	Owner        jsontext.Value  `json:"owner_address"`
	OwnerShare   upstream.Number `json:"owner_percent"`
	Creator      upstream.Text   `json:"creator_address"`
	CreatorShare upstream.Number `json:"creator_percent"`
	// MadeHoneypots is a flag or a count.
	MadeHoneypots upstream.Number `json:"honeypot_with_same_creator"`

	Trusted     upstream.Flag  `json:"trust_list"`
	AirdropScam upstream.Flag  `json:"is_airdrop_scam"`
	TrueToken   upstream.Flag  `json:"is_true_token"`
	Fake        jsontext.Value `json:"fake_token"`

	Listed      upstream.Flag           `json:"is_in_dex"`
	Exchanges   upstream.Rows[exchange] `json:"dex"`
	HolderCount upstream.Number         `json:"holder_count"`
	Holders     upstream.Rows[holder]   `json:"holders"`
	Liquidity   upstream.Rows[holder]   `json:"lp_holders"`
}

type exchange struct {
	Pair upstream.Text `json:"pair"`
}

// holder has a part of the supply or of a pool's liquidity.
type holder struct {
	Address  upstream.Text       `json:"address"`
	Tag      upstream.Text       `json:"tag"`
	Contract upstream.Flag       `json:"is_contract"`
	Share    upstream.Number     `json:"percent"`
	Locked   upstream.Flag       `json:"is_locked"`
	Locks    upstream.Rows[lock] `json:"locked_detail"`
}

type lock struct {
	// End is a date or Unix seconds.
	End upstream.Number `json:"end_time"`
}

// TokenSecurity reads findings on tokens; the native coin, which is no contract, has none.
func (a *Adapter) TokenSecurity(ctx context.Context, on *chain.Chain, tokens []chain.Address) (map[chain.Address]market.TokenSecurity, error) {
	contracts := slices.DeleteFunc(slices.Clone(tokens), chain.Address.IsZero)
	return perAddress(ctx, contracts, func(ctx context.Context, token chain.Address) (market.TokenSecurity, bool, error) {
		path := "/api/v1/token_security/" + strconv.FormatInt(on.ID, 10)
		rows, known, err := get[map[string]jsontext.Value](ctx, a.client, path, url.Values{"contract_addresses": {token.String()}})
		if err != nil || !known {
			return market.TokenSecurity{}, false, err
		}
		finding, found, dropped := readToken(rows, token, a.client.Now())
		a.client.Drop(path, dropped)
		return finding, found, nil
	})
}

func readToken(rows map[string]jsontext.Value, token chain.Address, now time.Time) (market.TokenSecurity, bool, int) {
	for name, body := range rows {
		if address, err := chain.ParseWireAddress(name); err != nil || address != token {
			continue
		}
		var row tokenRow
		if body.Kind() != '{' || upstream.Unmarshal(body, &row) != nil {
			return market.TokenSecurity{}, false, 1
		}
		finding, dropped := row.finding(token, now)
		return finding, true, dropped
	}
	return market.TokenSecurity{}, false, 0
}

func (r *tokenRow) finding(token chain.Address, now time.Time) (market.TokenSecurity, int) {
	creator, _ := chain.ParseWireAddress(string(r.Creator))
	owner, renounced := r.owner()
	holders, _ := r.HolderCount.Count()
	pairs := make([]chain.Address, 0, len(r.Exchanges.Good))
	for _, e := range r.Exchanges.Good {
		if pair, err := chain.ParseWireAddress(string(e.Pair)); err == nil && !pair.IsZero() {
			pairs = append(pairs, pair)
		}
	}
	top, droppedTop := readHolders(r.Holders, pairs, now)
	liquidity, droppedLiquidity := readHolders(r.Liquidity, pairs, now)
	return market.TokenSecurity{
		Token: token, Honeypot: market.Tristate(r.IsHoneypot), CannotSellAll: market.Tristate(r.CannotSellAll), CannotBuy: market.Tristate(r.CannotBuy),
		BuyTax: fraction(r.BuyTax), SellTax: fraction(r.SellTax), TransferTax: fraction(r.TransferTax),
		OpenSource: market.Tristate(r.OpenSource), Proxy: market.Tristate(r.Proxy), Mintable: market.Tristate(r.Mintable),
		OwnerChangesBalance: market.Tristate(r.OwnerChangesBalance), HiddenOwner: market.Tristate(r.HiddenOwner),
		TakesBackOwnership: market.Tristate(r.TakesBackOwnership), SelfDestructs: market.Tristate(r.SelfDestructs),
		ExternalCall: market.Tristate(r.ExternalCall), TaxModifiable: market.Tristate(r.TaxModifiable),
		PersonalTaxModifiable: market.Tristate(r.PersonalTaxModifiable), TransferPausable: market.Tristate(r.TransferPausable),
		Blacklists: market.Tristate(r.Blacklists), Whitelists: market.Tristate(r.Whitelists), AntiWhale: market.Tristate(r.AntiWhale),
		AntiWhaleModifiable: market.Tristate(r.AntiWhaleModifiable), TradingCooldown: market.Tristate(r.TradingCooldown),
		Owner: owner, Renounced: renounced, Creator: creator, CreatorShare: fraction(r.CreatorShare), OwnerShare: fraction(r.OwnerShare),
		CreatorMadeHoneypots: atLeastOne(r.MadeHoneypots), Trusted: onlyYes(r.Trusted), Scam: r.scam(), Listed: market.Tristate(r.Listed),
		Holders: holders, Top: top, LiquidityProviders: liquidity,
	}, droppedTop + droppedLiquidity
}

// owner is zero for a renounced ownership. A contract whose source was read and that names no owner has nobody to renounce: that
// too is Yes, unless it is a proxy, whose owner the service may not have looked for.
func (r *tokenRow) owner() (chain.Address, market.Tristate) {
	if len(r.Owner) == 0 {
		read := market.Tristate(r.OpenSource) == market.Yes && market.Tristate(r.Proxy) == market.No && market.Tristate(r.HiddenOwner) == market.No
		if read {
			return chain.Address{}, market.Yes
		}
		return chain.Address{}, market.Unknown
	}
	var text upstream.Text
	if upstream.Unmarshal(r.Owner, &text) != nil {
		return chain.Address{}, market.Unknown
	}
	owner, err := chain.ParseWireAddress(string(text))
	switch {
	case err != nil:
		return chain.Address{}, market.Unknown
	case owner.IsZero(), owner == chain.Burn:
		return chain.Address{}, market.Yes
	}
	return owner, market.No
}

// scam is Yes when any of the service's lists names the token, and No when one was looked into and none names it.
func (r *tokenRow) scam() market.Tristate {
	var fake upstream.Flag
	switch r.Fake.Kind() {
	case '{':
		var described struct {
			Value upstream.Flag `json:"value"`
		}
		if upstream.Unmarshal(r.Fake, &described) == nil {
			fake = described.Value
		}
	case '"', '0', 't', 'f':
		if upstream.Unmarshal(r.Fake, &fake) != nil {
			fake = upstream.Flag(market.Unknown)
		}
	}
	lists := []market.Tristate{market.Tristate(fake), market.Tristate(r.AirdropScam), opposite(market.Tristate(r.TrueToken))}
	if slices.Contains(lists, market.Yes) {
		return market.Yes
	}
	return slices.Max(lists)
}

func opposite(answer market.Tristate) market.Tristate {
	switch answer {
	case market.Yes:
		return market.No
	case market.No:
		return market.Yes
	}
	return market.Unknown
}

// onlyYes forgets a no: not being on the short list of trusted contracts is no finding.
func onlyYes(flag upstream.Flag) market.Tristate {
	if market.Tristate(flag) == market.Yes {
		return market.Yes
	}
	return market.Unknown
}

func atLeastOne(number upstream.Number) market.Tristate {
	count, ok := number.Count()
	switch {
	case !ok:
		return market.Unknown
	case count == 0:
		return market.No
	}
	return market.Yes
}

// fraction takes more than everything for everything; NaN for what is missing or cannot be.
func fraction(number upstream.Number) float64 {
	value, ok := number.Float()
	if !ok || value < 0 {
		return math.NaN()
	}
	return math.Min(value, 1) + 0
}

// readHolders puts the largest first. A row without an account or a share, or of an account that was named before, is counted and
// left out.
func readHolders(rows upstream.Rows[holder], pairs []chain.Address, now time.Time) ([]market.Holder, int) {
	holders := make([]market.Holder, 0, len(rows.Good))
	dropped := rows.Dropped
	for i := range rows.Good {
		row := &rows.Good[i]
		address, err := chain.ParseWireAddress(string(row.Address))
		share := fraction(row.Share)
		named := slices.ContainsFunc(holders, func(known market.Holder) bool { return known.Account.Address == address })
		if err != nil || math.IsNaN(share) || named {
			dropped++
			continue
		}
		held := market.Holder{Account: row.account(address, pairs), Share: share}
		if held.Account.Kind == market.BurnAccount {
			held.Locked = true
		} else {
			held.Locked, held.LockedUntil = row.lock(now)
		}
		holders = append(holders, held)
	}
	slices.SortStableFunc(holders, func(a, b market.Holder) int {
		return cmp.Or(cmp.Compare(b.Share, a.Share), a.Account.Address.Compare(b.Account.Address))
	})
	return holders, dropped
}

func (h *holder) account(address chain.Address, pairs []chain.Address) market.Account {
	account := market.Account{Address: address, Contract: market.Tristate(h.Contract) == market.Yes, Label: string(h.Tag)}
	switch {
	case address.IsZero(), address == chain.Burn:
		account.Kind = market.BurnAccount
	case slices.Contains(pairs, address):
		account.Kind = market.DexAccount
	default:
		// What the service calls a burn address is not believed of others than the known ones: somebody may hold its key.
		if kind := upstream.AccountKind(account.Label); kind != market.BurnAccount {
			account.Kind = kind
		}
	}
	return account
}

// lock tells until when a holder cannot move its part: the earliest end of its locks that is still to come. What was locked in locks
// that have all ended can be taken out.
func (h *holder) lock(now time.Time) (bool, time.Time) {
	if market.Tristate(h.Locked) != market.Yes {
		return false, time.Time{}
	}
	var until time.Time
	ended := 0
	for _, lock := range h.Locks.Good {
		end, ok := lock.end()
		switch {
		case !ok:
		case !end.After(now):
			ended++
		case until.IsZero() || end.Before(until):
			until = end
		}
	}
	if ended > 0 && ended == len(h.Locks.Good) && h.Locks.Dropped == 0 {
		return false, time.Time{}
	}
	return true, until
}

// end is false for what tells no time. Locks may end in any future: some are for ever.
func (l *lock) end() (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if end, err := time.Parse(layout, string(l.End)); err == nil {
			return end.UTC(), true
		}
	}
	if seconds, err := strconv.ParseInt(string(l.End), 10, 64); err == nil && seconds > 0 && seconds < 1<<40 {
		return time.Unix(seconds, 0).UTC(), true
	}
	return time.Time{}, false
}

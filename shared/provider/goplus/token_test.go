package goplus

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

const (
	pairAddress = "0x00000000000000000000000000000000000000a1"
	ownerText   = "0x00000000000000000000000000000000000000b2"
	lockerText  = "0x00000000000000000000000000000000000000c3"
	deadText    = "0x000000000000000000000000000000000000dead"
	zeroText    = "0x0000000000000000000000000000000000000000"
	minterText  = "0x00000000000000000000000000000000000000d4"
)

// launch is a token of which the service says everything.
const launch = `{"is_honeypot":"0","cannot_sell_all":"0","cannot_buy":"1","buy_tax":"0.03","sell_tax":"0.1","transfer_tax":"",
	"is_open_source":"1","is_proxy":"0","is_mintable":"1","owner_change_balance":"0","hidden_owner":"1","can_take_back_ownership":"0","selfdestruct":"1",
	"external_call":"0","slippage_modifiable":"1","personal_slippage_modifiable":"0","transfer_pausable":"1","is_blacklisted":"0","is_whitelisted":"1",
	"is_anti_whale":"0","anti_whale_modifiable":"1","trading_cooldown":"0","owner_address":"` + ownerText + `","owner_percent":"0.05",
	"creator_address":"` + minterText + `","creator_percent":"0.125","honeypot_with_same_creator":"3","is_airdrop_scam":"0","is_in_dex":"1",
	"dex":[{"name":"UniswapV2","liquidity":"2762.3","pair":"` + pairAddress + `"}],"holder_count":"158",
	"holders":[
		{"address":"` + deadText + `","tag":"","is_contract":0,"percent":"0.2","is_locked":0},
		{"address":"` + pairAddress + `","tag":"","is_contract":1,"percent":"0.5","is_locked":0},
		{"address":"` + minterText + `","tag":"","is_contract":0,"percent":"0.125","is_locked":0}],
	"lp_holder_count":"3","lp_holders":[
		{"address":"` + zeroText + `","tag":"Null Address","value":null,"is_contract":0,"percent":"0.000001","NFT_list":null,"is_locked":1},
		{"address":"` + lockerText + `","tag":"TeamFinance","is_contract":1,"percent":"0.9","is_locked":1,"locked_detail":[
			{"amount":"5","end_time":"2027-06-01T00:00:00+00:00","opt_time":"2026-06-01T00:00:00+00:00"},
			{"amount":"5","end_time":"2026-12-01T00:00:00+00:00","opt_time":"2026-06-01T00:00:00+00:00"},
			{"amount":"1","end_time":"2026-10-01T00:00:00+00:00","opt_time":"2026-06-01T00:00:00+00:00"}]},
		{"address":"` + ownerText + `","tag":"","is_contract":0,"percent":"0.099999","is_locked":0}]}`

// broken is full of what cannot be.
const broken = `{"buy_tax":"1e400","sell_tax":"NaN","transfer_tax":"-0.5","owner_percent":"Infinity","creator_percent":"1769801.017821791962924900",
	"holder_count":"-4","honeypot_with_same_creator":"-1","is_mintable":"2","owner_address":"0x12","fake_token":[],"holders":[
		{"address":"` + pairAddress + `","percent":"1769801.017821791962924900","is_locked":0},
		{"address":"` + ownerText + `","percent":"-0.1"},{"address":"` + ownerText + `","percent":"1e400"},{"address":"` + ownerText + `","percent":"NaN"},
		{"address":"` + ownerText + `"},{"address":"somebody","percent":"0.1"},{"address":"` + pairAddress + `","percent":"0.5"},7],
	"lp_holders":[{"address":"` + lockerText + `","percent":"0x1p-2","is_locked":1},{"address":"` + lockerText + `","percent":0.5,"is_locked":1,"locked_detail":[{"end_time":"soon"}]}]}`

func read(t *testing.T, body string) (market.TokenSecurity, int) {
	t.Helper()
	finding, found, dropped := readToken(map[string]jsontext.Value{address(1).String(): jsontext.Value(body)}, address(1), now)
	if !found {
		t.Fatal("not read")
	}
	return finding, dropped
}

func parsed(text string) chain.Address { a, _ := chain.ParseWireAddress(text); return a }

func TestEverythingIsRead(t *testing.T) {
	got, dropped := read(t, launch)
	if dropped != 0 || !math.IsNaN(got.TransferTax) {
		t.Error(dropped, got.TransferTax)
	}
	got.TransferTax = 0 // NaN equals nothing
	want := market.TokenSecurity{
		Token: address(1), Honeypot: market.No, CannotSellAll: market.No, CannotBuy: market.Yes, BuyTax: 0.03, SellTax: 0.1,
		OpenSource: market.Yes, Proxy: market.No, Mintable: market.Yes, OwnerChangesBalance: market.No, HiddenOwner: market.Yes,
		TakesBackOwnership: market.No, SelfDestructs: market.Yes, ExternalCall: market.No, TaxModifiable: market.Yes, PersonalTaxModifiable: market.No,
		TransferPausable: market.Yes, Blacklists: market.No, Whitelists: market.Yes, AntiWhale: market.No, AntiWhaleModifiable: market.Yes,
		TradingCooldown: market.No, Owner: parsed(ownerText), Renounced: market.No, Creator: parsed(minterText), CreatorShare: 0.125, OwnerShare: 0.05,
		CreatorMadeHoneypots: market.Yes, Scam: market.No, Listed: market.Yes, Holders: 158,
		Top: []market.Holder{
			{Account: market.Account{Address: parsed(pairAddress), Contract: true, Kind: market.DexAccount}, Share: 0.5},
			{Account: market.Account{Address: parsed(deadText), Kind: market.BurnAccount}, Share: 0.2, Locked: true},
			{Account: market.Account{Address: parsed(minterText)}, Share: 0.125},
		},
		LiquidityProviders: []market.Holder{
			{Account: market.Account{Address: parsed(lockerText), Contract: true, Label: "TeamFinance"}, Share: 0.9, Locked: true, LockedUntil: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)},
			{Account: market.Account{Address: parsed(ownerText)}, Share: 0.099999},
			{Account: market.Account{Address: chain.Native, Label: "Null Address", Kind: market.BurnAccount}, Share: 0.000001, Locked: true},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestWhatCannotBeIsUnknown(t *testing.T) {
	got, dropped := read(t, broken)
	for name, part := range map[string]float64{"buy": got.BuyTax, "sell": got.SellTax, "transfer": got.TransferTax, "owner": got.OwnerShare} {
		if !math.IsNaN(part) {
			t.Error(name, part)
		}
	}
	if got.CreatorShare != 1 || got.Holders != 0 || got.CreatorMadeHoneypots != market.Unknown || got.Mintable != market.Unknown || got.Renounced != market.Unknown ||
		got.Scam != market.Unknown || dropped != 8 {
		t.Errorf("%+v, %d dropped", got, dropped)
	}
	if len(got.Top) != 1 || got.Top[0].Share != 1 {
		t.Errorf("%+v", got.Top)
	}
	if len(got.LiquidityProviders) != 1 || !got.LiquidityProviders[0].Locked || !got.LiquidityProviders[0].LockedUntil.IsZero() {
		t.Errorf("%+v", got.LiquidityProviders)
	}
}

// Where the source is not published the service says next to nothing, which is not that all is well.
func TestWhatIsMissingIsUnknown(t *testing.T) {
	got, _ := read(t, `{"is_open_source":"0","holder_count":"9"}`)
	want := market.TokenSecurity{Token: address(1), OpenSource: market.No, Holders: 9, Top: []market.Holder{}, LiquidityProviders: []market.Holder{}}
	for _, part := range []*float64{&got.BuyTax, &got.SellTax, &got.TransferTax, &got.CreatorShare, &got.OwnerShare} {
		if !math.IsNaN(*part) {
			t.Error(*part)
		}
		*part = 0
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestOwners(t *testing.T) {
	const read1 = `"is_open_source":"1","is_proxy":"0","hidden_owner":"0"`
	for body, want := range map[string]market.Tristate{
		`{"owner_address":"` + zeroText + `"}`: market.Yes, `{"owner_address":"` + deadText + `"}`: market.Yes,
		`{"owner_address":"` + ownerText + `"}`: market.No, `{"owner_address":"",` + read1 + `}`: market.Unknown, `{"owner_address":null,` + read1 + `}`: market.Unknown,
		`{` + read1 + `}`: market.Yes, `{"is_open_source":"1","is_proxy":"1","hidden_owner":"0"}`: market.Unknown, `{"is_open_source":"1"}`: market.Unknown, `{}`: market.Unknown,
	} {
		got, _ := read(t, body)
		if got.Renounced != want || got.Owner.IsZero() == (want == market.No) {
			t.Errorf("%s: %d, %s", body, got.Renounced, got.Owner)
		}
	}
}

func TestListsOfFraudsAndOfTheTrusted(t *testing.T) {
	for body, want := range map[string][2]market.Tristate{
		`{"fake_token":{"value":1,"true_token_address":"0x1"}}`: {market.Yes, market.Unknown}, `{"fake_token":"1"}`: {market.Yes, market.Unknown},
		`{"is_airdrop_scam":"1","is_true_token":"1"}`: {market.Yes, market.Unknown}, `{"is_true_token":"0"}`: {market.Yes, market.Unknown},
		`{"is_true_token":"1"}`: {market.No, market.Unknown}, `{"is_airdrop_scam":"0","trust_list":"1"}`: {market.No, market.Yes},
		`{"trust_list":"0","fake_token":null}`: {market.Unknown, market.Unknown}, `{"fake_token":{"value":"0"}}`: {market.No, market.Unknown},
	} {
		if got, _ := read(t, body); got.Scam != want[0] || got.Trusted != want[1] {
			t.Errorf("%s: scam %d, trusted %d", body, got.Scam, got.Trusted)
		}
	}
	for text, want := range map[string]market.Tristate{`"0"`: market.No, `"1"`: market.Yes, `2`: market.Yes, `""`: market.Unknown, `"-1"`: market.Unknown, `"many"`: market.Unknown} {
		if got, _ := read(t, `{"honeypot_with_same_creator":`+text+`}`); got.CreatorMadeHoneypots != want {
			t.Errorf("%s: %d", text, got.CreatorMadeHoneypots)
		}
	}
}

func TestLocks(t *testing.T) {
	at := func(text string) time.Time { end, _ := time.Parse(time.RFC3339, text); return end }
	for detail, want := range map[string]struct {
		locked bool
		until  time.Time
	}{
		``: {true, time.Time{}},
		`,"locked_detail":[{"end_time":"2026-10-01T00:00:00+00:00"}]`:                           {false, time.Time{}},
		`,"locked_detail":[{"end_time":"2026-10-01T00:00:00+00:00"},{"end_time":"whenever"}]`:   {true, time.Time{}},
		`,"locked_detail":[{"end_time":"2099-01-01 00:00:00"},{"end_time":"2027-01-01"}]`:       {true, at("2027-01-01T00:00:00Z")},
		`,"locked_detail":[{"end_time":1800000000},{"end_time":"2027-02-01T00:00:00.000000Z"}]`: {true, time.Unix(1800000000, 0).UTC()},
		`,"locked_detail":null`: {true, time.Time{}},
	} {
		got, _ := read(t, `{"lp_holders":[{"address":"`+lockerText+`","percent":"0.9","is_locked":1`+detail+`}]}`)
		if held := got.LiquidityProviders[0]; held.Locked != want.locked || !held.LockedUntil.Equal(want.until) {
			t.Errorf("%s: %+v", detail, held)
		}
	}
	// A tag makes nobody a burn address.
	got, _ := read(t, `{"lp_holders":[{"address":"`+lockerText+`","tag":"Burn","percent":"0.9","is_locked":0}]}`)
	if held := got.LiquidityProviders[0]; held.Locked || held.Account.Kind != market.UnknownAccount {
		t.Errorf("%+v", held)
	}
}

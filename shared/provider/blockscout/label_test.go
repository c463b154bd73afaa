package blockscout

import (
	"testing"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/upstream"
)

func TestAccounts(t *testing.T) {
	tags := func(tags string) string {
		return `{"hash":"` + bob + `","is_contract":true,"is_verified":true,"name":"Proxy","metadata":{"tags":[` + tags + `]}}`
	}
	named := func(name, verified string) string {
		return `{"hash":"` + bob + `","is_contract":true,"is_verified":` + verified + `,"name":"` + name + `","metadata":null}`
	}
	for name, c := range map[string]struct {
		body  string
		known bool
		kind  market.AccountKind
		label string
	}{
		"plain account": {party(bob), false, market.UnknownAccount, ""},
		"zero":          {party(zero), true, market.BurnAccount, ""},
		"dead":          {party("0x000000000000000000000000000000000000dEaD"), true, market.BurnAccount, ""},
		"router": {tags(`{"name":"Uniswap V2: Router 2","slug":"uniswap-v2-router-2","tagType":"name","ordinal":10},{"name":"Uniswap","slug":"uniswap","tagType":"protocol","ordinal":0}`),
			true, market.DexAccount, "Uniswap V2: Router 2"},
		"what it is before whose it is": {tags(`{"name":"Binance","slug":"binance","tagType":"protocol"},{"name":"Bridge","slug":"bridge","tagType":"generic"}`), true, market.BridgeAccount, "Proxy"},
		"exchange":                      {tags(`{"name":"Binance: Hot Wallet 14","slug":"binance-hot-wallet-14","tagType":"name","ordinal":10}`), true, market.ExchangeAccount, "Binance: Hot Wallet 14"},
		"decentralised exchange":        {tags(`{"name":"Decentralized Exchange","slug":"decentralized-exchange","tagType":"generic"}`), true, market.DexAccount, "Proxy"},
		"airdrop":                       {tags(`{"name":"Airdrop","slug":"airdrop","tagType":"generic"}`), true, market.DistributorAccount, "Proxy"},
		"lending":                       {tags(`{"name":"Aave: Pool V3","slug":"aave-pool-v3","tagType":"name","ordinal":10}`), true, market.ProtocolAccount, "Aave: Pool V3"},
		"index is no dex":               {tags(`{"name":"Index Coop","slug":"index-coop","tagType":"protocol"}`), true, market.UnknownAccount, "Proxy"},
		"best name":                     {tags(`{"name":"Low","slug":"l","tagType":"name","ordinal":1},{"name":"High","slug":"h","tagType":"name","ordinal":9}`), true, market.UnknownAccount, "High"},
		"public tag":                    {`{"hash":"` + bob + `","is_contract":false,"public_tags":[{"label":"coinbase","display_name":"Coinbase 4"}]}`, true, market.ExchangeAccount, "Coinbase 4"},
		"pool by its name":              {named("UniswapV3Pool", "true"), true, market.DexAccount, "UniswapV3Pool"},
		"pair by its name":              {named("PancakePair", "true"), true, market.DexAccount, "PancakePair"},
		"unverified name":               {named("UniswapV3Pool", "false"), true, market.UnknownAccount, "UniswapV3Pool"},
		"exchange by its own word":      {named("BinanceHotWallet", "true"), true, market.UnknownAccount, "BinanceHotWallet"},
		"bridge by its own word":        {named("TokenBridge", "true"), true, market.UnknownAccount, "TokenBridge"},
		"contract without a name":       {`{"hash":"` + bob + `","is_contract":true}`, true, market.UnknownAccount, ""},
		"behind a proxy":                {`{"hash":"` + bob + `","is_contract":true,"is_verified":true,"name":"ERC1967Proxy","implementations":[{"name":"MerkleDistributor"}]}`, true, market.DistributorAccount, "ERC1967Proxy"},
		"delegated account":             {`{"hash":"` + bob + `","is_contract":true,"is_verified":true,"name":"UniswapV3Pool","proxy_type":"eip7702"}`, true, market.UnknownAccount, "UniswapV3Pool"},
		"hostile":                       {`{"hash":"0x","name":"x"}`, false, market.UnknownAccount, ""},
	} {
		var wire wireAddress
		if err := upstream.Unmarshal([]byte(c.body), &wire); err != nil {
			t.Fatal(name, err)
		}
		account, known := wire.describe()
		if known != c.known || account.Kind != c.kind || account.Label != c.label {
			t.Errorf("%s: %v %+v", name, known, account)
		}
	}
	if _, known := (*wireAddress)(nil).describe(); known {
		t.Error("nobody is known")
	}
}

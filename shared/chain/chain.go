// Package chain knows the blockchains the service covers, by slug and by id, their quote assets, and account addresses.
//
// It parses and prints; it fetches nothing and judges nothing.
package chain

// Slug is the canonical short name of a supported chain, as it stands in every answer.
type Slug string

// The supported chains.
const (
	Ethereum Slug = "eth"
	Base     Slug = "base"
	BSC      Slug = "bsc"
	Arbitrum Slug = "arbitrum"
	Polygon  Slug = "polygon"
	Optimism Slug = "optimism"
)

// Asset is one of a chain's own well-known tokens.
type Asset struct {
	Address  Address
	Symbol   string
	Decimals int
}

// Chain describes one supported chain.
type Chain struct {
	Slug Slug
	// ID is the EIP-155 chain id.
	ID int64
	// Aliases are other spellings accepted in requests.
	Aliases []string
	// NativeSymbol names the coin that pays for gas.
	NativeSymbol string
	// WrappedNative is the ERC-20 form of the native coin; the two are one asset to every assessment.
	WrappedNative Asset
	// Stables are the dollar stablecoins that traders quote in.
	Stables []Asset
	// Staked are the main liquid-staking receipts of the native coin that traders quote in.
	Staked []Asset
}

// Quotes lists what trades are quoted in: the wrapped native coin, the stables, the staked receipts.
func (c *Chain) Quotes() []Asset {
	quotes := make([]Asset, 0, 1+len(c.Stables)+len(c.Staked))
	quotes = append(quotes, c.WrappedNative)
	quotes = append(quotes, c.Stables...)
	return append(quotes, c.Staked...)
}

// ERC20 is the token by which an asset is listed: the wrapped form of the native coin, any other asset itself.
func (c *Chain) ERC20(asset Address) Address {
	if asset == Native {
		return c.WrappedNative.Address
	}
	return asset
}

// IsQuote tells whether an asset, the native coin included, belongs to the quote set.
func (c *Chain) IsQuote(asset Address) bool {
	return asset == Native || asset == c.WrappedNative.Address || c.IsStable(asset) || contains(c.Staked, asset)
}

// IsStable tells whether an asset is one of the chain's dollar stablecoins.
func (c *Chain) IsStable(asset Address) bool { return contains(c.Stables, asset) }

func contains(assets []Asset, address Address) bool {
	for i := range assets {
		if assets[i].Address == address {
			return true
		}
	}
	return false
}

// Parse finds a chain by its slug or an alias, in exactly that spelling. The second result is false for any other text.
func Parse(text string) (*Chain, bool) {
	for i := range supported {
		c := &supported[i]
		if text == string(c.Slug) {
			return c, true
		}
		for _, alias := range c.Aliases {
			if text == alias {
				return c, true
			}
		}
	}
	return nil, false
}

// ByID finds a chain by its EIP-155 id. The second result is false for an id that is not supported.
func ByID(id int64) (*Chain, bool) {
	for i := range supported {
		if supported[i].ID == id {
			return &supported[i], true
		}
	}
	return nil, false
}

// All lists the supported chains in the order answers name them.
func All() []*Chain {
	all := make([]*Chain, len(supported))
	for i := range supported {
		all[i] = &supported[i]
	}
	return all
}

// Slugs lists the canonical slugs in the order answers name them.
func Slugs() []string {
	slugs := make([]string, len(supported))
	for i := range supported {
		slugs[i] = string(supported[i].Slug)
	}
	return slugs
}

func asset(address, symbol string, decimals int) Asset {
	return Asset{Address: mustAddress(address), Symbol: symbol, Decimals: decimals}
}

// supported is the one table of chains. Addresses are the issuers' own deployments.
var supported = []Chain{
	{
		Slug: Ethereum, ID: 1, Aliases: []string{"ethereum"}, NativeSymbol: "ETH",
		WrappedNative: asset("0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "WETH", 18),
		Stables: []Asset{
			asset("0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USDC", 6),
			asset("0xdAC17F958D2ee523a2206206994597C13D831ec7", "USDT", 6),
			asset("0x6B175474E89094C44Da98b954EedeAC495271d0F", "DAI", 18),
		},
		Staked: []Asset{
			asset("0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84", "stETH", 18),
			asset("0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0", "wstETH", 18),
			asset("0xae78736Cd615f374D3085123A210448E74Fc6393", "rETH", 18),
		},
	},
	{
		Slug: Base, ID: 8453, NativeSymbol: "ETH",
		WrappedNative: asset("0x4200000000000000000000000000000000000006", "WETH", 18),
		Stables: []Asset{
			asset("0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USDC", 6),
			asset("0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA", "USDbC", 6),
			asset("0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb", "DAI", 18),
		},
		Staked: []Asset{
			asset("0x2Ae3F1Ec7F1F5012CFEab0185bfc7aa3cf0DEc22", "cbETH", 18),
			asset("0xc1CBa3fCea344f92D9239c08C0568f6F2F0ee452", "wstETH", 18),
		},
	},
	{
		Slug: BSC, ID: 56, Aliases: []string{"bnb", "binance"}, NativeSymbol: "BNB",
		WrappedNative: asset("0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c", "WBNB", 18),
		Stables: []Asset{
			asset("0x55d398326f99059fF775485246999027B3197955", "USDT", 18),
			asset("0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", "USDC", 18),
			asset("0xe9e7CEA3DedcA5984780Bafc599bD69ADd087D56", "BUSD", 18),
		},
	},
	{
		Slug: Arbitrum, ID: 42161, Aliases: []string{"arbitrum-one"}, NativeSymbol: "ETH",
		WrappedNative: asset("0x82aF49447D8a07e3bd95BD0d56f35241523fBab1", "WETH", 18),
		Stables: []Asset{
			asset("0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USDC", 6),
			asset("0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8", "USDC.e", 6),
			asset("0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", "USDT", 6),
		},
		Staked: []Asset{asset("0x5979D7b546E38E414F7E9822514be443A4800529", "wstETH", 18)},
	},
	{
		Slug: Polygon, ID: 137, Aliases: []string{"matic"}, NativeSymbol: "POL",
		WrappedNative: asset("0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270", "WPOL", 18),
		Stables: []Asset{
			asset("0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USDC", 6),
			asset("0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174", "USDC.e", 6),
			asset("0xc2132D05D31c914a87C6611C10748AEb04B58e8F", "USDT", 6),
		},
	},
	{
		Slug: Optimism, ID: 10, NativeSymbol: "ETH",
		WrappedNative: asset("0x4200000000000000000000000000000000000006", "WETH", 18),
		Stables: []Asset{
			asset("0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", "USDC", 6),
			asset("0x7F5c764cBc14f9669B88837ca1490cCa17c31607", "USDC.e", 6),
			asset("0x94b008aA00579c1307B0EF2c499aD98a8ce58e58", "USDT", 6),
		},
		Staked: []Asset{asset("0x1F32b1c2345538c0c6f582fCB022739c4A194Ebb", "wstETH", 18)},
	},
}

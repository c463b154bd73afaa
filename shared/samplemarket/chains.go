package samplemarket

// quoteSpec is one of a chain's well-known assets that trades are quoted in.
type quoteSpec struct {
	address  string
	symbol   string
	name     string
	decimals int
	kind     assetKind
}

// chainSpec is what is fixed about one chain.
type chainSpec struct {
	slug         string
	id           int64
	gecko        string
	dexscreener  string
	llama        string
	native       string
	nativeName   string
	nativePrice  float64 // USD at the start of the history
	priceStream  string  // chains with the same native coin share its price
	blockSeconds int64
	blockAtEpoch int64 // number of the block at blockEpoch
	gasMilliGwei int64 // typical gas price, in thousandths of a gwei
	blockscout   bool
	factoryV2    string // who makes pools of each version, as Uniswap has them there
	factoryV3    string
	poolManager  string
	v2Name       string // name of the chain's leading constant-product exchange
	v2Gecko      string
	v2Dexscreen  string
	quotes       []quoteSpec // wrapped native first, then stablecoins, then staking receipts
}

// blockEpoch is the Unix time block numbers are counted from: 2024-01-01.
const blockEpoch = 1704067200

var (
	zeroAddress     = address{}
	burnAddress     = mustAddress("0x000000000000000000000000000000000000dEaD")
	permit2Address  = mustAddress("0x000000000022D473030F116dDEE9F6B43aC78BA3")
	lockerAddress   = mustAddress("0x663A5C229c09b049E36dCc11a9B0d4a8Eb9db214")
	teamLockAddress = mustAddress("0xE2fE530C047f2d85298b07D9333C05737f1435fB")
	routerV2Address = mustAddress("0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D")
	routerV3Address = mustAddress("0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45")
	universalRouter = mustAddress("0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af")
	entryPoint      = mustAddress("0x0000000071727De22E5E9d8BAf0edAc6f37da032")
	aggregator      = mustAddress("0x111111125421cA6dc452d289314280a0f8842A65")
)

var chainSpecs = []chainSpec{
	{
		slug: "eth", id: 1, gecko: "eth", dexscreener: "ethereum", llama: "ethereum", native: "ETH", nativeName: "Ether",
		nativePrice: 2650, priceStream: "ETH", blockSeconds: 12, blockAtEpoch: 18_908_895, gasMilliGwei: 3000, blockscout: true,
		factoryV2: "0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f", factoryV3: "0x1F98431c8aD98523631AE4a59f267346ea31F984",
		poolManager: "0x000000000004444c5dc75cB358380D2e3dE08A90",
		v2Name:      "UniswapV2", v2Gecko: "uniswap_v2", v2Dexscreen: "uniswap",
		quotes: []quoteSpec{
			{"0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2", "WETH", "Wrapped Ether", 18, assetWrapped},
			{"0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", "USDC", "USD Coin", 6, assetStable},
			{"0xdAC17F958D2ee523a2206206994597C13D831ec7", "USDT", "Tether USD", 6, assetStable},
			{"0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0", "wstETH", "Wrapped liquid staked Ether 2.0", 18, assetStaked},
		},
	},
	{
		slug: "base", id: 8453, gecko: "base", dexscreener: "base", llama: "base", native: "ETH", nativeName: "Ether",
		nativePrice: 2650, priceStream: "ETH", blockSeconds: 2, blockAtEpoch: 8_638_927, gasMilliGwei: 12, blockscout: true,
		factoryV2: "0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6", factoryV3: "0x33128a8fC17869897dcE68Ed026d694621f6FDfD",
		poolManager: "0x498581fF718922c3f8e6A244956aF099B2652b2b",
		v2Name:      "UniswapV2", v2Gecko: "uniswap-v2-base", v2Dexscreen: "uniswap",
		quotes: []quoteSpec{
			{"0x4200000000000000000000000000000000000006", "WETH", "Wrapped Ether", 18, assetWrapped},
			{"0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", "USDC", "USD Coin", 6, assetStable},
			{"0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA", "USDbC", "USD Base Coin", 6, assetStable},
			{"0x2Ae3F1Ec7F1F5012CFEab0185bfc7aa3cf0DEc22", "cbETH", "Coinbase Wrapped Staked ETH", 18, assetStaked},
		},
	},
	{
		slug: "bsc", id: 56, gecko: "bsc", dexscreener: "bsc", llama: "bsc", native: "BNB", nativeName: "BNB",
		nativePrice: 610, priceStream: "BNB", blockSeconds: 3, blockAtEpoch: 34_816_000, gasMilliGwei: 1000, blockscout: false,
		factoryV2: "0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6", factoryV3: "0xdB1d10011AD0Ff90774D0C6Bb92e5C5c8b4461F7",
		poolManager: "0x28e2Ea090877bF75740558f6BFB36A5ffeE9e9dF",
		v2Name:      "PancakeV2", v2Gecko: "pancakeswap_v2", v2Dexscreen: "pancakeswap",
		quotes: []quoteSpec{
			{"0xbb4CdB9CBd36B01bD1cBaEBF2De08d9173bc095c", "WBNB", "Wrapped BNB", 18, assetWrapped},
			{"0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d", "USDC", "USD Coin", 18, assetStable},
			{"0x55d398326f99059fF775485246999027B3197955", "USDT", "Tether USD", 18, assetStable},
		},
	},
	{
		slug: "arbitrum", id: 42161, gecko: "arbitrum", dexscreener: "arbitrum", llama: "arbitrum", native: "ETH", nativeName: "Ether",
		nativePrice: 2650, priceStream: "ETH", blockSeconds: 1, blockAtEpoch: 165_788_000, gasMilliGwei: 20, blockscout: true,
		factoryV2: "0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9", factoryV3: "0x1F98431c8aD98523631AE4a59f267346ea31F984",
		poolManager: "0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32",
		v2Name:      "SushiSwapV2", v2Gecko: "sushiswap_arbitrum", v2Dexscreen: "sushiswap",
		quotes: []quoteSpec{
			{"0x82aF49447D8a07e3bd95BD0d56f35241523fBab1", "WETH", "Wrapped Ether", 18, assetWrapped},
			{"0xaf88d065e77c8cC2239327C5EDb3A432268e5831", "USDC", "USD Coin", 6, assetStable},
			{"0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9", "USDT", "Tether USD", 6, assetStable},
			{"0x5979D7b546E38E414F7E9822514be443A4800529", "wstETH", "Wrapped liquid staked Ether 2.0", 18, assetStaked},
		},
	},
	{
		slug: "polygon", id: 137, gecko: "polygon_pos", dexscreener: "polygon", llama: "polygon", native: "POL", nativeName: "POL",
		nativePrice: 0.42, priceStream: "POL", blockSeconds: 2, blockAtEpoch: 51_730_000, gasMilliGwei: 35000, blockscout: true,
		factoryV2: "0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C", factoryV3: "0x1F98431c8aD98523631AE4a59f267346ea31F984",
		poolManager: "0x67366782805870060151383F4BbFF9daB53e5cD6",
		v2Name:      "QuickSwap", v2Gecko: "quickswap", v2Dexscreen: "quickswap",
		quotes: []quoteSpec{
			{"0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270", "WPOL", "Wrapped POL", 18, assetWrapped},
			{"0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359", "USDC", "USD Coin", 6, assetStable},
			{"0xc2132D05D31c914a87C6611C10748AEb04B58e8F", "USDT", "Tether USD", 6, assetStable},
		},
	},
	{
		slug: "optimism", id: 10, gecko: "optimism", dexscreener: "optimism", llama: "optimism", native: "ETH", nativeName: "Ether",
		nativePrice: 2650, priceStream: "ETH", blockSeconds: 2, blockAtEpoch: 114_236_000, gasMilliGwei: 8, blockscout: true,
		factoryV2: "0x0c3c1c532F1e39EdF36BE9Fe0bE1410313E074Bf", factoryV3: "0x1F98431c8aD98523631AE4a59f267346ea31F984",
		poolManager: "0x9a13F98Cb987694C9F086b1F5eB990EeA8264Ec3",
		v2Name:      "UniswapV2", v2Gecko: "uniswap-v2-optimism", v2Dexscreen: "uniswap",
		quotes: []quoteSpec{
			{"0x4200000000000000000000000000000000000006", "WETH", "Wrapped Ether", 18, assetWrapped},
			{"0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", "USDC", "USD Coin", 6, assetStable},
			{"0x94b008aA00579c1307B0EF2c499aD98a8ce58e58", "USDT", "Tether USD", 6, assetStable},
			{"0x1F32b1c2345538c0c6f582fCB022739c4A194Ebb", "wstETH", "Wrapped liquid staked Ether 2.0", 18, assetStaked},
		},
	},
}

// blockAt is the number of the newest block at a Unix time; timeOfBlock is its inverse on block times.
func (c *chainSpec) blockAt(unix int64) int64 {
	return c.blockAtEpoch + floorDiv(unix-blockEpoch, c.blockSeconds)
}

func (c *chainSpec) timeOfBlock(number int64) int64 {
	return blockEpoch + (number-c.blockAtEpoch)*c.blockSeconds
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

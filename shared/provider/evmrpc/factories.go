package evmrpc

import "github.com/mirrorworthy/mirrorworthy/shared/chain"

// The first topics of the events that tell of new pools: Keccak-256 of their signatures.
var (
	pairCreatedTopic         = mustWord("0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9")
	poolCreatedTopic         = mustWord("0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118")
	slipstreamCreatedTopic   = mustWord("0xab0d57f0df537bb25e80245ef7748fa62353808c54d6e528a9dd20887aed9ac2")
	velodromeCreatedTopic    = mustWord("0x2128d88d14c80cb081c1252a5acff7a264671bf199ce226b53788fb26065005e")
	algebraCreatedTopic      = mustWord("0x91ccaa7a278130b65168c3a0c8d3bcae84cf5e43704342bd3ec0b59e59c036db")
	uniswapV4InitializeTopic = mustWord("0xdd466e674ea557f56295e2d0218a125ea4b4f0f6f3307b95f85e6110838d6438")
)

// dialect is how a factory tells of a new pool.
type dialect struct {
	topic Word
	// version is the pool's, as in market.PoolLaunch.
	version string
	// topics and words are how many the event has; word is which of them holds the pool's address, not used in version 4.
	topics, words, word int
}

var (
	// PairCreated(token0 indexed, token1 indexed, pair, number)
	pairs = dialect{pairCreatedTopic, "v2", 3, 2, 0}
	// PoolCreated(token0 indexed, token1 indexed, stable indexed, pool, number)
	velodromePools = dialect{velodromeCreatedTopic, "v2", 4, 2, 0}
	// PoolCreated(token0 indexed, token1 indexed, fee indexed, tickSpacing, pool)
	concentrated = dialect{poolCreatedTopic, "v3", 4, 2, 1}
	// PoolCreated(token0 indexed, token1 indexed, tickSpacing indexed, pool)
	slipstream = dialect{slipstreamCreatedTopic, "v3", 4, 1, 0}
	// Pool(token0 indexed, token1 indexed, pool)
	algebra = dialect{algebraCreatedTopic, "v3", 3, 1, 0}
	// Initialize(id indexed, currency0 indexed, currency1 indexed, fee, tickSpacing, hooks, sqrtPriceX96, tick)
	managed = dialect{uniswapV4InitializeTopic, "v4", 4, 5, 0}
)

// factory makes pools and tells of it.
type factory struct {
	address chain.Address
	dialect *dialect
}

func factoryAt(address string, speaks *dialect) factory {
	parsed, err := chain.ParseAddress(address)
	if err != nil {
		panic(address + ": " + err.Error())
	}
	return factory{parsed, speaks}
}

const (
	uniswapV3Factory = "0x1F98431c8aD98523631AE4a59f267346ea31F984" // Ethereum, Arbitrum, Polygon, Optimism
	pancakeV3Factory = "0x0BFbCF9fa4f9C56B0F40a671Ad40E0805A091865" // every chain it is on
	sushiV2Factory   = "0xc35DADB65012eC5796536bD9864eD8773aBc74C4" // most chains
)

// factoriesOf are the factories whose pools count as launches. Each address was found in its exchange's own documentation or
// deployment list, or, where that names none, in several independent code bases: Uniswap (docs.uniswap.org, contracts v2, v3 and v4,
// deployments), PancakeSwap (developer.pancakeswap.finance), SushiSwap (the @sushiswap/core package and the sushi repository),
// QuickSwap (QuickSwap/quickswap-core and, for v3, its plugin), Aerodrome and Velodrome (aerodrome-finance/docs and velodrome-finance
// deployments, DefiLlama adapters), Camelot v2 (docs.camelot.exchange).
//
// Not covered are pools on bonding curves before they move to one of these, PancakeSwap Infinity, Balancer, Curve, Liquidity Book,
// pools of a stable curve, and the smaller forks.
var factoriesOf = map[chain.Slug][]factory{
	chain.Ethereum: {
		factoryAt("0x5C69bEe701ef814a2B6a3EDD4B1652CB9cc5aA6f", &pairs), // Uniswap
		factoryAt("0xC0AEe478e3658e2610c5F7A4A2E1777cE9e4f2Ac", &pairs), // SushiSwap
		factoryAt("0x1097053Fd2ea711dad45caCcc45EfF7548fCB362", &pairs), // PancakeSwap
		factoryAt(uniswapV3Factory, &concentrated),
		factoryAt(pancakeV3Factory, &concentrated),
		factoryAt("0x000000000004444c5dc75cB358380D2e3dE08A90", &managed),
	},
	chain.Base: {
		factoryAt("0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6", &pairs),          // Uniswap
		factoryAt("0x71524B4f93c58fcbF659783284E38825f0622859", &pairs),          // SushiSwap
		factoryAt("0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E", &pairs),          // PancakeSwap
		factoryAt("0x420DD381b31aEf6683db6B902084cB0FFECe40Da", &velodromePools), // Aerodrome
		factoryAt("0x33128a8fC17869897dcE68Ed026d694621f6FDfD", &concentrated),   // Uniswap
		factoryAt("0xc35DADB65012eC5796536bD9864eD8773aBc74C4", &concentrated),   // SushiSwap
		factoryAt(pancakeV3Factory, &concentrated),
		factoryAt("0x5e7BB104d84c7CB9B682AaC2F3d509f5F406809A", &slipstream), // Aerodrome, three generations
		factoryAt("0xaDe65c38CD4849aDBA595a4323a8C7DdfE89716a", &slipstream),
		factoryAt("0xf8f2eB4940CFE7d13603DDDD87f123820Fc061Ef", &slipstream),
		factoryAt("0x498581fF718922c3f8e6A244956aF099B2652b2b", &managed),
	},
	chain.BSC: {
		factoryAt("0xcA143Ce32Fe78f1f7019d7d551a6402fC5350c73", &pairs), // PancakeSwap
		factoryAt("0x8909Dc15e40173Ff4699343b6eB8132c65e18eC6", &pairs), // Uniswap
		factoryAt(sushiV2Factory, &pairs),
		factoryAt(pancakeV3Factory, &concentrated),
		factoryAt("0xdB1d10011AD0Ff90774D0C6Bb92e5C5c8b4461F7", &concentrated), // Uniswap
		factoryAt("0x28e2Ea090877bF75740558f6BFB36A5ffeE9e9dF", &managed),
	},
	chain.Arbitrum: {
		factoryAt("0xf1D7CC64Fb4452F05c498126312eBE29f30Fbcf9", &pairs), // Uniswap
		factoryAt(sushiV2Factory, &pairs),
		factoryAt("0x02a84c1b3BBD7401a5f7fa98a384EBC70bB5749E", &pairs), // PancakeSwap
		factoryAt("0x6EcCab422D763aC031210895C81787E87B43A652", &pairs), // Camelot
		factoryAt(uniswapV3Factory, &concentrated),
		factoryAt(pancakeV3Factory, &concentrated),
		factoryAt("0x360E68faCcca8cA495c1B759Fd9EEe466db9FB32", &managed),
	},
	chain.Polygon: {
		factoryAt("0x5757371414417b8C6CAad45bAeF941aBc7d3Ab32", &pairs), // QuickSwap
		factoryAt("0x9e5A52f57b3038F1B8EeE45F28b3C1967e22799C", &pairs), // Uniswap
		factoryAt(sushiV2Factory, &pairs),
		factoryAt("0x411b0fAcC3489691f28ad58c47006AF5E3Ab3A28", &algebra), // QuickSwap
		factoryAt(uniswapV3Factory, &concentrated),
		factoryAt("0x67366782805870060151383F4BbFF9daB53e5cD6", &managed),
	},
	chain.Optimism: {
		factoryAt("0x0c3c1c532F1e39EdF36BE9Fe0bE1410313E074Bf", &pairs),          // Uniswap
		factoryAt("0xFbc12984689e5f15626Bad03Ad60160Fe98B303C", &pairs),          // SushiSwap
		factoryAt("0xF1046053aa5682b4F9a81b5481394DA16BE5FF5a", &velodromePools), // Velodrome
		factoryAt(uniswapV3Factory, &concentrated),
		factoryAt("0x9c6522117e2ed1fe5bdb72bb0ed5e3f2bde7dbe0", &concentrated), // SushiSwap
		factoryAt("0xCc0bDDB707055e04e497aB22a59c2aF4391cd12F", &slipstream),   // Velodrome
		factoryAt("0x9a13F98Cb987694C9F086b1F5eB990EeA8264Ec3", &managed),
	},
}

// managerOf is the chain's manager of version 4 pools.
func managerOf(on *chain.Chain) (chain.Address, bool) {
	for _, one := range factoriesOf[on.Slug] {
		if one.dialect == &managed {
			return one.address, true
		}
	}
	return chain.Address{}, false
}

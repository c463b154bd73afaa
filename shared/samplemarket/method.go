package samplemarket

// method is a contract function, or a plain transfer.
type method uint8

const (
	methodPlain method = iota
	methodCreate
	methodApprove
	methodTransfer
	methodBuyNative
	methodSellNative
	methodSwapTokens
	methodBuyNativeTaxed
	methodSellNativeTaxed
	methodMulticall
	methodExecute
	methodAggregate
	methodAddLiquidity
	methodRemoveLiquidity
	methodClaim
	methodSettle
	methodHandleOps
	methodApproveAll
	methodPermit2Approve
	methodAirdrop
	methodMint
	methodInteract
	methodMEV
	methodDelegate
)

type methodSpec struct{ name, selector, signature string }

var methods = [...]methodSpec{
	methodPlain:           {"", "", ""},
	methodCreate:          {"", "60806040", ""},
	methodApprove:         {"approve", "095ea7b3", "approve(address spender, uint256 amount)"},
	methodTransfer:        {"transfer", "a9059cbb", "transfer(address to, uint256 amount)"},
	methodBuyNative:       {"swapExactETHForTokens", "7ff36ab5", "swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)"},
	methodSellNative:      {"swapExactTokensForETH", "18cbafe5", "swapExactTokensForETH(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)"},
	methodSwapTokens:      {"swapExactTokensForTokens", "38ed1739", "swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)"},
	methodBuyNativeTaxed:  {"swapExactETHForTokensSupportingFeeOnTransferTokens", "b6f9de95", "swapExactETHForTokensSupportingFeeOnTransferTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)"},
	methodSellNativeTaxed: {"swapExactTokensForETHSupportingFeeOnTransferTokens", "791ac947", "swapExactTokensForETHSupportingFeeOnTransferTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)"},
	methodMulticall:       {"multicall", "5ae401dc", "multicall(uint256 deadline, bytes[] data)"},
	methodExecute:         {"execute", "3593564c", "execute(bytes commands, bytes[] inputs, uint256 deadline)"},
	methodAggregate:       {"swap", "07ed2379", "swap(address executor, tuple desc, bytes data)"},
	methodAddLiquidity:    {"addLiquidityETH", "f305d719", "addLiquidityETH(address token, uint256 amountTokenDesired, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline)"},
	methodRemoveLiquidity: {"removeLiquidityETH", "02751cec", "removeLiquidityETH(address token, uint256 liquidity, uint256 amountTokenMin, uint256 amountETHMin, address to, uint256 deadline)"},
	methodClaim:           {"claim", "4e71d92d", "claim()"},
	methodSettle:          {"settle", "13d79a0b", "settle(address[] tokens, uint256[] clearingPrices, tuple[] trades, tuple[][3] interactions)"},
	methodHandleOps:       {"handleOps", "765e827f", "handleOps(tuple[] ops, address beneficiary)"},
	methodApproveAll:      {"setApprovalForAll", "a22cb465", "setApprovalForAll(address operator, bool approved)"},
	methodPermit2Approve:  {"approve", "87517c45", "approve(address token, address spender, uint160 amount, uint48 expiration)"},
	methodAirdrop:         {"airdrop", "c1bb6a4a", ""},
	methodMint:            {"mint", "40c10f19", "mint(address to, uint256 amount)"},
	methodInteract:        {"checkIn", "183ff085", "checkIn()"},
	methodMEV:             {"", "78e111f6", ""},
	methodDelegate:        {"", "", ""},
}

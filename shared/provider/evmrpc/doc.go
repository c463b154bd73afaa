// Package evmrpc reads the facts of one wallet or one contract, what pools were made and how a token came to market, what became of a
// transaction and what a contract answers to a call from an EVM node over JSON-RPC, and decodes receipts and logs into typed values.
//
// It asks eth_blockNumber, eth_getLogs, eth_getTransactionByHash, eth_getTransactionReceipt, eth_getBlockByNumber,
// eth_getBalance, eth_getCode, eth_getStorageAt and eth_call, one call a request, as the Ethereum execution API specification describes them
// (github.com/ethereum/execution-apis). Event layouts follow ERC-20, ERC-721, WETH9, Permit2 and the Uniswap v2, v3 and v4
// core contracts. Limits are the node operator's: log ranges shrink to what the node accepts, and the number of calls for
// one wallet is bounded.
//
// A node has no index of accounts. What it cannot tell is missing and never guessed: labels, prices, failed transactions
// that left no log, plain transfers of the native coin, and native coin received inside a transaction beyond what
// nativeReceived derives from logs. Where a chain has an explorer, package blockscout tells more.
package evmrpc

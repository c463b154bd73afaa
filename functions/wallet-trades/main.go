// Command wallet-trades is the Lambda function behind POST /v1/wallet-trades.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

func main() { host.Serve(wallet.WalletTrades()) }

// Command wallet-overview is the Lambda function behind POST /v1/wallet-overview.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

func main() { host.Serve(wallet.WalletOverview()) }

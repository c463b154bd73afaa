// Command wallet-health is the Lambda function behind POST /v1/wallet-health.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

func main() { host.Serve(wallet.WalletHealth()) }

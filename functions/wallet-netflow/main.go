// Command wallet-netflow is the Lambda function behind POST /v1/wallet-netflow.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

func main() { host.Serve(wallet.WalletNetflow()) }

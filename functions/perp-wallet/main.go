// Command perp-wallet is the Lambda function behind POST /v1/perp-wallet.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/perp"
)

func main() { host.Serve(perp.PerpWallet()) }

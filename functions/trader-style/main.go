// Command trader-style is the Lambda function behind POST /v1/trader-style.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

func main() { host.Serve(wallet.TraderStyle()) }

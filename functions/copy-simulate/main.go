// Command copy-simulate is the Lambda function behind POST /v1/copy-simulate.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

func main() { host.Serve(wallet.CopySimulate()) }

// Command perp-copy-decision is the Lambda function behind POST /v1/perp-copy-decision.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/copytrade"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
)

func main() { host.Serve(copytrade.PerpCopyDecision()) }

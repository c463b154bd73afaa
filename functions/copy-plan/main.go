// Command copy-plan is the Lambda function behind POST /v1/copy-plan.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/copytrade"
	"github.com/mirrorworthy/mirrorworthy/shared/host"
)

func main() { host.Serve(copytrade.CopyPlan(nil)) }

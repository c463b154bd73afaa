// Command copy-plan is the Lambda function behind POST /v1/copy-plan.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

func main() { host.ServeOne("copy-plan", copying.Deciding) }

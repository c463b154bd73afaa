// Command smart-money-flow is the Lambda function behind POST /v1/smart-money-flow.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { host.ServeOne("smart-money-flow", tokenpage.Endpoints) }

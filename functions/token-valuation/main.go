// Command token-valuation is the Lambda function behind POST /v1/token-valuation.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { host.ServeOne("token-valuation", tokenpage.Endpoints) }

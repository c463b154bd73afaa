// Command token-price-action is the Lambda function behind POST /v1/token-price-action.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { host.ServeOne("token-price-action", tokenpage.Endpoints) }

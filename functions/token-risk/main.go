// Command token-risk is the Lambda function behind POST /v1/token-risk.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { host.ServeOne("token-risk", tokenpage.Endpoints) }

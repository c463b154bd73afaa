// Command token-overview is the Lambda function behind POST /v1/token-overview.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { host.ServeOne("token-overview", tokenpage.Endpoints) }

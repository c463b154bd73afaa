// Command token-narrative is the Lambda function behind POST /v1/token-narrative.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { host.ServeOne("token-narrative", tokenpage.Endpoints) }

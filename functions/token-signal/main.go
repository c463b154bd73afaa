// Command token-signal is the Lambda function behind POST /v1/token-signal.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { host.ServeOne("token-signal", tokenpage.Endpoints) }

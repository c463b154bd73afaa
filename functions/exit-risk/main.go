// Command exit-risk is the Lambda function behind POST /v1/exit-risk.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { host.ServeOne("exit-risk", tokenpage.Endpoints) }

// Command strategies is the Lambda function behind GET /v1/copy/strategies.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/boards"
)

func main() { host.ServeOne("strategies", boards.Endpoints) }

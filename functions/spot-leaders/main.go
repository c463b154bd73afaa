// Command spot-leaders is the Lambda function behind GET /v1/copy/spot-leaders.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/boards"
)

func main() { host.ServeOne("spot-leaders", boards.Endpoints) }

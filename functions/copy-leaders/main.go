// Command copy-leaders is the Lambda function behind GET /v1/copy/leaders.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/boards"
)

func main() { host.ServeOne("copy-leaders", boards.Endpoints) }

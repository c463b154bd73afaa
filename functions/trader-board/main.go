// Command trader-board is the Lambda function behind GET /v1/trader-board.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/boards"
)

func main() { host.ServeOne("trader-board", boards.Endpoints) }

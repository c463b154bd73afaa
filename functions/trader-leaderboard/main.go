// Command trader-leaderboard is the Lambda function behind POST /v1/trader-leaderboard.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/boards"
)

func main() { host.ServeOne("trader-leaderboard", boards.Endpoints) }

// Command trader-board is the Lambda function behind GET /v1/trader-board.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeLeader("trader-board") }

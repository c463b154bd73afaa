// Command trader-leaderboard is the Lambda function behind POST /v1/trader-leaderboard.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeLeader("trader-leaderboard") }

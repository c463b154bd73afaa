// Command discover-leaders is the Lambda function that finds, every hour, traders to grade: early buyers of launches, recent buyers of
// busy pools, and those on the venues' leaderboards.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host/boards"
	"github.com/mirrorworthy/mirrorworthy/shared/host/jobs"
)

func main() { jobs.Serve("discover-leaders", boards.Jobs) }

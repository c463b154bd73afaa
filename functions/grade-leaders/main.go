// Command grade-leaders is the Lambda function that grades, every hour, every trader that was found, and publishes the boards.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host/boards"
	"github.com/mirrorworthy/mirrorworthy/shared/host/jobs"
)

func main() { jobs.Serve("grade-leaders", boards.Jobs) }

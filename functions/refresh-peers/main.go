// Command refresh-peers is the Lambda function that measures, every hour, the tokens that others are compared with.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host/jobs"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { jobs.Serve("refresh-peers", tokenpage.Jobs) }

// Command mirror-trades is the Lambda function that reads, every minute, what followed leaders traded and has their agents mirror it.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/host/jobs"
)

func main() { jobs.Serve("mirror-trades", copying.Jobs) }

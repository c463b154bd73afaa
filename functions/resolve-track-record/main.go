// Command resolve-track-record is the Lambda function that writes, every hour, what became of entries that are due, and publishes the
// track record.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host/boards"
	"github.com/mirrorworthy/mirrorworthy/shared/host/jobs"
)

func main() { jobs.Serve("resolve-track-record", boards.Jobs) }

// Command deliver-webhooks is the Lambda function that delivers, every minute, what partners are to be told of.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/host/jobs"
)

func main() { jobs.Serve("deliver-webhooks", copying.Jobs) }

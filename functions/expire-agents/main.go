// Command expire-agents is the Lambda function that warns, every five minutes, the owners of agents whose credentials lapse soon, and lets lapsed agents expire.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
	"github.com/mirrorworthy/mirrorworthy/shared/host/jobs"
)

func main() { jobs.Serve("expire-agents", copying.Expiry) }

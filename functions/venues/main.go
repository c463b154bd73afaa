// Command venues is the Lambda function behind GET /v1/copy/venues.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

func main() { host.ServeOne("venues", copying.Agents) }

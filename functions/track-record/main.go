// Command track-record is the Lambda function behind GET /v1/traders/track-record.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/boards"
)

func main() { host.ServeOne("track-record", boards.Endpoints) }

// Command track-record is the Lambda function behind GET /v1/traders/track-record.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeLeader("track-record") }

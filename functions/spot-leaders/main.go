// Command spot-leaders is the Lambda function behind GET /v1/copy/spot-leaders.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeLeader("spot-leaders") }

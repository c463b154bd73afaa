// Command copy-leaders is the Lambda function behind GET /v1/copy/leaders.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeLeader("copy-leaders") }

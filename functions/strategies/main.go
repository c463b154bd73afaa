// Command strategies is the Lambda function behind GET /v1/copy/strategies.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeLeader("strategies") }

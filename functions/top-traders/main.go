// Command top-traders is the Lambda function behind GET /v1/copy/top-traders.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeLeader("top-traders") }

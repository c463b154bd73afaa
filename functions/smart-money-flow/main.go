// Command smart-money-flow is the Lambda function behind POST /v1/smart-money-flow.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeToken("smart-money-flow") }

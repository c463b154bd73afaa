// Command exit-risk is the Lambda function behind POST /v1/exit-risk.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeToken("exit-risk") }

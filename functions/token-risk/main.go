// Command token-risk is the Lambda function behind POST /v1/token-risk.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeToken("token-risk") }

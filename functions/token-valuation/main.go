// Command token-valuation is the Lambda function behind POST /v1/token-valuation.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeToken("token-valuation") }

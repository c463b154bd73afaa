// Command token-price-action is the Lambda function behind POST /v1/token-price-action.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeToken("token-price-action") }

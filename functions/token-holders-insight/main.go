// Command token-holders-insight is the Lambda function behind POST /v1/token-holders-insight.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeToken("token-holders-insight") }

// Command token-narrative is the Lambda function behind POST /v1/token-narrative.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeToken("token-narrative") }

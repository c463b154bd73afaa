// Command token-overview is the Lambda function behind POST /v1/token-overview.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeToken("token-overview") }

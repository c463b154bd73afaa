// Command token-signal is the Lambda function behind POST /v1/token-signal.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeToken("token-signal") }

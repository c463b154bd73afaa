// Command token-changes is the Lambda function behind POST /v1/token-changes.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeToken("token-changes") }

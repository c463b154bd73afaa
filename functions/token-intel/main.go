// Command token-intel is the Lambda function behind POST /v1/token-intel.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeToken("token-intel") }

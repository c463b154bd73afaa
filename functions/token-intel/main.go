// Command token-intel is the Lambda function behind POST /v1/token-intel.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { host.ServeOne("token-intel", tokenpage.Endpoints) }

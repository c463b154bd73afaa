// Command token-changes is the Lambda function behind POST /v1/token-changes.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { host.ServeOne("token-changes", tokenpage.Endpoints) }

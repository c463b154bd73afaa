// Command token-holders-insight is the Lambda function behind POST /v1/token-holders-insight.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { host.ServeOne("token-holders-insight", tokenpage.Endpoints) }

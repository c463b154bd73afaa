// Command top-traders is the Lambda function behind GET /v1/copy/top-traders.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/boards"
)

func main() { host.ServeOne("top-traders", boards.Endpoints) }

// Command copy-overlap is the Lambda function behind POST /v1/copy-overlap.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

func main() { host.ServeOne("copy-overlap", copying.Deciding) }

// Command test-webhook is the Lambda function behind POST /v1/webhooks/test.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

func main() { host.ServeOne("test-webhook", copying.Webhooks) }

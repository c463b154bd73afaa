// Command webhook is the Lambda function behind GET /v1/webhooks.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

func main() { host.ServeOne("webhook", copying.Webhooks) }

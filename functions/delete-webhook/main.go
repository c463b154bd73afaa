// Command delete-webhook is the Lambda function behind DELETE /v1/webhooks.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

func main() { host.ServeOne("delete-webhook", copying.Webhooks) }

// Command put-webhook is the Lambda function behind PUT /v1/webhooks.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

func main() { host.ServeOne("put-webhook", copying.Webhooks) }

// Command webhook is the Lambda function behind GET /v1/webhooks.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeWebhook("webhook") }

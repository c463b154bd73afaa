// Command delete-webhook is the Lambda function behind DELETE /v1/webhooks.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeWebhook("delete-webhook") }

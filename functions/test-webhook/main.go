// Command test-webhook is the Lambda function behind POST /v1/webhooks/test.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeWebhook("test-webhook") }

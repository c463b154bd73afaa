// Command put-webhook is the Lambda function behind PUT /v1/webhooks.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeWebhook("put-webhook") }

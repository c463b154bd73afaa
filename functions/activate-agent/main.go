// Command activate-agent is the Lambda function behind POST /v1/copy/agents/{agentId}/activate.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeAgent("activate-agent") }

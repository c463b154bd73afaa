// Command create-agent is the Lambda function behind POST /v1/copy/agents.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeAgent("create-agent") }

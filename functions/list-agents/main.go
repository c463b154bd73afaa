// Command list-agents is the Lambda function behind GET /v1/copy/agents.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeAgent("list-agents") }

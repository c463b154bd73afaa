// Command list-agents is the Lambda function behind GET /v1/copy/agents.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

func main() { host.ServeOne("list-agents", copying.Agents) }

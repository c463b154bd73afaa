// Command create-agent is the Lambda function behind POST /v1/copy/agents.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

func main() { host.ServeOne("create-agent", copying.Agents) }

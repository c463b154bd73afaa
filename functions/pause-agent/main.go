// Command pause-agent is the Lambda function behind POST /v1/copy/agents/{agentId}/pause.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

func main() { host.ServeOne("pause-agent", copying.Agents) }

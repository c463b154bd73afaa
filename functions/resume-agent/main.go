// Command resume-agent is the Lambda function behind POST /v1/copy/agents/{agentId}/resume.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

func main() { host.ServeOne("resume-agent", copying.Agents) }

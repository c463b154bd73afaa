// Command activation is the Lambda function behind GET /v1/copy/agents/{agentId}/activation.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/copying"
)

func main() { host.ServeOne("activation", copying.Agents) }

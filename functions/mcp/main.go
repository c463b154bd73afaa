// Command mcp is the Lambda function behind POST /v1/mcp.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/mcpserver"
)

func main() { host.ServeMCP(mcpserver.Endpoint) }

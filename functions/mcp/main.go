// Command mcp is the Lambda function behind POST /v1/mcp.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host/catalogue"
	"github.com/mirrorworthy/mirrorworthy/shared/mcpserver"
)

func main() { catalogue.ServeMCP(mcpserver.Endpoint) }

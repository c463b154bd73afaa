// Command openapi is the Lambda function behind GET /v1/openapi.json.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/openapi"
)

func main() { host.ServeOpen(openapi.Endpoint()) }

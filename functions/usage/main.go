// Command usage is the Lambda function behind GET /v1/usage.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeUsage() }

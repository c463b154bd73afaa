// Command copy-plan is the Lambda function behind POST /v1/copy-plan.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeCopyTrading("copy-plan") }

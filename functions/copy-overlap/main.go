// Command copy-overlap is the Lambda function behind POST /v1/copy-overlap.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeCopyTrading("copy-overlap") }

// Command refresh-peers is the Lambda function that measures, every hour, the tokens that others are compared with.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeJob("refresh-peers") }

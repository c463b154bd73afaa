// Command venues is the Lambda function behind GET /v1/copy/venues.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeAgent("venues") }

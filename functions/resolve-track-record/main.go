// Command resolve-track-record is the Lambda function that writes, every hour, what became of entries that are due, and publishes the
// track record.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeJob("resolve-track-record") }

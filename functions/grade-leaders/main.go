// Command grade-leaders is the Lambda function that grades, every hour, every trader that was found, and publishes the boards.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeJob("grade-leaders") }

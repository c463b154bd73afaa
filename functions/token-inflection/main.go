// Command token-inflection is the Lambda function behind POST /v1/token-inflection.
package main

import "github.com/mirrorworthy/mirrorworthy/shared/host"

func main() { host.ServeToken("token-inflection") }

// Command token-inflection is the Lambda function behind POST /v1/token-inflection.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/tokenpage"
)

func main() { host.ServeOne("token-inflection", tokenpage.Endpoints) }

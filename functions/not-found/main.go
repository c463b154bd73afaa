// Command not-found is the Lambda function behind the catch-all route: the JSON 404 and 405 of everything that is no endpoint.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/host/routes"
)

func main() { host.ServeNotFound(routes.All) }

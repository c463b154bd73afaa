// Command portfolio-risk is the Lambda function behind POST /v1/portfolio-risk.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/portfolio"
)

func main() { host.Serve(portfolio.PortfolioRisk()) }

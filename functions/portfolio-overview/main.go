// Command portfolio-overview is the Lambda function behind POST /v1/portfolio-overview.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/portfolio"
	"github.com/mirrorworthy/mirrorworthy/shared/wallet"
)

func main() { host.Serve(portfolio.PortfolioOverview(wallet.WalletHealth(), wallet.WalletNetflow())) }

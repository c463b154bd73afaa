// Command prediction-wallet is the Lambda function behind POST /v1/prediction-wallet.
package main

import (
	"github.com/mirrorworthy/mirrorworthy/shared/host"
	"github.com/mirrorworthy/mirrorworthy/shared/prediction"
)

func main() { host.Serve(prediction.PredictionWallet()) }

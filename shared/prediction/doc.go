// Package prediction is the prediction wallet page: what a wallet's record on the prediction market says of it, and whether it can
// be mirrored.
//
// It turns the one assessment of prediction wallets, by predictionrecord, into an answer. It judges nothing itself.
package prediction

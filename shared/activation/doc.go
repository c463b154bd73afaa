// Package activation knows what a wallet must do before an agent may act for it: which steps a venue takes, what each asks to be
// signed or sent, in words that a person can decide by, and whether what came back is what was asked for.
//
// step.go is what a step looks like, progress.go what is kept of the steps, spot.go, perps.go and prediction.go the steps of each
// venue, verify.go holds results against them. A safety line is a commitment: the test that enforces it stands beside it.
//
// The package keeps nothing, moves no agent from one state to another, and knows no key of anybody's wallet.
package activation

// Package activation knows what a wallet must do before an agent may act for it: which steps a venue takes, what each asks to be
// signed or sent, in words that a person can decide by, and whether what came back is what was asked for.
//
// step.go is what a step looks like, progress.go what is kept of the steps, checker.go which of them are open, spot.go, perps.go and
// prediction.go the steps of each venue, verify.go holds results against them, and encode.go writes typed data and calls. A safety line
// is a commitment: the test that enforces it is named beside it, in safety.go.
//
// The package keeps nothing but which signatures and transactions were used, moves no agent from one state to another, and knows no key
// of anybody's wallet.
package activation

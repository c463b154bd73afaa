// Package tokenrisk is the one assessor of how likely a token is to trap or rob its holders, wherever a token is judged.
//
// It weighs hard evidence (test trades, a security provider's findings), what the code allows, and how the market is built. What
// could not be checked is unknown, never low. It knows no endpoint.
package tokenrisk

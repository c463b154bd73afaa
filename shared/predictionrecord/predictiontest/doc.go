// Package predictiontest tells stories of prediction wallets for tests: what was bought and sold in which markets, and how they ended.
// A story stands behind the ports of the venue.
//
// It holds no expectations of what is made of a story.
package predictiontest

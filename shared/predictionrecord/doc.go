// Package predictionrecord gathers a wallet's record on the prediction market, once a request and shared, and assesses it: what the
// wallet paid and was paid by event, what of that luck explains, how it trades, and whether a follower could do the same. It is the
// one assessor of prediction wallets: pages and boards that ask for the same wallet at the same instant get the same answer.
//
// The decision is the event, since markets of one event are decided together. Results (Return) cover all that was paid and paid out
// in an event. Edge and luck rest on the first entry in each event alone: its price was set before anything else the wallet did
// there, so that under fair prices its outcome is a coin with exactly that chance, independent from event to event, however the
// event's markets hang together. Later purchases follow the price, and who buys more of what fell would seem to have an edge.
//
// It fetches facts through ports and knows no provider, no endpoint and no page.
package predictionrecord

// Package trader is the one assessor of every trader, wherever one is graded: spot wallets, perpetual accounts, prediction
// wallets and the boards all come here with their closed results and get the same measures, score, grade, verdict, edge and
// quality for the same record.
//
// Evidence is what is known of a trader, Measure turns it into numbers, and Rate, JudgeEdge, BestAt and JudgeQuality read
// those numbers. Inspect looks at how a spot wallet trades besides its results: wash trading, insider supply, automation.
//
// Everything is a pure function of its arguments. The package fetches nothing, knows no endpoint, and keeps no state; it does
// not decide how much to copy, which belongs to copy trading, nor what a delayed copier would have earned.
package trader

// Package margin is the arithmetic of margin on perpetuals venues: how much a position needs in order not to be liquidated, at
// which price it would be, how far all prices may move together, and how likely a price is to get there.
//
// Everything is a pure function of numbers. The package reads nothing, rounds nothing, judges nothing, and knows no default of
// any class of assets. The mechanics are those that Hyperliquid documents: tiers with deductions, a maintenance rate of half the
// initial one, and liquidation where the equity falls to the maintenance margin.
package margin

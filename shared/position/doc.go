// Package position turns a wallet's transactions into trades, trades into lots, and lots into positions.
//
// A trade is one buy or sell of one token, valued by the leg that was paid in a quote asset. A position (an episode) is what
// lies between the first acquisition of a token from flat and the sale that leaves it flat again; add-ons belong to it,
// re-entry starts a new one. Sells consume lots first-in first-out, which gives holding times.
//
// Everything here is a pure function of its arguments: no clock, no network, no judgement of the trader. Two ways lead in:
// Read reads an EVM wallet's transactions, of which a History makes trades, and other venues make Trade values of their own fills.
package position

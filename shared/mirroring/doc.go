// Package mirroring copies what leaders do into the accounts of those who follow them.
//
// A pass reads each followed leader's new trades once, however many follow it, and decides for each follower what comes of them: an order
// or a reason for none, which Decide says by arithmetic alone. Orders of agents on paper are filled at the market's price with the venue's
// costs; live ones go to an Executor. Every leg of every trade makes exactly one Execution for each agent that follows.
//
// # Sizes
//
// An opening copies, of the agent's limit, the copied percentage of the part of its own means that the leader put in:
// maxUsd · copyPercent/100 · share. What counts against the limit is what a copy costs: on perpetuals its margin (its value is that
// times the leverage), elsewhere all that is paid. The leader's means are, on perpetuals, the equity of its account and its dollar coins,
// and what it puts in is the margin; on spot the quote assets that it held before the trade; on prediction markets its dollar coins on
// the venue's chain and its open positions. Where they are not known, a twentieth is taken to be put in. A close closes the part
// of the copy that the leader closed of its position, and all of it when the leader has nothing left.
//
// # Exactly once
//
// An execution's ID follows from the agent, the leader's trade and the leg, and a trade's ID from what the venue says of it. Executions are
// written in one step with the book that they change, under the condition that nobody changed the book meanwhile: whoever loses
// reads again, and finds what is there already. An order that goes to a venue is first written down with what it may cost (detected), then
// written down as sent (submitted), and only then sent, under an ID at the venue that follows from the execution's. What was written down
// as sent is never sent again: it is looked up.
//
// How far a leader was read saves work and decides nothing.
//
// # What it is not
//
// It does not choose leaders or sizes of agents, holds no keys, and does not tell partners: the events it writes are delivered by others.
// Copies on paper are margined each on its own, are looked at once a pass, and pay funding by the rate at the end. Tokens that a leader
// moves elsewhere without selling are closed when nothing is left in its wallet.
package mirroring

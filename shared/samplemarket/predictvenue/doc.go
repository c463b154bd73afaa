// Package predictvenue is a simulated prediction venue in the wire formats of Polymarket: its data, gamma and order-book interfaces.
//
// Events open every day and are decided by a hidden Brownian motion, so that every price is an exact martingale that ends in the
// outcome: a market quoted at 0.30 comes true three times in ten. Planted wallets trade in it, some of which see a stretch of that
// motion ahead of everybody else, which is what skill is here. Every share and every dollar is accounted for.
//
// The venue is a function of Seed and Start alone: the same two give the same bytes, in whatever steps the time arrives. It is for
// tests and measurements. It matches no orders, keeps no book between trades and is no model of real returns.
package predictvenue

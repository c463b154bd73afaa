// Package launchrecord judges how a token came to market: whether its launch counts at all, whether the price rose by much with money
// behind it, and who bought early without being part of the launch.
//
// It judges one launch by the first week of its pool and by nothing else. It fetches nothing, knows no other launch, and says nothing of
// any wallet: who is early more often than chance is for package discovery.
//
// # What counts
//
// The window is the seven days after the pool was made; a launch is judged when they are over, and what comes later never matters.
// Prices are in units of the quote asset, so that a move of the quote asset is none of the token's. Trades of less than a dollar tell
// no price and are passed over.
//
// A launch is eligible when the token is new (its first supply was minted within the history), the window has twenty trades, and the
// pool held quote assets worth at least 5,000 USD after the twentieth. That is asked at that trade and not at any time of the window,
// because a rise fills a pool: thin pools would then be eligible only if they rose. The price of the twentieth trade is the reference:
// what the first block's bots pay tells little.
//
// A launch rose when, after the reference, some hour of the clock (UTC) had a volume-weighted price of at least five times the
// reference, from trades that left quote assets worth at least 10,000 USD in the pool, with at least ten buyers and five sellers among
// them: where holders cannot sell there are no sellers. The hour of the reference counts from there on. A price that withdrawn
// liquidity made is none: after a withdrawal, trades count while the pool holds at least half of what it held before it.
//
// A history that ends early, because the pool was too busy to be read whole, is judged by what there is if it reaches a day past the
// reference, and not at all otherwise, also if the price had risen by then: busy pools that fell would be missing beside those that rose.
//
// # Early buyers
//
// Early are the first fifty accounts that bought, as far as they bought for at least 50 USD below twice the reference, before the price
// first got there after the reference. Left out are those who had a part in the launch or whom nobody could follow; see Exclusions. Of
// several causes the first in that order counts. All of them take a place among the fifty.
package launchrecord

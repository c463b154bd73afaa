// Package priceaction reads the structure of a price from its bars: swings, trend, breakout, volatility, and how tight the range
// has become.
//
// Only bars with real trading count, and no bar after the last one given. It forecasts no direction and fetches nothing.
package priceaction

// Package market holds the facts every answer is computed from, in the domain's own words, and the ports that fetch them.
//
// A fact is what a provider said, checked at the door and freed of the provider's wire format: a wallet's transactions, a
// pool's candles, an approval. Facts are values that nobody changes once they are fetched, so that they can be shared
// between the components of a bundle and kept in a cache.
//
// A port is an interface of one method, one for each kind of fact. Adapters under shared/provider implement ports; a Sources
// value names the adapter behind each port. A Session is one request's view of the ports: it fetches each fact at most once,
// whoever asks, side by side, and hands every asker the same value or the same error.
//
// The package judges nothing: no score, no grade and no threshold lives here.
package market

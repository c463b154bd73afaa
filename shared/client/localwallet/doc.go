// Package localwallet is a client.Signer of a private key in memory: for servers that own a wallet, for tests, and for trying things out.
//
// It signs whatever it is given. Whoever uses it for somebody else's money asks that person first, in ActivateOptions.OnRound. A person's
// wallet is their own: its key is not for this package, and is never sent anywhere.
package localwallet

// Package partnerkey makes, checks and administers the API keys of partners.
//
// A key reads mw_live_ or mw_test_, then 8 characters of id, 30 of secret and 6 of checksum, all base62. The id is public and
// finds the key in the store; the secret is about 178 random bits; the checksum is the CRC-32 (IEEE) of everything before it, so
// that a mistyped key is refused without asking the store, and a leaked one is found by scanners. The service keeps nothing but
// an HMAC-SHA256 of the whole key under a pepper that is not in the store.
//
// The package does not know HTTP, and it meters nothing.
package partnerkey

// Package walletsignature tells whether a wallet signed what it is said to have signed.
//
// recover.go finds the account of a 65-byte signature, typeddata.go and typedvalue.go make the digest of EIP-712 typed data, message.go
// reads the sign-in messages of EIP-4361 and uri.go the URIs in them, policy.go judges what such a message says, session.go takes the
// wallet headers of a request apart, and verifier.go holds a signature against an account, contracts (ERC-1271, ERC-6492) among them.
//
// The package signs nothing, holds no key of anybody's, and changes nothing on a chain. Nonces are the only thing that it keeps.
package walletsignature

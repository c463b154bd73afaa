package walletsignature

import "errors"

// ErrTypedData is returned for a document that is not typed data as EIP-712 defines it.
var ErrTypedData = errors.New("not typed data")

// TypedDataDigest ...
func TypedDataDigest(document []byte) ([32]byte, error) { return [32]byte{}, ErrTypedData }

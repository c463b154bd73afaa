package walletsignature

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"
	"golang.org/x/crypto/sha3"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// What comes of a signature that is not taken. The text of an error says why, in words for the person who signed.
var (
	// ErrSignature: it does not hold. Trying again with the same does not help.
	ErrSignature = errors.New("the wallet signature does not hold")
	// ErrUnavailable: nobody can tell now, because a node or the store does not answer. It is a market.ErrUnavailable.
	ErrUnavailable = fmt.Errorf("%w: the wallet signature cannot be checked now", market.ErrUnavailable)
)

// refuse is an ErrSignature with its reason.
func refuse(format string, arguments ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrSignature}, arguments...)...)
}

// signatureLength is r and s of 32 bytes each, and v.
const signatureLength = 65

// Recover finds the account that signed a digest. The signature is r, s and v: exactly 65 bytes, v 0, 1, 27 or 28, r and s within the
// order of the curve and not zero, and s in its lower half (EIP-2), so that of the encodings of one signature only one is taken. Any
// other is ErrSignature.
func Recover(digest [32]byte, signature []byte) (chain.Address, error) {
	if len(signature) != signatureLength {
		return chain.Address{}, refuse("it has %d bytes, want %d", len(signature), signatureLength)
	}
	parity := signature[64]
	if parity >= 27 {
		parity -= 27
	}
	if parity > 1 {
		return chain.Address{}, refuse("its last byte is %d, want 0, 1, 27 or 28", signature[64])
	}
	var s secp256k1.ModNScalar
	if overflow := s.SetByteSlice(signature[32:64]); overflow || s.IsOverHalfOrder() {
		return chain.Address{}, refuse("its second half is too large: want the low s of EIP-2")
	}
	compact := make([]byte, 0, signatureLength)
	compact = append(compact, 27+parity)
	compact = append(compact, signature[:64]...)
	key, _, err := ecdsa.RecoverCompact(compact, digest[:])
	if err != nil {
		return chain.Address{}, refuse("no account can have made it")
	}
	hash := keccak(key.SerializeUncompressed()[1:])
	return chain.Address(hash[12:]), nil
}

// PersonalDigest is what a wallet signs when it is asked to sign a text (personal_sign, version 0x45 of EIP-191).
func PersonalDigest(message []byte) [32]byte {
	return keccak([]byte("\x19Ethereum Signed Message:\n"+strconv.Itoa(len(message))), message)
}

func keccak(parts ...[]byte) (digest [32]byte) {
	hash := sha3.NewLegacyKeccak256()
	for _, part := range parts {
		hash.Write(part)
	}
	hash.Sum(digest[:0])
	return digest
}

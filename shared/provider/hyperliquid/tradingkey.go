package hyperliquid

import (
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
	"github.com/decred/dcrd/dcrec/secp256k1/v4/ecdsa"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// leastSeed is how many bytes a seed of trading keys has at least.
const leastSeed = 32

// TradingKey signs for one of the venue's agents, which may trade for the account that approved it and nothing else. It shows nothing
// of itself, however it is printed or encoded. The zero value signs nothing.
type TradingKey struct{ private *secp256k1.PrivateKey }

// DeriveTradingKey makes the key of a name from a secret seed of 32 bytes or more: always the same one, and another for every other name
// and seed. It is the first HMAC-SHA-256 under the seed, over a counter and the name, that is a scalar of the curve. The venue forgets
// which nonces an agent used once it is an agent no longer, so a name is to be used for one approval only.
func DeriveTradingKey(seed []byte, name string) (TradingKey, error) {
	if len(seed) < leastSeed {
		return TradingKey{}, fmt.Errorf("a seed of %d bytes, want %d or more", len(seed), leastSeed)
	}
	if name == "" {
		return TradingKey{}, errors.New("a trading key without a name")
	}
	for counter := byte(0); ; counter++ {
		derivation := hmac.New(sha256.New, seed)
		derivation.Write([]byte("mirrorworthy perpetuals trading key\x00"))
		derivation.Write([]byte{counter})
		derivation.Write([]byte(name))
		var scalar secp256k1.ModNScalar
		if beyond := scalar.SetByteSlice(derivation.Sum(nil)); !beyond && !scalar.IsZero() {
			return TradingKey{secp256k1.NewPrivateKey(&scalar)}, nil
		}
	}
}

// Address is the agent's address, which the account has to approve; zero for the zero key.
func (k TradingKey) Address() chain.Address {
	if k.private == nil {
		return chain.Address{}
	}
	return addressOf(k.private.PubKey())
}

const redacted = "***"

// Format writes *** for every verb.
func (k TradingKey) Format(state fmt.State, _ rune) { fmt.Fprint(state, redacted) }

// String is ***.
func (k TradingKey) String() string { return redacted }

// GoString is ***.
func (k TradingKey) GoString() string { return redacted }

// MarshalText writes ***.
func (k TradingKey) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// signature is one of ECDSA as the venue reads it, with v 27 or 28.
type signature struct {
	R hexBytes `json:"r"`
	S hexBytes `json:"s"`
	V byte     `json:"v"`
}

// sign signs a digest: deterministically by RFC 6979, with the lower of the two values that s can have.
func (k TradingKey) sign(digest [32]byte) (signature, error) {
	if k.private == nil {
		return signature{}, errors.New("no trading key")
	}
	compact := ecdsa.SignCompact(k.private, digest[:], false)
	return signature{R: compact[1:33], S: compact[33:], V: compact[0]}, nil
}

// recoverSigner tells who signed a digest. A signature has 65 bytes, r, s and v, with v 0, 1, 27 or 28 and s in the lower half, so that
// no signature has a twin.
func recoverSigner(digest [32]byte, signed []byte) (chain.Address, error) {
	if len(signed) != 65 {
		return chain.Address{}, fmt.Errorf("a signature of %d bytes, want 65", len(signed))
	}
	v := signed[64]
	if v < 27 {
		v += 27
	}
	var s secp256k1.ModNScalar
	if v != 27 && v != 28 || s.SetByteSlice(signed[32:64]) || s.IsOverHalfOrder() {
		return chain.Address{}, errors.New("a signature that is not in its one canonical form")
	}
	public, _, err := ecdsa.RecoverCompact(append([]byte{v}, signed[:64]...), digest[:])
	if err != nil {
		return chain.Address{}, fmt.Errorf("recover the signer: %w", err)
	}
	return addressOf(public), nil
}

func addressOf(public *secp256k1.PublicKey) chain.Address {
	hash := keccak(public.SerializeUncompressed()[1:])
	return chain.Address(hash[12:])
}

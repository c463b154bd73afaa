package webhook

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"io"
)

// Sealer keeps what is stored from whoever can read the store.
type Sealer interface {
	// Seal encrypts a text and binds it to the additional data, which is not kept with it.
	Seal(plain, additional []byte) ([]byte, error)
	// Open decrypts what Seal made with the same additional data. It fails for everything else.
	Open(sealed, additional []byte) ([]byte, error)
}

// NewSealer seals by AES-256-GCM (NIST SP 800-38D) with a random nonce of 96 bits before each text. One key is good for 2^32 texts.
// Random must be safe for concurrent use and fit for keys.
func NewSealer(key [32]byte, random io.Reader) Sealer {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		panic(fmt.Sprintf("webhook: 32 bytes are no key of AES: %v", err))
	}
	mode, err := cipher.NewGCM(block)
	if err != nil {
		panic(fmt.Sprintf("webhook: AES is no cipher for GCM: %v", err))
	}
	return sealer{mode, random}
}

type sealer struct {
	mode   cipher.AEAD
	random io.Reader
}

// errSealed tells nothing of what was wrong: whoever changed a sealed text learns nothing by it.
var errSealed = errors.New("a sealed text was changed, or is of another key or owner")

func (s sealer) Seal(plain, additional []byte) ([]byte, error) {
	nonce := make([]byte, s.mode.NonceSize(), s.mode.NonceSize()+len(plain)+s.mode.Overhead())
	if _, err := io.ReadFull(s.random, nonce); err != nil {
		return nil, fmt.Errorf("a nonce: %w", err)
	}
	return s.mode.Seal(nonce, nonce, plain, additional), nil
}

func (s sealer) Open(sealed, additional []byte) ([]byte, error) {
	if len(sealed) < s.mode.NonceSize() {
		return nil, errSealed
	}
	plain, err := s.mode.Open(nil, sealed[:s.mode.NonceSize()], sealed[s.mode.NonceSize():], additional)
	if err != nil {
		return nil, errSealed
	}
	return plain, nil
}

package partnerkey

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"log/slog"
	"strings"

	"github.com/mirrorworthy/mirrorworthy/shared/store"
)

const (
	livePrefix = "mw_live_"
	testPrefix = "mw_test_"

	prefixLength   = len(livePrefix)
	idLength       = 8
	secretLength   = 30
	checksumLength = 6
	keyLength      = prefixLength + idLength + secretLength + checksumLength

	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// ErrMalformed is returned for text that cannot be a key: another shape, another alphabet, or a wrong checksum.
var ErrMalformed = errors.New("not a partner key")

// Key is a partner's key. However it is printed, logged or encoded, it shows no secret; Reveal gives its text.
type Key struct {
	// ID is the public part, by which the store knows the key.
	ID string
	// Mode is store.ModeLive or store.ModeTest.
	Mode string
	text []byte
}

// Reveal is the whole key, for its owner to see once.
func (k Key) Reveal() string { return string(k.text) }

// String is the public part of the key.
func (k Key) String() string {
	if k.Mode == "" {
		return "no key"
	}
	return "mw_" + k.Mode + "_" + k.ID + "***"
}

// Format prints String whatever the verb.
func (k Key) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, k.String()) }

// LogValue is String.
func (k Key) LogValue() slog.Value { return slog.StringValue(k.String()) }

// MarshalText is String.
func (k Key) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Generate makes a new key of a mode (store.ModeLive or store.ModeTest) from a source of randomness, crypto/rand.Reader outside
// of tests.
func Generate(mode string, random io.Reader) (Key, error) {
	prefix, err := prefixOf(mode)
	if err != nil {
		return Key{}, err
	}
	text := make([]byte, 0, keyLength)
	text = append(text, prefix...)
	for len(text) < keyLength-checksumLength {
		var raw [64]byte
		if _, err := io.ReadFull(random, raw[:]); err != nil {
			return Key{}, fmt.Errorf("generating a key: %w", err)
		}
		for _, b := range raw {
			// 248 is the largest multiple of 62 in a byte: dropping the rest keeps all characters equally likely.
			if b < 248 && len(text) < keyLength-checksumLength {
				text = append(text, base62[b%62])
			}
		}
	}
	text = append(text, checksum(text)...)
	return Key{ID: string(text[prefixLength : prefixLength+idLength]), Mode: mode, text: text}, nil
}

// Parse reads a key and checks its shape and checksum, not whether it was ever issued. Anything else is ErrMalformed.
func Parse(text string) (Key, error) {
	if len(text) != keyLength {
		return Key{}, ErrMalformed
	}
	mode := store.ModeLive
	switch text[:prefixLength] {
	case livePrefix:
	case testPrefix:
		mode = store.ModeTest
	default:
		return Key{}, ErrMalformed
	}
	for i := prefixLength; i < keyLength; i++ {
		if strings.IndexByte(base62, text[i]) < 0 {
			return Key{}, ErrMalformed
		}
	}
	raw := []byte(text)
	if !bytes.Equal(raw[keyLength-checksumLength:], checksum(raw[:keyLength-checksumLength])) {
		return Key{}, ErrMalformed
	}
	return Key{ID: text[prefixLength : prefixLength+idLength], Mode: mode, text: raw}, nil
}

// Hash is what the store keeps of a key: its HMAC-SHA256 under the pepper.
func Hash(pepper []byte, key Key) []byte {
	mac := hmac.New(sha256.New, pepper)
	mac.Write(key.text)
	return mac.Sum(nil)
}

func prefixOf(mode string) (string, error) {
	switch mode {
	case store.ModeLive:
		return livePrefix, nil
	case store.ModeTest:
		return testPrefix, nil
	}
	return "", fmt.Errorf("key mode %q: want %s or %s", mode, store.ModeLive, store.ModeTest)
}

// checksum is the CRC-32 of the text in six base62 digits, highest first.
func checksum(text []byte) []byte {
	digits := make([]byte, checksumLength)
	rest := crc32.ChecksumIEEE(text)
	for i := checksumLength - 1; i >= 0; i-- {
		digits[i] = base62[rest%62]
		rest /= 62
	}
	return digits
}

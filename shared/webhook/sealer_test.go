package webhook

import (
	"bytes"
	"crypto/rand"
	"errors"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

// What was sealed opens for its owner and key, and for nobody else; nor does anything that was changed.
func TestOnlyWhatWasSealedOpens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOfN(rapid.Byte(), 0, 100).Draw(t, "text")
		owner := rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "owner")
		var key, other [32]byte
		copy(key[:], rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "key"))
		other = key
		other[rapid.IntRange(0, 31).Draw(t, "byte of the key")] ^= 1
		sealed, err := NewSealer(key, rand.Reader).Seal(text, owner)
		if err != nil {
			t.Fatal(err)
		}
		if len(text) >= 4 && bytes.Contains(sealed, text) {
			t.Error("the text can be read")
		}
		opened, err := NewSealer(key, rand.Reader).Open(sealed, owner)
		if err != nil || !bytes.Equal(opened, text) {
			t.Errorf("%x, %v, want %x", opened, err, text)
		}
		changed := bytes.Clone(sealed)
		changed[rapid.IntRange(0, len(changed)-1).Draw(t, "byte")] ^= byte(rapid.IntRange(1, 255).Draw(t, "change"))
		shorter := sealed[:rapid.IntRange(0, len(sealed)-1).Draw(t, "length")]
		for what, attempt := range map[string]func() ([]byte, error){
			"changed":    func() ([]byte, error) { return NewSealer(key, rand.Reader).Open(changed, owner) },
			"cut":        func() ([]byte, error) { return NewSealer(key, rand.Reader).Open(shorter, owner) },
			"another's":  func() ([]byte, error) { return NewSealer(key, rand.Reader).Open(sealed, append(owner, 'x')) },
			"of a key":   func() ([]byte, error) { return NewSealer(other, rand.Reader).Open(sealed, owner) },
			"lengthened": func() ([]byte, error) { return NewSealer(key, rand.Reader).Open(append(bytes.Clone(sealed), 0), owner) },
		} {
			if opened, err := attempt(); err == nil || opened != nil {
				t.Errorf("%s: %x, %v", what, opened, err)
			}
		}
		if again, err := NewSealer(key, rand.Reader).Seal(text, owner); err != nil || bytes.Equal(again, sealed) {
			t.Error("the same nonce was used twice")
		}
	})
	broken := errors.New("no randomness")
	if _, err := NewSealer([32]byte{}, iotest.ErrReader(broken)).Seal([]byte("a"), nil); !errors.Is(err, broken) {
		t.Error(err)
	}
}

package partnerkey

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// minimumPepper is the shortest pepper accepted, in bytes.
const minimumPepper = 32

// ParsePepper reads a pepper written as hexadecimal digits, at least 32 bytes of it.
func ParsePepper(text string) ([]byte, error) {
	pepper, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(pepper) < minimumPepper {
		return nil, fmt.Errorf("the key pepper must be at least %d hexadecimal digits", 2*minimumPepper)
	}
	return pepper, nil
}

// LoadPepper reads the pepper kept in a file, and makes the file, for its owner alone, when there is none. Keys issued under a
// pepper are worthless without it.
func LoadPepper(path string, random io.Reader) ([]byte, error) {
	if text, err := os.ReadFile(path); err == nil {
		pepper, err := ParsePepper(string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return pepper, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	pepper := make([]byte, minimumPepper)
	if _, err := io.ReadFull(random, pepper); err != nil {
		return nil, fmt.Errorf("making a key pepper: %w", err)
	}
	if err := writeOnce(path, hex.EncodeToString(pepper)+"\n"); err != nil {
		return nil, fmt.Errorf("keeping the key pepper: %w", err)
	}
	return pepper, nil
}

// writeOnce writes a new file and makes sure that it is on disk before anything depends on it.
func writeOnce(path, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(text)
	return errors.Join(err, file.Sync(), file.Close())
}

// Package digest makes one word of several texts, by which they are named in a store or told from others.
//
// It keeps no secret: whoever knows the texts can make the word.
package digest

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"strconv"
)

// Of is the SHA-256 of texts, each with its length before it, in 64 lower-case hexadecimal digits. Other texts, and the same cut at other
// places, have another.
func Of(texts ...string) string {
	hash := sha256.New()
	for _, text := range texts {
		_, _ = io.WriteString(hash, strconv.Itoa(len(text))+":"+text) // never fails
	}
	return hex.EncodeToString(hash.Sum(nil))
}

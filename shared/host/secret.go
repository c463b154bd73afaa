package host

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is text that prints and encodes as stars wherever that happens by accident, in every format.
type Secret string

const hidden = "***"

// Format hides the secret from every verb of package fmt.
func (Secret) Format(state fmt.State, _ rune) { _, _ = io.WriteString(state, hidden) }

// String hides the secret.
func (Secret) String() string { return hidden }

// MarshalText hides the secret from encoders.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue hides the secret from logs.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// Reveal gives the text itself.
func (s Secret) Reveal() string { return string(s) }

package webhook

import (
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"time"
)

const (
	// secretLength is how long secrets are, in bytes; Standard Webhooks wants 24 to 64.
	secretLength = 32
	// secretPrefix begins the text of a secret.
	secretPrefix = "whsec_"
	// rotationLife is how long a secret goes on signing after another took its place.
	rotationLife = 24 * time.Hour
	// maximumSecrets is how many secrets sign at a time.
	maximumSecrets = 4
)

// keptSecret is a secret as it is kept.
type keptSecret struct {
	// Sealed is the secret, encrypted for its partner.
	Sealed    []byte    `json:"sealed"`
	CreatedAt time.Time `json:"createdAt"`
	// ExpiresAt is when it stops signing; zero for the newest, which does not.
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
}

// signsAt tells whether the secret is still good.
func (k keptSecret) signsAt(at time.Time) bool { return k.ExpiresAt.IsZero() || at.Before(k.ExpiresAt) }

// secretText is a secret as a partner gets it.
func secretText(secret []byte) string {
	return secretPrefix + base64.StdEncoding.EncodeToString(secret)
}

// secretOwner is what a partner's sealed secrets are bound to.
func secretOwner(partner string) []byte { return []byte("webhook secret of " + partner) }

// addSecret makes a secret that signs from now on, and has those before it expire.
func (s Service) addSecret(r *registration, at time.Time) (text string, err error) {
	secret := make([]byte, secretLength)
	if _, err := io.ReadFull(s.Random, secret); err != nil {
		return "", fmt.Errorf("a secret: %w", err)
	}
	sealed, err := s.Sealer.Seal(secret, secretOwner(r.partner))
	if err != nil {
		return "", fmt.Errorf("seal a secret: %w", err)
	}
	older := slices.Clone(r.signing(at))
	for i := range older {
		if older[i].ExpiresAt.IsZero() {
			older[i].ExpiresAt = at.Add(rotationLife)
		}
	}
	r.Secrets = append([]keptSecret{{Sealed: sealed, CreatedAt: at}}, older...)
	return secretText(secret), nil
}

// signing are the secrets that sign at a time, the newest first.
func (r *registration) signing(at time.Time) []keptSecret {
	return slices.DeleteFunc(slices.Clone(r.Secrets), func(k keptSecret) bool { return !k.signsAt(at) })
}

// open decrypts the secrets that sign at a time, the newest first.
func (s Service) open(r *registration, at time.Time) ([][]byte, error) {
	var secrets [][]byte
	for _, k := range r.signing(at) {
		secret, err := s.Sealer.Open(k.Sealed, secretOwner(r.partner))
		if err != nil {
			return nil, fmt.Errorf("open a secret of %s: %w", r.partner, err)
		}
		secrets = append(secrets, secret)
	}
	return secrets, nil
}

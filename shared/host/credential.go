package host

import (
	"errors"
	"net/http"
	"net/url"
)

// credential tells how a provider wants to be shown a caller's key.
type credential uint8

const (
	// noCredential is for providers that take no key, or take it as part of their address.
	noCredential credential = iota
	// accessToken is sent as it is in the header Authorization, which is how GoPlus wants it.
	accessToken
	// apiKey is sent as the query parameter apikey, which Blockscout's PRO API and its single instances understand alike.
	apiKey
)

// meaning describes the key in a list of settings.
func (c credential) meaning(provider string) string {
	if c == accessToken {
		return "an optional access token for " + provider + ", sent in the header Authorization"
	}
	return "an optional key for " + provider + ", sent as the parameter apikey"
}

// readKey takes a key of printable ASCII without spaces: anything else is a slip of copying that no provider would accept.
func readKey(text string) (Secret, error) {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			return "", errors.New("want printable ASCII characters without spaces")
		}
	}
	return Secret(text), nil
}

// withAPIKey adds the parameter apikey to each request.
func withAPIKey(next http.RoundTripper, key Secret) http.RoundTripper {
	return roundTrip(func(r *http.Request) (*http.Response, error) {
		keyed := r.Clone(r.Context())
		if keyed.URL.RawQuery != "" {
			keyed.URL.RawQuery += "&"
		}
		keyed.URL.RawQuery += "apikey=" + url.QueryEscape(key.Reveal())
		return next.RoundTrip(keyed)
	})
}

// roundTrip makes a transport of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

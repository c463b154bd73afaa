package walletsignature

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

const (
	// skew is how far a wallet's clock may be ahead of ours.
	skew = time.Minute
	// longestSession is how long a sign-in message may hold after it was made.
	longestSession = 24 * time.Hour
	// longestNonce bounds what is kept of a message.
	longestNonce = 128
)

// Check judges what a message says for a request to a host, with the port if there is one in the address that was called. It gives
// the chain that the message is for. Anything that does not fit is ErrSignature.
func (m *Message) Check(host string, at time.Time) (*chain.Chain, error) {
	host = strings.ToLower(host)
	switch {
	case host == "" || strings.ToLower(m.Domain) != host:
		return nil, refuse("it is for the domain %s, and %s was called", m.Domain, host)
	case m.Scheme != "" && !secure(strings.ToLower(m.Scheme), host):
		return nil, refuse("its domain must be https, or http on this machine")
	case strings.ToLower(m.uri.authority) != host:
		return nil, refuse("its URI %s is not under the domain %s", m.URI, host)
	case !secure(m.uri.scheme, host):
		return nil, refuse("its URI must be https, or http on this machine")
	case len(m.Nonce) > longestNonce:
		return nil, refuse("its nonce is longer than %d characters", longestNonce)
	}
	id, err := strconv.ParseInt(m.ChainID, 10, 64)
	on, known := chain.ByID(id)
	if err != nil || !known {
		return nil, refuse("chain id %s is not supported", m.ChainID)
	}
	switch {
	case m.IssuedAt.After(at.Add(skew)):
		return nil, refuse("it was issued in the future, at %s: check the wallet's clock", m.IssuedAt.UTC().Format(time.RFC3339))
	case m.ExpirationTime.IsZero():
		return nil, refuse("it has no expiration time, which must be within 24 hours")
	case !m.ExpirationTime.After(m.IssuedAt) || m.ExpirationTime.Sub(m.IssuedAt) > longestSession:
		return nil, refuse("it must expire within 24 hours after it was issued")
	case !m.ExpirationTime.After(at):
		return nil, refuse("it expired at %s: sign in again", m.ExpirationTime.UTC().Format(time.RFC3339))
	case m.NotBefore.After(at):
		return nil, refuse("it does not hold before %s", m.NotBefore.UTC().Format(time.RFC3339))
	}
	return on, nil
}

// secure tells whether what is said over a scheme stays between the two who talk: encrypted, or on one machine.
func secure(scheme, host string) bool {
	return scheme == "https" || scheme == "http" && loopback(host)
}

// loopback tells whether a host, with or without a port, is this very machine.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	address, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || err == nil && address.IsLoopback()
}

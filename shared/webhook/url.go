package webhook

import (
	"errors"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// maximumURL is the longest URL accepted, in bytes, as it is given and as it is kept.
const maximumURL = 2048

// What is wrong with a URL, in words for the partner that gave it.
var (
	errUnreadable = errors.New("url must be a URL of visible characters without spaces and backslashes")
	errScheme     = errors.New("url must begin with https://")
	errUser       = errors.New("url must not hold a user name or a password")
	errFragment   = errors.New("url must not hold a fragment; remove the # and what follows it")
	errPort       = errors.New("url must use port 443; leave the port out")
	errNumber     = errors.New("url must name its host; addresses in numbers are not accepted")
	errHost       = errors.New("url must name a public host, like hooks.example.com")
	errLength     = errors.New("url may have at most 2048 bytes")
)

// hostNames maps a host name to its form in ASCII as browsers do (UTS 46, non-transitional), and refuses what is no name of a host. Real
// hosts have hyphens in the third and fourth place, so that those at the ends of a label are refused apart.
var hostNames = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(true),
	idna.VerifyDNSLength(true), idna.CheckHyphens(false))

// checkURL gives a URL in the form in which it is kept: its host in lower case and ASCII, without a port. It refuses all but https to a
// public host by name, on port 443. With loopback set, http and https to this machine are accepted besides, on any port.
//
// The check helps a partner to find a mistake. It does not keep anything safe: what a name resolves to is another's decision, and is
// checked at every connection.
func checkURL(text string, loopback bool) (string, error) {
	if len(text) > maximumURL {
		return "", errLength
	}
	if !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' }) {
		return "", errUnreadable
	}
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" {
		return "", errUnreadable
	}
	local := loopback && u.Scheme == "http"
	switch {
	case u.Scheme != "https" && !local:
		return "", errScheme
	case u.User != nil:
		return "", errUser
	case strings.Contains(text, "#"):
		return "", errFragment
	case loopback && isLoopback(u.Hostname()):
		return u.String(), nil
	case local:
		return "", errScheme
	case u.Port() != "" && u.Port() != "443" || strings.HasSuffix(u.Host, ":"):
		return "", errPort
	}
	// An escape in the host's name was decoded already; whoever writes one has something to hide.
	_, rest, _ := strings.Cut(text, "://")
	if authority, _, _ := strings.Cut(rest, "/"); strings.Contains(strings.SplitN(authority, "?", 2)[0], "%") {
		return "", errHost
	}
	if u.Host, err = checkHost(u.Hostname(), strings.HasPrefix(u.Host, "[")); err != nil {
		return "", err
	}
	kept := u.String()
	if len(kept) > maximumURL {
		return "", errLength
	}
	return kept, nil
}

// checkHost gives a public host's name in lower case and ASCII.
func checkHost(name string, bracketed bool) (string, error) {
	if bracketed {
		return "", errNumber
	}
	ascii, err := hostNames.ToASCII(name)
	if around := "." + ascii + "."; err != nil || strings.Contains(around, ".-") || strings.Contains(around, "-.") {
		return "", errHost
	}
	if isNumber(ascii) {
		return "", errNumber
	}
	suffix, managed := publicsuffix.PublicSuffix(ascii)
	top := ascii[strings.LastIndexByte(ascii, '.')+1:]
	if !strings.Contains(ascii, ".") || !managed && !strings.Contains(suffix, ".") || top == "onion" || top == "arpa" {
		return "", errHost
	}
	return ascii, nil
}

// isNumber tells whether a host is taken for an address by anybody: it is one, or its last part is a number in any spelling, which is
// when browsers read an IPv4 address (WHATWG URL, "ends in a number").
func isNumber(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	host = strings.TrimSuffix(host, ".")
	last := strings.ToLower(host[strings.LastIndexByte(host, '.')+1:])
	if digits, hexadecimal := strings.CutPrefix(last, "0x"); hexadecimal {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return last != "" && strings.Trim(last, "0123456789") == ""
}

// isLoopback tells whether a host is this machine.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

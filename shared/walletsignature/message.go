package walletsignature

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/chain"
)

// Message is a sign-in message of EIP-4361, as it is written. Check judges what it says.
type Message struct {
	// Scheme is empty where the message names none. Domain is who asks, an authority of RFC 3986.
	Scheme, Domain string
	Address        chain.Address
	Statement      string
	URI            string
	// ChainID is digits as they are written.
	ChainID, Nonce string
	// IssuedAt is always there; ExpirationTime and NotBefore are zero where the message has none.
	IssuedAt, ExpirationTime, NotBefore time.Time
	RequestID                           string
	Resources                           []string
	uri                                 uri
}

// ErrMessage is returned for a text that is not a sign-in message. Its text says what is wrong.
var ErrMessage = errors.New("not a sign-in message of EIP-4361")

func unreadable(format string, arguments ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrMessage}, arguments...)...)
}

const greeting = " wants you to sign in with your Ethereum account:"

// dateTime is date-time of RFC 3339. A leap second is not taken.
var dateTime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?([Zz]|[+-][0-9]{2}:[0-9]{2})$`)
})

// ParseMessage reads a message by the grammar of EIP-4361, every line of it: no other order, no other space, no line break more. The
// address must have its EIP-55 checksum, the version must be 1. Anything else is ErrMessage.
func ParseMessage(text string) (*Message, error) {
	lines := &lines{left: strings.Split(text, "\n")}
	var m Message
	from, found := strings.CutSuffix(lines.next(), greeting)
	if !found {
		return nil, unreadable("the first line does not end with %q", greeting)
	}
	m.Domain = from
	if scheme, domain, there := strings.Cut(from, "://"); there {
		m.Scheme, m.Domain = scheme, domain
		if !validScheme(scheme) {
			return nil, unreadable("%q is no scheme", scheme)
		}
	}
	if m.Domain == "" || !validAuthority(m.Domain) {
		return nil, unreadable("%q is no domain", m.Domain)
	}
	var err error
	address := lines.next()
	if m.Address, err = chain.ParseAddress(address); err != nil || m.Address.Checksum() != address {
		return nil, unreadable("the second line is no address with an EIP-55 checksum")
	}
	if lines.next() != "" {
		return nil, unreadable("the third line is not empty")
	}
	if err := m.readStatement(lines); err != nil {
		return nil, err
	}
	if err := m.readFields(lines); err != nil {
		return nil, err
	}
	return &m, nil
}

// readStatement reads the statement, if there is one, and the empty line after it.
func (m *Message) readStatement(l *lines) error {
	first := l.next()
	if first == "" && !l.isNext("") {
		return nil
	}
	if !made(first, func(c byte) bool { return isUnreserved(c) || isDelimiter(c) }, " :/?#[]@") {
		return unreadable("the statement has other characters than letters, digits, spaces and -._~:/?#[]@!$&'()*+,;=")
	}
	m.Statement = first
	if !l.isNext("") {
		return unreadable("no empty line after the statement")
	}
	l.next()
	return nil
}

func (m *Message) readFields(l *lines) (err error) {
	if m.URI, err = l.field("URI: "); err != nil {
		return err
	}
	parsed, ok := parseURI(m.URI)
	if !ok {
		return unreadable("%q is no URI", m.URI)
	}
	m.uri = parsed
	version, err := l.field("Version: ")
	if err != nil || version != "1" {
		return unreadable("no line with Version: 1 after the URI")
	}
	if m.ChainID, err = l.field("Chain ID: "); err != nil {
		return err
	}
	if m.ChainID == "" || !made(m.ChainID, isDigit, "") {
		return unreadable("%q is no chain id", m.ChainID)
	}
	if m.Nonce, err = l.field("Nonce: "); err != nil {
		return err
	}
	if len(m.Nonce) < 8 || !made(m.Nonce, func(c byte) bool { return isLetter(c) || isDigit(c) }, "") {
		return unreadable("the nonce is not of eight or more letters and digits")
	}
	for _, t := range []struct {
		label string
		into  *time.Time
		must  bool
	}{{"Issued At: ", &m.IssuedAt, true}, {"Expiration Time: ", &m.ExpirationTime, false}, {"Not Before: ", &m.NotBefore, false}} {
		if !t.must && !l.has(t.label) {
			continue
		}
		text, err := l.field(t.label)
		if err != nil {
			return err
		}
		if *t.into, err = parseTime(text); err != nil {
			return unreadable("%s%q is no time of RFC 3339", t.label, text)
		}
	}
	if l.has("Request ID: ") {
		m.RequestID, _ = l.field("Request ID: ")
		if !made(m.RequestID, isPathCharacter, "") {
			return unreadable("the request id has characters that it may not have")
		}
	}
	return m.readResources(l)
}

func (m *Message) readResources(l *lines) error {
	if l.isNext("Resources:") {
		l.next()
		for l.has("- ") {
			resource, _ := l.field("- ")
			if _, ok := parseURI(resource); !ok {
				return unreadable("the resource %q is no URI", resource)
			}
			m.Resources = append(m.Resources, resource)
		}
	}
	if len(l.left) > 0 {
		return unreadable("%.40q is out of place", l.left[0])
	}
	return nil
}

func parseTime(text string) (time.Time, error) {
	if !dateTime().MatchString(text) {
		return time.Time{}, ErrMessage
	}
	return time.Parse(time.RFC3339, strings.ToUpper(text))
}

// lines are those that are still to be read.
type lines struct{ left []string }

// next is the next line, empty when there is none.
func (l *lines) next() string {
	if len(l.left) == 0 {
		return ""
	}
	line := l.left[0]
	l.left = l.left[1:]
	return line
}

func (l *lines) isNext(line string) bool { return len(l.left) > 0 && l.left[0] == line }

func (l *lines) has(label string) bool {
	return len(l.left) > 0 && strings.HasPrefix(l.left[0], label)
}

// field reads the line of a label.
func (l *lines) field(label string) (string, error) {
	if !l.has(label) {
		return "", unreadable("no line with %q where it belongs", strings.TrimSpace(label))
	}
	return strings.TrimPrefix(l.next(), label), nil
}

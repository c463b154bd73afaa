package walletsignature

import (
	"net/netip"
	"strings"
)

// uri is a URI of RFC 3986, as far as anybody asks. Authority is empty where there is none.
type uri struct{ scheme, authority string }

// parseURI reads a URI that has a scheme, by the grammar of RFC 3986.
func parseURI(text string) (uri, bool) {
	scheme, rest, found := strings.Cut(text, ":")
	if !found || !validScheme(scheme) {
		return uri{}, false
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	path, query, _ := strings.Cut(rest, "?")
	if !made(fragment, isPathCharacter, "/?") || !made(query, isPathCharacter, "/?") {
		return uri{}, false
	}
	parsed := uri{scheme: strings.ToLower(scheme)}
	if after, there := strings.CutPrefix(path, "//"); there {
		parsed.authority, path = after, ""
		if slash := strings.IndexByte(after, '/'); slash >= 0 {
			parsed.authority, path = after[:slash], after[slash:]
		}
		if !validAuthority(parsed.authority) {
			return uri{}, false
		}
	}
	return parsed, made(path, isPathCharacter, "/")
}

func validScheme(text string) bool {
	return text != "" && isLetter(text[0]) && made(text, func(c byte) bool { return isLetter(c) || isDigit(c) }, "+-.")
}

// validAuthority tells whether a text is [userinfo@]host[:port]. The empty one is, too.
func validAuthority(text string) bool {
	host := text
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		if !made(text[:at], isNameCharacter, ":") {
			return false
		}
		host = text[at+1:]
	}
	if inside, there := strings.CutPrefix(host, "["); there {
		literal, port, closed := strings.Cut(inside, "]")
		return closed && validLiteral(literal) && (port == "" || port[0] == ':' && made(port[1:], isDigit, ""))
	}
	name, port, _ := strings.Cut(host, ":")
	return made(name, isNameCharacter, "") && made(port, isDigit, "")
}

// validLiteral tells whether a text can stand in the brackets of a host: an IPv6 address without a zone, or IPvFuture.
func validLiteral(text string) bool {
	if text != "" && (text[0] == 'v' || text[0] == 'V') {
		version, address, found := strings.Cut(text[1:], ".")
		return found && version != "" && address != "" && made(version, isHexDigit, "") && !strings.Contains(address, "%") && made(address, isNameCharacter, ":")
	}
	address, err := netip.ParseAddr(text)
	return err == nil && address.Is6() && address.Zone() == ""
}

// made tells whether a text is made of some characters, of others named one by one, and, where the characters include the percent sign,
// of percent-encoded bytes.
func made(text string, of func(byte) bool, others string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '%' && of(c):
			if i+2 >= len(text) || !isHexDigit(text[i+1]) || !isHexDigit(text[i+2]) {
				return false
			}
			i += 2
		case !of(c) && strings.IndexByte(others, c) < 0:
			return false
		}
	}
	return true
}

// isNameCharacter is unreserved, sub-delims and the percent sign; isPathCharacter adds what a segment of a path may have (pchar).
func isNameCharacter(c byte) bool { return isUnreserved(c) || isDelimiter(c) || c == '%' }
func isPathCharacter(c byte) bool { return isNameCharacter(c) || c == ':' || c == '@' }

func isUnreserved(c byte) bool {
	return isLetter(c) || isDigit(c) || strings.IndexByte("-._~", c) >= 0
}
func isDelimiter(c byte) bool { return strings.IndexByte("!$&'()*+,;=", c) >= 0 }
func isLetter(c byte) bool    { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool     { return c >= '0' && c <= '9' }
func isHexDigit(c byte) bool  { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

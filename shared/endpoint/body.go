package endpoint

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// MaximumBody is the largest body accepted, in bytes.
const MaximumBody = 64 << 10

// maximumDepth is how deep a body's values may be nested, its own object included.
const maximumDepth = 32

// given is one parameter as it came: a JSON value from a body, or text from a query.
type given struct {
	name    string
	json    jsontext.Value
	text    string
	inQuery bool
}

// isNull tells whether the parameter was given as JSON's null.
func (g given) isNull() bool { return !g.inQuery && g.json.Kind() == jsontext.KindNull }

// asText gives the parameter's text, if it is one.
func (g given) asText() (string, bool) {
	if g.inQuery {
		return g.text, true
	}
	if g.json.Kind() != jsontext.KindString {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, g.json)
	return string(text), err == nil
}

// readBody reads the body of a request, at most MaximumBody bytes of it, and checks its declared type.
func readBody(r *http.Request) ([]byte, *Problem) {
	tooLarge := refuse(http.StatusRequestEntityTooLarge, "body_too_large", fmt.Sprintf("The body may have at most %d bytes.", MaximumBody))
	if r.ContentLength > MaximumBody {
		return nil, tooLarge
	}
	var body []byte
	if r.Body != nil && r.Body != http.NoBody {
		var err error
		body, err = io.ReadAll(io.LimitReader(r.Body, MaximumBody+1))
		var limit *http.MaxBytesError
		if len(body) > MaximumBody || errors.As(err, &limit) {
			return nil, tooLarge
		}
		if err != nil {
			return nil, invalidJSON("The body ended before all of it had arrived.")
		}
	}
	if takesBody(r.Method) && !isJSON(r.Header) {
		return nil, refuse(http.StatusUnsupportedMediaType, "unsupported_media_type", "Send the body as Content-Type: application/json, in UTF-8 and without Content-Encoding.")
	}
	return body, nil
}

// takesBody tells whether parameters of a method stand in the body rather than in the query.
func takesBody(method string) bool {
	return method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch
}

// isJSON tells whether the headers declare JSON in UTF-8, or nothing at all.
func isJSON(header http.Header) bool {
	for _, encoding := range header.Values("Content-Encoding") {
		if !strings.EqualFold(encoding, "identity") {
			return false
		}
	}
	types := header.Values("Content-Type")
	switch len(types) {
	case 0:
		return true
	case 1:
		if types[0] == "" {
			return true
		}
	default:
		return false
	}
	kind, parameters, err := mime.ParseMediaType(types[0])
	charset, declared := parameters["charset"]
	return err == nil && kind == "application/json" && (!declared || strings.EqualFold(charset, "utf-8") || strings.EqualFold(charset, "utf8"))
}

func invalidJSON(message string) *Problem {
	return refuse(http.StatusBadRequest, "invalid_json", message)
}

// readMembers reads the members of one JSON object, in order. It refuses anything but exactly one object in UTF-8: duplicate
// names, trailing data, a byte order mark, nesting deeper than maximumDepth.
func readMembers(body []byte) ([]given, *Problem) {
	if len(body) == 0 {
		return nil, invalidJSON("The body is empty. Send a JSON object with the parameters.")
	}
	decoder := jsontext.NewDecoder(bytes.NewReader(body))
	if decoder.PeekKind() != jsontext.KindBeginObject {
		return nil, invalidJSON("The body must be one JSON object in UTF-8, without a byte order mark.")
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, syntaxProblem(err)
	}
	var members []given
	for decoder.PeekKind() != jsontext.KindEndObject {
		name, err := decoder.ReadToken()
		if err != nil {
			return nil, syntaxProblem(err)
		}
		// The token is only valid until the next read.
		member := given{name: name.String()}
		value, err := decoder.ReadValue()
		if err != nil {
			return nil, syntaxProblem(err)
		}
		if depth(value) >= maximumDepth {
			return nil, invalidJSON(fmt.Sprintf("The body is nested deeper than %d levels.", maximumDepth))
		}
		member.json = value.Clone()
		members = append(members, member)
	}
	if _, err := decoder.ReadToken(); err != nil {
		return nil, syntaxProblem(err)
	}
	if _, err := decoder.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, invalidJSON("There is something after the JSON object. Send exactly one object.")
	}
	return members, nil
}

// syntaxProblem tells a partner what is wrong with a body without repeating any of it.
func syntaxProblem(err error) *Problem {
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return invalidJSON("A name stands in the body twice. Send each parameter once.")
	}
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		return invalidJSON(fmt.Sprintf("The body is not valid JSON in UTF-8; it stops making sense at byte %d.", syntax.ByteOffset))
	}
	return invalidJSON("The body is not valid JSON in UTF-8.")
}

// depth is how deep a valid JSON value is nested: 0 for anything but objects and lists.
func depth(value jsontext.Value) int {
	deepest, open, quoted := 0, 0, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			open++
			deepest = max(deepest, open)
		case c == '}', c == ']':
			open--
		}
	}
	return deepest
}

// readQuery reads the pairs of a query string, in order, repeated ones too.
func readQuery(raw string) ([]given, *Problem) {
	var pairs []given
	for pair := range strings.SplitSeq(raw, "&") {
		if pair == "" {
			continue
		}
		escapedName, escapedText, _ := strings.Cut(pair, "=")
		name, nameErr := url.QueryUnescape(escapedName)
		text, textErr := url.QueryUnescape(escapedText)
		if nameErr != nil || textErr != nil || !utf8.ValidString(name) || !utf8.ValidString(text) {
			return nil, refuse(http.StatusBadRequest, "invalid_param", "The query string is not percent-encoded UTF-8.")
		}
		pairs = append(pairs, given{name: name, text: text, inQuery: true})
	}
	return pairs, nil
}

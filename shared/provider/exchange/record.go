package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// errClosed is what a recorder answers after Close.
var errClosed = errors.New("the recording is closed")

// Recorder passes requests on and writes down what came back. It is safe for concurrent use.
type Recorder struct {
	next    http.RoundTripper
	secrets []string
	mu      sync.Mutex
	file    *os.File
}

// NewRecorder starts a file of its own in a folder, named after the time the run started. Secrets are texts, such as keys
// that stand in paths or host names, that are never written; those known by the name of their parameter are left out anyhow.
func NewRecorder(folder string, started time.Time, next http.RoundTripper, secrets []string) (*Recorder, error) {
	name := filepath.Join(folder, "recorded-"+started.UTC().Format("20060102T150405.000000000Z")+".jsonl")
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if err != nil {
		return nil, fmt.Errorf("starting a recording: %w", err)
	}
	kept := make([]string, 0, len(secrets))
	for _, secret := range secrets {
		if secret != "" {
			kept = append(kept, secret)
		}
	}
	return &Recorder{next: next, secrets: kept, file: file}, nil
}

// RoundTrip asks, writes the exchange down and hands the answer on. An exchange that cannot be written is an error, so that
// no recording has silent gaps. A request that got no answer leaves no line.
func (r *Recorder) RoundTrip(asked *http.Request) (*http.Response, error) {
	var body []byte
	if asked.Body != nil {
		var err error
		body, err = io.ReadAll(asked.Body)
		asked.Body.Close()
		if err != nil {
			return nil, err
		}
		asked = asked.Clone(asked.Context())
		asked.Body = io.NopCloser(bytes.NewReader(body))
	}
	answer, err := r.next.RoundTrip(asked)
	if err != nil {
		return nil, err
	}
	received, err := io.ReadAll(io.LimitReader(answer.Body, maximumAnswer+1))
	if err != nil {
		// The reader gets the same part and the same error as without a recorder.
		answer.Body = &cutBody{Reader: io.MultiReader(bytes.NewReader(received), failing{err}), Closer: answer.Body}
		return answer, nil
	}
	if len(received) > maximumAnswer {
		answer.Body.Close()
		return nil, fmt.Errorf("recording: an answer of more than %d bytes", maximumAnswer)
	}
	answer.Body = &cutBody{Reader: bytes.NewReader(received), Closer: answer.Body}
	recorded := line{
		Method:   asked.Method,
		URL:      withoutSecrets(asked.URL, r.secrets).String(),
		Body:     r.clean(body),
		Status:   answer.StatusCode,
		Response: r.clean(received),
	}
	if err := r.write(recorded); err != nil {
		answer.Body.Close()
		return nil, err
	}
	return answer, nil
}

type cutBody struct {
	io.Reader
	io.Closer
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func (r *Recorder) write(recorded line) error {
	text, err := json.Marshal(recorded, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return errClosed
	}
	if _, err := r.file.Write(append(text, '\n')); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

// Close ends the recording. Requests after it are errors.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == nil {
		return nil
	}
	err := r.file.Close()
	r.file = nil
	return err
}

// clean takes secrets out of a body: the given ones everywhere, and members of JSON objects by their name.
func (r *Recorder) clean(body []byte) string {
	text := string(body)
	for _, secret := range r.secrets {
		text = strings.ReplaceAll(text, secret, wildcard)
	}
	if !mayNameSecrets(text) {
		return text
	}
	var value any
	if json.Unmarshal([]byte(text), &value, jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) != nil {
		return text
	}
	if !hideMembers(value) {
		return text
	}
	return string(marshal(value, nil))
}

func mayNameSecrets(text string) bool {
	lower := strings.ToLower(text)
	for name := range secretNames {
		if strings.Contains(lower, `"`+name+`"`) {
			return true
		}
	}
	return false
}

func hideMembers(value any) bool {
	hidden := false
	switch value := value.(type) {
	case []any:
		for i := range value {
			hidden = hideMembers(value[i]) || hidden
		}
	case map[string]any:
		for name := range value {
			if _, text := value[name].(string); text && isSecretName(name) {
				value[name], hidden = wildcard, true
			} else {
				hidden = hideMembers(value[name]) || hidden
			}
		}
	}
	return hidden
}

// withoutSecrets is an address without user information, credentials in the query and the given secrets anywhere.
func withoutSecrets(address *url.URL, secrets []string) *url.URL {
	clean := *address
	clean.User = nil
	query := clean.Query()
	for name, values := range query {
		if isSecretName(name) {
			delete(query, name)
			continue
		}
		for i := range values {
			for _, secret := range secrets {
				values[i] = strings.ReplaceAll(values[i], secret, wildcard)
			}
		}
	}
	clean.RawQuery = query.Encode()
	segments := strings.Split(clean.Path, "/")
	keyed := isKeyedHost(clean.Hostname())
	for i, segment := range segments {
		for _, secret := range secrets {
			segment = strings.ReplaceAll(segment, secret, wildcard)
		}
		if keyed && looksLikeKey(segment) {
			segment = wildcard
		}
		segments[i] = segment
	}
	clean.Path, clean.RawPath = strings.Join(segments, "/"), ""
	for _, secret := range secrets {
		clean.Host = strings.ReplaceAll(clean.Host, secret, "hidden")
	}
	return &clean
}

// keyedHosts put an access key into the path.
var keyedHosts = []string{
	"alchemy.com", "infura.io", "quiknode.pro", "ankr.com", "drpc.org", "chainstack.com", "blastapi.io", "getblock.io",
	"nodereal.io", "tenderly.co", "pro-api.llama.fi", "thirdweb.com",
}

func isKeyedHost(host string) bool {
	host = strings.ToLower(host)
	for _, keyed := range keyedHosts {
		if host == keyed || strings.HasSuffix(host, "."+keyed) {
			return true
		}
	}
	return false
}

// looksLikeKey tells an access key from an ordinary path segment: 16 or more letters, digits, dashes or underscores with a
// digit among them, and not a hexadecimal number after 0x.
func looksLikeKey(segment string) bool {
	if len(segment) < 16 || strings.HasPrefix(segment, "0x") {
		return false
	}
	digit := false
	for i := 0; i < len(segment); i++ {
		c := segment[i]
		switch {
		case c >= '0' && c <= '9':
			digit = true
		case c|0x20 >= 'a' && c|0x20 <= 'z', c == '-', c == '_':
		default:
			return false
		}
	}
	return digit
}

var _ http.RoundTripper = (*Recorder)(nil)

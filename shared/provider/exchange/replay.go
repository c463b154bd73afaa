package exchange

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"sort"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
)

// What a recording holds at most: the bytes of one answer, and of one line, where escapes make an answer longer.
const (
	maximumAnswer = 40 << 20
	maximumLine   = 8 * maximumAnswer
)

// Replayer answers requests from a recording. It is safe for concurrent use.
type Replayer struct {
	log       *slog.Logger
	exact     map[string]*series
	wildcards []*series
}

// series is one recorded request with everything that was answered to it.
type series struct {
	request request
	mu      sync.Mutex
	next    int
	lines   []line
}

// NewReplayer reads every .jsonl and .jsonl.gz file of a folder, in the order of their names. A file that is broken is an
// error that names it.
func NewReplayer(folder fs.FS, log *slog.Logger) (*Replayer, error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, fmt.Errorf("reading the recordings: %w", err)
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	r := &Replayer{log: log, exact: make(map[string]*series)}
	for _, entry := range entries {
		name := entry.Name()
		if entry.IsDir() || !(strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".jsonl.gz")) {
			continue
		}
		if err := r.read(folder, name); err != nil {
			return nil, fmt.Errorf("recording %s: %w", name, err)
		}
	}
	return r, nil
}

func (r *Replayer) read(folder fs.FS, name string) error {
	file, err := folder.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	var reader io.Reader = file
	if strings.HasSuffix(name, ".gz") {
		zip, err := gzip.NewReader(file)
		if err != nil {
			return err
		}
		defer zip.Close()
		reader = zip
	}
	scanner := bufio.NewScanner(reader)
	scanner.Buffer(nil, maximumLine)
	for number := 1; scanner.Scan(); number++ {
		text := bytes.TrimSpace(scanner.Bytes())
		if len(text) == 0 {
			continue
		}
		var recorded line
		if err := json.Unmarshal(text, &recorded, jsontext.AllowInvalidUTF8(true)); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
		address, err := url.Parse(recorded.URL)
		if err != nil || address.Host == "" || recorded.Status < 100 || recorded.Status > 999 {
			return fmt.Errorf("line %d: not an exchange", number)
		}
		r.add(parseRequest(recorded.Method, address, []byte(recorded.Body)), recorded)
	}
	return scanner.Err()
}

func (r *Replayer) add(q request, recorded line) {
	key, wild := q.identity()
	if known, found := r.exact[key]; found {
		known.lines = append(known.lines, recorded)
		return
	}
	s := &series{request: q, lines: []line{recorded}}
	r.exact[key] = s
	if wild {
		r.wildcards = append(r.wildcards, s)
	}
}

// RoundTrip answers with what was recorded for the same method, host, path, query in any order, and JSON body in any order
// of its members; JSON-RPC ids, letter case of hexadecimal numbers and credentials do not count. What was recorded several
// times is answered in that order, the last again and again. Anything else is logged and an error that wraps
// market.ErrUnavailable.
func (r *Replayer) RoundTrip(asked *http.Request) (*http.Response, error) {
	var body []byte
	if asked.Body != nil {
		defer asked.Body.Close()
		var err error
		if body, err = io.ReadAll(asked.Body); err != nil {
			return nil, err
		}
	}
	if err := asked.Context().Err(); err != nil {
		return nil, err
	}
	q := parseRequest(asked.Method, asked.URL, body)
	recorded, found := r.find(q)
	if !found {
		r.log.Warn("not in the recording", "method", asked.Method, "url", withoutSecrets(asked.URL, nil).String())
		return nil, fmt.Errorf("%w: not in the recording", market.ErrUnavailable)
	}
	answer := withIDs([]byte(recorded.Response), []byte(recorded.Body), body)
	return &http.Response{
		Status:        fmt.Sprintf("%d %s", recorded.Status, http.StatusText(recorded.Status)),
		StatusCode:    recorded.Status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(bytes.NewReader(answer)),
		ContentLength: int64(len(answer)),
		Request:       asked,
	}, nil
}

func (r *Replayer) find(q request) (line, bool) {
	key, _ := q.identity()
	if s, found := r.exact[key]; found {
		return s.take(), true
	}
	for _, s := range r.wildcards {
		if s.request.answers(q) {
			return s.take(), true
		}
	}
	return line{}, false
}

func (s *series) take() line {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.lines[s.next]
	if s.next < len(s.lines)-1 {
		s.next++
	}
	return taken
}

// call is the part of a JSON-RPC request that ties an answer to it.
type call struct {
	Method jsontext.Value `json:"method"`
	ID     jsontext.Value `json:"id"`
}

// withIDs gives a recorded JSON-RPC answer the ids of the request now asked. Other answers stay as they are.
func withIDs(answer, recorded, asked []byte) []byte {
	before, after := calls(recorded), calls(asked)
	if len(after) == 0 || len(before) != len(after) {
		return answer
	}
	ids := make(map[string]jsontext.Value, len(before))
	for i := range before {
		ids[string(before[i].ID)] = after[i].ID
	}
	answer = bytes.TrimSpace(answer)
	if len(answer) > 0 && answer[0] == '[' {
		var parts []jsontext.Value
		if json.Unmarshal(answer, &parts) != nil {
			return answer
		}
		for i := range parts {
			var part call
			if json.Unmarshal(parts[i], &part) == nil {
				if id, found := ids[string(part.ID)]; found {
					parts[i] = withID(parts[i], id)
				}
			}
		}
		return marshal(parts, answer)
	}
	return withID(answer, after[0].ID)
}

func calls(body []byte) []call {
	body = bytes.TrimSpace(body)
	var list []call
	if len(body) > 0 && body[0] == '[' {
		if json.Unmarshal(body, &list) != nil {
			return nil
		}
	} else {
		var one call
		if json.Unmarshal(body, &one) != nil {
			return nil
		}
		list = []call{one}
	}
	for _, c := range list {
		if c.Method == nil || c.ID == nil {
			return nil
		}
	}
	return list
}

func withID(answer, id jsontext.Value) jsontext.Value {
	var members map[string]jsontext.Value
	if json.Unmarshal(answer, &members, jsontext.AllowInvalidUTF8(true)) != nil || members == nil {
		return answer
	}
	members["id"] = id
	return marshal(members, answer)
}

func marshal(value any, otherwise []byte) []byte {
	text, err := json.Marshal(value, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return otherwise
	}
	return text
}

var _ http.RoundTripper = (*Replayer)(nil)

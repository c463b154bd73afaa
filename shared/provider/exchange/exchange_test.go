package exchange_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/mirrorworthy/mirrorworthy/shared/market"
	"github.com/mirrorworthy/mirrorworthy/shared/provider/exchange"
)

func replayer(t *testing.T, lines ...string) (*exchange.Replayer, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	r, err := exchange.NewReplayer(fstest.MapFS{"a.jsonl": {Data: []byte(strings.Join(lines, "\n"))}}, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return r, &log
}

func ask(t *testing.T, transport http.RoundTripper, method, url, body string) (int, string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return 0, "", err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer.StatusCode, string(text), err
}

func TestReplayMatches(t *testing.T) {
	r, log := replayer(t,
		`{"method":"GET","url":"https://a.example/x?b=2&a=1","body":"","status":200,"response":"[1]"}`,
		`{"method":"GET","url":"https://a.example/w?from=*&to=9","body":"","status":200,"response":"[2]"}`,
		`{"method":"GET","url":"https://a.example/t/0xAbC/","body":"","status":404,"response":"no"}`,
		`{"method":"POST","url":"https://a.example/info","body":"{\"type\":\"fills\",\"user\":\"0xAB\"}","status":200,"response":"[3]"}`,
		`{"method":"POST","url":"https://a.example/info","body":"{\"type\":\"candles\",\"req\":{\"start\":\"*\",\"coin\":\"BTC\"}}","status":200,"response":"[4]"}`,
		`{"method":"POST","url":"https://k.example/v2/*","body":"{\"a\":1}","status":200,"response":"[5]"}`,
	)
	for _, c := range []struct {
		method, url, body, want string
		status                  int
	}{
		{"GET", "https://a.example/x?a=1&b=2", "", "[1]", 200},
		{"GET", "https://a.example/x?a=1&b=2&apikey=whatever", "", "[1]", 200},
		{"GET", "https://a.example/w?to=9&from=77", "", "[2]", 200},
		{"GET", "https://a.example/t/0xabc", "", "no", 404},
		{"POST", "https://a.example/info/", `{"user":"0xab", "type":"fills"}`, "[3]", 200},
		{"POST", "https://a.example/info", `{"type":"candles","req":{"coin":"BTC","start":123}}`, "[4]", 200},
		{"POST", "https://k.example/v2/mykey", `{"a":1}`, "[5]", 200},
	} {
		status, got, err := ask(t, r, c.method, c.url, c.body)
		if err != nil || got != c.want || status != c.status {
			t.Errorf("%s %s %s: %d %q, %v", c.method, c.url, c.body, status, got, err)
		}
	}
	for _, c := range [][3]string{
		{"POST", "https://a.example/x?a=1&b=2", ""}, {"GET", "http://a.example/x?a=1&b=2", ""}, {"GET", "https://b.example/x?a=1&b=2", ""},
		{"GET", "https://a.example/x?a=1", ""}, {"GET", "https://a.example/x?a=1&b=2&c=3", ""}, {"GET", "https://a.example/w?from=1&to=8", ""},
		{"POST", "https://a.example/info", `{"type":"fills"}`}, {"POST", "https://a.example/info", `{"type":"candles","req":{"coin":"ETH","start":1}}`},
	} {
		if _, _, err := ask(t, r, c[0], c[1], c[2]); !errors.Is(err, market.ErrUnavailable) {
			t.Errorf("%v: %v", c, err)
		}
	}
	log.Reset()
	_, _, _ = ask(t, r, "GET", "https://a.example/none?q=1&apikey=verysecret", "")
	if !strings.Contains(log.String(), "a.example/none?q=1") || strings.Contains(log.String(), "verysecret") {
		t.Error(log.String())
	}
}

func TestReplayServesRepeatsInOrder(t *testing.T) {
	r, _ := replayer(t,
		`{"method":"GET","url":"https://a.example/x","body":"","status":200,"response":"1"}`, ``,
		`{"method":"GET","url":"https://a.example/x","body":"","status":503,"response":"2"}`,
		`{"method":"GET","url":"https://a.example/x","body":"","status":200,"response":"3"}`)
	got := ""
	for range 5 {
		_, text, _ := ask(t, r, "GET", "https://a.example/x", "")
		got += text
	}
	if got != "12333" {
		t.Fatal(got)
	}
}

func TestReplayGivesJSONRPCAnswersTheAskedID(t *testing.T) {
	r, _ := replayer(t,
		`{"method":"POST","url":"https://n.example/","body":"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"eth_x\",\"params\":[\"0xAA\"]}","status":200,"response":"{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"id\":7,\"big\":12345678901234567890123}}\n"}`,
		`{"method":"POST","url":"https://n.example","body":"[{\"id\":1,\"method\":\"a\"},{\"id\":2,\"method\":\"b\"}]","status":200,"response":"[{\"id\":2,\"result\":\"b\"},{\"id\":1,\"result\":\"a\"}]"}`)
	_, got, err := ask(t, r, "POST", "https://n.example", `{"method":"eth_x","params":["0xaa"],"id":"mine","jsonrpc":"2.0"}`)
	if want := `{"id":"mine","jsonrpc":"2.0","result":{"id":7,"big":12345678901234567890123}}`; err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
	_, got, err = ask(t, r, "POST", "https://n.example/", `[{"id":11,"method":"a"},{"id":12,"method":"b"}]`)
	if want := `[{"id":12,"result":"b"},{"id":11,"result":"a"}]`; err != nil || got != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestBrokenRecordingsAreNamed(t *testing.T) {
	for name, data := range map[string]string{
		"syntax":  `{"method":`,
		"address": `{"method":"GET","url":"nowhere","status":200,"response":""}`,
		"status":  `{"method":"GET","url":"https://a.example","status":0,"response":""}`,
	} {
		_, err := exchange.NewReplayer(fstest.MapFS{"broken.jsonl": {Data: []byte(data)}, "other.txt": {Data: []byte("no")}}, slog.New(slog.DiscardHandler))
		if err == nil || !strings.Contains(err.Error(), "broken.jsonl") || !strings.Contains(err.Error(), "line 1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestCompressedRecordings(t *testing.T) {
	var data bytes.Buffer
	zip := gzip.NewWriter(&data)
	fmt.Fprintln(zip, `{"method":"GET","url":"https://a.example/x","body":"","status":200,"response":"1"}`)
	zip.Close()
	r, err := exchange.NewReplayer(fstest.MapFS{"a.jsonl.gz": {Data: data.Bytes()}}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if _, got, err := ask(t, r, "GET", "https://a.example/x", ""); err != nil || got != "1" {
		t.Fatal(got, err)
	}
}

func TestWhatIsRecordedReplaysAndHoldsNoSecret(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, _ := io.ReadAll(r.Body)
		if r.URL.Path == "/missing" {
			w.WriteHeader(404)
		}
		if r.Header.Get("Authorization") != "Bearer headersecret" {
			t.Error("the header did not arrive")
		}
		fmt.Fprintf(w, `{"path":%q,"query":%q,"body":%q,"access_token":"answersecret"}`, strings.ReplaceAll(r.URL.Path, "pathsecret", "p"), r.URL.Query().Get("q"), sent)
	}))
	defer server.Close()
	folder := t.TempDir()
	recorder, err := exchange.NewRecorder(folder, time.Date(2026, 11, 20, 1, 2, 3, 4, time.UTC), http.DefaultTransport, []string{"pathsecret", ""})
	if err != nil {
		t.Fatal(err)
	}
	withHeader := roundTrip(func(r *http.Request) (*http.Response, error) {
		r.Header.Set("Authorization", "Bearer headersecret")
		return recorder.RoundTrip(r)
	})
	type asked struct{ method, path, body string }
	var questions []asked
	for i := range 20 {
		questions = append(questions,
			asked{"GET", fmt.Sprintf("/v2/pathsecret/x?apikey=querysecret&q=%d", i), ""},
			asked{"POST", "/post", fmt.Sprintf(`{"app_key":"bodysecret","i":%d}`, i)})
	}
	questions = append(questions, asked{"GET", "/missing", ""})
	answers := make([]string, len(questions))
	statuses := make([]int, len(questions))
	var all sync.WaitGroup
	for i, q := range questions {
		all.Go(func() {
			var err error
			if statuses[i], answers[i], err = ask(t, withHeader, q.method, server.URL+q.path, q.body); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if err := recorder.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ask(t, withHeader, "GET", server.URL+"/late", ""); err == nil {
		t.Error("recorded after Close")
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(files) != 1 {
		t.Fatal(files)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(data), "\n") != len(questions) {
		t.Errorf("%d lines for %d exchanges", strings.Count(string(data), "\n"), len(questions))
	}
	for _, secret := range []string{"pathsecret", "querysecret", "bodysecret", "headersecret", "answersecret"} {
		// The handler echoes the body it was sent as a text, where a member's name cannot be seen.
		if secret == "bodysecret" {
			if strings.Contains(string(data), `"body":"{\"app_key\":\"bodysecret`) {
				t.Error("the request's body holds a secret")
			}
			continue
		}
		if strings.Contains(string(data), secret) {
			t.Errorf("the recording holds %s", secret)
		}
	}
	again, err := exchange.NewReplayer(os.DirFS(folder), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range questions {
		status, got, err := ask(t, again, q.method, server.URL+q.path, q.body)
		if err != nil || status != statuses[i] {
			t.Fatalf("%v: %d, %v", q, status, err)
		}
		var want, replayed map[string]string
		if err := errors.Join(json.Unmarshal([]byte(answers[i]), &want), json.Unmarshal([]byte(got), &replayed)); err != nil {
			t.Fatal(err)
		}
		want["access_token"] = "*"
		if !maps.Equal(want, replayed) {
			t.Errorf("%v: %v instead of %v", q, replayed, want)
		}
	}
	if _, err := exchange.NewRecorder(folder, time.Date(2026, 11, 20, 1, 2, 3, 4, time.UTC), nil, nil); err == nil {
		t.Error("a run wrote over another run's file")
	}
}

func TestKeysInPathsOfKeyedHostsAreHidden(t *testing.T) {
	folder := t.TempDir()
	recorder, err := exchange.NewRecorder(folder, time.Unix(0, 0), roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader(`{}`))}, nil
	}), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, url := range []string{
		"https://eth-mainnet.g.alchemy.com/v2/abcDEF123456abcDEF12", "https://user:pass1@pro-api.llama.fi/abcdef0123456789abcd/coins/prices",
		"https://api.example/tokens/abcdefgh0123456789",
	} {
		if _, _, err := ask(t, recorder, "GET", url, ""); err != nil {
			t.Fatal(err)
		}
	}
	recorder.Close()
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	data, _ := os.ReadFile(files[0])
	for _, want := range []string{`alchemy.com/v2/%2A"`, `"https://pro-api.llama.fi/%2A/coins/prices"`, `/tokens/abcdefgh0123456789"`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("no %s in\n%s", want, data)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func FuzzReplay(f *testing.F) {
	f.Add("https://a.example/x?a=1", `{"id":1,"method":"m"}`, `{"id":1,"result":1}`)
	f.Add("https://a.example/*?a=*", `[{"id":1,"method":"m"},2]`, `[]`)
	f.Fuzz(func(t *testing.T, address, body, response string) {
		line := fmt.Sprintf(`{"method":"POST","url":%q,"body":%q,"status":200,"response":%q}`, address, body, response)
		r, err := exchange.NewReplayer(fstest.MapFS{"a.jsonl": {Data: []byte(line)}}, slog.New(slog.DiscardHandler))
		if err != nil {
			return
		}
		request, err := http.NewRequestWithContext(t.Context(), "POST", address, strings.NewReader(body))
		if err != nil {
			return
		}
		_, _ = r.RoundTrip(request)
	})
}

package host

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// invoked is a context as package lambda makes it for an invocation.
func invoked(ctx context.Context, trace string) context.Context {
	return context.WithValue(ctx, traceKey, trace) //nolint:staticcheck // the key is theirs
}

const (
	sampledTrace = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1;Lineage=a87bd80c:1|68fd508a:5"
	otherTrace   = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=0"
)

func TestTracesHoldNoPathAndRequestsStayWhole(t *testing.T) {
	var traces [][]string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		traces = append(traces, r.Header.Values("X-Amzn-Trace-Id"))
		body, _ := io.ReadAll(r.Body)
		_, _ = io.WriteString(w, r.Method+" "+r.URL.RequestURI()+" "+string(body))
	}))
	defer server.Close()
	daemon, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer daemon.Close()
	if err := daemon.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("AWS_XRAY_DAEMON_ADDRESS", daemon.LocalAddr().String())
	client := &http.Client{Transport: traced(http.DefaultTransport)}
	for _, trace := range []string{otherTrace, "", sampledTrace} {
		question, err := http.NewRequestWithContext(invoked(t.Context(), trace), http.MethodPost, server.URL+"/v2/canary-in-path/?apikey=canary-in-query", strings.NewReader(`{"a":1}`))
		if err != nil {
			t.Fatal(err)
		}
		answer, err := client.Do(question)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if text, _ := io.ReadAll(answer.Body); string(text) != `POST /v2/canary-in-path/?apikey=canary-in-query {"a":1}` {
			t.Errorf("%s", text)
		}
	}
	for _, told := range traces {
		if told != nil {
			t.Errorf("a provider is told of our traces: %q", told)
		}
	}
	// The first packet is of the one call that is sampled.
	packet := make([]byte, 64<<10)
	n, _, err := daemon.ReadFrom(packet)
	if err != nil {
		t.Fatal(err)
	}
	text := string(packet[:n])
	preamble, document, _ := strings.Cut(text, "\n")
	var call map[string]any
	if err := json.Unmarshal([]byte(document), &call); err != nil || preamble != `{"format":"json","version":1}` {
		t.Fatal(err, text)
	}
	id, _ := call["id"].(string)
	if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(id) || call["trace_id"] != "1-5759e988-bd862e3fe1be46a994272793" || call["parent_id"] != "53995c3f42cd8ad8" ||
		call["name"] != "127.0.0.1" || call["namespace"] != "remote" || call["type"] != "subsegment" {
		t.Errorf("the trace: %s", text)
	}
	if !strings.Contains(text, `"http":{"request":{"method":"POST","url":"`+server.URL+`"},"response":{"status":200}}`) || strings.Contains(text, "canary") {
		t.Errorf("the trace: %s", text)
	}
}

func TestWhatBecameOfACallIsTraced(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for _, call := range []struct {
		status int
		err    error
		want   string
	}{
		{200, nil, `"response":{"status":200}}}`},
		{404, nil, `"response":{"status":404}},"error":true}`},
		{429, nil, `"response":{"status":429}},"error":true,"throttle":true}`},
		{503, nil, `"response":{"status":503}},"fault":true}`},
		{0, errors.New("no route"), `"url":"https://provider.example"}},"fault":true}`},
	} {
		var told bytes.Buffer
		clock := now
		transport := tracedTransport{
			RoundTripper: roundTrip(func(*http.Request) (*http.Response, error) {
				clock = clock.Add(250 * time.Millisecond)
				if call.err != nil {
					return nil, call.err
				}
				return &http.Response{StatusCode: call.status, Body: http.NoBody}, nil
			}),
			daemon: func() io.Writer { return &told }, now: func() time.Time { return clock },
		}
		question, err := http.NewRequestWithContext(invoked(t.Context(), sampledTrace), http.MethodGet, "https://provider.example/wallet", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		response, err := transport.RoundTrip(question)
		if !errors.Is(err, call.err) || (err == nil && response.StatusCode != call.status) {
			t.Error(response, err)
		}
		if text := told.String(); !strings.HasSuffix(text, call.want) || !strings.Contains(text, `"start_time":1795262400,"end_time":1795262400.25`) {
			t.Errorf("%s, want %s", text, call.want)
		}
	}
}

// The daemon may be named wrongly or be gone: the call is made all the same.
func TestWithoutADaemonCallsAreMade(t *testing.T) {
	for _, address := range []string{"nowhere", "127.0.0.1:1", ""} {
		t.Setenv("AWS_XRAY_DAEMON_ADDRESS", address)
		asked := 0
		transport := traced(roundTrip(func(*http.Request) (*http.Response, error) {
			asked++
			return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
		}))
		question, err := http.NewRequestWithContext(invoked(t.Context(), sampledTrace), http.MethodGet, "https://provider.example/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := transport.RoundTrip(question); err != nil || asked != 1 {
			t.Error(asked, err)
		}
	}
}

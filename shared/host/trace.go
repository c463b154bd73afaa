package host

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/aws/aws-xray-sdk-go/v2/daemoncfg"
	"github.com/aws/aws-xray-sdk-go/v2/header"
	"github.com/go-json-experiment/json"
)

// The SDK's own recorder of calls is not used: with it come gRPC and protocol buffers, whose package variables took a fifth of a
// function's start (6.4 ms until it is ready with them, 5.2 without). A subsegment is one line of JSON to the daemon, in the form of the X-Ray Developer Guide, "Segment documents".

// tracedTransport makes every provider call a subsegment of the invocation that it is made in. It is quiet outside of one, and in one that
// is not sampled. A trace tells of an address only scheme and host: the rest names wallets and may hold a key. What is sent to the daemon
// is never waited for, and a daemon that cannot be reached costs a trace and no answer.
type tracedTransport struct {
	http.RoundTripper
	daemon func() io.Writer
	now    func() time.Time
}

// traced is such a transport, with the daemon that Lambda names.
func traced(transport http.RoundTripper) http.RoundTripper {
	return tracedTransport{RoundTripper: transport, daemon: sync.OnceValue(dialDaemon), now: time.Now}
}

// dialDaemon opens the socket to the daemon.
func dialDaemon() io.Writer {
	endpoints, err := daemoncfg.GetDaemonEndpointsFromEnv()
	if endpoints == nil || err != nil {
		endpoints = daemoncfg.GetDefaultDaemonEndpoints()
	}
	connection, err := net.DialUDP("udp", nil, endpoints.UDPAddr)
	if err != nil {
		return io.Discard
	}
	return connection
}

// subsegment is one call of an invocation.
type subsegment struct {
	TraceID   string  `json:"trace_id"`
	ID        string  `json:"id"`
	ParentID  string  `json:"parent_id"`
	Name      string  `json:"name"`
	Type      string  `json:"type"`
	Namespace string  `json:"namespace"`
	Start     float64 `json:"start_time"`
	End       float64 `json:"end_time"`
	HTTP      struct {
		Request struct {
			Method string `json:"method"`
			URL    string `json:"url"`
		} `json:"request"`
		Response *struct {
			Status int `json:"status"`
		} `json:"response,omitzero"`
	} `json:"http"`
	// Fault is for what failed at the provider or on the way, Error for what it refused, Throttle for what was too much.
	Fault    bool `json:"fault,omitzero"`
	Error    bool `json:"error,omitzero"`
	Throttle bool `json:"throttle,omitzero"`
}

// RoundTrip makes a call and tells the daemon of it.
func (t tracedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	invocation := invocationOf(r.Context())
	if invocation == nil {
		return t.RoundTripper.RoundTrip(r)
	}
	began := t.now()
	response, err := t.RoundTripper.RoundTrip(r)
	call := subsegment{
		TraceID: invocation.TraceID, ID: newSubsegmentID(), ParentID: invocation.ParentID, Name: r.URL.Hostname(),
		Type: "subsegment", Namespace: "remote", Start: seconds(began), End: seconds(t.now()), Fault: err != nil,
	}
	call.HTTP.Request.Method, call.HTTP.Request.URL = r.Method, r.URL.Scheme+"://"+r.URL.Host
	if response != nil {
		call.HTTP.Response = &struct {
			Status int `json:"status"`
		}{response.StatusCode}
		call.Fault = call.Fault || response.StatusCode >= http.StatusInternalServerError
		call.Throttle = response.StatusCode == http.StatusTooManyRequests
		call.Error = response.StatusCode >= http.StatusBadRequest && !call.Fault
	}
	if text, err := json.Marshal(call); err == nil {
		// Nobody waits for a trace, and nobody misses one.
		_, _ = t.daemon().Write(append([]byte("{\"format\":\"json\",\"version\":1}\n"), text...))
	}
	return response, err
}

// traceKey is where package lambda keeps the trace header of an invocation.
const traceKey = "x-amzn-trace-id"

// invocationOf is the trace that a context belongs to; nil for none, and for one that is not sampled.
func invocationOf(ctx context.Context) *header.Header {
	text, _ := ctx.Value(traceKey).(string)
	trace := header.FromString(text)
	if trace.SamplingDecision != header.Sampled || trace.TraceID == "" || trace.ParentID == "" {
		return nil
	}
	return trace
}

// newSubsegmentID is 64 random bits in hexadecimal digits.
func newSubsegmentID() string {
	var id [8]byte
	_, _ = rand.Read(id[:]) // it never fails
	return hex.EncodeToString(id[:])
}

// seconds is a time as X-Ray has it.
func seconds(at time.Time) float64 { return float64(at.UnixMicro()) / 1e6 }

package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

const (
	// sendTimeout bounds an attempt from the name's resolution to the end of the answer.
	sendTimeout = 15 * time.Second
	// maximumAnswer is how much of an answer's body is taken off the wire, in bytes, before the connection is closed.
	maximumAnswer = 4 << 10
	// maximumAnswerHeader bounds the header of an answer, in bytes.
	maximumAnswerHeader = 16 << 10
	// longestRetryAfter bounds what a receiver can ask for.
	longestRetryAfter = 24 * time.Hour
)

// SenderOptions say how a Sender reaches receivers. The zero value is right for everything that is reachable by others.
type SenderOptions struct {
	// AllowLoopback lets webhooks go to this machine, by http too and on any port, and lets such URLs be registered. It is for a run
	// on one's own machine; whoever deploys the service must refuse it.
	AllowLoopback bool
	// Transport carries the requests in place of the network and its guard. It is for tests; nil for the network.
	Transport http.RoundTripper
}

// Sender sends signed messages to receivers that nobody vouches for.
type Sender struct {
	client   *http.Client
	clock    func() time.Time
	loopback bool
}

// NewSender makes a sender. Clock tells the time that messages are signed with.
func NewSender(clock func() time.Time, options SenderOptions) *Sender {
	transport := options.Transport
	if transport == nil {
		transport = guardedTransport(guard(options.AllowLoopback), net.DefaultResolver)
	}
	return &Sender{
		client: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		clock: clock, loopback: options.AllowLoopback,
	}
}

// control is asked before a connection is made to an address that a name was resolved to.
type control func(network, address string, connection syscall.RawConn) error

// guard refuses every address but public ones on port 443, and with loopback set those of this machine.
func guard(loopback bool) control {
	public := ssrf.New(ssrf.WithPorts(443)).Safe
	if !loopback {
		return public
	}
	return func(network, address string, connection syscall.RawConn) error {
		if to, err := netip.ParseAddrPort(address); err == nil && to.Addr().IsLoopback() {
			return nil
		}
		return public(network, address, connection)
	}
}

// guardedTransport makes a connection for each request, so that each is held against the guard, and uses no proxy, to which the guard
// would be held instead.
func guardedTransport(guard control, resolver *net.Resolver) *http.Transport {
	dialer := &net.Dialer{Control: guard, Resolver: resolver}
	return &http.Transport{
		Proxy: nil, DialContext: dialer.DialContext, DisableKeepAlives: true, DisableCompression: true,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, TLSHandshakeTimeout: sendTimeout,
		MaxResponseHeaderBytes: maximumAnswerHeader,
	}
}

// message is what is sent in one attempt.
type message struct {
	id      string
	url     string
	payload []byte
	secrets [][]byte
}

// send makes one attempt, within a time.
func (s *Sender) send(ctx context.Context, m message, within time.Duration) outcome {
	began := s.clock()
	o := s.attempt(ctx, m, within, began)
	o.took = max(s.clock().Sub(began), 0)
	return o
}

func (s *Sender) attempt(ctx context.Context, m message, within time.Duration, at time.Time) outcome {
	header, err := sign(m.id, at, m.payload, m.secrets)
	if err != nil {
		return outcome{ours: true, reason: "It could not be signed."}
	}
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, http.MethodPost, m.url, bytes.NewReader(m.payload))
	if err != nil {
		return outcome{ours: true, reason: "No request could be made of it."}
	}
	request.Header = header
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Mirrorworthy-Webhooks/1")
	answer, err := s.client.Do(request)
	if err != nil {
		return unanswered(err, ctx.Err() != nil, errors.Is(limited.Err(), context.DeadlineExceeded), within)
	}
	defer answer.Body.Close()
	// What it says in the body, and whether it ends, makes no difference.
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maximumAnswer))
	o := answered(answer.StatusCode)
	if answer.StatusCode == http.StatusTooManyRequests || answer.StatusCode == http.StatusServiceUnavailable {
		o.retryAfter = retryAfter(answer.Header.Get("Retry-After"), at)
	}
	return o
}

// retryAfter reads how long a receiver wants to be left alone (RFC 9110, section 10.2.3): seconds, or a date. It is 0 for anything else.
func retryAfter(text string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.ParseUint(text, 10, 64); err == nil {
		wait = time.Duration(min(seconds, uint64(longestRetryAfter/time.Second))) * time.Second
	} else if until, err := http.ParseTime(text); err == nil {
		wait = until.Sub(now)
	}
	return min(max(wait, 0), longestRetryAfter)
}

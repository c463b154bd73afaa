package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"code.dny.dev/ssrf"
)

func fixedClock() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// listen counts the connections to a port of this machine.
func listen(t *testing.T) (port uint16, count *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	count = &atomic.Int64{}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			count.Add(1)
			connection.Close()
		}
	}()
	return uint16(listener.Addr().(*net.TCPAddr).Port), count
}

// No spelling of this machine is registered, and none is connected to even if it were: not on the one port that is allowed, which here
// is a listener's.
func TestNoSpellingReachesThisMachine(t *testing.T) {
	port, connections := listen(t)
	everythingIsHere := resolver(func(string) []string { return []string{"127.0.0.1", "::1"} })
	guarded := guardedTransport(ssrf.New(ssrf.WithPorts(port)).Safe, everythingIsHere)
	s := NewSender(fixedClock, SenderOptions{Transport: guarded})
	if len(bypasses()) < 100 {
		t.Fatalf("%d spellings", len(bypasses()))
	}
	for _, given := range bypasses() {
		if kept, err := checkURL(given, false); err == nil {
			t.Errorf("%q is registered as %q", given, kept)
		}
		// The same spelling at the listener's port, in whatever of its forms it is a URL at all.
		at := strings.NewReplacer(":443/", ":"+itoa(port)+"/", "1/", "1:"+itoa(port)+"/").Replace(given)
		for _, attempt := range []string{given, at, strings.Replace(at, "https:", "http:", 1)} {
			if o := s.send(t.Context(), message{id: "a", url: attempt, payload: []byte("{}"), secrets: [][]byte{{1}}}, time.Minute); o.delivered || o.status != 0 {
				t.Errorf("%q: %+v", attempt, o)
			}
		}
	}
	for _, name := range []string{"hooks.example.com", "localhost"} {
		o := s.send(t.Context(), message{id: "a", url: "http://" + name + ":" + itoa(port) + "/"}, time.Minute)
		if o.delivered || !strings.Contains(o.reason, "not public") {
			t.Errorf("%s: %+v", name, o)
		}
	}
	if got := connections.Load(); got != 0 {
		t.Errorf("%d connections", got)
	}
	// The listener is one that would be reached.
	open := NewSender(fixedClock, SenderOptions{Transport: guardedTransport(nil, everythingIsHere)})
	open.send(t.Context(), message{id: "a", url: "http://hooks.example.com:" + itoa(port) + "/"}, time.Minute)
	if connections.Load() == 0 {
		t.Error("nothing reaches the listener, guarded or not")
	}
}

func itoa(port uint16) string {
	_, text, _ := net.SplitHostPort(netip.AddrPortFrom(netip.IPv4Unspecified(), port).String())
	return text
}

// A name that was public when it was looked at first leads elsewhere when it is called.
func TestANameThatChangesItsAddressIsNotCalled(t *testing.T) {
	for _, then := range [][]string{{"169.254.169.254"}, {"127.0.0.1"}, {"::1"}, {"10.0.0.1", "fd00:ec2::254", "127.0.0.1"}, {"::ffff:127.0.0.1"}} {
		port, connections := listen(t)
		var asked atomic.Int64
		changing := resolver(func(string) []string {
			if asked.Add(1) <= 2 {
				return []string{"93.184.216.34"}
			}
			return then
		})
		first, err := changing.LookupNetIP(t.Context(), "ip", "hooks.example.com")
		if err != nil || len(first) != 1 || first[0].String() != "93.184.216.34" {
			t.Fatalf("%v %v", first, err)
		}
		var tried atomic.Int64
		guarded := ssrf.New(ssrf.WithPorts(port)).Safe
		transport := guardedTransport(func(network, address string, c syscall.RawConn) error {
			tried.Add(1)
			return guarded(network, address, c)
		}, changing)
		s := NewSender(fixedClock, SenderOptions{Transport: transport})
		o := s.send(t.Context(), message{id: "a", url: "http://hooks.example.com:" + itoa(port) + "/"}, time.Minute)
		if o.delivered || !strings.Contains(o.reason, "not public") || connections.Load() != 0 || int(tried.Load()) != len(then) {
			t.Errorf("%v: %+v after %d checks, %d connections", then, o, tried.Load(), connections.Load())
		}
	}
}

func TestTheGuardKnowsPortsAndAddresses(t *testing.T) {
	for address, want := range map[string]error{
		"93.184.216.34:443": nil, "[2606:2800:220:1:248:1893:25c8:1946]:443": nil,
		"93.184.216.34:80": ssrf.ErrProhibitedPort, "93.184.216.34:8443": ssrf.ErrProhibitedPort,
		"127.0.0.1:443": ssrf.ErrProhibitedIP, "[::1]:443": ssrf.ErrProhibitedIP, "169.254.169.254:443": ssrf.ErrProhibitedIP,
		"10.1.2.3:443": ssrf.ErrProhibitedIP, "[fd00::1]:443": ssrf.ErrProhibitedIP, "[::ffff:93.184.216.34]:443": ssrf.ErrProhibitedIP,
	} {
		network := "tcp4"
		if strings.HasPrefix(address, "[") {
			network = "tcp6"
		}
		if err := guard(false)(network, address, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v", address, err)
		}
		local := strings.HasPrefix(address, "127.") || strings.HasPrefix(address, "[::1]")
		if err := guard(true)(network, address, nil); local && err != nil || !local && !errors.Is(err, want) {
			t.Errorf("%s with loopback: %v", address, err)
		}
	}
	if transport := guardedTransport(guard(false), net.DefaultResolver); transport.Proxy != nil || transport.TLSClientConfig.MinVersion < tls.VersionTLS12 ||
		transport.TLSClientConfig.InsecureSkipVerify {
		t.Error("a proxy is used, or an old TLS")
	}
}

// serve starts a receiver on this machine.
func serve(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

func TestEveryAnswerIsJudgedByItsStatus(t *testing.T) {
	s := NewSender(fixedClock, SenderOptions{AllowLoopback: true})
	followed := false
	elsewhere := serve(t, func(http.ResponseWriter, *http.Request) { followed = true })
	for status := 200; status <= 599; status++ {
		address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", elsewhere)
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(status)
		})
		o := s.send(t.Context(), message{id: "a", url: address, payload: []byte("{}")}, time.Minute)
		wait := time.Duration(0)
		if status == 429 || status == 503 {
			wait = 7 * time.Second
		}
		if o.status != status || o.delivered != (status < 300) || o.retryAfter != wait || o.late || o.ours || o.reason == "" {
			t.Errorf("%d: %+v", status, o)
		}
	}
	if followed {
		t.Error("a redirect was followed")
	}
}

func TestAReceiverThatDawdlesIsCutOff(t *testing.T) {
	s := NewSender(fixedClock, SenderOptions{AllowLoopback: true})
	silent := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		// Only whoever has read the body notices that the other side is gone.
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	const within = 50 * time.Millisecond
	if o := s.send(t.Context(), message{id: "a", url: silent, payload: []byte("{}")}, within); !o.late || o.delivered || o.ours || o.status != 0 {
		t.Errorf("%+v", o)
	}
	// A header that never ends.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for connection, err := listener.Accept(); err == nil; connection, err = listener.Accept() {
			defer connection.Close()
			// Nothing is answered before something was asked.
			if _, err := connection.Read(make([]byte, 1)); err == nil {
				_, _ = io.WriteString(connection, "HTTP/1.1 200 OK\r\nX-Drip: ")
			}
		}
	}()
	if o := s.send(t.Context(), message{id: "a", url: "http://" + listener.Addr().String(), payload: []byte("{}")}, within); !o.late || o.delivered {
		t.Errorf("%+v", o)
	}
	// A body that drips: the status has said all there is to say.
	ended := make(chan struct{})
	dripping := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "x")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(ended)
	})
	if o := s.send(t.Context(), message{id: "a", url: dripping, payload: []byte("{}")}, within); !o.delivered {
		t.Errorf("%+v", o)
	}
	<-ended
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if o := s.send(ctx, message{id: "a", url: silent}, time.Minute); !o.ours || o.late || o.delivered {
		t.Errorf("%+v", o)
	}
}

func TestNoMoreThanALittleOfAnAnswerIsRead(t *testing.T) {
	s := NewSender(fixedClock, SenderOptions{AllowLoopback: true})
	written := make(chan error, 1)
	endless := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		chunk := bytes.Repeat([]byte("x"), 64<<10)
		for {
			if _, err := w.Write(chunk); err != nil {
				written <- err
				return
			}
		}
	})
	if o := s.send(t.Context(), message{id: "a", url: endless, payload: []byte("{}")}, time.Minute); !o.delivered {
		t.Errorf("%+v", o)
	}
	if err := <-written; err == nil {
		t.Error("an endless answer was read to its end")
	}
	big := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("X-Big", strings.Repeat("x", 64<<10)) })
	if o := s.send(t.Context(), message{id: "a", url: big, payload: []byte("{}")}, time.Minute); o.delivered || o.status != 0 {
		t.Errorf("%+v", o)
	}
}

func TestWhatCannotBeReachedIsToldInOurOwnWords(t *testing.T) {
	nobody := resolver(func(string) []string { return nil })
	port, _ := listen(t)
	untrusted := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer untrusted.Close()
	old := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	old.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	old.StartTLS()
	defer old.Close()
	closed := httptest.NewServer(nil)
	closed.Close()
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	s := NewSender(fixedClock, SenderOptions{Transport: guardedTransport(guard(true), nobody)})
	for address, want := range map[string]string{
		"https://hooks.example.com/canary": "not found", untrusted.URL + "/canary": "certificate", old.URL + "/canary": "TLS",
		strings.Replace(plain, "http:", "https:", 1): "TLS", closed.URL + "/canary": "refused", "http://127.0.0.1:" + itoa(port) + "/canary": "broke",
	} {
		o := s.send(t.Context(), message{id: "a", url: address, payload: []byte("{}")}, time.Minute)
		if o.delivered || o.late || o.ours || !strings.Contains(o.reason, want) || strings.Contains(o.reason, "canary") {
			t.Errorf("%s: %+v, want %s", address, o, want)
		}
	}
}

func TestRetryAfterIsSecondsOrADateAndADayAtMost(t *testing.T) {
	now := fixedClock()
	for text, want := range map[string]time.Duration{
		"": 0, "0": 0, "1": time.Second, "3600": time.Hour, "86400": 24 * time.Hour, "86401": 24 * time.Hour, "18446744073709551615": 24 * time.Hour,
		"99999999999999999999999": 0, "-5": 0, "1.5": 0, "soon": 0, now.Add(90 * time.Second).Format(http.TimeFormat): 90 * time.Second,
		now.Add(-time.Hour).Format(http.TimeFormat): 0, now.AddDate(1, 0, 0).Format(http.TimeFormat): 24 * time.Hour,
	} {
		if got := retryAfter(text, now); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

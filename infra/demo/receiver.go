package main

import (
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/mirrorworthy/mirrorworthy/shared/client"
)

// receiver takes webhooks on this machine, as a partner's server would.
type receiver struct {
	server  *http.Server
	address string
	now     func() time.Time

	mu      sync.Mutex
	secret  string
	events  []client.Event
	seen    map[string]bool
	refused int
	arrived chan struct{}
}

func newReceiver(now func() time.Time) (*receiver, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{address: "http://" + listener.Addr().String() + "/mirrorworthy", now: now, seen: make(map[string]bool), arrived: make(chan struct{}, 1)}
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// ServeHTTP verifies a webhook and keeps its event, once however often it comes.
func (r *receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(io.LimitReader(request.Body, 64<<10))
	r.mu.Lock()
	defer r.mu.Unlock()
	var event client.Event
	if err == nil {
		event, err = client.VerifyWebhook([]string{r.secret}, request.Header, body, r.now())
	}
	if err != nil {
		r.refused++
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.WriteHeader(http.StatusNoContent)
	if r.seen[event.ID] {
		return
	}
	r.seen[event.ID] = true
	r.events = append(r.events, event)
	select {
	case r.arrived <- struct{}{}:
	default:
	}
}

// take gives the events that came since it was asked last.
func (r *receiver) take() []client.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	events := r.events
	r.events = nil
	return events
}

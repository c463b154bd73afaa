package runtimeapi

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// The headers and trailers of the Runtime API.
const (
	headerRequestID = "Lambda-Runtime-Aws-Request-Id"
	headerDeadline  = "Lambda-Runtime-Deadline-Ms"
	headerFunction  = "Lambda-Runtime-Invoked-Function-Arn"
	headerTrace     = "Lambda-Runtime-Trace-Id"
	headerErrorType = "Lambda-Runtime-Function-Error-Type"
)

// longestError bounds what is kept of a failure that a function tells of.
const longestError = 1 << 20

// api serves the Runtime API to the process.
func (p *process) api() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /2018-06-01/runtime/invocation/next", p.next)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/response", p.response)
	mux.HandleFunc("POST /2018-06-01/runtime/invocation/{id}/error", p.failure)
	mux.HandleFunc("POST /2018-06-01/runtime/init/error", p.initFailure)
	return mux
}

// next waits for an invocation and hands it over.
func (p *process) next(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	busy := p.current != nil
	if !busy && p.readyAt.IsZero() {
		p.readyAt = p.clock()
		close(p.ready)
	}
	p.mu.Unlock()
	if busy {
		refuse(w, http.StatusForbidden, "InvalidStateTransition", "The invocation before is not answered yet")
		return
	}
	select {
	case in := <-p.given:
		p.mu.Lock()
		in.received = p.clock()
		p.current = in
		p.mu.Unlock()
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set(headerRequestID, in.id)
		header.Set(headerDeadline, fmt.Sprint(in.received.Add(p.options.Timeout).UnixMilli()))
		header.Set(headerFunction, "arn:aws:lambda:"+p.region()+":123456789012:function:"+p.options.Name)
		header.Set(headerTrace, traceID(in.id, in.received))
		_, _ = w.Write(in.payload)
	case <-p.exited:
	case <-r.Context().Done():
	}
}

func (p *process) region() string {
	if region := p.options.Environment["AWS_REGION"]; region != "" {
		return region
	}
	return "us-east-1"
}

// traceID is an X-Ray trace header of an invocation that is not sampled.
func traceID(id string, at time.Time) string {
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune("0123456789abcdef", r) {
			return r
		}
		return -1
	}, id) + strings.Repeat("0", 24)
	return fmt.Sprintf("Root=1-%08x-%s;Parent=%s;Sampled=0", at.Unix(), digits[:24], digits[:16])
}

// response takes the answer to the invocation.
func (p *process) response(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaximumPayload+1))
	if err != nil {
		return // the process went away in the middle of its answer
	}
	if len(body) > MaximumPayload {
		_, _ = io.Copy(io.Discard, r.Body)
		message := fmt.Sprintf("Response payload size exceeded maximum allowed payload size (%d bytes).", MaximumPayload)
		if p.settle(w, r, outcome{err: &FunctionError{Type: ResponseTooLarge, Message: message}}) {
			refuse(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge", message)
		}
		return
	}
	result := outcome{response: body}
	// An answer that could not be produced to its end says so after it.
	if kind := r.Trailer.Get(headerErrorType); kind != "" {
		result = outcome{err: &FunctionError{Type: kind, Message: "The response was cut short"}}
	}
	if p.settle(w, r, result) {
		accept(w)
	}
}

// failure takes the function's own failure for the answer.
func (p *process) failure(w http.ResponseWriter, r *http.Request) {
	failed, err := readFailure(r)
	if err != nil {
		return // the process went away in the middle
	}
	if p.settle(w, r, outcome{err: failed}) {
		accept(w)
	}
}

// initFailure takes why the process cannot start. It is expected to exit.
func (p *process) initFailure(w http.ResponseWriter, r *http.Request) {
	failed, err := readFailure(r)
	if err != nil {
		return
	}
	p.mu.Lock()
	started := !p.readyAt.IsZero()
	if !started {
		p.initError = failed
	}
	p.mu.Unlock()
	if started {
		refuse(w, http.StatusForbidden, "InvalidStateTransition", "The function has started already")
		return
	}
	accept(w)
}

// settle ends the invocation that a request names. It refuses a request that names another.
func (p *process) settle(w http.ResponseWriter, r *http.Request, result outcome) bool {
	p.mu.Lock()
	in := p.current
	fits := in != nil && in.id == r.PathValue("id")
	if fits {
		p.current = nil
		in.answered = p.clock()
		in.result <- result
	}
	p.mu.Unlock()
	if !fits {
		refuse(w, http.StatusBadRequest, "InvalidRequestID", "There is no such invocation to answer")
	}
	return fits
}

// readFailure reads a failure as runtimes tell of it. What is not to be read is told of as it is.
func readFailure(r *http.Request) (*FunctionError, error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, longestError))
	if err == nil {
		_, err = io.Copy(io.Discard, r.Body)
	}
	if err != nil {
		return nil, err
	}
	var wire struct {
		Message string `json:"errorMessage"`
		Type    string `json:"errorType"`
	}
	if err := json.Unmarshal(body, &wire); err != nil {
		wire.Message = string(body)
	}
	if kind := r.Header.Get(headerErrorType); wire.Type == "" && kind != "" {
		wire.Type = kind
	}
	setDefault(&wire.Type, unknownError)
	return &FunctionError{Type: wire.Type, Message: wire.Message}, nil
}

func accept(w http.ResponseWriter) { write(w, http.StatusAccepted, map[string]string{"status": "OK"}) }

func refuse(w http.ResponseWriter, status int, kind, message string) {
	write(w, status, map[string]string{"errorType": kind, "errorMessage": message})
}

func write(w http.ResponseWriter, status int, body map[string]string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // who does not read it has gone
}

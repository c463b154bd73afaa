package openapitest

import (
	"bytes"
	"io"
	"net/http"
	"slices"
)

// Handler answers like next, and reports every exchange that does not fit the document. Requests to the paths in except are not looked
// at: they belong to no API. It reports before the client has the end of the answer, from any goroutine.
func Handler(next http.Handler, report func(error), except ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if slices.Contains(except, r.URL.EscapedPath()) {
			next.ServeHTTP(w, r)
			return
		}
		var sent bytes.Buffer
		asked := r.Clone(r.Context())
		asked.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(r.Body, &sent), r.Body}
		answer := &recorder{ResponseWriter: w}
		defer func() {
			if answer.status == 0 || r.Context().Err() != nil {
				return // nobody was answered
			}
			exchange := Exchange{
				Method: r.Method, URL: r.URL, RequestHeader: r.Header, RequestBody: sent.Bytes(),
				Status: answer.status, Header: answer.header, Body: answer.body.Bytes(),
			}
			if err := exchange.Check(); err != nil {
				report(err)
			}
		}()
		next.ServeHTTP(answer, asked)
	})
}

// recorder keeps what is written.
type recorder struct {
	http.ResponseWriter
	status int
	header http.Header
	body   bytes.Buffer
}

// WriteHeader keeps the status and the headers as they are sent.
func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status, r.header = status, r.Header().Clone()
	}
	r.ResponseWriter.WriteHeader(status)
}

// Write keeps a part of the body.
func (r *recorder) Write(part []byte) (int, error) {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	r.body.Write(part)
	return r.ResponseWriter.Write(part)
}

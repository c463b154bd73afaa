package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
)

// longestNodeCall bounds what is handed to a node of the sample market, in bytes.
const longestNodeCall = 64 << 10

// askNode answers POST /sample/nodes/{chain}: it hands a JSON-RPC call to the sample market's node of a chain, which browsers reach on
// the service's own origin alone.
func (s *server) askNode(w http.ResponseWriter, r *http.Request, onChain string) {
	switch {
	case s.sample == nil:
		writeRefusal(w, http.StatusNotFound, "not_found", "Only PROVIDERS=sample has nodes.")
		return
	case s.nodes[onChain] == "":
		writeRefusal(w, http.StatusNotFound, "not_found", "The sample market has no node of that chain; GET /sample lists them.")
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, longestNodeCall))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		writeRefusal(w, http.StatusRequestEntityTooLarge, "body_too_large", "The body is larger than 64 KiB.")
		return
	}
	if err != nil {
		return // the client went away in the middle of its body
	}
	call, err := http.NewRequestWithContext(r.Context(), http.MethodPost, "/rpc/"+onChain, bytes.NewReader(body))
	if err != nil {
		writeRefusal(w, http.StatusInternalServerError, "internal", oneLine(err))
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	s.sample.Handler().ServeHTTP(w, call)
}

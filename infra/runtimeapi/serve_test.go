package runtimeapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// serveHTTP serves a handler on loopback and gives its address.
func serveHTTP(t *testing.T, handler http.Handler) string {
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return server.URL
}

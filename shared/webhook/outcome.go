package webhook

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
)

// outcome is what became of an attempt.
type outcome struct {
	// status is the HTTP status that was answered; 0 for no answer.
	status    int
	delivered bool
	// late says that there was no answer in time.
	late bool
	// ours says that the fault is not the receiver's: the attempt was cut short, or never made.
	ours bool
	// retryAfter is how long the receiver wants to be left alone; 0 when it did not say.
	retryAfter time.Duration
	took       time.Duration
	// reason says in a sentence what happened, and repeats nothing that the receiver said.
	reason string
}

// answered judges an answer by its status.
func answered(status int) outcome {
	o := outcome{status: status}
	switch {
	case status >= 200 && status <= 299:
		o.delivered = true
		o.reason = fmt.Sprintf("It answered with status %d.", status)
	case status >= 300 && status <= 399:
		o.reason = fmt.Sprintf("It answered with status %d. Redirects are not followed: register the URL that it leads to.", status)
	case status == http.StatusGone:
		o.reason = "It answered with status 410, which says that nobody listens there anymore."
	default:
		o.reason = fmt.Sprintf("It answered with status %d. Only 200 to 299 count as delivered.", status)
	}
	return o
}

// unanswered judges an attempt that got no answer. The text of an error can hold the URL, so no part of it is used.
func unanswered(err error, cut, late bool, within time.Duration) outcome {
	var (
		name        *net.DNSError
		certificate *tls.CertificateVerificationError
		authority   x509.UnknownAuthorityError
		host        x509.HostnameError
		record      tls.RecordHeaderError
		operation   *net.OpError
	)
	switch {
	case cut:
		return outcome{ours: true, reason: "The attempt was cut short on our side."}
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedPort), errors.Is(err, ssrf.ErrProhibitedNetwork),
		errors.Is(err, ssrf.ErrInvalidHostPort):
		return outcome{reason: "Its host name leads to an address that is not public, which is never called."}
	case late:
		return outcome{late: true, reason: fmt.Sprintf("It did not answer within %d seconds.", int(within.Seconds()))}
	case errors.As(err, &name):
		return outcome{reason: "Its host name was not found."}
	case errors.As(err, &certificate), errors.As(err, &authority), errors.As(err, &host):
		return outcome{reason: "Its certificate is not valid for the host, has run out, or is signed by nobody who is generally trusted."}
	case errors.Is(err, http.ErrSchemeMismatch), errors.As(err, &record),
		// So package tls calls an alert that one of both sides sent.
		errors.As(err, &operation) && (operation.Op == "remote error" || operation.Op == "local error"):
		return outcome{reason: "No connection by TLS 1.2 or later could be made."}
	case errors.Is(err, syscall.ECONNREFUSED):
		return outcome{reason: "Its host refused the connection."}
	}
	return outcome{reason: "The connection broke before there was an answer."}
}

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// TransportError is a request without a complete answer: no connection, a
// refused certificate, a redirect that is not followed, a timeout, a body that
// breaks off or is too large, a cancelled run.
type TransportError struct {
	Operation string
	// Attempts is how often the request was sent.
	Attempts int
	Reason   Reason
	// NotSent says that no byte of the request has left, so that it cannot have
	// taken effect.
	NotSent bool
	Err     error
}

// Error says in one line what went wrong, without the address.
func (e *TransportError) Error() string { return e.Operation + ": " + e.Err.Error() }

// Unwrap gives the error that net/http or the context had.
func (e *TransportError) Unwrap() error { return e.Err }

// Reason says what kept an answer from arriving, as far as it decides what to
// do next.
type Reason int

// The reasons. Only the first two may pass by themselves.
const (
	ReasonConnection   Reason = iota // no connection, or it was lost
	ReasonTimeout                    // no complete answer in time
	ReasonCancelled                  // the caller gave up
	ReasonHostNotFound               // the name of the host does not resolve
	ReasonCertificate                // the server's certificate is not trusted
	ReasonHandshake                  // the server refused the TLS handshake
	ReasonNotTLS                     // the server does not speak TLS
	ReasonRedirect                   // a redirect that is not followed
	ReasonTooLarge                   // an answer over the limit
)

// reasonFor classifies an error of net/http or of this package.
func reasonFor(err error) Reason {
	var (
		timeout     interface{ Timeout() bool }
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
		record      tls.RecordHeaderError
		operation   *net.OpError
		redirect    *redirectError
		tooLarge    *tooLargeError
	)
	switch {
	case errors.Is(err, context.Canceled):
		return ReasonCancelled
	case errors.As(err, &dns) && dns.IsNotFound:
		return ReasonHostNotFound
	case errors.As(err, &certificate):
		return ReasonCertificate
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return ReasonNotTLS
	case errors.As(err, &operation) && operation.Op == "remote error":
		// How crypto/tls marks an alert of the other side.
		return ReasonHandshake
	case errors.As(err, &redirect):
		return ReasonRedirect
	case errors.As(err, &tooLarge):
		return ReasonTooLarge
	case errors.As(err, &timeout) && timeout.Timeout():
		return ReasonTimeout
	}
	return ReasonConnection
}

// timeoutError ends one attempt. It is retried, which is why it is told apart
// from the deadline of the caller.
type timeoutError struct{ limit time.Duration }

func (e *timeoutError) Error() string { return fmt.Sprintf("no complete answer within %s", e.limit) }
func (e *timeoutError) Timeout() bool { return true }

// tooLargeError is a success whose body is over the limit, in bytes.
type tooLargeError struct{ limit int64 }

func (e *tooLargeError) Error() string {
	return fmt.Sprintf("the answer is larger than %d MiB", e.limit>>20)
}

// redirectError is a redirect that is not followed.
type redirectError struct{ text string }

func (e *redirectError) Error() string { return e.text }

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// silent is a server that accepts connections and never responds.
func silent(t *testing.T) (address string, connections *atomic.Int32) {
	t.Helper()
	return accept(t, func(c net.Conn) { _, _ = io.Copy(io.Discard, c) })
}

func TestSilentServer(t *testing.T) {
	t.Parallel()
	for method, test := range map[string]struct {
		send     operation
		attempts int
	}{"GET": {readAgent, 2}, "POST": {updateSession, 1}} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			address, connections := silent(t)
			client := newClient(t, convo.Config{
				BaseURL: "http://" + address, RequestTimeout: 50 * time.Millisecond, MaxRetries: new(1),
			})
			begin := time.Now()
			err := test.send(testContext(t), client)
			if waited := time.Since(begin); waited > testTimeout/2 {
				t.Errorf("returned after %s", waited)
			}
			var transport *convo.TransportError
			if !errors.As(err, &transport) || transport.Reason != convo.ReasonTimeout ||
				transport.Err.Error() != "no complete response within 50ms" {
				t.Errorf("got %v, want a *TransportError for that", err)
			}
			// The server may be too late to accept the connection of an attempt.
			if got := attempts(t, err); got != test.attempts || int(connections.Load()) > test.attempts {
				t.Errorf("%d attempts on %d connections, want %d", got, connections.Load(), test.attempts)
			}
		})
	}
}

// TestStalledTLSHandshake: https to a server that never sends anything.
func TestStalledTLSHandshake(t *testing.T) {
	t.Parallel()
	address, _ := silent(t)
	client := newClient(t, convo.Config{BaseURL: "https://" + address, RequestTimeout: 50 * time.Millisecond})
	err := readAgent(testContext(t), client)
	if err == nil || err.Error() != "read agent: no complete response within 50ms" {
		t.Errorf("got %v, want the timeout", err)
	}
}

// TestCancelInTheMiddle cancels as soon as the request, or the first half of
// its response, is on its way.
func TestCancelInTheMiddle(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{
		"before the response": "",
		"in the headers":      "HTTP/1.1 200 OK\r\nContent-",
		"in the body":         "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"agent\":",
	} {
		for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithCancel(testContext(t))
				defer cancel()
				address, connections := accept(t, func(c net.Conn) {
					_, _ = c.Read(make([]byte, 4096))
					_, _ = io.WriteString(c, begin)
					cancel()
					_, _ = io.Copy(io.Discard, c)
				})
				err := send(ctx, newClient(t, convo.Config{BaseURL: "http://" + address, MaxRetries: new(4)}))
				var transport *convo.TransportError
				if !errors.Is(err, context.Canceled) || !errors.As(err, &transport) ||
					transport.Reason != convo.ReasonCanceled || transport.Attempts != 1 {
					t.Errorf("got %v, want context.Canceled after one attempt", err)
				}
				if got := connections.Load(); got != 1 {
					t.Errorf("made %d connections, want 1", got)
				}
			})
		}
	}
}

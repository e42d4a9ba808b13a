// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// countConnections counts the connections that a service accepts; it must not
// be started yet.
func countConnections(s *service) *atomic.Int32 {
	connections := &atomic.Int32{}
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	return connections
}

// TestConnectionsAreReused has eight callers send 25 requests each. The first
// eight are answered only when all of them have arrived: by then there is a
// connection for each caller, and nobody has a reason to dial again.
func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	const callers, each = 8, 25
	var arrived sync.WaitGroup
	arrived.Add(callers)
	var served atomic.Int32
	server := newService(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if served.Add(1) <= callers {
			arrived.Done()
			arrived.Wait()
		}
		_, _ = io.WriteString(w, `{"message":"success"}`)
	}))
	connections := countConnections(server)
	server.Start()

	client := newClient(t, convo.Config{BaseURL: server.URL, MaxConcurrentRequests: callers})
	ctx := testContext(t)
	var group sync.WaitGroup
	for caller := range callers {
		group.Go(func() {
			for i := range each {
				send := readAgent
				if (caller+i)%2 == 0 {
					send = updateSession
				}
				if err := send(ctx, client); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	server.expectRequests(t, callers*each)
	if got := connections.Load(); got != callers {
		t.Errorf("%d requests used %d connections, want %d", callers*each, got, callers)
	}
}

// TestConnectionsAreReusedAfterErrors: a body that is not read to its end
// would cost the connection.
func TestConnectionsAreReusedAfterErrors(t *testing.T) {
	t.Parallel()
	server := newService(t, inTurn(answer(404, ""), answer(403, `{"code":"c"}`), answer(500, "<html>"), answer(429, ""),
		redirect(302, "/moved"), answer(204, ""), answer(http.StatusOK, `{}`)))
	connections := countConnections(server)
	server.Start()
	client := newClient(t, convo.Config{BaseURL: server.URL})
	for i := range 10 {
		err := readAgent(testContext(t), client)
		var transport *convo.TransportError
		if errors.As(err, &transport) {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if got := connections.Load(); got != 1 {
		t.Errorf("used %d connections, want 1", got)
	}
}

// silent is a server that accepts connections and never answers.
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
				BaseURL: "http://" + address, RequestTimeout: 50 * time.Millisecond, MaxRetries: 1,
			})
			begin := time.Now()
			err := test.send(testContext(t), client)
			if waited := time.Since(begin); waited > patience/2 {
				t.Errorf("returned after %s", waited)
			}
			var transport *convo.TransportError
			if !errors.As(err, &transport) || transport.Reason != convo.ReasonTimeout ||
				transport.Err.Error() != "no complete answer within 50ms" {
				t.Errorf("got %v, want a *TransportError that says so", err)
			}
			// The server may be too late to accept the connection of an attempt.
			if got := attempts(t, err); got != test.attempts || int(connections.Load()) > test.attempts {
				t.Errorf("%d attempts on %d connections, want %d", got, connections.Load(), test.attempts)
			}
		})
	}
}

// TestStalledTLSHandshake: https to a server that never says a word.
func TestStalledTLSHandshake(t *testing.T) {
	t.Parallel()
	address, _ := silent(t)
	client := newClient(t, convo.Config{BaseURL: "https://" + address, RequestTimeout: 50 * time.Millisecond})
	err := readAgent(testContext(t), client)
	if err == nil || err.Error() != "read agent: no complete answer within 50ms" {
		t.Errorf("got %v, want the timeout", err)
	}
}

// TestCancelInTheMiddle cancels as soon as the request, or the first half of
// its answer, is on its way.
func TestCancelInTheMiddle(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{
		"before the answer": "",
		"in the headers":    "HTTP/1.1 200 OK\r\nContent-",
		"in the body":       "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"agent\":",
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
				err := send(ctx, newClient(t, convo.Config{BaseURL: "http://" + address, MaxRetries: 4}))
				var transport *convo.TransportError
				if !errors.Is(err, context.Canceled) || !errors.As(err, &transport) ||
					transport.Reason != convo.ReasonCancelled || transport.Attempts != 1 {
					t.Errorf("got %v, want context.Canceled after one attempt", err)
				}
				if got := connections.Load(); got != 1 {
					t.Errorf("made %d connections, want 1", got)
				}
			})
		}
	}
}

// TestNoGoroutineIsLeft is not parallel, because it counts the goroutines of
// the whole process.
func TestNoGoroutineIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	server := startService(t, inTurn(answer(503, ""), answer(429, ""), cutOff, dropped, answer(404, ""),
		redirect(302, "http://other.example/"), answer(http.StatusOK, `{"message":"success"}`)))
	address, _ := silent(t)
	good := newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: 2})
	stalled := newClient(t, convo.Config{BaseURL: "http://" + address, RequestTimeout: 10 * time.Millisecond, MaxRetries: 1})
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	var group sync.WaitGroup
	for range 60 {
		group.Go(func() { _ = readAgent(ctx, good) })
		group.Go(func() { _ = updateSession(ctx, stalled) })
		group.Go(func() { _ = readAgent(ctx, stalled) })
	}
	group.Wait()
	good.CloseIdleConnections()
	stalled.CloseIdleConnections()
	server.Close()

	// The listener of the silent server has one goroutine until the test ends.
	for deadline := time.Now().Add(patience); runtime.NumGoroutine() > before+1; runtime.Gosched() {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

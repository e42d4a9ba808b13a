// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
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

// barrier holds back requests until as many as given are in flight, round by
// round.
func barrier(size int, handler http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	arrived, open := 0, make(chan struct{})
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		mine := open
		if arrived++; arrived%size == 0 {
			close(open)
			open = make(chan struct{})
		}
		mu.Unlock()
		select {
		case <-mine:
		case <-r.Context().Done():
		}
		handler(w, r)
	}
}

// TestConnectionsAreReused has all of eight requests in flight in each of many
// rounds, between which every connection is idle: none is dialed again.
func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	const callers, rounds = 8, 6
	server := newService(t, barrier(callers, respond(http.StatusOK, `{}`)))
	connections := countConnections(server)
	server.Start()
	client := newClient(t, convo.Config{BaseURL: server.URL, MaxConcurrentRequests: callers})
	ctx := testContext(t)
	for range rounds {
		var group sync.WaitGroup
		for range callers {
			group.Go(func() {
				if err := readAgent(ctx, client); err != nil {
					t.Error(err)
				}
			})
		}
		group.Wait()
	}
	server.expectRequests(t, callers*rounds)
	if got := connections.Load(); got != callers {
		t.Errorf("%d requests used %d connections, want %d", callers*rounds, got, callers)
	}
}

// TestClientsShareNoLimits has a service that responds only while a request of each of two
// clients is in flight.
func TestClientsShareNoLimits(t *testing.T) {
	t.Parallel()
	server := startService(t, barrier(2, respond(http.StatusOK, `{}`)))
	var group sync.WaitGroup
	for range 2 {
		client := newClient(t, convo.Config{BaseURL: server.URL, MaxConcurrentRequests: 1, MaxRequestsPerSecond: 0.001})
		group.Go(func() {
			if err := readAgent(testContext(t), client); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

// TestConnectionsAreReusedAfterErrors: a body that is not read to its end
// would cost the connection.
func TestConnectionsAreReusedAfterErrors(t *testing.T) {
	t.Parallel()
	server := newService(t, inTurn(respond(404, ""), respond(403, `{"code":"c"}`), respond(500, "<html>"), respond(429, ""),
		redirect(302, "/v1/agents/agt_1/"), redirect(302, "http://other.example/"), respond(204, ""), respond(http.StatusOK, `{}`)))
	connections := countConnections(server)
	server.Start()
	client := newClient(t, convo.Config{BaseURL: server.URL})
	for i := range 10 {
		err := readAgent(testContext(t), client)
		var transport *convo.TransportError
		if errors.As(err, &transport) && transport.Reason != convo.ReasonRedirect {
			t.Errorf("request %d: %v", i, err)
		}
	}
	if got := connections.Load(); got != 1 {
		t.Errorf("used %d connections, want 1", got)
	}
}

// TestCanceledHandshakes: connections that hang in the handshake do not count against
// the limit once their requests are canceled.
func TestCanceledHandshakes(t *testing.T) {
	t.Parallel()
	const callers = 2
	own := newAuthority(t, "own")
	server, _ := startTLS(t, serverTLS(own.issue(t, nil)))
	var accepted atomic.Int32
	hanging := make(chan struct{}, callers)
	address, _ := accept(t, func(near net.Conn) {
		if accepted.Add(1) <= callers {
			hanging <- struct{}{}
			_, _ = io.Copy(io.Discard, near)
			return
		}
		forward(t, near, server.Listener.Addr().String())
	})
	client := newClient(t, convo.Config{
		BaseURL: "https://" + address, MaxConcurrentRequests: callers, RequestTimeout: 5 * time.Second,
		TLS: &tls.Config{RootCAs: own.pool(), MinVersion: tls.VersionTLS12},
	})
	ctx, cancel := context.WithCancel(testContext(t))
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			if err := readAgent(ctx, client); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
	}
	for range callers {
		<-hanging
	}
	cancel()
	group.Wait()
	if err := readAgent(testContext(t), client); err != nil {
		t.Error(err)
	}
}

// forward passes a connection on to a server until either side closes it.
func forward(t *testing.T, near net.Conn, target string) {
	far, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", target)
	if err != nil {
		return // The test has ended.
	}
	defer func() { _ = far.Close() }()
	go func() { _, _ = io.Copy(far, near) }()
	_, _ = io.Copy(near, far)
}

// TestConnectionsAreLimited has a server whose other connections wait until the one
// that it serves ends. While it is not idle, net/http opens others.
func TestConnectionsAreLimited(t *testing.T) {
	t.Parallel()
	const callers = 4
	own := newAuthority(t, "own")
	server, _ := startTLS(t, serverTLS(own.issue(t, nil)))
	var serving sync.Mutex
	address, connections := accept(t, func(near net.Conn) {
		serving.Lock()
		defer serving.Unlock()
		forward(t, near, server.Listener.Addr().String())
	})
	client := newClient(t, convo.Config{
		BaseURL: "https://" + address, MaxConcurrentRequests: callers, TLS: &tls.Config{RootCAs: own.pool(), MinVersion: tls.VersionTLS12},
	})
	var group sync.WaitGroup
	for range callers {
		group.Go(func() {
			for range 50 {
				if err := readAgent(testContext(t), client); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got := connections.Load(); got > callers {
		t.Errorf("opened %d connections, want at most %d", got, callers)
	}
}

// TestUpdateHasAConnectionOfItsOwn: the other side may just be closing one that
// was used before, and a POST that is lost there may have taken effect.
func TestUpdateHasAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	own := newAuthority(t, "own")
	for name, start := range map[string]func(*service){
		"HTTP/1.1": (*service).Start,
		"HTTP/2 offered": func(s *service) {
			s.EnableHTTP2, s.TLS = true, serverTLS(own.issue(t, nil))
			s.StartTLS()
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const updates, rounds = 10, 2
			together := barrier(updates, respond(http.StatusOK, `{"message":"success"}`))
			server := newService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost {
					together(w, r)
					return
				}
				_, _ = io.WriteString(w, "{}")
			}))
			connections := countConnections(server)
			start(server)
			client := newClient(t, convo.Config{
				BaseURL: server.URL, TLS: &tls.Config{RootCAs: own.pool(), MinVersion: tls.VersionTLS12},
			})
			ctx := testContext(t)
			if err := readAgent(ctx, client); err != nil {
				t.Fatal(err)
			}
			for range rounds {
				var group sync.WaitGroup
				for range updates {
					group.Go(func() {
						if err := updateSession(ctx, client); err != nil {
							t.Error(err)
						}
					})
				}
				group.Wait()
			}
			if err := readAgent(ctx, client); err != nil {
				t.Error(err)
			}
			if got := connections.Load(); got != updates*rounds+1 {
				t.Errorf("made %d connections, want one for each update, and one for the reads", got)
			}
		})
	}
}

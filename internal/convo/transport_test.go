// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

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

// TestUpdateHasAConnectionOfItsOwn: the other side may just be closing one that
// was used before, and a POST that is lost there may have taken effect. The server offers
// HTTP/2, with which requests would share a connection.
func TestUpdateHasAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	own := newAuthority(t, "own")
	server := newService(t, respond(http.StatusOK, `{"message":"success"}`))
	connections := countConnections(server)
	server.EnableHTTP2, server.TLS = true, serverTLS(own.issue(t, nil))
	server.StartTLS()
	client := newClient(t, convo.Config{BaseURL: server.URL, TLS: own.trust()})
	for _, send := range []operation{readAgent, updateSession, readAgent, updateSession} {
		if err := send(testContext(t), client); err != nil {
			t.Error(err)
		}
	}
	if got := connections.Load(); got != 3 {
		t.Errorf("made %d connections, want one for each update, and one for the reads", got)
	}
}

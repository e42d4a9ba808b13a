// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/convo"
)

// countConnections counts the connections that a service accepts; it must not
// be started yet.
func countConnections(s *apitest.Service) *atomic.Int32 {
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
	server := apitest.NewService(t, barrier(callers, respond(http.StatusOK, `{}`)))
	connections := countConnections(server)
	server.Start()
	client := newClient(t, convo.Config{BaseURL: server.URL, MaxConcurrentRequests: callers})
	for range rounds {
		readTogether(t, client, callers)
	}
	if got := connections.Load(); got != callers {
		t.Errorf("%d requests used %d connections, want %d", callers*rounds, got, callers)
	}
}

// readTogether sends reads at the same time.
func readTogether(t *testing.T, client *convo.Client, callers int) {
	t.Helper()
	ctx := testContext(t)
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

// TestCookiesAreNotKept: a session of a gateway would replace the token.
func TestCookiesAreNotKept(t *testing.T) {
	t.Parallel()
	server := startService(t, withHeader("Set-Cookie", "session=s", respond(http.StatusOK, `{}`)))
	client := newClient(t, convo.Config{BaseURL: server.URL})
	for range 2 {
		_ = readAgent(testContext(t), client)
	}
	if cookie := server.Requests()[1].Header.Get("Cookie"); cookie != "" {
		t.Errorf("sent the cookie %s", cookie)
	}
}

// TestUpdateHasAConnectionOfItsOwn: the other side may just be closing one that
// was used before, and a POST that is lost there may have taken effect. The server offers
// HTTP/2, with which requests would share a connection.
func TestUpdateHasAConnectionOfItsOwn(t *testing.T) {
	t.Parallel()
	server := apitest.NewService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 1 {
			t.Errorf("a request uses %s", r.Proto)
		}
		respond(http.StatusOK, `{"message":"success"}`)(w, r)
	}))
	connections := countConnections(server)
	server.EnableHTTP2 = true
	trust := startTLS(server)
	client := newClient(t, convo.Config{BaseURL: server.URL, TLS: trust})
	for _, send := range []operation{readAgent, updateSession, readAgent, updateSession} {
		if err := send(testContext(t), client); err != nil {
			t.Error(err)
		}
	}
	if got := connections.Load(); got != 3 {
		t.Errorf("made %d connections, want one for each update, and one for the reads", got)
	}
}

func TestDefaultNumberOfConcurrentRequests(t *testing.T) {
	t.Parallel()
	client, err := convo.New(convo.Config{BaseURL: "https://service.example/api", Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	if got := client.MaxConcurrentRequests(); got != 16 {
		t.Errorf("got %d requests, want 16", got)
	}
}

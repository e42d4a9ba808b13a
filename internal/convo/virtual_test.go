// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/convo"
)

// network is a network in memory, so that a test of timeouts can run in virtual time.
type network struct {
	accepted    chan net.Conn
	ended       chan struct{}
	connections atomic.Int32 // that were opened
	mu          sync.Mutex
	isSilent    *atomic.Bool // of the next connections
}

// newNetwork creates a network whose connections serve handles.
func newNetwork(t *testing.T, serve func(net.Listener) error) *network {
	t.Helper()
	n := &network{accepted: make(chan net.Conn), ended: make(chan struct{}), isSilent: &atomic.Bool{}}
	go func() { _ = serve(n) }()
	t.Cleanup(func() {
		time.Sleep(2 * time.Minute) // ends handshakes and idle connections
		close(n.ended)
	})
	return n
}

// newHTTPNetwork creates a network with an HTTP server.
func newHTTPNetwork(t *testing.T, handler http.HandlerFunc) *network {
	t.Helper()
	server := &http.Server{Handler: apitest.Record(t, handler), ReadHeaderTimeout: time.Hour}
	t.Cleanup(func() { _ = server.Close() })
	return newNetwork(t, server.Serve)
}

// newSilentNetwork creates a network with a server that sends a text on each connection, and
// nothing more.
func newSilentNetwork(t *testing.T, text string) *network {
	t.Helper()
	return newNetwork(t, func(listener net.Listener) error {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return err
			}
			go func() {
				_, _ = connection.Read(make([]byte, 4096))
				_, _ = io.WriteString(connection, text)
				_, _ = io.Copy(io.Discard, connection)
				_ = connection.Close()
			}()
		}
	})
}

// client returns a client that is connected to the network.
func (n *network) client(t *testing.T, config convo.Config) *convo.Client {
	t.Helper()
	if config.BaseURL == "" {
		config.BaseURL = "http://service.example"
	}
	c := newClient(t, config)
	c.SetDial(n.dial)
	return c
}

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	near, far := net.Pipe()
	n.connections.Add(1)
	select {
	case n.accepted <- &end{far, n.isSilent}:
		return &end{near, n.isSilent}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// silence loses what is sent on the connections that are open now, and tells nobody.
func (n *network) silence() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.isSilent.Store(true)
	n.isSilent = &atomic.Bool{}
}

// Accept, Close, and Addr make the network the listener of a server.
func (n *network) Accept() (net.Conn, error) {
	select {
	case connection := <-n.accepted:
		return connection, nil
	case <-n.ended:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error   { return nil }
func (n *network) Addr() net.Addr { return &net.TCPAddr{} }

// end is one end of a connection.
type end struct {
	net.Conn
	isSilent *atomic.Bool
}

func (e *end) Write(b []byte) (int, error) {
	if e.isSilent.Load() {
		return len(b), nil
	}
	return e.Conn.Write(b)
}

// TestSilentServer: each attempt ends after the timeout, and leaves no connection that counts
// against the limit, also in the handshake.
func TestSilentServer(t *testing.T) {
	t.Parallel()
	const timeout = 30 * time.Second
	const headers = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
	for name, test := range map[string]struct {
		send          operation
		baseURL, text string
		attempts      int
	}{
		"GET":       {readAgent, "http://service.example", "", 2},
		"POST":      {updateSession, "http://service.example", "", 1},
		"body":      {readAgent, "http://service.example", headers + "{", 2},
		"POST body": {updateSession, "http://service.example", headers, 1},
		"handshake": {readAgent, "https://service.example", "", 2},
	} {
		synctest.Test(t, func(t *testing.T) {
			n := newSilentNetwork(t, test.text)
			begin := time.Now()
			config := convo.Config{BaseURL: test.baseURL, MaxRetries: new(2), MaxConcurrentRequests: 1}
			err := test.send(t.Context(), n.client(t, config))
			if took := time.Since(begin).Round(time.Second); took != time.Duration(test.attempts)*timeout {
				t.Errorf("%s: returned after %s", name, took)
			}
			if e := asError(t, err); e.Reason != convo.ReasonTimeout || e.Problem != "no complete response within 30s" {
				t.Errorf("%s: got %v, want an *Error for that", name, err)
			}
			if got := asError(t, err).Attempts; got != test.attempts || int(n.connections.Load()) != test.attempts {
				t.Errorf("%s: %d attempts on %d connections, want %d", name, got, n.connections.Load(), test.attempts)
			}
		})
	}
}

// TestSilentConnections: the other ends of all idle connections are gone, as
// behind a balancer that failed over. An update uses none of them, and neither does
// the attempt after a timeout.
func TestSilentConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const connections = 4
		together := barrier(connections, respond(http.StatusOK, `{}`))
		n := newHTTPNetwork(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/v1/agents/agt_1" {
				together(w, r)
				return
			}
			_, _ = io.WriteString(w, `{"message":"success","stats":{}}`)
		})
		client := n.client(t, convo.Config{MaxRetries: new(1)})
		readTogether(t, client, connections)
		n.silence()
		if err := updateSession(t.Context(), client); err != nil {
			t.Errorf("update: %v", err)
		}
		if _, err := client.AgentStats(t.Context(), "agt_1", ""); err != nil {
			t.Errorf("read: %v", err)
		}
	})
}

// TestMostConnections: a connection that is slow to open is not opened twice, although the
// request that needed it used another one that became idle meanwhile.
func TestMostConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newHTTPNetwork(t, func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(100 * time.Millisecond)
			respond(http.StatusOK, `{}`)(w, r)
		})
		client := n.client(t, convo.Config{MaxConcurrentRequests: 2})
		client.SetDial(func(ctx context.Context, network, address string) (net.Conn, error) {
			if n.connections.Load() > 0 {
				time.Sleep(time.Second)
			}
			return n.dial(ctx, network, address)
		})
		for range 3 {
			readTogether(t, client, 2)
		}
		time.Sleep(5 * time.Second)
		if got := n.connections.Load(); got > 2 {
			t.Errorf("opened %d connections, want at most 2", got)
		}
	})
}

// TestMaxRequestsPerSecond: the second and the third request wait, but not those of another client.
func TestMaxRequestsPerSecond(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newHTTPNetwork(t, respond(http.StatusOK, `{}`))
		config := convo.Config{MaxRequestsPerSecond: 10}
		clients := []*convo.Client{n.client(t, config), n.client(t, config)}
		begin := time.Now()
		for range 3 {
			for _, client := range clients {
				if err := readAgent(t.Context(), client); err != nil {
					t.Error(err)
				}
			}
		}
		if took := time.Since(begin); took != 200*time.Millisecond {
			t.Errorf("three requests of each client took %s, want 200 ms", took)
		}
	})
}

// TestRequiredWaits has a service with a limit, and the wait in seconds and as a date.
func TestRequiredWaits(t *testing.T) {
	t.Parallel()
	for name, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
		synctest.Test(t, func(t *testing.T) {
			limit := respond(http.StatusTooManyRequests, `{"message":"Slow down"}`)
			date := time.Now().Add(20 * time.Second).UTC().Format(http.TimeFormat)
			n := newHTTPNetwork(t, inTurn(withHeader("Retry-After", "7", limit), withHeader("Retry-After", date, limit),
				respond(http.StatusOK, `{"message":"success"}`)))
			begin := time.Now()
			if err := send(t.Context(), n.client(t, convo.Config{MaxRetries: new(4)})); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			if took := time.Since(begin); took < 19*time.Second || took > 22*time.Second {
				t.Errorf("%s: took %s, want the waits that the service requires", name, took)
			}
		})
	}
}

// TestOutages: by default, reads outlast an outage of 40 seconds and a limit of 80, and report longer ones soon.
func TestOutages(t *testing.T) {
	t.Parallel()
	const outage, limit = 40 * time.Second, 80 * time.Second
	for name, test := range map[string]struct {
		fault    http.HandlerFunc
		patience time.Duration
	}{
		"408":                  {respond(408, ""), outage},
		"425":                  {respond(425, ""), outage},
		"429":                  {respond(429, ""), limit},
		"500":                  {respond(500, ""), outage},
		"503":                  {respond(503, ""), outage},
		"503 with Retry-After": {withHeader("Retry-After", "1", respond(503, "")), limit},
		"no response":          {dropped, outage},
	} {
		for _, length := range []time.Duration{test.patience, time.Hour} {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				n := newHTTPNetwork(t, func(w http.ResponseWriter, r *http.Request) {
					if time.Since(begin) < length {
						test.fault(w, r)
						return
					}
					respond(http.StatusOK, `{"agent":{}}`)(w, r)
				})
				client, err := convo.New(convo.Config{BaseURL: "http://service.example", Token: testToken})
				if err != nil {
					t.Fatal(err)
				}
				client.SetDial(n.dial)
				err = readAgent(t.Context(), client)
				if took := time.Since(begin); (err != nil) != (length == time.Hour) || took < test.patience || took > test.patience+5*time.Second {
					t.Errorf("%s for %s: got the error %v after %s", name, length, err, took)
				}
			})
		}
	}
}

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// TestWhatIsRetried has a fault that passes after two attempts. A POST is retried only if it
// had no effect.
func TestWhatIsRetried(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault     http.HandlerFunc
		get, post int
	}{
		"404":                  {respond(404, ""), 1, 1},
		"408":                  {respond(408, ""), 3, 1},
		"425":                  {respond(425, ""), 3, 1},
		"429":                  {respond(429, ""), 3, 3},
		"500":                  {respond(500, ""), 3, 1},
		"503 with Retry-After": {withHeader("Retry-After", "0", respond(503, "")), 3, 1},
		"599":                  {respond(599, ""), 3, 1},
		"dropped":              {dropped, 3, 1},
		"cut off":              {cutOff(200, `{"agent":`), 3, 1},
	}
	for name, test := range tests {
		for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				server := startService(t, inTurn(test.fault, test.fault, respond(200, `{"message":"success"}`)))
				err := send(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}))
				want := test.get
				if method == "POST" {
					want = test.post
				}
				expectRequests(t, server, want)
				if want == 3 {
					if err != nil {
						t.Error(err)
					}
					return
				}
				if e := asError(t, err); e.Attempts != 1 || e.HadNoEffect != (name == "404") {
					t.Errorf("got %+v after one attempt", e)
				}
			})
		}
	}
}

// The response says more than that the run was canceled before a retry.
func TestCanceledRetry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		unavailable := withHeader("Retry-After", "30", respond(http.StatusServiceUnavailable, ""))
		err := readAgent(ctx, newHTTPNetwork(t, unavailable).client(t, convo.Config{MaxRetries: new(4)}))
		if e := asError(t, err); e.Attempts != 1 || e.Status != http.StatusServiceUnavailable {
			t.Errorf("got %v", err)
		}
	})
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"2":                             2 * time.Second,
		"4294967295":                    4294967295 * time.Second,
		"-1":                            0,
		"Wed, 18 Mar 2020 09:30:45 GMT": 0,
	} {
		if got := failure(t, startService(t, withHeader("Retry-After", value, respond(429, ""))).URL).RetryAfter; got != want {
			t.Errorf("%q: got %s, want %s", value, got, want)
		}
	}
}

// TestConnectionsThatFail: nothing was sent, so an update is retried, too, unless there is no
// such host.
func TestConnectionsThatFail(t *testing.T) {
	t.Parallel()
	unknown := &net.DNSError{Err: "no such host", Name: "service.example", IsNotFound: true}
	for cause, want := range map[error]int{unknown: 1, &net.DNSError{Err: "server misbehaving"}: 3, syscall.ECONNREFUSED: 3} {
		for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			synctest.Test(t, func(t *testing.T) {
				n, dials := newHTTPNetwork(t, respond(http.StatusOK, `{"message":"success"}`)), 0
				client := n.client(t, convo.Config{MaxRetries: new(1)})
				client.SetDial(func(ctx context.Context, network, address string) (net.Conn, error) {
					if dials++; dials < 3 {
						return nil, &net.OpError{Op: "dial", Net: network, Err: cause}
					}
					return n.dial(ctx, network, address)
				})
				err := send(t.Context(), client)
				if dials != want || (err == nil) != (want == 3) {
					t.Errorf("%v, %s: got %v after %d attempts", cause, method, err, dials)
				}
				if err == nil {
					return
				}
				if e := asError(t, err); e.Attempts != 1 || !e.HadNoEffect || e.Reason != convo.ReasonConnection {
					t.Errorf("%v, %s: got %+v", cause, method, err)
				}
			})
		}
	}
}

// accept serves every connection to a port on loopback, and counts them.
func accept(t *testing.T, serve func(net.Conn)) (address string, connections *atomic.Int32) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	connections = &atomic.Int32{}
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			go func() {
				defer func() { _ = connection.Close() }()
				serve(connection)
			}()
		}
	}()
	return listener.Addr().String(), connections
}

// TestCanceled: the run is canceled while the service responds.
func TestCanceled(t *testing.T) {
	t.Parallel()
	for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
		ctx, cancel := context.WithCancel(testContext(t))
		address, connections := accept(t, func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
			cancel()
			_, _ = io.Copy(io.Discard, c)
		})
		err := send(ctx, newClient(t, convo.Config{BaseURL: "http://" + address, MaxRetries: new(4)}))
		if e := asError(t, err); e.Reason != convo.ReasonCanceled {
			t.Errorf("%s: got %+v", method, err)
		}
		if got := connections.Load(); got != 1 {
			t.Errorf("%s: made %d connections, want 1", method, got)
		}
	}
}

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// bubble is a service with its clients inside a synctest bubble: HTTP over
// pipes in memory, so that waits cost nothing and are exact to the nanosecond.
// A goroutine that outlives the test fails it.
type bubble struct {
	t           *testing.T
	begin       time.Time
	connections chan net.Conn
	closed      chan struct{}
	clients     []*Client
	served      chan struct{}

	mu       sync.Mutex
	dialled  int
	arrivals []arrival
}

// arrival is a request as the service saw it.
type arrival struct {
	after time.Duration // since the test began
	label string        // the client's user agent
}

// inBubble runs a test against a service that answers with the handler.
func inBubble(t *testing.T, handler http.HandlerFunc, test func(t *testing.T, b *bubble)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := &bubble{
			t: t, begin: time.Now(),
			connections: make(chan net.Conn), closed: make(chan struct{}), served: make(chan struct{}, 20_000),
		}
		server := &http.Server{
			ReadHeaderTimeout: time.Hour,
			Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				// The server notices that the client has gone only once the body is read.
				_, _ = io.Copy(io.Discard, r.Body)
				b.mu.Lock()
				b.arrivals = append(b.arrivals, arrival{time.Since(b.begin), r.Header.Get("User-Agent")})
				b.mu.Unlock()
				defer func() { b.served <- struct{}{} }()
				handler(w, r)
			}),
		}
		go func() { _ = server.Serve(b) }()
		test(t, b)
		for _, client := range b.clients {
			client.CloseIdleConnections()
		}
		_ = server.Close()
		for range b.arrived() {
			<-b.served
		}
	})
}

// Accept, Close and Addr make the bubble the listener of its server.
func (b *bubble) Accept() (net.Conn, error) {
	select {
	case connection := <-b.connections:
		return connection, nil
	case <-b.closed:
		return nil, net.ErrClosed
	}
}

func (b *bubble) Close() error   { close(b.closed); return nil }
func (b *bubble) Addr() net.Addr { return &net.UnixAddr{Name: "bubble"} }

func (b *bubble) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case b.connections <- far:
		b.mu.Lock()
		b.dialled++
		b.mu.Unlock()
		return near, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// client makes a client of the service; its requests arrive under the label.
func (b *bubble) client(label string, config Config) *Client {
	b.t.Helper()
	config.BaseURL, config.Token, config.UserAgent = "http://127.0.0.1/api", "token-4f1d9c", label
	client, err := New(config)
	if err != nil {
		b.t.Fatal(err)
	}
	client.connections.dial = b.dial
	b.clients = append(b.clients, client)
	return client
}

// at runs f at a time after the beginning.
func (b *bubble) at(after time.Duration, f func()) { time.AfterFunc(after-time.Since(b.begin), f) }

// arrived is how many requests the service has got so far.
func (b *bubble) arrived() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.arrivals)
}

// expectNow compares the time since the beginning.
func (b *bubble) expectNow(want time.Duration) {
	b.t.Helper()
	if now := time.Since(b.begin); now != want {
		b.t.Errorf("it is %s after the beginning, want %s", now, want)
	}
}

// expectArrivals compares what the service saw, in order of time.
func (b *bubble) expectArrivals(want ...arrival) {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.arrivals) != len(want) {
		b.t.Errorf("got the requests %v, want %v", b.arrivals, want)
		return
	}
	for i := range want {
		if b.arrivals[i] != want[i] {
			b.t.Errorf("got the requests %v, want %v", b.arrivals, want)
			return
		}
	}
}

// faulty fails the first requests of a bubble and then succeeds.
func faulty(faults int, status int, retryAfter string) http.HandlerFunc {
	var mu sync.Mutex
	served := 0
	return func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		served++
		fails := served <= faults
		mu.Unlock()
		if fails {
			if retryAfter != "" {
				w.Header().Set("Retry-After", retryAfter)
			}
			w.WriteHeader(status)
			return
		}
		_, _ = w.Write([]byte(`{"message":"success"}`))
	}
}

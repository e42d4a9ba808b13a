// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

const mebibyte = 1 << 20

// zeros returns a body of zeros, whose length is not announced.
func zeros(size int) http.HandlerFunc {
	piece := make([]byte, mebibyte)
	return func(w http.ResponseWriter, _ *http.Request) {
		for left := size; left > 0; left -= len(piece) {
			if _, err := w.Write(piece[:min(left, len(piece))]); err != nil {
				return
			}
		}
	}
}

func TestResponseTooLarge(t *testing.T) {
	t.Parallel()
	server := startService(t, zeros(64*mebibyte+1))
	response, err := newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}).Agent(testContext(t), "agt_1", nil)
	var transport *convo.TransportError
	if !errors.As(err, &transport) || transport.Reason != convo.ReasonTooLarge || transport.Attempts != 1 ||
		err.Error() != "read agent: the response is larger than 64 MiB" {
		t.Errorf("got %v, want the limit after one attempt", err)
	}
	if response != nil {
		t.Errorf("got %d bytes of a response that was refused", len(response.Body))
	}
	server.expectRequests(t, 1)
}

func TestErrorEnvelopeOfAMebibyte(t *testing.T) {
	t.Parallel()
	body := `{"x":"` + strings.Repeat("x", mebibyte-100) + `","code":"c","message":"m"}`
	got := failure(t, startService(t, respond(http.StatusNotFound, body)))
	if got.Code != "c" || got.Message != "m" || got.Excerpt != "" {
		t.Errorf("got %q, %q and the excerpt %q, want the envelope", got.Code, got.Message, got.Excerpt)
	}
}

// TestEndlessErrorBody holds that no more of an error is read than is needed:
// the rest would be written until the end of the test.
func TestEndlessErrorBody(t *testing.T) {
	t.Parallel()
	written := make(chan int, 1)
	server := startService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusForbidden)
		total := 0
		for r.Context().Err() == nil {
			n, _ := io.WriteString(w, strings.Repeat("x ", 1<<15))
			total += n
		}
		written <- total
	}))
	if got := failure(t, server); got.Excerpt != strings.Repeat("x ", 99)+"x…" {
		t.Errorf("got the excerpt %q", got.Excerpt)
	}
	if total := <-written; total > 32*mebibyte { // what buffers on the way hold
		t.Errorf("%d bytes of the error were taken", total)
	}
}

// TestSwitchedProtocol is about 101, after which net/http hands over the
// connection and no longer watches the context.
func TestSwitchedProtocol(t *testing.T) {
	t.Parallel()
	address, connections := accept(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 4096))
		_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
		_, _ = io.Copy(io.Discard, c) // sends nothing until the client leaves
	})
	finished := make(chan error, 1)
	client := newClient(t, convo.Config{BaseURL: "http://" + address, MaxRetries: new(4)})
	ctx := testContext(t)
	go func() { finished <- readAgent(ctx, client) }()
	select {
	case err := <-finished:
		var refused *convo.ResponseError
		if !errors.As(err, &refused) || refused.Status != 101 || connections.Load() != 1 {
			t.Errorf("got %v on %d connections, want a *ResponseError with the status 101", err, connections.Load())
		}
	case <-ctx.Done():
		t.Error("the call goes on after its context has ended")
	}
}

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

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

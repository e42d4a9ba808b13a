// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// TestWhatIsRetried counts the attempts at a fault that never passes.
func TestWhatIsRetried(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		fault     http.HandlerFunc
		get, post int
	}{
		"400":     {respond(400, ""), 1, 1},
		"401":     {respond(401, ""), 1, 1},
		"403":     {respond(403, ""), 1, 1},
		"404":     {respond(404, ""), 1, 1},
		"408":     {respond(408, ""), 3, 1},
		"409":     {respond(409, ""), 1, 1},
		"425":     {respond(425, ""), 3, 1},
		"429":     {respond(429, ""), 3, 3},
		"500":     {respond(500, ""), 3, 1},
		"502":     {respond(502, ""), 3, 1},
		"503":     {respond(503, ""), 3, 1},
		"504":     {respond(504, ""), 3, 1},
		"507":     {respond(507, ""), 3, 1},
		"520":     {respond(520, ""), 3, 1},
		"dropped": {dropped, 3, 1},
		"cut off": {cutOff, 3, 1},
	}
	for name, test := range tests {
		for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				server := startService(t, test.fault)
				err := send(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(2)}))
				want := test.get
				if method == "POST" {
					want = test.post
				}
				server.expectRequests(t, want)
				if got := attempts(t, err); got != want {
					t.Errorf("the error has %d attempts, want %d", got, want)
				}
				for i, r := range server.received() {
					if r.Method != method || (r.Body != "") != (method == "POST") {
						t.Errorf("attempt %d was a %s with the body %q", i+1, r.Method, r.Body)
					}
				}
			})
		}
	}
}

// attempts reads the number of attempts from a final error.
func attempts(t *testing.T, err error) int {
	t.Helper()
	var response *convo.ResponseError
	var transport *convo.TransportError
	switch {
	case errors.As(err, &response):
		return response.Attempts
	case errors.As(err, &transport):
		return transport.Attempts
	}
	t.Fatalf("got %v, want an *ResponseError or a *TransportError", err)
	return 0
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	const date = "Wed, 18 Mar 2020 09:30:45 GMT"
	for name, test := range map[string]struct {
		retryAfter, date string
		want             time.Duration
	}{
		"none":                              {"", "", 0},
		"zero":                              {"0", "", 0},
		"seconds":                           {"7", "", 7 * time.Second},
		"many seconds":                      {"4294967295", "", 4294967295 * time.Second},
		"too many seconds":                  {"9223372037", "", 4294967295 * time.Second},
		"many digits":                       {"99999999999999999999999999", "", 4294967295 * time.Second},
		"negative":                          {"-1", "", 0},
		"not a number":                      {"nan", "", 0},
		"fraction":                          {"1.5", "", 2 * time.Second},
		"small fraction":                    {"0.001", "", time.Second},
		"long fraction":                     {"90.5", "", 91 * time.Second},
		"sign":                              {"+5", "", 5 * time.Second},
		"two headers in one":                {"5, 5", "", 5 * time.Second},
		"date in the past":                  {date, "", 0},
		"date, with the service's clock":    {date, "Wed, 18 Mar 2020 09:30:43 GMT", 2 * time.Second},
		"past date, with the service's":     {date, "Wed, 18 Mar 2020 09:30:47 GMT", 0},
		"date, with an invalid other one":   {date, "today", 0},
		"seconds, with the service's clock": {"7", date, 7 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			handler := withHeader("Retry-After", test.retryAfter, respond(429, ""))
			if test.date != "" {
				handler = withHeader("Date", test.date, handler)
			}
			if got := failure(t, startService(t, handler)).RetryAfter; got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
	later := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	handler := func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Date"] = nil
		w.Header().Set("Retry-After", later)
		w.WriteHeader(429)
	}
	if got := failure(t, startService(t, http.HandlerFunc(handler))).RetryAfter; got < 59*time.Minute || got > time.Hour {
		t.Errorf("without a Date header: got %s, want an hour", got)
	}
}

// TestRequiredWait: a wait that the service requires is not shortened, and one of
// more than a minute ends the request.
func TestRequiredWait(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 500, 503} {
		for seconds, tooLong := range map[string]bool{"7": false, "60": false, "61": true, "99999999999999999999999999": true} {
			t.Run(fmt.Sprint(status, " for ", seconds), func(t *testing.T) {
				t.Parallel()
				server := startService(t, withHeader("Retry-After", seconds, respond(status, "")))
				ctx, cancel := context.WithCancel(testContext(t))
				defer cancel()
				client := newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(1), Log: func(_ context.Context, _ string, fields ...map[string]any) {
					if fields[0]["retry"] == true {
						if wait := fmt.Sprint(fields[0]["wait_ms"]); wait != seconds+"000" {
							t.Errorf("waits %s ms", wait)
						}
						cancel()
					}
				}})
				err := readAgent(ctx, client)
				var response *convo.ResponseError
				if !errors.As(err, &response) || response.WaitTooLong() != tooLong || errors.Is(err, context.Canceled) == tooLong {
					t.Errorf("got %v", err)
				}
				server.expectRequests(t, 1)
			})
		}
	}
}

func TestPermanentFailureEndsRetries(t *testing.T) {
	t.Parallel()
	numbered := func(status, i int) http.HandlerFunc {
		return respond(status, fmt.Sprintf(`{"code":"C%d","message":"m%d","issues":[{"message":"i%d"}]}`, i, i, i))
	}
	server := startService(t, inTurn(numbered(500, 1), numbered(429, 2), numbered(404, 3), respond(http.StatusOK, "{}")))
	err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)}))
	if want := "read agent: the service returned 404 Not Found: C3: m3: i3"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
	if got := attempts(t, err); got != 3 {
		t.Errorf("the error has %d attempts, want 3", got)
	}
	server.expectRequests(t, 3)
}

func TestTruncatedResponse(t *testing.T) {
	t.Parallel()
	server := startService(t, http.HandlerFunc(cutOff))
	err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL}))
	if want := "read agent: the response ended prematurely, after 9 bytes"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestRefusedConnectionIsRetried(t *testing.T) {
	t.Parallel()
	// Nothing listens on port 1; a port that was free a moment ago may be
	// another test's by now.
	for _, send := range []operation{readAgent, updateSession} {
		err := send(testContext(t), newClient(t, convo.Config{BaseURL: "http://127.0.0.1:1", MaxRetries: new(2)}))
		if got := attempts(t, err); got != 3 {
			t.Errorf("got %d attempts, want 3", got)
		}
		var operation *net.OpError
		if !errors.As(err, &operation) || operation.Op != "dial" {
			t.Errorf("got %v, want the error of the dial", err)
		}
	}
}

// listen opens a port on loopback.
func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	return listener
}

// accept serves every connection of a raw listener and counts them.
func accept(t *testing.T, serve func(net.Conn)) (address string, connections *atomic.Int32) {
	t.Helper()
	listener := listen(t)
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

func TestCanceledBeforeItIsSent(t *testing.T) {
	t.Parallel()
	server := startService(t, respond(http.StatusOK, `{"message":"success"}`))
	client := newClient(t, convo.Config{BaseURL: server.URL, MaxRetries: new(4)})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for range 20 { // a free slot must not be preferred to the end of the context
		for name, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			err := send(ctx, client)
			if !errors.Is(err, context.Canceled) || attempts(t, err) != 0 {
				t.Errorf("%s: got %v, want context.Canceled after no attempt", name, err)
			}
		}
	}
	server.expectRequests(t, 0)
}

// The cause of a caller's context can be the error of another request: it is
// neither taken for this one's nor changed.
func TestCauseOfTheCallersContext(t *testing.T) {
	t.Parallel()
	server := startService(t, respond(http.StatusOK, `{}`))
	client := newClient(t, convo.Config{BaseURL: server.URL})
	other := &convo.ResponseError{Operation: "read agent", Status: 500, Attempts: 7}
	ctx, cancel := context.WithCancelCause(testContext(t))
	cancel(other)

	_, err := client.Agents(ctx, nil)
	var transport *convo.TransportError
	if !errors.As(err, &transport) || transport.Reason != convo.ReasonCanceled || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want a canceled request", err)
	}
	if errors.Is(err, other) || other.Attempts != 7 {
		t.Errorf("the cause became part of %v, or was changed to %+v", err, *other)
	}
}

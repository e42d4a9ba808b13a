// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/convo"
)

const (
	testToken = "token-4f1d9c"
	// testTimeout is far more than anything here takes: it only keeps a test
	// from hanging.
	testTimeout = 5 * time.Minute
)

func startService(t *testing.T, handler http.Handler) *apitest.Service {
	t.Helper()
	s := apitest.NewService(t, handler)
	s.Start()
	return s
}

// startTLS starts a service with the certificate of httptest, which is that of
// example.com and 127.0.0.1, and returns what trusts it.
func startTLS(s *apitest.Service) *tls.Config {
	s.StartTLS()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
}

func expectRequests(t *testing.T, s *apitest.Service, want int) {
	t.Helper()
	if got := len(s.Requests()); got != want {
		t.Errorf("the service got %d requests, want %d", got, want)
	}
}

// newClient makes a client with the test's token, no retries, and waits between
// attempts that are too short to notice.
func newClient(t *testing.T, config convo.Config) *convo.Client {
	t.Helper()
	if config.Token == "" {
		config.Token = testToken
	}
	if config.MaxRetries == nil {
		config.MaxRetries = new(0)
	}
	if config.RetryWait == 0 {
		config.RetryWait = time.Nanosecond
	}
	client, err := convo.New(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return client
}

// testContext ends long after every test, so that none can hang.
func testContext(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout)
	t.Cleanup(cancel)
	return ctx
}

// respond sends the same response to every request.
func respond(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// dropped closes the connection without a response.
func dropped(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// cutOff announces a longer body than it sends.
func cutOff(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "100")
		respond(status, body)(w, r)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// inTurn handles the first request with the first handler and so on, and all
// that follow with the last.
func inTurn(handlers ...http.HandlerFunc) http.HandlerFunc {
	var mu sync.Mutex
	served := 0
	return func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		handler := handlers[min(served, len(handlers)-1)]
		served++
		mu.Unlock()
		handler(w, r)
	}
}

// asError returns the error of an operation that was sent.
func asError(t *testing.T, err error) *convo.Error {
	t.Helper()
	e, ok := errors.AsType[*convo.Error](err)
	if !ok {
		t.Fatalf("got %v, want an *Error", err)
	}
	return e
}

// operation is a call of which only the error matters.
type operation func(context.Context, *convo.Client) error

// readAgent and updateSession represent the two methods.
func readAgent(ctx context.Context, c *convo.Client) error {
	response, err := c.Agent(ctx, "agt_1")
	if err != nil {
		return err
	}
	return response.Decode(&struct{}{})
}

func updateSession(ctx context.Context, c *convo.Client) error {
	_, err := c.UpdateSessionAgent(ctx, "ses_1", []byte(`{"agentId":"agt_1"}`))
	return err
}

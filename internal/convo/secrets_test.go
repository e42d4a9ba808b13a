// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// logs collects what is logged, from several goroutines.
type logs struct {
	mu       sync.Mutex
	attempts []map[string]any
}

// log is the Log of a client's configuration.
func (l *logs) log(_ context.Context, _ string, fields ...map[string]any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attempts = append(l.attempts, fields...)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("%+v", l.attempts)
}

// TestInvalidHTTPIsNotQuoted has a definition where a response should be, which
// net/http quotes in some of its errors.
func TestInvalidHTTPIsNotQuoted(t *testing.T) {
	t.Parallel()
	const definition = `{"agent":{"exposure":{"access":{"share":{"token":"share-token"}}}}}`
	const invalid, ended = "the connection was closed before a valid HTTP/1.1 response arrived", "the response ended prematurely, after 0 bytes"
	tests := map[string]struct{ response, want string }{
		"no status line": {definition + "\r\n\r\n", invalid},
		"HTTP/2":         {"\x00\x00\x00\x04\x00\x00\x00\x00\x00", invalid}, // settings, with which a server begins
		"no header":      {"HTTP/1.1 200 OK\r\n" + definition + "\r\n\r\n", invalid},
		"no chunk":       {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + definition + "\r\n", ended},
		"not compressed": {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + definition, ended},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address, _ := accept(t, func(c net.Conn) {
				_, _ = c.Read(make([]byte, 4096))
				_, _ = io.WriteString(c, test.response)
				if half, ok := c.(*net.TCPConn); ok {
					_ = half.CloseWrite()
				}
				_, _ = io.Copy(io.Discard, c)
			})
			collected := &logs{}
			err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: "http://" + address, Log: collected.log}))
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
			text := collected.String()
			for e := err; e != nil; e = errors.Unwrap(e) {
				text += fmt.Sprintf("%v %+v", e, e)
			}
			if strings.Contains(text, "agent\"") || strings.Contains(text, "share") {
				t.Errorf("the response is quoted: %s", text)
			}
		})
	}
}

// TestLog holds what is logged of a request, and that nothing else is. Retries are logged
// apart, because a wait matters to more readers.
func TestLog(t *testing.T) {
	t.Parallel()
	server := startService(t, inTurn(respond(503, ""), respond(http.StatusOK, `{"agents":[{"name":"a response"}]}`),
		respond(http.StatusOK, "{}"), dropped))
	collected, retries := &logs{}, &logs{}
	client := newClient(t, convo.Config{BaseURL: server.URL + "/api", MaxRetries: new(1), Log: collected.log, LogRetry: retries.log})
	if _, err := client.Agents(testContext(t), map[string]string{"search": "query-value"}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, _ = client.UpdateSessionAgent(testContext(t), testToken, []byte(`{"agentId":"a-body"}`))
	}
	if len(retries.attempts) != 1 {
		t.Errorf("%d retries are logged, want 1", len(retries.attempts))
	}
	collected.attempts = append(retries.attempts, collected.attempts...)
	for i, attempt := range collected.attempts {
		if wait := attempt["wait_ms"].(int64); attempt["duration_ms"].(int64) < 0 || wait < 0 || wait > 0 && attempt["retry"] == false {
			t.Errorf("attempt %d: got the duration %v and the wait %v", i, attempt["duration_ms"], wait)
		}
		delete(attempt, "duration_ms")
		delete(attempt, "wait_ms")
	}
	const update = "/v1/sessions/***/updateAgent"
	want := []map[string]any{
		{"operation": "listAgents", "method": "GET", "path": "/v1/agents", "attempt": 1, "status": 503, "request_id": "", "retry": true},
		{"operation": "listAgents", "method": "GET", "path": "/v1/agents", "attempt": 2, "status": 200, "request_id": "", "retry": false},
		{"operation": "updateSessionAgent", "method": "POST", "path": update, "attempt": 1, "status": 200, "request_id": "", "retry": false},
		{"operation": "updateSessionAgent", "method": "POST", "path": update, "attempt": 1, "error": "the connection was closed before a valid HTTP/1.1 response arrived", "retry": false},
	}
	if diff := cmp.Diff(want, collected.attempts); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-log/tflogtest"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// logs collects what is logged, from several goroutines.
type logs struct {
	mu     sync.Mutex
	buffer bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buffer.Write(p)
}

// lines returns the raw log and its entries.
func (l *logs) lines(t *testing.T) (string, []map[string]any) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	raw := l.buffer.String()
	entries, err := tflogtest.MultilineJSONDecode(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return raw, entries
}

// logged is a context that collects everything down to TRACE.
func logged(t *testing.T) (context.Context, *logs) {
	t.Helper()
	collected := &logs{}
	return tflogtest.RootLogger(testContext(t), collected), collected
}

const secretHeader = "gateway-secret-7a"

// configWithSecrets has a token and an extra header that must not be told.
func configWithSecrets(address string) convo.Config {
	return convo.Config{BaseURL: address, Headers: map[string]string{"X-Gateway-Key": secretHeader}, MaxRetries: 1}
}

func expectNoSecret(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range []string{testToken, secretHeader} {
		if strings.Contains(text, secret) {
			t.Errorf("%s tells %s: %s", where, secret, text)
		}
	}
}

func TestEchoedSecretsAreHidden(t *testing.T) {
	t.Parallel()
	echo := "you sent Bearer " + testToken + " and " + secretHeader
	const hidden = "you sent Bearer *** and ***"
	tests := map[string]struct {
		handler http.HandlerFunc
		want    string // in the text of the error
	}{
		"code":    {respond(403, `{"code":"`+echo+`","message":"m"}`), hidden + ": m"},
		"message": {respond(403, `{"code":"c","message":"`+echo+`"}`), "c: " + hidden},
		"issue":   {respond(403, `{"code":"c","message":"m","issues":[{"message":"`+echo+`"}]}`), "m: " + hidden},
		"escaped": {respond(403, `{"code":"c","message":"\u0074oken-4f1d9c"}`), "c: ***"},
		"HTML":    {respond(403, "<p>"+echo+"</p>"), `"<p>` + hidden + `</p>"`},
		"500":     {respond(500, "<p>"+echo+"</p>"), `"<p>` + hidden + `</p>"`},
		"at the cut of an excerpt": {
			respond(403, strings.Repeat("a ", 95)+testToken), `"` + strings.Repeat("a ", 95) + `***"`,
		},
		"at the cut of a message": {
			respond(403, `{"code":"c","message":"`+strings.Repeat("a", 990)+testToken+`"}`), strings.Repeat("a", 990) + "***",
		},
		"with a control character inside": {respond(403, "a token-4\x00f1d9c b"), `"a *** b"`},
		"redirect":                        {redirect(302, "http://"+testToken+".example/"), "redirected the request to http://***.example"},
		"broken redirect":                 {redirect(302, "http://[::"+testToken), "the response is not valid HTTP"},
	}
	for name, test := range tests {
		for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				server := startService(t, test.handler)
				ctx, collected := logged(t)
				err := send(ctx, newClient(t, configWithSecrets(server.URL)))
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Fatalf("got %v, want it to contain %q", err, test.want)
				}
				for e := err; e != nil; e = errors.Unwrap(e) {
					expectNoSecret(t, "the error", fmt.Sprintf("%v %+v", e, e))
				}
				raw, _ := collected.lines(t)
				expectNoSecret(t, "the log", raw)
				if !strings.Contains(raw, `"attempt":1`) {
					t.Errorf("the log does not have the request: %s", raw)
				}
			})
		}
	}
}

// TestInvalidHTTPIsNotQuoted has a definition where a response should be, which
// net/http quotes in some of its errors.
func TestInvalidHTTPIsNotQuoted(t *testing.T) {
	t.Parallel()
	const definition = `{"agent":{"exposure":{"access":{"share":{"token":"share-token"}}}}}`
	const invalid, ended = "the response is not valid HTTP", "the response ended prematurely, after 0 bytes"
	tests := map[string]struct{ response, want string }{
		"no status line":  {definition + "\r\n\r\n", invalid},
		"no status":       {"HTTP/1.1 " + definition + "\r\n\r\n", invalid},
		"no header":       {"HTTP/1.1 200 OK\r\n" + definition + "\r\n\r\n", invalid},
		"no length":       {"HTTP/1.1 200 OK\r\nContent-Length: " + definition + "\r\n\r\n", invalid},
		"no encoding":     {"HTTP/1.1 200 OK\r\nTransfer-Encoding: " + definition + "\r\n\r\n", invalid},
		"no location":     {"HTTP/1.1 302 Found\r\nLocation: http://[" + definition + "\r\n\r\n", invalid},
		"too many bytes":  {"HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("x", 2<<20) + "\r\n\r\n", invalid},
		"no chunk":        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + definition + "\r\n", ended},
		"no trailer":      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + definition + "\r\n\r\n", ended},
		"not compressed":  {"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + definition, ended},
		"half of headers": {"HTTP/1.1 200 OK\r\nX-Definition: " + definition, "the connection was closed before a response arrived"},
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
			ctx, collected := logged(t)
			err := readAgent(ctx, newClient(t, convo.Config{BaseURL: "http://" + address}))
			if err == nil || err.Error() != "read agent: "+test.want {
				t.Errorf("got %v, want %s", err, test.want)
			}
			raw, _ := collected.lines(t)
			text := raw
			for e := err; e != nil; e = errors.Unwrap(e) {
				text += fmt.Sprintf("%v %+v", e, e)
			}
			if strings.Contains(text, "agent\"") || strings.Contains(text, "share") || strings.Contains(text, "xxx") {
				t.Errorf("the response is quoted: %s", text)
			}
		})
	}
}

// TestRefusalKeepsItsReason: a redirect to a host whose name has a secret is
// as final as any other.
func TestRefusalKeepsItsReason(t *testing.T) {
	t.Parallel()
	server := startService(t, redirect(302, "http://"+testToken+".example/"))
	err := readAgent(testContext(t), newClient(t, configWithSecrets(server.URL)))
	var transport *convo.TransportError
	if !errors.As(err, &transport) || transport.Reason != convo.ReasonRedirect || transport.Attempts != 1 {
		t.Errorf("got %v, want the refusal of the only attempt", err)
	}
}

// TestSecretInsideAnother: hiding the shorter one first would leave the rest
// of the longer one.
func TestSecretInsideAnother(t *testing.T) {
	t.Parallel()
	server := startService(t, respond(403, `{"code":"c","message":"`+testToken+`-and-more, `+testToken+`"}`))
	ctx, collected := logged(t)
	client := newClient(t, convo.Config{
		BaseURL: server.URL, Headers: map[string]string{"X-Key": testToken + "-and-more"},
	})
	err := readAgent(ctx, client)
	if want := "read agent: the service returned 403 Forbidden: c: ***, ***"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if raw, _ := collected.lines(t); strings.Contains(raw, "-and-more") {
		t.Errorf("the log tells a part of a secret: %s", raw)
	}
}

// TestShortHeaderValuesAreNotHidden holds that a header such as "1" does not
// make errors unreadable.
func TestShortHeaderValuesAreNotHidden(t *testing.T) {
	t.Parallel()
	server := startService(t, respond(403, `{"code":"c","message":"step 1 of 123"}`))
	client := newClient(t, convo.Config{
		BaseURL: server.URL, Headers: map[string]string{"X-One": "1", "X-Empty": "", "X-Three": "123"},
	})
	err := readAgent(testContext(t), client)
	if err == nil || !strings.HasSuffix(err.Error(), "step 1 of 123") {
		t.Errorf("got %v", err)
	}
}

// TestLogFields holds what is logged of a request, and that nothing else is.
func TestLogFields(t *testing.T) {
	t.Parallel()
	server := startService(t, inTurn(respond(503, ""), respond(http.StatusOK, `{"agents":[{"name":"a response"}]}`)))
	ctx, collected := logged(t)
	client := newClient(t, configWithSecrets(server.URL+"/api"))
	if _, err := client.Agents(ctx, map[string]string{"search": "query-value"}); err != nil {
		t.Fatal(err)
	}
	if _, err := client.UpdateSessionAgent(ctx, "ses_1", []byte(`{"agentId":"a-body"}`)); err != nil {
		t.Fatal(err)
	}

	raw, entries := collected.lines(t)
	for _, never := range []string{"query-value", "search", "a response", "a-body", "Authorization", "X-Gateway", "Bearer"} {
		if strings.Contains(raw, never) {
			t.Errorf("the log has %q: %s", never, raw)
		}
	}
	const sent, waiting = "Sent a request", "Waiting before a retry"
	want := []map[string]any{
		{
			"@message": sent, "method": "GET", "path": "/v1/agents", "attempt": 1.0, "status": 503.0,
			"duration_ms": true,
		},
		{"@message": waiting, "method": "GET", "path": "/v1/agents", "attempt": 1.0, "wait_ms": true},
		{"@message": sent, "method": "GET", "path": "/v1/agents", "attempt": 2.0, "status": 200.0, "duration_ms": true},
		{
			"@message": sent, "method": "POST", "path": "/v1/sessions/ses_1/updateAgent", "attempt": 1.0, "status": 200.0,
			"duration_ms": true,
		},
	}
	for _, entry := range entries {
		if entry["@level"] != "debug" {
			t.Errorf("got the level %v, want debug: %v", entry["@level"], entry)
		}
		maps.DeleteFunc(entry, func(key string, _ any) bool {
			return slices.Contains([]string{"@level", "@module", "@caller", "@timestamp"}, key)
		})
		for _, duration := range []string{"duration_ms", "wait_ms"} {
			if milliseconds, ok := entry[duration].(float64); ok {
				entry[duration] = milliseconds >= 0
			}
		}
	}
	if diff := cmp.Diff(want, entries); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
}

// TestLogOfAFailure: without a response, the reason stands in its place; that of
// a response is in the error, because it quotes the body.
func TestLogOfAFailure(t *testing.T) {
	t.Parallel()
	for want, handler := range map[string]http.HandlerFunc{
		"the connection was closed before a response arrived": dropped,
		"": respond(403, `{"code":"c","message":"m"}`),
	} {
		ctx, collected := logged(t)
		if err := readAgent(ctx, newClient(t, convo.Config{BaseURL: startService(t, handler).URL})); err == nil {
			t.Error("no error")
		}
		if _, entries := collected.lines(t); len(entries) != 1 || want != "" && entries[0]["error"] != want || want == "" && entries[0]["error"] != nil {
			t.Errorf("got %v, want the error %q", entries, want)
		}
	}
}

// TestSecretInAPathIsMasked: whoever mistakes the token for an ID must not
// find it in the log, as it is or escaped, whatever the entry is about.
func TestSecretInAPathIsMasked(t *testing.T) {
	t.Parallel()
	for _, token := range []string{testToken, "token/4f1d 9c"} {
		server := startService(t, inTurn(respond(503, ""), respond(http.StatusOK, `{}`)))
		ctx, collected := logged(t)
		client := newClient(t, convo.Config{BaseURL: server.URL, Token: token, MaxRetries: 1})
		if _, err := client.Agent(ctx, token); err != nil {
			t.Fatal(err)
		}
		raw, entries := collected.lines(t)
		if len(entries) != 3 {
			t.Errorf("got %d entries, want two requests and the wait between them: %s", len(entries), raw)
		}
		for _, entry := range entries {
			if entry["path"] != "/v1/agents/***" {
				t.Errorf("got the path %v of %v", entry["path"], entry["@message"])
			}
		}
	}
}

// TestLogsOfConcurrentRequests is for the race detector: all calls log
// through the same root logger.
func TestLogsOfConcurrentRequests(t *testing.T) {
	t.Parallel()
	server := startService(t, respond(403, `{"code":"c","message":"`+testToken+`"}`))
	ctx, collected := logged(t)
	client := newClient(t, configWithSecrets(server.URL))
	var group sync.WaitGroup
	for range 50 {
		group.Go(func() { _ = readAgent(ctx, client) })
	}
	group.Wait()
	raw, entries := collected.lines(t)
	expectNoSecret(t, "the log", raw)
	if len(entries) != 50 {
		t.Errorf("got %d entries, want 50", len(entries))
	}
}

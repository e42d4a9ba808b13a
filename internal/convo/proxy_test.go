// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/convo/terraform-provider-convo/internal/apitest"
	"github.com/convo/terraform-provider-convo/internal/convo"
)

// setProxy makes the environment name a proxy for http and https, or none.
func setProxy(t *testing.T, http, https, none string) {
	t.Helper()
	// On Windows, the two spellings are one variable, so that the one to set is last.
	for _, variable := range [][2]string{
		{"http_proxy", ""}, {"HTTP_PROXY", http},
		{"https_proxy", ""}, {"HTTPS_PROXY", https},
		{"no_proxy", ""}, {"NO_PROXY", none},
		{"REQUEST_METHOD", ""}, // set, it marks a CGI program, where HTTP_PROXY is not to be trusted
	} {
		t.Setenv(variable[0], variable[1])
	}
}

func TestProxyOfTheEnvironment(t *testing.T) {
	proxy := startService(t, respond(http.StatusOK, `{}`))
	setProxy(t, proxy.URL, "", "service.invalid")
	if err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: "http://service.example/api/"})); err != nil {
		t.Error(err)
	}
	if got := proxy.Requests()[0]; got.URI != "http://service.example/api/v1/agents/agt_1" || got.Header.Get("Authorization") != "Bearer "+testToken {
		t.Errorf("the proxy got %+v", got)
	}
	if err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: "http://service.invalid"})); err == nil {
		t.Error("a host in NO_PROXY was read through the proxy")
	}
	expectRequests(t, proxy, 1)
}

// TestProxyThatCannotBeUsed: the error names the proxy and its variable, but not its
// credentials, and nothing was sent.
func TestProxyThatCannotBeUsed(t *testing.T) {
	refusing := startService(t, respond(http.StatusForbidden, ""))
	dropping := startService(t, http.HandlerFunc(dropped))
	socks, _ := accept(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 100))
		_, _ = io.WriteString(c, "\x05\x02\x01\x01")
		_, _ = io.Copy(io.Discard, c)
	})
	retries := map[string]int{refusing.URL: 4} // It refuses for good.
	for proxy, text := range map[string]string{
		"http://127.0.0.1:1": "proxyconnect tcp: dial tcp 127.0.0.1:1: ",
		refusing.URL:         "403 Forbidden",
		dropping.URL:         "the connection was closed before a valid HTTP/1.1 response arrived",
		"socks5://" + socks:  "socks connect tcp " + socks + "->service.example:443: username/password authentication failed",
	} {
		scheme, host, _ := strings.Cut(proxy, "://")
		setProxy(t, "", scheme+"://gateway-user:gateway-secret@"+host, "")
		err := updateSession(testContext(t), newClient(t, convo.Config{BaseURL: "https://service.example", MaxRetries: new(retries[proxy])}))
		want := "the proxy " + host + ", which the environment variable HTTPS_PROXY sets, did not connect to the service: " + text
		if e := asError(t, err); e.Reason != convo.ReasonProxy || !strings.HasPrefix(e.Problem, want) ||
			!e.HadNoEffect || e.Attempts != 1 {
			t.Errorf("got %+v, want %q", err, want)
		}
	}
	for _, r := range refusing.Requests() {
		if r.Method != http.MethodConnect || r.URI != "service.example:443" || r.Header.Get("Authorization") != "" {
			t.Errorf("the proxy got %s %s with %q", r.Method, r.URI, r.Header.Get("Authorization"))
		}
	}
}

// TestProxyOfAServiceThatStarts: the proxy reports that it cannot connect to the service yet.
func TestProxyOfAServiceThatStarts(t *testing.T) {
	proxy := startService(t, inTurn(respond(http.StatusBadGateway, ""), respond(http.StatusForbidden, "")))
	setProxy(t, "", proxy.URL, "")
	err := updateSession(testContext(t), newClient(t, convo.Config{BaseURL: "https://service.example", MaxRetries: new(1)}))
	if got := asError(t, err).Attempts; got != 2 {
		t.Errorf("got %d attempts, want 2: %v", got, err)
	}
}

// TestSilentProxy: the timeout also ends an attempt whose proxy accepts a connection, and sends nothing.
func TestSilentProxy(t *testing.T) {
	setProxy(t, "", "http://proxy.example:8080", "")
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		client := newSilentNetwork(t, "").client(t, convo.Config{BaseURL: "https://service.example"})
		if e := asError(t, updateSession(ctx, client)); e.Reason != convo.ReasonCanceled {
			t.Errorf("got %v after the run was canceled", e)
		}
		err := updateSession(t.Context(), client)
		const want = "the proxy proxy.example:8080, which the environment variable HTTPS_PROXY sets, did not connect to the service: " +
			"no complete response within 30s"
		if e := asError(t, err); e.Reason != convo.ReasonProxy || e.Problem != want {
			t.Errorf("got %v, want %q", err, want)
		}
	})
}

func TestProxyThatConnects(t *testing.T) {
	server := apitest.NewService(t, respond(http.StatusOK, `{"message":"success"}`))
	trust := startTLS(server)
	proxy := startService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if got := r.Header.Get("Proxy-Authorization"); got != "" {
			t.Errorf("the proxy got %q, which is for the service", got)
		}
		far, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", server.Listener.Addr().String())
		if err != nil {
			t.Error(err)
			return
		}
		near, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(near, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(far, near) }()
		_, _ = io.Copy(near, far)
		_, _ = near.Close(), far.Close()
	}))
	setProxy(t, "", proxy.URL, "")
	client := newClient(t, convo.Config{
		BaseURL: "https://example.com", TLS: trust,
		Headers: map[string]string{"Proxy-Authorization": "Bearer gateway"},
	})
	for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
		if err := send(testContext(t), client); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
	expectRequests(t, server, 2)
	if e := failure(t, "https://example.com"); e.Reason != convo.ReasonTLS {
		t.Errorf("got %v for a certificate that is not trusted", e)
	}
	for _, request := range server.Requests() {
		if got := request.Header.Get("Proxy-Authorization"); got != "Bearer gateway" {
			t.Errorf("the service got %q", got)
		}
	}
}

// TestCredentialsOfAProxy are secrets like the token.
func TestCredentialsOfAProxy(t *testing.T) {
	const user, password = "user-of-the-proxy", "p@ss/word+1"
	proxy := startService(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusProxyAuthRequired)
		_, _ = fmt.Fprintf(w, "%s and %s and %s", r.Header.Get("Proxy-Authorization"), password, url.QueryEscape(password))
	}))
	for _, scheme := range []string{"http://", ""} {
		setProxy(t, scheme+url.UserPassword(user, password).String()+"@"+proxy.Listener.Addr().String(), "", "")
		got := failure(t, "http://service.example")
		if got.Status != http.StatusProxyAuthRequired || got.Excerpt != "Basic *** and *** and ***" {
			t.Errorf("got %+v", got)
		}
	}
}

// TestInvalidProxy: a proxy that cannot be used must not become a direct connection.
func TestInvalidProxy(t *testing.T) {
	for value, isValid := range map[string]bool{
		"http://user:hunter%zz22@proxy.example:8080": false,
		"http://user:hunter#22@proxy.example:8080":   false,
		"user:22/hunter@proxy.example":               false,
		"user:22?hunter@proxy.example":               false,
		"http://hunter22:port":                       false,
		"http://:8080":                               false,
		"proxy.example:8080":                         true,
		"http://proxy.example/":                      true,
		"user:p%40ss@proxy.example:3128":             true,
		"socks5h://proxy.example":                    true,
	} {
		for scheme, variable := range map[string]string{"http": "HTTP_PROXY", "https": "HTTPS_PROXY"} {
			setProxy(t, value, value, "")
			client, err := convo.New(convo.Config{BaseURL: scheme + "://service.example", Token: "t"})
			want := "the environment variable " + variable + " must be the URL of an HTTP or SOCKS5 proxy, such as http://proxy.example:8080. " +
				"If it contains a user name or a password, percent-encode their special characters"
			if isValid != (client != nil) || !isValid && err.Error() != want {
				t.Errorf("%s, %q: got %v", scheme, value, err)
			}
		}
	}
}

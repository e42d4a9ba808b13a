// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
	first := startService(t, respond(http.StatusOK, `{"proxy":1}`))
	second := startService(t, respond(http.StatusOK, `{"proxy":2}`))
	config := convo.Config{BaseURL: "http://service.example/api/"}
	setProxy(t, first.URL, "", "")
	early := newClient(t, config)
	setProxy(t, second.URL, "", "")
	late := newClient(t, config)

	for i, client := range []*convo.Client{early, late, early} {
		response, err := client.Agent(testContext(t), "a/b", nil)
		want := []string{`{"proxy":1}`, `{"proxy":2}`, `{"proxy":1}`}[i]
		if err != nil || string(response.Body) != want {
			t.Errorf("got %+v, %v; want %s, from the proxy named when the client was made", response, err, want)
		}
	}
	first.expectRequests(t, 2)
	for _, r := range first.received() {
		if r.URI != "http://service.example/api/v1/agents/a%2Fb" || r.Header.Get("Authorization") != "Bearer "+testToken {
			t.Errorf("the proxy got %s with %q", r.URI, r.Header.Get("Authorization"))
		}
	}
}

// TestProxyThatRefuses: the error names the proxy and its variable, but not its
// credentials. A refused login is permanent.
func TestProxyThatRefuses(t *testing.T) {
	for status, test := range map[int]struct {
		text     string
		reason   convo.Reason
		attempts int
	}{
		http.StatusForbidden:         {"403 Forbidden", convo.ReasonProxy, 3},
		http.StatusProxyAuthRequired: {"407 Proxy Authentication Required", convo.ReasonProxySettings, 1},
		http.StatusBadGateway:        {"502 Bad Gateway", convo.ReasonProxy, 3},
	} {
		proxy := startService(t, respond(status, ""))
		host := proxy.Listener.Addr().String()
		setProxy(t, "", "http://gateway-user:gateway-secret@"+host, "")
		client := newClient(t, convo.Config{BaseURL: "https://service.example/api", MaxRetries: new(2)})
		err := readAgent(testContext(t), client)
		want := viaProxy(host, "HTTPS_PROXY") + "it returned " + test.text
		var transport *convo.TransportError
		if !errors.As(err, &transport) || transport.Reason != test.reason || !transport.NotSent || transport.Err.Error() != want {
			t.Errorf("%d: got %+v, want %q", status, err, want)
		}
		proxy.expectRequests(t, test.attempts)
		for _, r := range proxy.received() {
			if r.Method != http.MethodConnect || r.URI != "service.example:443" || r.Header.Get("Authorization") != "" {
				t.Errorf("the proxy got %s %s with %q", r.Method, r.URI, r.Header.Get("Authorization"))
			}
		}
	}
	proxy := startService(t, respond(http.StatusProxyAuthRequired, ""))
	setProxy(t, proxy.URL, "", "")
	err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: "http://service.example", MaxRetries: new(2)}))
	var refused *convo.ResponseError
	if !errors.As(err, &refused) || refused.Status != http.StatusProxyAuthRequired || refused.Attempts != 1 {
		t.Errorf("got %v, want the proxy's 407 after one attempt", err)
	}
}

// viaProxy is the beginning of an error about a proxy.
func viaProxy(host, variable string) string {
	return "the proxy " + host + ", which the environment variable " + variable + " sets, did not connect to the service: "
}

func TestProxyWithSOCKS(t *testing.T) {
	const noMethod, refused = "\x05\xff", "\x05\x02\x01\x01"
	for name, test := range map[string]struct {
		credentials, response, text string
	}{
		"a login is missing": {"", noMethod, "no acceptable authentication methods"},
		"wrong password":     {"user:socks-secret@", refused, "username/password authentication failed"},
		"unreachable host":   {"", "\x05\x00\x05\x04\x00\x01\x00\x00\x00\x00\x00\x00", "host unreachable"},
	} {
		address, connections := accept(t, func(c net.Conn) {
			_, _ = c.Read(make([]byte, 100))
			_, _ = io.WriteString(c, test.response)
			_, _ = io.Copy(io.Discard, c)
		})
		setProxy(t, "", "socks5://"+test.credentials+address, "")
		err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: "https://service.example", MaxRetries: new(2)}))
		var transport *convo.TransportError
		if !errors.As(err, &transport) || transport.Reason != convo.ReasonProxy || !strings.HasSuffix(transport.Err.Error(), test.text) ||
			!strings.HasPrefix(transport.Err.Error(), viaProxy(address, "HTTPS_PROXY")) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v", name, err)
		}
		if got := connections.Load(); got != 3 {
			t.Errorf("%s: %d connections, want 3", name, got)
		}
	}
}

func TestProxyThatConnects(t *testing.T) {
	own := newAuthority(t, "own")
	certificate := own.issue(t, func(c *x509.Certificate) { c.DNSNames = []string{"service.example"} })
	server, _ := startTLS(t, serverTLS(certificate))
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
		BaseURL: "https://service.example", TLS: &tls.Config{RootCAs: own.pool(), MinVersion: tls.VersionTLS12},
		Headers: map[string]string{"Proxy-Authorization": "Bearer gateway"},
	})
	for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
		if err := send(testContext(t), client); err != nil {
			t.Errorf("%s: %v", method, err)
		}
	}
	server.expectRequests(t, 2)
	for _, request := range server.received() {
		if got := request.Header.Get("Proxy-Authorization"); got != "Bearer gateway" {
			t.Errorf("the service got %q", got)
		}
	}
}

func TestProxyThatCannotBeUsed(t *testing.T) {
	untrusted, _ := startTLS(t, serverTLS(newAuthority(t, "foreign").issue(t, nil)))
	dropping := startService(t, http.HandlerFunc(dropped))
	plain := startService(t, respond(http.StatusBadRequest, ""))
	tests := map[string]struct {
		proxy    string
		reason   convo.Reason
		attempts int
		text     string
	}{
		"nobody listens": {
			"http://127.0.0.1:1", convo.ReasonProxy, 2,
			"dial tcp 127.0.0.1:1: ",
		},
		"certificate": {
			untrusted.URL, convo.ReasonProxySettings, 1,
			"tls: failed to verify certificate: x509: certificate signed by unknown authority",
		},
		"no certificate": {
			strings.Replace(plain.URL, "http:", "https:", 1), convo.ReasonProxySettings, 1,
			"tls: first record does not look like a TLS handshake",
		},
		"dropped": {dropping.URL, convo.ReasonProxy, 2, "the connection was closed before a valid HTTP/1.1 response arrived"},
	}
	for name, test := range tests {
		for _, scheme := range []string{"http", "https"} {
			setProxy(t, test.proxy, test.proxy, "")
			config := convo.Config{BaseURL: scheme + "://service.example"}
			err := updateSession(testContext(t), newClient(t, config))
			_, host, _ := strings.Cut(test.proxy, "://")
			reason, text, sent := test.reason, viaProxy(host, strings.ToUpper(scheme)+"_PROXY")+test.text, false
			if name == "dropped" && scheme == "http" { // The proxy got the request.
				reason, text, sent = convo.ReasonConnection, test.text, true
			}
			var transport *convo.TransportError
			if !errors.As(err, &transport) || transport.Reason != reason || !strings.HasPrefix(transport.Err.Error(), text) || transport.NotSent == sent {
				t.Errorf("%s, %s: got %+v, want %q", name, scheme, err, text)
			}
			config.MaxRetries = new(1)
			err = readAgent(testContext(t), newClient(t, config))
			if got := attempts(t, err); got != test.attempts {
				t.Errorf("%s, %s: made %d attempts, want %d", name, scheme, got, test.attempts)
			}
		}
	}
}

// TestSilentProxy is not parallel, because it sets the environment.
func TestSilentProxy(t *testing.T) {
	for _, scheme := range []string{"http", "https"} {
		setProxy(t, "https://proxy.example:8443", "https://proxy.example:8443", "")
		synctest.Test(t, func(t *testing.T) {
			err := updateSession(t.Context(), newSilentNetwork(t).client(t, convo.Config{BaseURL: scheme + "://service.example", MaxRetries: new(1)}))
			want := viaProxy("proxy.example:8443", strings.ToUpper(scheme)+"_PROXY") + "no complete response within 30s"
			var transport *convo.TransportError
			if !errors.As(err, &transport) || transport.Reason != convo.ReasonProxy || transport.Err.Error() != want || !transport.NotSent || transport.Attempts != 2 {
				t.Errorf("%s: got %+v, want %q", scheme, err, want)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			err = readAgent(ctx, newSilentNetwork(t).client(t, convo.Config{BaseURL: scheme + "://service.example"}))
			if !errors.As(err, &transport) || transport.Reason != convo.ReasonCanceled || transport.Err.Error() != "context canceled" {
				t.Errorf("%s: got %+v after a cancellation, which the proxy did not cause", scheme, err)
			}
		})
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
		err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: "http://service.example"}))
		const want = "read agent: the service returned 407 Proxy Authentication Required: Basic *** and *** and ***"
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

// TestInvalidProxy: a proxy that cannot be used must not become a direct connection.
func TestInvalidProxy(t *testing.T) {
	const advice = " must be the URL of an HTTP or SOCKS5 proxy, such as http://proxy.example:8080. " +
		"If it contains a user name or a password, percent-encode their special characters"
	for _, value := range []string{
		"http://user:hunter%zz22@proxy.example:8080", "http://user:hunter#22@proxy.example:8080", "http://user:hunter/22@proxy.example:8080",
		"http://user:22#hunter@proxy.example:8080", "user:hunter?22@proxy.example", "http://hunter22:port", "http://hunter 22", "ftp://hunter22", "http://", "http://:8080",
		"http://hunter22/proxy",
	} {
		for scheme, variable := range map[string]string{"http": "HTTP_PROXY", "https": "HTTPS_PROXY"} {
			setProxy(t, value, value, "direct.example")
			client, err := convo.New(convo.Config{BaseURL: scheme + "://service.example", Token: "t"})
			// On Windows, the case of names does not matter.
			if want := "the environment variable " + variable + advice; client != nil || err == nil || !strings.EqualFold(err.Error(), want) {
				t.Errorf("%s, %q: got %v, want %q", scheme, value, err, want)
			}
			if _, err := convo.New(convo.Config{BaseURL: scheme + "://direct.example", Token: "t"}); err != nil {
				t.Errorf("%s, %q: got %v for a host that NO_PROXY excludes", scheme, value, err)
			}
		}
		setProxy(t, "", "", "")
		t.Setenv("http_proxy", value)
		_, err := convo.New(convo.Config{BaseURL: "http://service.example", Token: "t"})
		variable := "http_proxy"
		if runtime.GOOS == "windows" {
			variable = "HTTP_PROXY"
		}
		if want := "the environment variable " + variable + advice; err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %q", value, err, want)
		}
	}
	for _, value := range []string{
		"proxy.example", "proxy.example:8080", "http://proxy.example/", "https://user:p%40ss@proxy.example:8443", "user:pass@proxy.example:3128",
		"socks5://127.0.0.1:1080", "socks5h://proxy.example", "http://[::1]:8080",
	} {
		setProxy(t, value, value, "")
		if _, err := convo.New(convo.Config{BaseURL: "https://service.example", Token: "t"}); err != nil {
			t.Errorf("%q: got %v", value, err)
		}
	}
}

func TestNoProxyForLoopbackAndExceptions(t *testing.T) {
	proxy := startService(t, respond(http.StatusTeapot, ""))
	server := startService(t, respond(http.StatusOK, `{}`))
	setProxy(t, proxy.URL, "", "service.invalid")
	if err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL})); err != nil {
		t.Error(err)
	}
	err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: "http://service.invalid"}))
	var transport *convo.TransportError
	if !errors.As(err, &transport) {
		t.Errorf("got %v, want the failure to find the host", err)
	}
	proxy.expectRequests(t, 0)
}

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"errors"
	"net/http"
	"reflect"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// setProxy makes the environment name a proxy for http and https, or none.
func setProxy(t *testing.T, http, https, none string) {
	t.Helper()
	for name, value := range map[string]string{
		"HTTP_PROXY": http, "http_proxy": "", "HTTPS_PROXY": https, "https_proxy": "", "NO_PROXY": none, "no_proxy": "",
		"REQUEST_METHOD": "", // set, it marks a CGI program, where HTTP_PROXY is not to be trusted
	} {
		t.Setenv(name, value)
	}
}

func TestProxyOfTheEnvironment(t *testing.T) {
	first := startService(t, answer(http.StatusOK, `{"proxy":1}`))
	second := startService(t, answer(http.StatusOK, `{"proxy":2}`))
	config := convo.Config{BaseURL: "http://service.example/api/"}
	setProxy(t, first.URL, "", "")
	early := newClient(t, config)
	setProxy(t, second.URL, "", "")
	late := newClient(t, config)

	for i, client := range []*convo.Client{early, late, early} {
		response, err := client.Agent(testContext(t), "a/b")
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

func TestProxyOfHTTPS(t *testing.T) {
	proxy := startService(t, answer(http.StatusForbidden, "not through here"))
	setProxy(t, "", proxy.URL, "")
	err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: "https://service.example/api"}))
	var transport *convo.TransportError
	if !errors.As(err, &transport) {
		t.Errorf("got %v, want a *TransportError", err)
	}
	proxy.expectRequests(t, 1)
	for _, r := range proxy.received() {
		if r.Method != http.MethodConnect || r.URI != "service.example:443" || r.Header.Get("Authorization") != "" {
			t.Errorf("the proxy got %s %s with %q", r.Method, r.URI, r.Header.Get("Authorization"))
		}
	}
}

func TestNoProxyForLoopbackAndExceptions(t *testing.T) {
	proxy := startService(t, answer(http.StatusTeapot, ""))
	server := startService(t, answer(http.StatusOK, `{}`))
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

// TestDefaultTransportIsNotChanged: others in the process use it too.
func TestDefaultTransportIsNotChanged(t *testing.T) {
	shared, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		t.Fatalf("the default transport is a %T", http.DefaultTransport)
	}
	proxy := reflect.ValueOf(shared.Proxy).Pointer()
	own := newAuthority(t, "own")
	server, _ := startTLS(t, serverTLS(own.issue(t, nil)))
	setProxy(t, "http://proxy.example", "", "")
	client := newClient(t, convo.Config{
		BaseURL: server.URL, MaxConcurrentRequests: 40, TLS: serverTLS(own.issue(t, nil)), MaxRetries: 2,
	})
	if err := readAgent(testContext(t), client); err == nil {
		t.Error("a certificate that is not trusted is accepted")
	}
	if http.DefaultTransport != http.RoundTripper(shared) || shared.MaxIdleConns != 100 || shared.MaxIdleConnsPerHost != 0 ||
		shared.MaxConnsPerHost != 0 || reflect.ValueOf(shared.Proxy).Pointer() != proxy {
		t.Errorf("the default transport was changed: %+v", shared)
	}
	if tls := shared.TLSClientConfig; tls != nil && (tls.RootCAs != nil || len(tls.Certificates) > 0 || tls.InsecureSkipVerify) {
		t.Error("the default transport has the client's TLS configuration")
	}
	if http.DefaultClient.CheckRedirect != nil || http.DefaultClient.Transport != nil {
		t.Error("the default client was changed")
	}
}

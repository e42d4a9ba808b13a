// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const (
	testBaseURL = "https://service.example/api"
	testToken   = "secret-token-7"
)

// Every value that is not valid is an error at its argument, which does not contain
// a value that can be sensitive.
func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		argument string
		value    any
		want     string
	}{
		"base URL with a password":    {"base_url", "https://user:hunter22@service.example", ""},
		"base URL with the version":   {"base_url", "https://service.example/api/v1/", ""},
		"token empty":                 {"token", "", ""},
		"period parameter empty":      {"stats_period_parameter", "", ""},
		"token with a line break":     {"token", "hunter22\n", ""},
		"timeout without a unit":      {"request_timeout", "30", ""},
		"timeout too short":           {"request_timeout", "999us", ""},
		"timeout too long":            {"request_timeout", "24h1ns", ""},
		"retries below the range":     {"max_retries", number("-1"), ""},
		"retries above the range":     {"max_retries", number("21"), `Attribute max_retries value must be between 0 and 20, got: 21`},
		"concurrency below the range": {"max_concurrent_requests", number("0"), ""},
		"concurrency above the range": {"max_concurrent_requests", number("257"), ""},
		"rate below the range":        {"max_requests_per_second", number("0.0009"), "value must be between 0.001000 and 10000.000000, got: 0.000900"},
		"rate above the range":        {"max_requests_per_second", number("10000.1"), ""},
		"header with a colon":         {"headers", object{"X-A:": "hunter22"}, ""},
		"header empty":                {"headers", object{"X-A": ""}, ""},
		"header null":                 {"headers", object{"X-A": nil}, ""},
		"header with a line break":    {"headers", object{"X-A": "hunter22\r\nX-B: c"}, ""},
		"certificate without a key":   {"client_certificate_pem", "hunter22", ""},
		"key without a certificate":   {"client_key_pem", "hunter22", ""},
	}
	reserved := "Accept Accept-Encoding authorization Connection Content-Length Content-Type HOST Transfer-Encoding User-Agent"
	for _, header := range strings.Fields(reserved) {
		test := tests["header empty"]
		test.value, test.want = object{header: "hunter22"}, "Remove it. For Authorization, set token instead."
		tests["header "+header] = test
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := object{"base_url": testBaseURL, "token": testToken}
			config[test.argument] = test.value
			d := requireError(t, newTestProvider(t).validateProvider(config), `[AttributeName("`+test.argument+`")`, test.want)
			if strings.Contains(describe(d), "hunter22") {
				t.Errorf("the error contains the value:\n%s", describe(d))
			}
		})
	}
}

// clearEnvironment keeps the settings of whoever runs the tests out of them.
// Tests that call it cannot run in parallel.
func clearEnvironment(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"CONVO_BASE_URL", "CONVO_TOKEN", "CONVO_REQUEST_TIMEOUT", "CONVO_MAX_RETRIES", "CONVO_MAX_CONCURRENT_REQUESTS",
		"CONVO_MAX_REQUESTS_PER_SECOND", "TF_APPEND_USER_AGENT", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy",
	} {
		t.Setenv(name, "")
	}
}

// The environment is validated like the block, which takes precedence.
func TestInvalidEnvironment(t *testing.T) {
	both := object{"base_url": testBaseURL, "token": testToken}
	tests := map[string]struct {
		environment map[string]string
		config      object
		want        []string // summaries
	}{
		"block":                  {nil, both, nil},
		"environment":            {map[string]string{"CONVO_BASE_URL": testBaseURL, "CONVO_TOKEN": testToken}, object{}, nil},
		"block and environment":  {map[string]string{"CONVO_TOKEN": testToken}, object{"base_url": testBaseURL}, nil},
		"overridden environment": {map[string]string{"CONVO_BASE_URL": "invalid", "CONVO_TOKEN": "in valid"}, both, nil},
		"neither":                {nil, object{}, []string{"Missing base_url", "Missing token"}},
		"base_url":               {map[string]string{"CONVO_BASE_URL": "service.example"}, object{"token": testToken}, []string{"Invalid value for CONVO_BASE_URL"}},
		"token":                  {map[string]string{"CONVO_TOKEN": testToken + "\n"}, object{"base_url": testBaseURL}, []string{"Invalid value for CONVO_TOKEN"}},
		"timeout":                {map[string]string{"CONVO_REQUEST_TIMEOUT": "30"}, both, []string{"Invalid value for CONVO_REQUEST_TIMEOUT"}},
		"too many retries":       {map[string]string{"CONVO_MAX_RETRIES": "21"}, both, []string{"Invalid value for CONVO_MAX_RETRIES"}},
		"retries":                {map[string]string{"CONVO_MAX_RETRIES": "many"}, both, []string{"Invalid value for CONVO_MAX_RETRIES"}},
		"no rate":                {map[string]string{"CONVO_MAX_REQUESTS_PER_SECOND": "NaN"}, both, []string{"Invalid value for CONVO_MAX_REQUESTS_PER_SECOND"}},
		"proxy":                  {map[string]string{"HTTPS_PROXY": "http://user:a#b@proxy.example"}, both, []string{"Unable to configure the provider"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			clearEnvironment(t)
			for variable, value := range test.environment {
				t.Setenv(variable, value)
			}
			var summaries []string
			for _, d := range errorsIn(newTestProvider(t).configure(test.config)) {
				summaries = append(summaries, d.Summary)
			}
			if diff := cmp.Diff(test.want, summaries); diff != "" {
				t.Errorf("unexpected errors (-want +got):\n%s", diff)
			}
		})
	}
}

// The client's settings come from the block, then from the environment, and then
// from the defaults.
func TestClientConfig(t *testing.T) {
	clearEnvironment(t)
	check := func(model providerModel, want convo.Config) {
		t.Helper()
		var diags diag.Diagnostics
		model.readEnvironment(&diags)
		got := model.clientConfig(&diags)
		got.TLS = nil // TestTLS tests it.
		if len(diags) > 0 {
			t.Errorf("got %v", diags)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("unexpected configuration (-want +got):\n%s", diff)
		}
	}
	required := providerModel{BaseURL: new(testBaseURL), Token: new(testToken)}
	check(required, convo.Config{BaseURL: testBaseURL, Token: testToken, TokenSource: "the token argument in the provider block"})
	for name, value := range map[string]string{
		"CONVO_BASE_URL": "https://other.example", "CONVO_TOKEN": "other", "CONVO_REQUEST_TIMEOUT": "1m30s", "CONVO_MAX_RETRIES": "20",
		"CONVO_MAX_CONCURRENT_REQUESTS": "256", "CONVO_MAX_REQUESTS_PER_SECOND": "0.5",
	} {
		t.Setenv(name, value)
	}
	check(providerModel{}, convo.Config{
		BaseURL: "https://other.example", Token: "other", TokenSource: "the environment variable CONVO_TOKEN", RequestTimeout: 90 * time.Second, MaxRetries: new(20), MaxConcurrentRequests: 256, MaxRequestsPerSecond: 0.5,
	})
	check(providerModel{
		BaseURL: required.BaseURL, Token: required.Token, RequestTimeout: new("1s"), MaxRetries: new(0),
		MaxConcurrentRequests: new(1), MaxRequestsPerSecond: big.NewFloat(12.25), Headers: map[string]string{"X-A": "a"},
		StatsPeriodParameter: new("span"),
	}, convo.Config{
		BaseURL: testBaseURL, Token: testToken, TokenSource: "the token argument in the provider block", RequestTimeout: time.Second,
		MaxRetries: new(0), MaxConcurrentRequests: 1, MaxRequestsPerSecond: 12.25,
		Headers: map[string]string{"X-A": "a"}, StatsPeriodParameter: "span",
	})
}

// Advice after a timeout names the setting.
func TestAdviceAfterATimeout(t *testing.T) {
	t.Parallel()
	s := startServiceWithFaults(t, faults{"": http.HandlerFunc(hang)})
	_, diagnostics := configuredProvider(t, s, object{"request_timeout": "100ms", "max_retries": number("0")}).read("convo_agents", object{})
	requireError(t, diagnostics, "Unable to read agents", "If it is only slow, raise request_timeout in the provider block, or ")
}

// Advice about a proxy names the environment variables.
func TestAdviceOnProxies(t *testing.T) {
	clearEnvironment(t)
	read := func(baseURL string) []*tfprotov6.Diagnostic {
		p := newTestProvider(t)
		requireNoErrors(t, p.configure(object{"base_url": baseURL, "token": testToken, "max_retries": number("0")}))
		_, diagnostics := p.read("convo_agents", object{})
		return diagnostics
	}
	const advice = "Check the proxy's URL in the environment variable HTTPS_PROXY or HTTP_PROXY"
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	requireError(t, read(testBaseURL), "the proxy 127.0.0.1:1, which the environment variable HTTPS_PROXY sets, did not connect to the service: ",
		advice)
	proxy := httptest.NewServer(jsonHandler(http.StatusProxyAuthRequired, ""))
	t.Cleanup(proxy.Close)
	t.Setenv("HTTPS_PROXY", proxy.URL)
	t.Setenv("HTTP_PROXY", proxy.URL)
	requireError(t, read(testBaseURL), "did not connect to the service: 407 Proxy Authentication Required.", advice)
	requireError(t, read("http://service.example"), "The service returned 407 Proxy Authentication Required", advice)
}

// Requests have the headers of the block and the environment.
func TestRequestHeaders(t *testing.T) {
	clearEnvironment(t)
	t.Setenv("TF_APPEND_USER_AGENT", " platform/1.0\n(run\x01 7) ")
	s := startService(t)
	configuredProvider(t, s, object{"headers": object{"X-Gateway-Key": "gateway-secret"}}).mustRead("convo_agents", object{})
	for header, want := range map[string]string{
		"Authorization": "Bearer " + devserver.TokenWrite,
		"X-Gateway-Key": "gateway-secret",
		"User-Agent":    "terraform-provider-convo/test terraform/1.11.4 platform/1.0 (run 7)",
		"Accept":        "application/json",
	} {
		if got := s.Requests()[0].Header.Get(header); got != want {
			t.Errorf("sent %s: %q, want %q", header, got, want)
		}
	}
}

// What makes a token readable for others is allowed, with a warning.
func TestValidArguments(t *testing.T) {
	t.Parallel()
	const unencrypted, unverified = "The token is sent unencrypted", "The service's certificate is not verified"
	for name, test := range map[string]struct {
		config object
		want   []string
	}{
		"host name":      {object{"base_url": "HTTP://service.example/api"}, []string{unencrypted}},
		"localhost":      {object{"base_url": "http://LocalHost:8080/api"}, nil},
		"loopback":       {object{"base_url": "http://127.0.0.1:8080/api"}, nil},
		"not verified":   {object{"insecure_skip_verify": true}, []string{unverified}},
		"trailing slash": {object{"base_url": testBaseURL + "/"}, nil},
		"minimum":        {object{"max_retries": number("0"), "max_concurrent_requests": number("1"), "max_requests_per_second": number("0.001"), "request_timeout": "1ms"}, nil},
		"maximum":        {object{"max_retries": number("20"), "max_concurrent_requests": number("256"), "max_requests_per_second": number("10000"), "request_timeout": "24h"}, nil},
		"a third":        {object{"max_requests_per_second": number("0.333333333333333333333333333333333333333")}, nil},
		"headers":        {object{"headers": object{"X-Gateway_Key": "a b", "Cookie": "a=b", "Proxy-Authorization": "Bearer a"}}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := object{"base_url": testBaseURL, "token": testToken}
			maps.Copy(config, test.config)
			diagnostics := newTestProvider(t).configure(config)
			requireNoErrors(t, diagnostics)
			var summaries []string
			for _, d := range diagnostics {
				summaries = append(summaries, d.Summary)
			}
			if diff := cmp.Diff(test.want, summaries); diff != "" {
				t.Errorf("unexpected warnings (-want +got):\n%s", diff)
			}
		})
	}
}

// An unknown value is never replaced by the environment, and only what has to
// send a request now fails, or is deferred where Terraform allows that.
func TestUnknownArguments(t *testing.T) {
	clearEnvironment(t)
	s := startService(t)
	t.Setenv("CONVO_BASE_URL", s.BaseURL)
	t.Setenv("CONVO_TOKEN", devserver.TokenWrite)
	configs := map[string]object{
		"headers":              {"headers": object{"X-A": "a", "X-B": unknown}},
		"base_url, token":      {"base_url": unknown, "token": unknown},
		"headers, max_retries": {"headers": unknown, "max_retries": unknown},
	}
	for _, argument := range newTestProvider(t).schema.Provider.Block.Attributes {
		if argument.Name != "headers" {
			configs[argument.Name] = object{argument.Name: unknown}
		}
	}
	for names, config := range configs {
		t.Run(names, func(t *testing.T) {
			p, deferring := newTestProvider(t), newTestProvider(t)
			deferring.defers = true
			requireNone(t, p.configure(config))
			requireNone(t, deferring.configure(config))
			requireNone(t, p.plan(sessionAgent, nil, object{"session_id": "ses_orders_open"}).Diagnostics)
			requireNone(t, deferring.validateData("convo_agents", object{}))
			for _, read := range []func(*testProvider, string, object) (object, []*tfprotov6.Diagnostic){(*testProvider).read, (*testProvider).open} {
				_, diagnostics := read(p, "convo_agents", object{})
				requireError(t, diagnostics, "The provider configuration is not known yet", "These provider arguments are not known yet: "+names+". ")
				state, diagnostics := read(deferring, "convo_agents", object{})
				requireNone(t, diagnostics)
				if state != nil || deferring.deferred == nil || deferring.deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
					t.Errorf("got the state %v and the deferral %v", state, deferring.deferred)
				}
			}
		})
	}
	if len(s.Requests()) > 0 {
		t.Errorf("sent %v", s.Sent())
	}
}

// Terraform may allow deferral, and the provider still reads what it can.
func TestKnownArgumentsAreNotDeferred(t *testing.T) {
	t.Parallel()
	p := configuredProvider(t, startService(t))
	p.defers = true
	if p.mustRead("convo_agents", object{}); p.deferred != nil {
		t.Errorf("got the deferral %v", p.deferred)
	}
}

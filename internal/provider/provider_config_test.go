// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

const (
	testBaseURL = "https://service.example/api"
	testToken   = "secret-token-7"
)

// Every value that is not valid is an error at its argument, which does not
// contain the value of a sensitive argument.
func TestInvalidArguments(t *testing.T) {
	t.Parallel()
	const (
		token    = "The value must not be empty, and must consist of visible ASCII characters. Remove whitespace and invisible characters, such as the line break at the end of a file, for example with trimspace(file(...)). Also remove the word Bearer, which the provider adds."
		duration = "The value must be a duration from 1ms to 24h with a unit, such as 30s or 1m30s."
		header   = "The value must not be empty, begin or end with whitespace, or contain control characters."
		reserved = `value must be none of: ["Authorization" "Accept" "Accept-Encoding" "Content-Length" "Content-Type" "Host" "Transfer-Encoding" "User-Agent" "Connection" "Expect" "Keep-Alive" "Proxy-Connection" "TE" "Trailer" "Upgrade"], got: `
	)
	tests := map[string]struct {
		argument string
		value    any
		want     string
	}{
		"base URL without a scheme":   {"base_url", "service.example/api", "The value must be an absolute https or http URL, such as https://agents.example/api."},
		"base URL with a password":    {"base_url", "https://user:hunter22@service.example", "The value must not contain user information, a query, or a fragment."},
		"base URL with the version":   {"base_url", "https://service.example/api/v1/", "The value must not end in /v1, because the provider appends it. Remove /v1 from the end."},
		"token empty":                 {"token", "", token},
		"token with a line break":     {"token", "hunter22\n", token},
		"token with its scheme":       {"token", "Bearer hunter22", token},
		"token after a mark":          {"token", "\uFEFFhunter22", token},
		"timeout empty":               {"request_timeout", "", duration},
		"timeout without a unit":      {"request_timeout", "30", duration},
		"timeout too short":           {"request_timeout", "999us", duration},
		"timeout too long":            {"request_timeout", "24h1ns", duration},
		"retries below the range":     {"max_retries", number("-1"), "Attribute max_retries value must be between 0 and 20, got: -1"},
		"retries above the range":     {"max_retries", number("21"), "Attribute max_retries value must be between 0 and 20, got: 21"},
		"concurrency below the range": {"max_concurrent_requests", number("0"), "Attribute max_concurrent_requests value must be between 1 and 256, got: 0"},
		"concurrency above the range": {"max_concurrent_requests", number("257"), "Attribute max_concurrent_requests value must be between 1 and 256, got: 257"},
		"rate below the range":        {"max_requests_per_second", number("0.0009"), "Attribute max_requests_per_second value must be between 0.001000 and 10000.000000, got: 0.000900"},
		"rate above the range":        {"max_requests_per_second", number("10001"), "Attribute max_requests_per_second value must be between 0.001000 and 10000.000000, got: 10001.000000"},
		"header of the token":         {"headers", object{"authorization": "hunter22"}, `Attribute headers["authorization"] ` + reserved + `"authorization"`},
		"header of a connection":      {"headers", object{"Trailer": "hunter22"}, `Attribute headers["Trailer"] ` + reserved + `"Trailer"`},
		"header with a colon":         {"headers", object{"X-A:": "hunter22"}, `Attribute headers["X-A:"] must consist of letters, digits, hyphens, and underscores, got: X-A:`},
		"header null":                 {"headers", object{"X-A": nil}, "This attribute contains a null value."},
		"header empty":                {"headers", object{"X-A": ""}, header},
		"header after a space":        {"headers", object{"X-A": " hunter22"}, header},
		"header with a line break":    {"headers", object{"X-A": "hunter22\r\nX-B: c"}, header},
		"period parameter empty":      {"stats_period_parameter", "", "Attribute stats_period_parameter string length must be at least 1, got: 0"},
		"agent parameter empty":       {"session_agent_parameter", "", "Attribute session_agent_parameter string length must be at least 1, got: 0"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := object{"base_url": testBaseURL, "token": testToken}
			config[test.argument] = test.value
			d := requireError(t, newTestProvider(t).validateProvider(config), `[AttributeName("`+test.argument+`")`)
			if d.Detail != test.want {
				t.Errorf("got %q, want %q", d.Detail, test.want)
			}
			if strings.Contains(describe(d), "hunter22") {
				t.Errorf("the error contains the value:\n%s", describe(d))
			}
		})
	}
}

func TestValidArguments(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]object{
		"trailing slash": {"base_url": testBaseURL + "/"},
		"version inside": {"base_url": "https://service.example/v1/api"},
		"minimum":        {"max_retries": number("0"), "max_concurrent_requests": number("1"), "max_requests_per_second": number("0.001"), "request_timeout": "1ms"},
		"maximum":        {"max_retries": number("20"), "max_concurrent_requests": number("256"), "max_requests_per_second": number("10000"), "request_timeout": "24h"},
		"headers":        {"headers": object{"X-Gateway_Key": "a b", "Cookie": "a=b", "Proxy-Authorization": "Bearer a"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for argument, value := range (object{"base_url": testBaseURL, "token": testToken}) {
				if _, ok := config[argument]; !ok {
					config[argument] = value
				}
			}
			requireExactly(t, newTestProvider(t).configure(config))
		})
	}
}

// clearEnvironment keeps the settings of whoever runs the tests out of them.
// Tests that call it cannot run in parallel.
func clearEnvironment(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"CONVO_BASE_URL", "CONVO_TOKEN", "CONVO_REQUEST_TIMEOUT", "CONVO_MAX_RETRIES", "CONVO_MAX_CONCURRENT_REQUESTS",
		"TF_APPEND_USER_AGENT", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy",
	} {
		t.Setenv(name, "")
	}
}

// The environment is validated like the block, which takes precedence.
func TestInvalidEnvironment(t *testing.T) {
	invalid := func(variable, problem string) string {
		return "[] Invalid value for " + variable + "\nThe value of the environment variable " + variable + " " + problem + "."
	}
	const (
		missingBaseURL = `[AttributeName("base_url")] Missing base_url` + "\n" +
			"Set the base_url argument in the provider block, or set the environment variable CONVO_BASE_URL, which is unset or empty."
		missingToken = `[AttributeName("token")] Missing token` + "\n" +
			"Set the token argument in the provider block, or set the environment variable CONVO_TOKEN, which is unset or empty."
	)
	both := object{"base_url": testBaseURL, "token": testToken}
	tests := map[string]struct {
		environment map[string]string
		config      object
		want        []string
	}{
		"block":                  {nil, both, nil},
		"environment":            {map[string]string{"CONVO_BASE_URL": testBaseURL, "CONVO_TOKEN": testToken}, object{}, nil},
		"block and environment":  {map[string]string{"CONVO_TOKEN": testToken}, object{"base_url": testBaseURL}, nil},
		"overridden environment": {map[string]string{"CONVO_BASE_URL": "invalid", "CONVO_TOKEN": "in valid"}, both, nil},
		"neither":                {nil, object{}, []string{missingBaseURL, missingToken}},
		"base_url":               {map[string]string{"CONVO_BASE_URL": "service.example"}, object{"token": testToken}, []string{invalid("CONVO_BASE_URL", "must be an absolute https or http URL, such as https://agents.example/api")}},
		"token": {map[string]string{"CONVO_TOKEN": testToken + "\n"}, object{"base_url": testBaseURL},
			[]string{invalid("CONVO_TOKEN", "must not be empty, and must consist of visible ASCII characters. Remove whitespace and invisible characters, such as the line break at the end of a file, for example with trimspace(file(...)). Also remove the word Bearer, which the provider adds")}},
		"timeout": {map[string]string{"CONVO_REQUEST_TIMEOUT": "30"}, both, []string{invalid("CONVO_REQUEST_TIMEOUT", "must be a duration from 1ms to 24h with a unit, such as 30s or 1m30s")}},
		"base URL with the version": {map[string]string{"CONVO_BASE_URL": "https://service.example/v1"}, object{"token": testToken},
			[]string{invalid("CONVO_BASE_URL", "must not end in /v1, because the provider appends it. Remove /v1 from the end")}},
		"too many retries": {map[string]string{"CONVO_MAX_RETRIES": "21"}, both, []string{invalid("CONVO_MAX_RETRIES", "must be a whole number from 0 to 20")}},
		"hexadecimal":      {map[string]string{"CONVO_MAX_RETRIES": "0x1"}, both, []string{invalid("CONVO_MAX_RETRIES", "must be a whole number from 0 to 20")}},
		"retries":          {map[string]string{"CONVO_MAX_RETRIES": "many"}, both, []string{invalid("CONVO_MAX_RETRIES", "must be a whole number from 0 to 20")}},
		"concurrency":      {map[string]string{"CONVO_MAX_CONCURRENT_REQUESTS": "0"}, both, []string{invalid("CONVO_MAX_CONCURRENT_REQUESTS", "must be a whole number from 1 to 256")}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			clearEnvironment(t)
			for variable, value := range test.environment {
				t.Setenv(variable, value)
			}
			diagnostics := newTestProvider(t).configure(test.config)
			requireExactly(t, diagnostics, test.want...)
			if len(errorsIn(diagnostics)) != len(test.want) {
				t.Error("a diagnostic is not an error")
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
	required := providerModel{BaseURL: types.StringValue(testBaseURL), Token: types.StringValue(testToken)}
	check(required, convo.Config{BaseURL: testBaseURL, Token: testToken, MaxRetries: 4})
	for name, value := range map[string]string{
		"CONVO_BASE_URL": "https://other.example", "CONVO_TOKEN": "other", "CONVO_REQUEST_TIMEOUT": "1m30s", "CONVO_MAX_RETRIES": "20",
		"CONVO_MAX_CONCURRENT_REQUESTS": "256",
	} {
		t.Setenv(name, value)
	}
	check(providerModel{}, convo.Config{
		BaseURL: "https://other.example", Token: "other", RequestTimeout: 90 * time.Second, MaxRetries: 20, MaxConcurrentRequests: 256,
	})
	check(providerModel{
		BaseURL: required.BaseURL, Token: required.Token, RequestTimeout: types.StringValue("1s"), MaxRetries: types.Int64Value(0),
		MaxConcurrentRequests: types.Int64Value(1), MaxRequestsPerSecond: types.Float64Value(12.25), Headers: map[string]string{"X-A": "a"},
		StatsPeriodParameter: types.StringValue("span"), SessionAgentParameter: types.StringValue("agent"),
	}, convo.Config{
		BaseURL: testBaseURL, Token: testToken, RequestTimeout: time.Second, MaxConcurrentRequests: 1, MaxRequestsPerSecond: 12.25,
		Headers: map[string]string{"X-A": "a"}, StatsPeriodParameter: "span", SessionAgentParameter: "agent",
	})
}

// By default, a read survives four temporary faults in a row.
func TestDefaultRetries(t *testing.T) {
	clearEnvironment(t)
	s := startService(t, withFault(firstFaults(4, devserver.ErrorHandler(http.StatusServiceUnavailable))))
	configuredProvider(t, s, object{"max_retries": nil}).mustRead("convo_members", object{"workspace_id": "larkspur"})
	if got := len(s.Requests()); got != 5 {
		t.Errorf("sent %d requests, want 5", got)
	}
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
func TestConfigurationWarnings(t *testing.T) {
	t.Parallel()
	const (
		unencrypted = `[AttributeName("base_url")] The token is sent unencrypted` + "\nThe base URL begins with http://, so anyone between the " +
			"provider and the service can read the token. Use https:// unless you trust the network in between."
		unverified = `[AttributeName("insecure_skip_verify")] The server certificate is not verified` + "\nAnyone between the provider and the " +
			"service can read the token and change the responses. Remove insecure_skip_verify, and set ca_certificate_pem if a private CA " +
			"signed the server certificate."
	)
	for name, test := range map[string]struct {
		config object
		want   []string
	}{
		"host name":     {object{"base_url": "HTTP://service.example/api"}, []string{unencrypted}},
		"IP address":    {object{"base_url": "http://10.0.0.1/api"}, []string{unencrypted}},
		"localhost":     {object{"base_url": "http://LocalHost:8080/api"}, nil},
		"loopback":      {object{"base_url": "http://127.0.0.1:8080/api"}, nil},
		"IPv6 loopback": {object{"base_url": "http://[::1]:8080/api"}, nil},
		"not verified":  {object{"base_url": testBaseURL, "insecure_skip_verify": true}, []string{unverified}},
		"verified":      {object{"base_url": testBaseURL, "insecure_skip_verify": false}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.config["token"] = testToken
			diagnostics := newTestProvider(t).configure(test.config)
			requireNoErrors(t, diagnostics)
			requireExactly(t, diagnostics, test.want...)
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
			p := newTestProvider(t)
			requireExactly(t, p.configure(config))
			_, diagnostics := p.read("convo_agents", object{})
			requireExactly(t, diagnostics, "[] Unable to read agents\nThese provider arguments are not known yet: "+names+". They depend on "+
				"resources that have not been applied. Apply those resources first, for example with -target, or set the arguments from "+
				"input variables or environment variables.")
			p.plan(nil, object{"session_id": "ses_orders_open"})

			deferring := newTestProvider(t)
			requireExactly(t, deferring.configureDeferring(config))
			deferred := readDeferring(deferring)
			requireExactly(t, deferred.Diagnostics)
			if deferred.Deferred == nil || deferred.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
				t.Errorf("got the deferral %v", deferred.Deferred)
			}
			state, err := deferred.State.Unmarshal(deferring.schema.DataSourceSchemas["convo_agents"].ValueType())
			if err != nil || state.IsKnown() {
				t.Errorf("a deferred read returned a known state (%v)", err)
			}
		})
	}
	if len(s.Requests()) > 0 {
		t.Errorf("sent %v", s.paths())
	}
}

// Terraform may allow deferral, and the provider still reads what it can.
func TestKnownArgumentsAreNotDeferred(t *testing.T) {
	t.Parallel()
	resp := readDeferring(configuredProvider(t, startService(t)))
	requireExactly(t, resp.Diagnostics)
	if resp.Deferred != nil {
		t.Errorf("got the deferral %v", resp.Deferred)
	}
}

// readDeferring reads the agents for a Terraform that allows deferral.
func readDeferring(p *testProvider) *tfprotov6.ReadDataSourceResponse {
	return rpc(p, p.server.ReadDataSource, &tfprotov6.ReadDataSourceRequest{
		TypeName: "convo_agents", Config: p.toDynamic(p.schema.DataSourceSchemas["convo_agents"].ValueType(), object{}),
		ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: true},
	})
}

// Nothing can be read before the provider is configured.
func TestNotConfigured(t *testing.T) {
	t.Parallel()
	_, diagnostics := newTestProvider(t).read("convo_agents", object{})
	requireExactly(t, diagnostics, "[] Unable to read agents\nThe provider is not configured.")

	var diags diag.Diagnostics
	if configuredData(nil, &diags) != nil || diags.HasError() {
		t.Errorf("got %v without data", diags)
	}
	configuredData("text", &diags)
	if len(diags) != 1 || diags[0].Detail() != "Expected *providerData, got string. Report this to the provider's maintainers." {
		t.Errorf("got %v for data of another type", diags)
	}
}

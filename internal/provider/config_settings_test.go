// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// clearEnvironment keeps the settings of whoever runs the tests out of them.
// Tests that call it cannot run in parallel.
func clearEnvironment(t *testing.T) {
	t.Helper()
	for _, name := range []string{
		"CONVO_BASE_URL", "CONVO_TOKEN", "CONVO_REQUEST_TIMEOUT", "CONVO_MAX_RETRIES", "CONVO_MAX_CONCURRENT_REQUESTS",
	} {
		t.Setenv(name, "")
	}
}

// Configuration wins over environment, environment over default; what is
// wrong is reported at its attribute; what is not known yet is no error.
func TestConfigurationAndEnvironment(t *testing.T) {
	const (
		address = "https://service.example/api"
		token   = "secret-token-7"
	)
	one, other := newAuthority(t), newAuthority(t)
	tests := map[string]struct {
		environment map[string]string
		config      object
		// want are texts of the one error; none means that there is no error.
		want []string
	}{
		"both in the block":            {nil, object{"base_url": address, "token": token}, nil},
		"both in the environment":      {map[string]string{"CONVO_BASE_URL": address, "CONVO_TOKEN": token}, object{}, nil},
		"one in each":                  {map[string]string{"CONVO_TOKEN": token}, object{"base_url": address}, nil},
		"the block wins over nonsense": {map[string]string{"CONVO_BASE_URL": "nonsense"}, object{"base_url": address, "token": token}, nil},
		"one trailing slash":           {nil, object{"base_url": address + "/", "token": token}, nil},
		"no base_url":                  {nil, object{"token": token}, []string{"base_url", "Missing base_url", "CONVO_BASE_URL"}},
		"no token":                     {nil, object{"base_url": address}, []string{"token", "Missing token", "CONVO_TOKEN"}},
		"nonsense in the environment":  {map[string]string{"CONVO_BASE_URL": "nonsense"}, object{"token": token}, []string{"base_url", "CONVO_BASE_URL must begin with https://"}},
		"a line break after the token": {map[string]string{"CONVO_TOKEN": token + "\n"}, object{"base_url": address}, []string{"token", "CONVO_TOKEN must not begin or end with white space"}},
		"a wrong timeout":              {map[string]string{"CONVO_REQUEST_TIMEOUT": "30"}, object{"base_url": address, "token": token}, []string{"request_timeout", "CONVO_REQUEST_TIMEOUT must be a duration"}},
		"a wrong number of retries":    {map[string]string{"CONVO_MAX_RETRIES": "many"}, object{"base_url": address, "token": token}, []string{"max_retries", "CONVO_MAX_RETRIES must be a whole number from 0 to 20"}},
		"a wrong number of requests":   {map[string]string{"CONVO_MAX_CONCURRENT_REQUESTS": "0"}, object{"base_url": address, "token": token}, []string{"max_concurrent_requests", "must be a whole number from 1 to 256"}},
		"base_url not known":           {nil, object{"base_url": unknown, "token": token}, nil},
		"token not known":              {nil, object{"base_url": address, "token": unknown}, nil},
		"all not known":                {nil, object{"base_url": unknown, "token": unknown, "max_retries": unknown, "headers": unknown, "insecure_skip_verify": unknown}, nil},
		"an unknown header":            {nil, object{"base_url": address, "token": token, "headers": object{"X-A": unknown}}, nil},
		"a key that is not the cert's": {nil, object{"base_url": address, "token": token, "client_certificate_pem": one.certificatePEM, "client_key_pem": other.keyPEM}, []string{"client_key_pem", "does not belong"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			clearEnvironment(t)
			for variable, value := range test.environment {
				t.Setenv(variable, value)
			}
			diagnostics := newProtocol(t).configure(test.config)
			if test.want == nil {
				if len(diagnostics) > 0 {
					t.Fatalf("unexpected diagnostic: %s", describe(diagnostics[0]))
				}
				return
			}
			d := requireError(t, diagnostics, test.want...)
			if strings.Contains(describe(d), token) {
				t.Errorf("the error has the token:\n%s", describe(d))
			}
		})
	}
}

// Both missing are reported at once, each at its attribute.
func TestMissingConfiguration(t *testing.T) {
	clearEnvironment(t)
	var got []string
	for _, d := range newProtocol(t).configure(object{}) {
		got = append(got, d.Attribute.String()+" "+d.Summary)
	}
	want := []string{`AttributeName("base_url") Missing base_url`, `AttributeName("token") Missing token`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("unexpected diagnostics (-want +got):\n%s", diff)
	}
}

func TestConfigurationIsValidated(t *testing.T) {
	t.Parallel()
	p := newProtocol(t)
	pair := newAuthority(t)
	tests := map[string]struct {
		attribute string
		value     any
		want      string
	}{
		"base_url with space":      {"base_url", "https://service.example/api ", "white space"},
		"base_url with port":       {"base_url", "https://service.example:99999/api", "port from 1 to 65535"},
		"base_url of host, port":   {"base_url", "127.0.0.1:8080/api", "must begin with https://"},
		"token with its scheme":    {"token", "Bearer hunter22", "must be the token alone"},
		"header in two spellings":  {"headers", object{"X-A": "hunter22", "x-a": "hunter23"}, "The header X-A is named more than once"},
		"base_url empty":           {"base_url", "", "must begin with https://"},
		"base_url without scheme":  {"base_url", "service.example/api", "must begin with https://"},
		"base_url of another kind": {"base_url", "ftp://service.example", "must begin with https://"},
		"base_url without host":    {"base_url", "https:///api", "must name a host"},
		"base_url with user":       {"base_url", "https://user:hunter22@service.example/api", "user information"},
		"base_url with query":      {"base_url", "https://service.example/api?a=b", "query"},
		"base_url with fragment":   {"base_url", "https://service.example/api#a", "fragment"},
		"base_url with slashes":    {"base_url", "https://service.example/api//", "at most one slash"},
		"base_url broken":          {"base_url", "https://service example/%zz", "is not a URL"},
		"token empty":              {"token", "", "must not be empty"},
		"token with space":         {"token", " hunter22", "white space"},
		"token with line break":    {"token", "hunter22\n", "white space"},
		"token with control":       {"token", "hunter\x0022", "control characters"},
		"timeout empty":            {"request_timeout", "", "must be a duration"},
		"timeout without unit":     {"request_timeout", "30", "must be a duration"},
		"timeout of zero":          {"request_timeout", "0s", "must be a duration above zero"},
		"retries below":            {"max_retries", number("-1"), "between 0 and 20"},
		"retries above":            {"max_retries", number("21"), "between 0 and 20"},
		"requests of zero":         {"max_concurrent_requests", number("0"), "between 1 and 256"},
		"header Authorization":     {"headers", object{"authorization": "hunter22"}, "must not be Authorization"},
		"header of the client":     {"headers", object{"User-Agent": "hunter22"}, "sets it itself"},
		"header without name":      {"headers", object{"": "hunter22"}, "must be the name of a header"},
		"header with a colon":      {"headers", object{"X:": "hunter22"}, "must be the name of a header"},
		"header empty":             {"headers", object{"X-A": ""}, "must not be empty"},
		"header with line break":   {"headers", object{"X-A": "hunter22\r\nX-B: c"}, "control characters"},
		"header null":              {"headers", object{"X-A": nil}, "null"},
		"ca empty":                 {"ca_certificate_pem", "", "must be one or more certificates in PEM"},
		"ca no PEM":                {"ca_certificate_pem", "hunter22", "must be one or more certificates in PEM"},
		"ca a broken certificate":  {"ca_certificate_pem", "-----BEGIN CERTIFICATE-----\naGk=\n-----END CERTIFICATE-----\n", "not a certificate"},
		"certificate without key":  {"client_certificate_pem", pair.certificatePEM, "client_key_pem"},
		"key without certificate":  {"client_key_pem", pair.keyPEM, "client_certificate_pem"},
		"period parameter empty":   {"stats_period_parameter", "", "must not be empty"},
		"agent parameter empty":    {"session_agent_parameter", "", "must not be empty"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := requireError(t, p.validateProvider(object{test.attribute: test.value}), test.want)
			if !strings.HasPrefix(d.Attribute.String(), `AttributeName("`+test.attribute+`")`) {
				t.Errorf("the error is at %s", d.Attribute)
			}
			if strings.Contains(describe(d), "hunter22") {
				t.Errorf("the error has the value:\n%s", describe(d))
			}
		})
	}
	requireNoErrors(t, p.validateProvider(object{}))
	requireNoErrors(t, p.validateProvider(object{
		"base_url": unknown, "token": unknown, "request_timeout": unknown, "max_retries": unknown, "headers": object{"X-A": unknown},
	}))
}

// Valid values of the environment are used: what they limit shows.
func TestEnvironmentIsUsed(t *testing.T) {
	clearEnvironment(t)
	f := &flaky{}
	s := startServiceWithin(t, f.count, devserver.WithFault(func(r *http.Request) http.Handler {
		switch r.URL.Path {
		case "/v1/agents":
			return devserver.ErrorHandler(http.StatusServiceUnavailable)
		case "/v1/agents/slow":
			return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		}
		return nil
	}))
	for name, value := range map[string]string{
		"CONVO_BASE_URL": s.BaseURL, "CONVO_TOKEN": devserver.TokenWrite,
		"CONVO_MAX_RETRIES": "2", "CONVO_MAX_CONCURRENT_REQUESTS": "3", "CONVO_REQUEST_TIMEOUT": "100ms",
	} {
		t.Setenv(name, value)
	}
	p := newProtocol(t)
	requireNoErrors(t, p.configure(object{}))

	_, diagnostics := p.read("convo_agents", object{})
	requireError(t, diagnostics, "503", "(3 attempts)")
	_, diagnostics = p.read("convo_agent", object{"agent_id": "slow"})
	requireError(t, diagnostics, "no complete answer within 100ms")
	if got := p.server.(*server).provider.connection.client.MaxConcurrentRequests(); got != 3 {
		t.Errorf("%d requests may be in flight", got)
	}

	// An unknown header is as unknown as the whole map.
	requireNoErrors(t, p.configure(object{"headers": object{"X-A": unknown}}))
	_, diagnostics = p.read("convo_agents", object{})
	requireError(t, diagnostics, "headers", "not known yet")
}

// Without a network the token would be safe, and without TLS it is not.
func TestPlainHTTPWarning(t *testing.T) {
	t.Parallel()
	for address, warned := range map[string]bool{
		"http://service.example/api":  true,
		"http://10.0.0.1/api":         true,
		"https://service.example/api": false,
		"http://localhost:8080/api":   false,
		"http://127.0.0.1:8080/api":   false,
		"http://[::1]:8080/api":       false,
	} {
		t.Run(address, func(t *testing.T) {
			t.Parallel()
			diagnostics := newProtocol(t).configure(object{"base_url": address, "token": "t"})
			requireNoErrors(t, diagnostics)
			if got := len(warningsIn(diagnostics)) == 1; got != warned {
				t.Errorf("got %d warnings", len(warningsIn(diagnostics)))
			}
		})
	}
}

// What is not known yet never falls back to the environment, and only what
// has to reach the service fails.
func TestUnknownConfiguration(t *testing.T) {
	clearEnvironment(t)
	s := startService(t)
	t.Setenv("CONVO_BASE_URL", s.BaseURL)
	t.Setenv("CONVO_TOKEN", devserver.TokenWrite)
	p := newProtocol(t)
	requireNoErrors(t, p.configure(object{"base_url": unknown, "token": unknown}))

	_, diagnostics := p.read("convo_agents", object{})
	requireError(t, diagnostics, "Unable to read agents", "base_url, token", "not known yet", "Apply that first")

	schema := p.schema.ResourceSchemas[sessionAgent].ValueType()
	config := object{"session_id": "ses_orders_open"}
	plan, err := p.server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
		TypeName: sessionAgent, PriorState: p.dynamic(schema, nil),
		ProposedNewState: p.dynamic(schema, config), Config: p.dynamic(schema, config),
	})
	if err != nil {
		t.Fatal(err)
	}
	requireNoErrors(t, plan.Diagnostics)

	typ := p.schema.DataSourceSchemas["convo_agents"].ValueType()
	deferred, err := p.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
		TypeName: "convo_agents", Config: p.dynamic(typ, object{}),
		ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	requireNoErrors(t, deferred.Diagnostics)
	if deferred.Deferred == nil || deferred.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
		t.Errorf("got the deferral %v", deferred.Deferred)
	}
	if len(s.Requests()) > 0 {
		t.Errorf("sent %v", s.paths())
	}
}

// Settings reach the wire.
func TestSettingsAreUsed(t *testing.T) {
	t.Parallel()
	s := startService(t, devserver.WithStatsPeriodParameter("span"))
	p := configured(t, s, object{"stats_period_parameter": "span", "headers": object{"X-Gateway-Key": "gateway-secret"}})
	state := p.mustRead("convo_agent_stats", object{"agent_id": "agt_returns", "period": "today"})
	if state["total_views"] != number("7") {
		t.Errorf("got %v", state)
	}
	request := s.Requests()[0]
	for header, want := range map[string]string{
		"Authorization": "Bearer " + devserver.TokenWrite,
		"X-Gateway-Key": "gateway-secret",
		"User-Agent":    "terraform-provider-convo/test terraform/1.11.4",
		"Accept":        "application/json",
	} {
		if got := request.Header.Get(header); got != want {
			t.Errorf("sent %s: %q, want %q", header, got, want)
		}
	}
}

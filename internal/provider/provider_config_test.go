// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"net/http"
	"reflect"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/devserver"
)

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

// The block takes precedence over the environment, and that over the default.
// What is wrong is reported at its attribute; what is unknown is no error.
func TestConfigurationAndEnvironment(t *testing.T) {
	const (
		baseURL = "https://service.example/api"
		token   = "secret-token-7"
	)
	wrong := func(attribute, variable, text string) string {
		return `[AttributeName("` + attribute + `")] Invalid value for ` + attribute + "\nThe value of the environment variable " + variable + " " + text + "."
	}
	missing := func(attribute, variable string) string {
		return `[AttributeName("` + attribute + `")] Missing ` + attribute + "\nThe provider cannot send requests without this value. Set the " +
			attribute + " argument in the provider block, or set the environment variable " + variable + ", which is unset or empty."
	}
	both := object{"base_url": baseURL, "token": token}
	tests := map[string]struct {
		environment map[string]string
		config      object
		want        []string
	}{
		"both in the block":                 {nil, both, nil},
		"both in the environment":           {map[string]string{"CONVO_BASE_URL": baseURL, "CONVO_TOKEN": token}, object{}, nil},
		"one in each":                       {map[string]string{"CONVO_TOKEN": token}, object{"base_url": baseURL}, nil},
		"nonsense that the block overrides": {map[string]string{"CONVO_BASE_URL": "nonsense"}, both, nil},
		"nonsense that is overridden later": {map[string]string{"CONVO_BASE_URL": "nonsense"}, object{"base_url": unknown, "token": token}, nil},
		"one trailing slash":                {nil, object{"base_url": baseURL + "/", "token": token}, nil},
		"neither":                           {nil, object{}, []string{missing("base_url", "CONVO_BASE_URL"), missing("token", "CONVO_TOKEN")}},
		"no base_url":                       {nil, object{"token": token}, []string{missing("base_url", "CONVO_BASE_URL")}},
		"no token":                          {nil, object{"base_url": baseURL}, []string{missing("token", "CONVO_TOKEN")}},
		"a line break after the token": {map[string]string{"CONVO_TOKEN": token + "\n"}, object{"base_url": baseURL},
			[]string{wrong("token", "CONVO_TOKEN", "must not begin or end with whitespace, such as the line break at the end of a file. In a configuration, use trimspace(file(...)) to remove it")}},
		"a timeout without unit": {map[string]string{"CONVO_REQUEST_TIMEOUT": "30"}, both,
			[]string{wrong("request_timeout", "CONVO_REQUEST_TIMEOUT", "must be a duration from 1ms to 24h with a unit, such as 30s or 1m30s")}},
		"retries in words": {map[string]string{"CONVO_MAX_RETRIES": "many"}, both,
			[]string{wrong("max_retries", "CONVO_MAX_RETRIES", "must be a whole number from 0 to 20")}},
		"no requests at once": {map[string]string{"CONVO_MAX_CONCURRENT_REQUESTS": "0"}, both,
			[]string{wrong("max_concurrent_requests", "CONVO_MAX_CONCURRENT_REQUESTS", "must be a whole number from 1 to 256")}},
		"an infinite rate": {map[string]string{"CONVO_MAX_REQUESTS_PER_SECOND": "inf"}, both,
			[]string{wrong("max_requests_per_second", "CONVO_MAX_REQUESTS_PER_SECOND", "must be a number from 0.001 to 10000, such as 10 or 0.5")}},
		"a rate that is no number": {map[string]string{"CONVO_MAX_REQUESTS_PER_SECOND": "nan"}, both,
			[]string{wrong("max_requests_per_second", "CONVO_MAX_REQUESTS_PER_SECOND", "must be a number from 0.001 to 10000, such as 10 or 0.5")}},
		"a rate with its unit": {map[string]string{"CONVO_MAX_REQUESTS_PER_SECOND": "5/s"}, both,
			[]string{wrong("max_requests_per_second", "CONVO_MAX_REQUESTS_PER_SECOND", "must be a number from 0.001 to 10000, such as 10 or 0.5")}},
		"a proxy that is no URL": {map[string]string{"HTTPS_PROXY": "http://me:hunter22@[::1"}, both,
			[]string{"[] Unable to configure the provider\nThe configuration is invalid: the value of the environment variable HTTPS_PROXY must be the URL of a proxy, such as http://proxy.example:3128."}},
		"a proxy that the host does not use": {map[string]string{"HTTPS_PROXY": "gopher://a", "NO_PROXY": "service.example"}, both, nil},
		"a user agent of two lines": {map[string]string{"TF_APPEND_USER_AGENT": "a\nb"}, both,
			[]string{"[] Invalid value for TF_APPEND_USER_AGENT\nThe value of the environment variable TF_APPEND_USER_AGENT must not contain control characters."}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			clearEnvironment(t)
			for variable, value := range test.environment {
				t.Setenv(variable, value)
			}
			diagnostics := newTestProvider(t).configure(test.config)
			requireExactly(t, diagnostics, test.want...)
			for _, d := range diagnostics {
				if d.Severity != tfprotov6.DiagnosticSeverityError {
					t.Errorf("no error: %s", describe(d))
				}
			}
		})
	}
}

// Errors name where the base URL and the token come from.
func TestSourcesOfTheConnection(t *testing.T) {
	clearEnvironment(t)
	sources := func(config object) string {
		p := newTestProvider(t)
		requireNoErrors(t, p.configure(config))
		c := p.server.(*server).provider.data
		return c.baseURLSource + ", " + c.tokenSource
	}
	t.Setenv("CONVO_BASE_URL", "https://service.example/api")
	t.Setenv("CONVO_TOKEN", "t")
	for want, config := range map[string]object{
		"the environment variable CONVO_BASE_URL, the environment variable CONVO_TOKEN": {},
		"the provider block, the environment variable CONVO_TOKEN":                      {"base_url": "https://other.example/api"},
		"the environment variable CONVO_BASE_URL, the provider block":                   {"token": "u"},
	} {
		if got := sources(config); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Valid values of the environment are used: what they limit shows.
func TestEnvironmentIsUsed(t *testing.T) {
	clearEnvironment(t)
	s := startService(t, devserver.WithFault(func(r *http.Request) http.Handler {
		switch r.URL.Path {
		case "/v1/agents":
			return devserver.ErrorHandler(http.StatusServiceUnavailable)
		case "/v1/agents/slow":
			return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		}
		return nil
	}))
	for name, value := range map[string]string{
		"CONVO_BASE_URL": s.BaseURL, "CONVO_TOKEN": devserver.TokenWrite, "CONVO_MAX_RETRIES": "2", "CONVO_MAX_CONCURRENT_REQUESTS": "3",
	} {
		t.Setenv(name, value)
	}
	p := newTestProvider(t)
	requireNoErrors(t, p.configure(object{}))
	_, diagnostics := p.read("convo_agents", object{})
	requireError(t, diagnostics, "503", "3 attempts")
	if got := p.server.(*server).provider.data.client.MaxConcurrentRequests(); got != 3 {
		t.Errorf("%d requests may be in flight", got)
	}

	// Only here, because a busy machine may take longer for a response.
	t.Setenv("CONVO_REQUEST_TIMEOUT", "100ms")
	requireNoErrors(t, p.configure(object{}))
	_, diagnostics = p.read("convo_agent", object{"agent_id": "slow"})
	requireError(t, diagnostics, "within 100ms")
}

// An unknown value never falls back to the environment, and only what has to
// send a request now fails, or is deferred where Terraform allows that.
func TestUnknownConfiguration(t *testing.T) {
	clearEnvironment(t)
	s := startService(t)
	t.Setenv("CONVO_BASE_URL", s.BaseURL)
	t.Setenv("CONVO_TOKEN", devserver.TokenWrite)
	for names, config := range map[string]object{
		"base_url, token":         {"base_url": unknown, "token": unknown},
		"base_url":                {"base_url": unknown},
		"token":                   {"token": unknown},
		"request_timeout":         {"request_timeout": unknown},
		"max_retries":             {"max_retries": unknown},
		"max_concurrent_requests": {"max_concurrent_requests": unknown},
		"max_requests_per_second": {"max_requests_per_second": unknown},
		"headers":                 {"headers": object{"X-A": "a", "X-B": unknown, "X-C": "c"}},
		"ca_certificate_pem":      {"ca_certificate_pem": unknown},
		"headers, max_retries":    {"headers": unknown, "max_retries": unknown},
		"client_certificate_pem":  {"client_certificate_pem": unknown},
		"client_key_pem":          {"client_key_pem": unknown},
		"insecure_skip_verify":    {"insecure_skip_verify": unknown},
		"stats_period_parameter":  {"stats_period_parameter": unknown},
		"session_agent_parameter": {"session_agent_parameter": unknown},
	} {
		t.Run(names, func(t *testing.T) {
			p := newTestProvider(t)
			requireExactly(t, p.configure(config))
			_, diagnostics := p.read("convo_agents", object{})
			requireExactly(t, diagnostics, "[] Unable to read agents\nThese provider arguments are not known yet: "+names+". They depend on "+
				"resources that have not been applied. Apply those resources first, for example with -target, or set the arguments from "+
				"input variables or environment variables.")

			deferring := newTestProvider(t)
			requireExactly(t, deferring.configureDeferring(config))
			typ := deferring.schema.DataSourceSchemas["convo_agents"].ValueType()
			deferred := rpc(deferring, deferring.server.ReadDataSource, &tfprotov6.ReadDataSourceRequest{
				TypeName: "convo_agents", Config: deferring.toDynamic(typ, object{}),
				ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: true},
			})
			requireExactly(t, deferred.Diagnostics)
			if deferred.Deferred == nil || deferred.Deferred.Reason != tfprotov6.DeferredReasonProviderConfigUnknown {
				t.Errorf("got the deferral %v", deferred.Deferred)
			}
			if state, err := deferred.State.Unmarshal(typ); err != nil || state.IsKnown() {
				t.Errorf("a deferred read returned a known state (%v)", err)
			}

			schema := p.schema.ResourceSchemas[sessionAgent].ValueType()
			session := object{"session_id": "ses_orders_open"}
			plan, err := p.server.PlanResourceChange(t.Context(), &tfprotov6.PlanResourceChangeRequest{
				TypeName: sessionAgent, PriorState: p.toDynamic(schema, nil),
				ProposedNewState: p.toDynamic(schema, session), Config: p.toDynamic(schema, session),
			})
			if err != nil {
				t.Fatal(err)
			}
			requireExactly(t, plan.Diagnostics)
		})
	}
	if len(s.Requests()) > 0 {
		t.Errorf("sent %v", s.paths())
	}
}

// Terraform may allow deferral, and the provider still reads what it can.
func TestNothingIsDeferredWithoutNeed(t *testing.T) {
	t.Parallel()
	p := configuredProvider(t, startService(t))
	resp, err := p.server.ReadDataSource(t.Context(), &tfprotov6.ReadDataSourceRequest{
		TypeName: "convo_agents", Config: p.toDynamic(p.schema.DataSourceSchemas["convo_agents"].ValueType(), object{}),
		ClientCapabilities: &tfprotov6.ReadDataSourceClientCapabilities{DeferralAllowed: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	requireExactly(t, resp.Diagnostics)
	if resp.Deferred != nil {
		t.Errorf("got the deferral %v", resp.Deferred)
	}
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
	if len(diags) != 1 || diags[0].Summary() != "Unexpected provider data" ||
		diags[0].Detail() != "Expected *providerData, got string. Report this to the provider's maintainers." {
		t.Errorf("got %v for data of another type", diags)
	}
}

// Every kind of object that sends requests gets the client.
func TestEveryKindIsConfigured(t *testing.T) {
	t.Parallel()
	p := (&convoProvider{version: "test"})
	var schema provider.SchemaResponse
	p.Schema(t.Context(), provider.SchemaRequest{}, &schema)
	raw := toTerraform(t, schema.Schema.Type().TerraformType(t.Context()), object{"base_url": "https://service.example/api", "token": "t"})
	var resp provider.ConfigureResponse
	p.Configure(t.Context(), provider.ConfigureRequest{Config: tfsdk.Config{Raw: raw, Schema: schema.Schema}}, &resp)
	if resp.Diagnostics.HasError() || p.data == nil || p.data.client == nil {
		t.Fatalf("got %v, %v", p.data, resp.Diagnostics)
	}
	for kind, data := range map[string]any{
		"data source": resp.DataSourceData, "resource": resp.ResourceData, "ephemeral resource": resp.EphemeralResourceData,
		"action": resp.ActionData,
	} {
		if data != p.data {
			t.Errorf("a %s gets %v", kind, data)
		}
	}
}

func TestNameOfTheProvider(t *testing.T) {
	t.Parallel()
	var resp provider.MetadataResponse
	(&convoProvider{version: "1.2.3"}).Metadata(t.Context(), provider.MetadataRequest{}, &resp)
	if want := (provider.MetadataResponse{TypeName: "convo", Version: "1.2.3"}); resp != want {
		t.Errorf("got %+v, want %+v", resp, want)
	}
}

// A platform around Terraform adds itself to the user agent.
func TestUserAgent(t *testing.T) {
	clearEnvironment(t)
	const own = "terraform-provider-convo/test terraform/1.11.4"
	for variable, want := range map[string]string{"": own, "  ": own, " platform/1.0 (run 7) ": own + " platform/1.0 (run 7)"} {
		t.Setenv("TF_APPEND_USER_AGENT", variable)
		s := startService(t)
		configuredProvider(t, s).mustRead("convo_agents", object{})
		if got := s.Requests()[0].Header.Get("User-Agent"); got != want {
			t.Errorf("%q: sent %q, want %q", variable, got, want)
		}
	}
}

// Settings of numbers reach the client, from the block or the environment.
func TestNumbersOfTheConfiguration(t *testing.T) {
	clearEnvironment(t)
	resolve := func(config providerModel) convo.Config {
		config.BaseURL, config.Token = types.StringValue("https://service.example/api"), types.StringValue("t")
		var diags diag.Diagnostics
		config.readEnvironment(&diags)
		got := config.clientConfig(&diags)
		if len(diags) > 0 {
			t.Errorf("got %v", diags)
		}
		return convo.Config{
			RequestTimeout: got.RequestTimeout, MaxRetries: got.MaxRetries,
			MaxConcurrentRequests: got.MaxConcurrentRequests, MaxRequestsPerSecond: got.MaxRequestsPerSecond,
		}
	}
	check := func(config providerModel, want convo.Config) {
		t.Helper()
		if got := resolve(config); !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v, want %+v", got, want)
		}
	}
	check(providerModel{}, convo.Config{MaxRetries: 4})
	for name, value := range map[string]string{
		"CONVO_REQUEST_TIMEOUT": "1m30s", "CONVO_MAX_RETRIES": "20", "CONVO_MAX_CONCURRENT_REQUESTS": "256", "CONVO_MAX_REQUESTS_PER_SECOND": "0.5",
	} {
		t.Setenv(name, value)
	}
	check(providerModel{}, convo.Config{RequestTimeout: 90 * time.Second, MaxRetries: 20, MaxConcurrentRequests: 256, MaxRequestsPerSecond: 0.5})
	check(providerModel{
		RequestTimeout: types.StringValue("1s"), MaxRetries: types.Int64Value(0), MaxConcurrentRequests: types.Int64Value(1),
		MaxRequestsPerSecond: types.Float64Value(12.25),
	}, convo.Config{RequestTimeout: time.Second, MaxConcurrentRequests: 1, MaxRequestsPerSecond: 12.25})
}

// Settings reach the wire.
func TestSettingsAreUsed(t *testing.T) {
	t.Parallel()
	s := startService(t)
	p := configuredProvider(t, s, object{"stats_period_parameter": "span", "headers": object{"X-Gateway-Key": "gateway-secret"}})
	p.mustRead("convo_agent_stats", object{"agent_id": "agt_returns", "period": "today"})
	request := s.Requests()[0]
	if request.RawQuery != "span=today" {
		t.Errorf("sent the query %s", request.RawQuery)
	}
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

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// unknownArguments returns the sorted names of the arguments whose values, or
// parts of them, are not known yet.
func unknownArguments(config tfsdk.Config) ([]string, error) {
	var arguments map[string]tftypes.Value
	if err := config.Raw.As(&arguments); err != nil {
		return nil, err
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if !arguments[name].IsFullyKnown() {
			unknown = append(unknown, name)
		}
	}
	return unknown, nil
}

// readEnvironment sets the arguments that the block does not set from the
// environment. An empty variable counts as not set.
func (m *providerModel) readEnvironment() diag.Diagnostics {
	var diags diag.Diagnostics
	variable := func(argument string, value attr.Value, name string, check func(string) error) (text string, isSet bool) {
		if text = os.Getenv(name); text == "" || !value.IsNull() {
			return "", false
		}
		if err := check(text); err != nil {
			diags.AddAttributeError(path.Root(argument), invalidValue(argument), fmt.Sprintf("The value of the environment variable %s %s.", name, err))
			return "", false
		}
		return text, true
	}
	if text, isSet := variable("base_url", m.BaseURL, "CONVO_BASE_URL", checkBaseURL); isSet {
		m.BaseURL = types.StringValue(text)
	}
	if text, isSet := variable("token", m.Token, "CONVO_TOKEN", checkToken); isSet {
		m.Token = types.StringValue(text)
	}
	if text, isSet := variable("request_timeout", m.RequestTimeout, "CONVO_REQUEST_TIMEOUT", checkTimeout); isSet {
		m.RequestTimeout = types.StringValue(text)
	}
	if text, isSet := variable("max_retries", m.MaxRetries, "CONVO_MAX_RETRIES", checkRetries); isSet {
		number, _ := strconv.ParseInt(text, 10, 64) // Checked.
		m.MaxRetries = types.Int64Value(number)
	}
	if text, isSet := variable("max_concurrent_requests", m.MaxConcurrentRequests, "CONVO_MAX_CONCURRENT_REQUESTS", checkConcurrency); isSet {
		number, _ := strconv.ParseInt(text, 10, 64) // Checked.
		m.MaxConcurrentRequests = types.Int64Value(number)
	}
	if text, isSet := variable("max_requests_per_second", m.MaxRequestsPerSecond, "CONVO_MAX_REQUESTS_PER_SECOND", checkRate); isSet {
		number, _ := strconv.ParseFloat(text, 64) // Checked.
		m.MaxRequestsPerSecond = types.Float64Value(number)
	}
	return diags
}

// clientConfig returns the client's configuration. Terraform has validated the
// block with the schema's validators. Arguments without a value have the client's
// defaults.
func (m providerModel) clientConfig() (convo.Config, diag.Diagnostics) {
	var diags diag.Diagnostics
	config := convo.Config{
		BaseURL:               m.BaseURL.ValueString(),
		Token:                 m.Token.ValueString(),
		MaxRetries:            convo.DefaultMaxRetries,
		MaxConcurrentRequests: int(m.MaxConcurrentRequests.ValueInt64()),
		MaxRequestsPerSecond:  m.MaxRequestsPerSecond.ValueFloat64(),
		Headers:               map[string]string{},
		TLS:                   m.tls(&diags),
		StatsPeriodParameter:  m.StatsPeriodParameter.ValueString(),
		SessionAgentParameter: m.SessionAgentParameter.ValueString(),
	}
	config.RequestTimeout, _ = time.ParseDuration(m.RequestTimeout.ValueString()) // Checked, or "" and then 0.
	if !m.MaxRetries.IsNull() {
		config.MaxRetries = int(m.MaxRetries.ValueInt64())
	}
	for name, element := range m.Headers.Elements() {
		text, _ := element.(types.String)
		config.Headers[name] = text.ValueString()
	}
	requireValue(&diags, "base_url", m.BaseURL, "CONVO_BASE_URL")
	requireValue(&diags, "token", m.Token, "CONVO_TOKEN")
	warnPlainHTTP(&diags, config.BaseURL)
	checkTLSHeaders(&diags, config)
	checkEnvironment(&diags, config.BaseURL)
	return config, diags
}

// tls returns the TLS settings.
func (m providerModel) tls(diags *diag.Diagnostics) *tls.Config {
	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: m.InsecureSkipVerify.ValueBool(), //nolint:gosec // The user sets it, and is warned.
	}
	if config.InsecureSkipVerify {
		diags.AddAttributeWarning(path.Root("insecure_skip_verify"), "The server certificate is not verified",
			"Anyone between the provider and the service can read the token and change the responses. Remove insecure_skip_verify, "+
				"and set ca_certificate_pem if a private CA signed the server certificate.")
	}
	if ca := m.CACertificatePEM.ValueString(); ca != "" {
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM([]byte(ca))
	}
	certificate, key := m.ClientCertificatePEM.ValueString(), m.ClientKeyPEM.ValueString()
	if certificate != "" && key != "" {
		pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
		if err != nil {
			diags.AddAttributeError(path.Root("client_key_pem"), invalidValue("client_key_pem"),
				"The private key cannot be read, or does not belong to the certificate in client_certificate_pem.")
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config
}

// userAgentVariable extends the user agent.
const userAgentVariable = "TF_APPEND_USER_AGENT"

func userAgent(version, terraformVersion string) string {
	return strings.TrimSpace("terraform-provider-convo/" + version + " terraform/" + terraformVersion + " " + strings.TrimSpace(os.Getenv(userAgentVariable)))
}

// requireValue reports a required argument that is not set.
func requireValue(diags *diag.Diagnostics, argument string, value attr.Value, variable string) {
	if value.IsNull() && os.Getenv(variable) == "" {
		diags.AddAttributeError(path.Root(argument), "Missing "+argument, fmt.Sprintf(
			"The provider cannot send requests without this value. Set the %s argument in the provider block, or set the environment variable %s.",
			argument, variable))
	}
}

// sourceOf names the source of a required setting for error messages.
func sourceOf(value attr.Value, variable string) string {
	if value.IsNull() {
		return "the environment variable " + variable
	}
	return "the provider block"
}

// warnPlainHTTP warns about a token that is sent unencrypted to another machine.
func warnPlainHTTP(diags *diag.Diagnostics, baseURL string) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "http" {
		return
	}
	if ip := net.ParseIP(u.Hostname()); strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback() {
		return
	}
	diags.AddAttributeWarning(path.Root("base_url"), "The token is sent unencrypted",
		"The base URL begins with http://, so anyone between the provider and the service can read the token. Use https:// "+
			"unless you trust the network in between.")
}

// checkTLSHeaders reports headers that would not reach the service over http.
func checkTLSHeaders(diags *diag.Diagnostics, config convo.Config) {
	for name := range config.Headers {
		if requiresTLS(name) && strings.HasPrefix(strings.ToLower(config.BaseURL), "http://") {
			diags.AddAttributeError(path.Root("headers").AtMapKey(name), "Invalid key in headers", fmt.Sprintf(
				"The header %s can be set only if base_url begins with https://, because over http the header is for a proxy. "+
					"Remove it from the headers argument, or use https://.", name))
		}
	}
}

// checkEnvironment reports a user agent and a proxy in the environment that cannot
// be used, without their values, because a proxy's can contain a password. For
// httpproxy, a proxy's variable in lowercase precedes the one in uppercase.
func checkEnvironment(diags *diag.Diagnostics, baseURL string) {
	check := func(variable string, check func(string) error) {
		if err := check(os.Getenv(variable)); err != nil {
			diags.AddError("Invalid value for "+variable, fmt.Sprintf("The value of the environment variable %s %s.", variable, err))
		}
	}
	check(userAgentVariable, checkUserAgent)
	scheme, _, _ := strings.Cut(baseURL, "://")
	proxy := strings.ToLower(scheme) + "_proxy"
	if os.Getenv(proxy) == "" {
		proxy = strings.ToUpper(proxy)
	}
	check(proxy, checkProxy)
}

// debugLog returns the log of a client. The client masks secrets in its entries;
// the mask of the context also covers the fields of the caller's logger. It is set
// for each entry, because concurrent calls must not share one: tflog changes the
// fields of a logger with a mask while it logs.
func debugLog(token string) func(ctx context.Context, message string, fields map[string]any) {
	return func(ctx context.Context, message string, fields map[string]any) {
		tflog.Debug(tflog.MaskLogStrings(ctx, token), message, fields)
	}
}

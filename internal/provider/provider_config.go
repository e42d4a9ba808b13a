// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
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
	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http/httpproxy"

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
// environment, and reports required ones that neither sets. An empty variable
// counts as not set.
func (m *providerModel) readEnvironment(diags *diag.Diagnostics) {
	for _, setting := range []struct {
		argument, variable string
		value              any
		check              func(string) error
		required           bool
	}{
		{"base_url", "CONVO_BASE_URL", &m.BaseURL, checkBaseURL, true},
		{"token", "CONVO_TOKEN", &m.Token, checkToken, true},
		{"request_timeout", "CONVO_REQUEST_TIMEOUT", &m.RequestTimeout, checkTimeout, false},
		{"max_retries", "CONVO_MAX_RETRIES", &m.MaxRetries, checkWholeNumber(minRetries, maxRetries), false},
		{"max_concurrent_requests", "CONVO_MAX_CONCURRENT_REQUESTS", &m.MaxConcurrentRequests, checkWholeNumber(minConcurrency, maxConcurrency), false},
		{"max_requests_per_second", "CONVO_MAX_REQUESTS_PER_SECOND", &m.MaxRequestsPerSecond, checkRate, false},
	} {
		argument, _ := setting.value.(attr.Value)
		text := os.Getenv(setting.variable)
		switch {
		case !argument.IsNull(), text == "" && !setting.required:
			continue
		case text == "":
			diags.AddAttributeError(path.Root(setting.argument), "Missing "+setting.argument, fmt.Sprintf(
				"The provider cannot send requests without this value. Set the %s argument in the provider block, or set the environment variable %s, which is unset or empty.",
				setting.argument, setting.variable))
			continue
		}
		if err := setting.check(text); err != nil {
			diags.AddAttributeError(path.Root(setting.argument), invalidValue(setting.argument),
				fmt.Sprintf("The value of the environment variable %s %s.", setting.variable, err))
			continue
		}
		switch value := setting.value.(type) { // Numbers are checked.
		case *types.String:
			*value = types.StringValue(text)
		case *types.Int64:
			number, _ := strconv.ParseInt(text, 10, 64)
			*value = types.Int64Value(number)
		case *types.Float64:
			number, _ := strconv.ParseFloat(text, 64)
			*value = types.Float64Value(number)
		}
	}
}

// clientConfig returns the client's configuration. Terraform has validated the
// block with the schema's validators. Arguments without a value have the client's
// defaults.
func (m providerModel) clientConfig(diags *diag.Diagnostics) convo.Config {
	config := convo.Config{
		BaseURL:               m.BaseURL.ValueString(),
		Token:                 m.Token.ValueString(),
		MaxRetries:            convo.DefaultMaxRetries,
		MaxConcurrentRequests: int(m.MaxConcurrentRequests.ValueInt64()),
		MaxRequestsPerSecond:  m.MaxRequestsPerSecond.ValueFloat64(),
		Headers:               map[string]string{},
		TLS:                   m.tls(diags),
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
	return config
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

// userAgent returns the user agent, which TF_APPEND_USER_AGENT extends.
func userAgent(version, terraformVersion string, diags *diag.Diagnostics) string {
	const variable = "TF_APPEND_USER_AGENT"
	extension := strings.TrimSpace(os.Getenv(variable))
	if !httpguts.ValidHeaderFieldValue(extension) {
		addVariableError(diags, variable, errors.New("must not contain control characters"))
	}
	return strings.TrimSpace("terraform-provider-convo/" + version + " terraform/" + terraformVersion + " " + extension)
}

// sourceOf names the source of a required setting for error messages.
func sourceOf(value attr.Value, variable string) string {
	if value.IsNull() {
		return "the environment variable " + variable
	}
	return "the provider block"
}

// checkConnection reports settings that cannot be used with the scheme or the
// host of the base URL.
func checkConnection(config convo.Config, diags *diag.Diagnostics) {
	u, err := convo.ParseBaseURL(config.BaseURL)
	if err != nil {
		return // It is not known yet.
	}
	ip := net.ParseIP(u.Hostname())
	isLoopback := strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
	if u.Scheme == "http" && !isLoopback {
		diags.AddAttributeWarning(path.Root("base_url"), "The token is sent unencrypted",
			"The base URL begins with http://, so anyone between the provider and the service can read the token. Use https:// "+
				"unless you trust the network in between.")
	}
	for name := range config.Headers {
		if u.Scheme == "http" && requiresTLS(name) {
			diags.AddAttributeError(path.Root("headers").AtMapKey(name), "Invalid key in headers", fmt.Sprintf(
				"The header %s can be set only if base_url begins with https://, because over http the header is for a proxy. "+
					"Remove it from the headers argument, or use https://.", name))
		}
	}
	// For httpproxy, a variable in lowercase precedes the one in uppercase.
	variable := u.Scheme + "_proxy"
	if os.Getenv(variable) == "" {
		variable = strings.ToUpper(variable)
	}
	if err := checkProxy(os.Getenv(variable)); err != nil && !isExcludedFromProxies(u) {
		addVariableError(diags, variable, err)
	}
}

// isExcludedFromProxies reports whether NO_PROXY contains the host of a URL.
func isExcludedFromProxies(u *url.URL) bool {
	const anyProxy = "http://proxy.example"
	proxies := httpproxy.Config{HTTPProxy: anyProxy, HTTPSProxy: anyProxy, NoProxy: httpproxy.FromEnvironment().NoProxy}
	proxy, err := proxies.ProxyFunc()(u)
	return proxy == nil && err == nil
}

// addVariableError adds an error about a variable without an argument. It does
// not contain the value, because a proxy's can contain a password.
func addVariableError(diags *diag.Diagnostics, variable string, err error) {
	diags.AddError("Invalid value for "+variable, fmt.Sprintf("The value of the environment variable %s %s.", variable, err))
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

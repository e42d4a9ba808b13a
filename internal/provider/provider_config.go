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
	"os"
	"slices"
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
	requireSetting(diags, "base_url", "CONVO_BASE_URL", m.BaseURL)
	requireSetting(diags, "token", "CONVO_TOKEN", m.Token)
	fromEnvironment(diags, "base_url", "CONVO_BASE_URL", &m.BaseURL, checkedText(checkBaseURL))
	fromEnvironment(diags, "token", "CONVO_TOKEN", &m.Token, checkedText(checkToken))
	fromEnvironment(diags, "request_timeout", "CONVO_REQUEST_TIMEOUT", &m.RequestTimeout, checkedText(checkTimeout))
	fromEnvironment(diags, "max_retries", "CONVO_MAX_RETRIES", &m.MaxRetries, wholeNumber(minRetries, maxRetries))
	fromEnvironment(diags, "max_concurrent_requests", "CONVO_MAX_CONCURRENT_REQUESTS", &m.MaxConcurrentRequests,
		wholeNumber(minConcurrency, maxConcurrency))
	fromEnvironment(diags, "max_requests_per_second", "CONVO_MAX_REQUESTS_PER_SECOND", &m.MaxRequestsPerSecond, parseRate)
}

// requireSetting reports an argument that neither the block nor the environment
// sets.
func requireSetting(diags *diag.Diagnostics, argument, variable string, value attr.Value) {
	if value.IsNull() && os.Getenv(variable) == "" {
		diags.AddAttributeError(path.Root(argument), "Missing "+argument, fmt.Sprintf(
			"The provider cannot send requests without this value. Set the %s argument in the provider block, or set the environment variable %s, which is unset or empty.",
			argument, variable))
	}
}

// fromEnvironment sets an argument that is null from the environment. The error
// of parse completes the sentence "The value ...".
func fromEnvironment[T attr.Value](diags *diag.Diagnostics, argument, variable string, value *T, parse func(string) (T, error)) {
	text := os.Getenv(variable)
	if text == "" || !(*value).IsNull() {
		return
	}
	parsed, err := parse(text)
	if err != nil {
		diags.AddAttributeError(path.Root(argument), invalidValue(argument),
			fmt.Sprintf("The value of the environment variable %s %s.", variable, err))
		return
	}
	*value = parsed
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
		diags.AddError(invalidValue(variable), fmt.Sprintf("The value of the environment variable %s must not contain control characters.", variable))
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

// checkUnencrypted reports settings that are not secure, or cannot be used, if the
// base URL begins with http://.
func checkUnencrypted(config convo.Config, diags *diag.Diagnostics) {
	u, err := convo.ParseBaseURL(config.BaseURL)
	if err != nil || u.Scheme != "http" {
		return // The base URL is not known yet, or requests are encrypted.
	}
	warnUnencryptedToken(u.Hostname(), diags)
	rejectHeadersForTLS(config.Headers, diags)
}

// warnUnencryptedToken warns that the token can be read on the way to a host.
func warnUnencryptedToken(host string, diags *diag.Diagnostics) {
	if ip := net.ParseIP(host); strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback() {
		return
	}
	diags.AddAttributeWarning(path.Root("base_url"), "The token is sent unencrypted",
		"The base URL begins with http://, so anyone between the provider and the service can read the token. Use https:// "+
			"unless you trust the network in between.")
}

// rejectHeadersForTLS rejects headers that do not reach the service over http.
func rejectHeadersForTLS(headers map[string]string, diags *diag.Diagnostics) {
	for name := range headers {
		if requiresTLS(name) {
			header := path.Root("headers").AtMapKey(name)
			diags.AddAttributeError(header, invalidValue(header.String()), fmt.Sprintf(
				"The header %s can be set only if base_url begins with https://, because over http the header is for a proxy. "+
					"Remove it from the headers argument, or use https://.", name))
		}
	}
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

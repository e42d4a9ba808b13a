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
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// unknownArguments returns the sorted names of the arguments whose values are not
// known yet. It reads the raw values, because a single header can be unknown.
func unknownArguments(config tfsdk.Config, diags *diag.Diagnostics) []string {
	var arguments map[string]tftypes.Value
	if err := config.Raw.As(&arguments); err != nil {
		diags.AddError("Unable to configure the provider", adviceReportFault+err.Error()+".")
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if !arguments[name].IsFullyKnown() {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// readEnvironment sets the arguments that are null from the environment, and
// reports required ones that neither sets.
func (m *providerModel) readEnvironment(diags *diag.Diagnostics) {
	m.BaseURL = stringFromEnv(m.BaseURL, "CONVO_BASE_URL", checkBaseURL, diags)
	m.Token = stringFromEnv(m.Token, "CONVO_TOKEN", checkToken, diags)
	m.RequestTimeout = stringFromEnv(m.RequestTimeout, "CONVO_REQUEST_TIMEOUT", checkTimeout, diags)
	m.MaxRetries = int64FromEnv(m.MaxRetries, "CONVO_MAX_RETRIES", minRetries, maxRetries, diags)
	m.MaxConcurrentRequests = int64FromEnv(m.MaxConcurrentRequests, "CONVO_MAX_CONCURRENT_REQUESTS", minConcurrency, maxConcurrency, diags)
	if m.BaseURL.IsNull() {
		diags.AddAttributeError(path.Root("base_url"), "Missing base_url",
			"Set the base_url argument in the provider block, or set the environment variable CONVO_BASE_URL, which is unset or empty.")
	}
	if m.Token.IsNull() {
		diags.AddAttributeError(path.Root("token"), "Missing token",
			"Set the token argument in the provider block, or set the environment variable CONVO_TOKEN, which is unset or empty.")
	}
}

// stringFromEnv returns an argument or, if it is null, the value of an environment
// variable. An empty variable counts as not set. The error of check completes the
// sentence "The value ...".
func stringFromEnv(argument types.String, variable string, check func(string) error, diags *diag.Diagnostics) types.String {
	text := os.Getenv(variable)
	if !argument.IsNull() || text == "" {
		return argument
	}
	if err := check(text); err != nil {
		diags.Append(invalidVariable(variable, err.Error()))
	}
	return types.StringValue(text)
}

// int64FromEnv is stringFromEnv for a whole number within bounds.
func int64FromEnv(argument types.Int64, variable string, least, most int64, diags *diag.Diagnostics) types.Int64 {
	text := os.Getenv(variable)
	if !argument.IsNull() || text == "" {
		return argument
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		diags.Append(invalidVariable(variable, fmt.Sprintf("must be a whole number from %d to %d", least, most)))
	}
	return types.Int64Value(n)
}

func invalidVariable(variable, requirement string) diag.Diagnostic {
	return diag.NewErrorDiagnostic(invalidValue(variable), fmt.Sprintf("The value of the environment variable %s %s.", variable, requirement))
}

// clientConfig returns the client's configuration. Arguments without a value have
// the client's defaults.
func (m *providerModel) clientConfig(diags *diag.Diagnostics) convo.Config {
	warnUnencrypted(m.BaseURL.ValueString(), diags)
	timeout, _ := time.ParseDuration(m.RequestTimeout.ValueString()) // Checked, or "" and then 0.
	config := convo.Config{
		BaseURL:               m.BaseURL.ValueString(),
		Token:                 m.Token.ValueString(),
		Headers:               m.Headers,
		TLS:                   m.tls(diags),
		RequestTimeout:        timeout,
		MaxRetries:            convo.DefaultMaxRetries,
		MaxConcurrentRequests: int(m.MaxConcurrentRequests.ValueInt64()),
		MaxRequestsPerSecond:  m.MaxRequestsPerSecond.ValueFloat64(),
		StatsPeriodParameter:  m.StatsPeriodParameter.ValueString(),
		SessionAgentParameter: m.SessionAgentParameter.ValueString(),
	}
	if !m.MaxRetries.IsNull() {
		config.MaxRetries = int(m.MaxRetries.ValueInt64())
	}
	return config
}

// tls returns the TLS settings. The errors of crypto/tls do not quote the key.
func (m *providerModel) tls(diags *diag.Diagnostics) *tls.Config {
	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: m.InsecureSkipVerify.ValueBool(), //nolint:gosec // The user sets it, and is warned.
	}
	if config.InsecureSkipVerify {
		diags.AddAttributeWarning(path.Root("insecure_skip_verify"), "The server certificate is not verified",
			"Anyone between the provider and the service can read the token and change the responses. Remove insecure_skip_verify, "+
				"and set ca_certificate_pem if a private CA signed the server certificate.")
	}
	if !m.CACertificatePEM.IsNull() {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(m.CACertificatePEM.ValueString())) {
			diags.AddAttributeError(path.Root("ca_certificate_pem"), invalidValue("ca_certificate_pem"),
				"The value contains no certificate in PEM format. If it is the path to a file, use file(...) to read the file.")
		}
	}
	if !m.ClientCertificatePEM.IsNull() {
		pair, err := tls.X509KeyPair([]byte(m.ClientCertificatePEM.ValueString()), []byte(m.ClientKeyPEM.ValueString()))
		if err != nil {
			diags.AddAttributeError(path.Root("client_certificate_pem"), "Invalid client certificate", fmt.Sprintf(
				"client_certificate_pem and client_key_pem must be a certificate and its unencrypted private key in PEM format: %s. If a "+
					"value is the path to a file, use file(...) to read the file.", err))
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config
}

// userAgent returns the user agent, which TF_APPEND_USER_AGENT extends.
func userAgent(version, terraformVersion string) string {
	text := fmt.Sprintf("terraform-provider-convo/%s terraform/%s %s", version, terraformVersion, os.Getenv("TF_APPEND_USER_AGENT"))
	// A header cannot contain control characters.
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
}

// warnUnencrypted warns that the token can be read on the way to the service.
func warnUnencrypted(baseURL string, diags *diag.Diagnostics) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "http" || strings.EqualFold(u.Hostname(), "localhost") || net.ParseIP(u.Hostname()).IsLoopback() {
		return
	}
	diags.AddAttributeWarning(path.Root("base_url"), "The token is sent unencrypted",
		"The base URL begins with http://, so anyone between the provider and the service can read the token. Use https:// "+
			"unless you trust the network in between.")
}

// debugLog logs an entry of the client, which has masked its secrets.
func debugLog(ctx context.Context, message string, fields map[string]any) {
	tflog.Debug(ctx, message, fields)
}

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"math"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

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
	m.MaxRetries = numberFromEnv(m.MaxRetries, "CONVO_MAX_RETRIES", checkRetries, diags)
	m.MaxConcurrentRequests = numberFromEnv(m.MaxConcurrentRequests, "CONVO_MAX_CONCURRENT_REQUESTS", checkConcurrency, diags)
	m.MaxRequestsPerSecond = numberFromEnv(m.MaxRequestsPerSecond, "CONVO_MAX_REQUESTS_PER_SECOND", checkRate, diags)
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
		diags.Append(invalidVariable(variable, err))
	}
	return types.StringValue(text) // Even if it is invalid, so that it is not also reported as missing.
}

// numberFromEnv is stringFromEnv for a number.
func numberFromEnv(argument types.Float64, variable string, check func(float64) error, diags *diag.Diagnostics) types.Float64 {
	text := os.Getenv(variable)
	if !argument.IsNull() || text == "" {
		return argument
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		n = math.NaN() // check rejects it, with its own message.
	}
	if err := check(n); err != nil {
		diags.Append(invalidVariable(variable, err))
		return argument
	}
	return types.Float64Value(n)
}

func invalidVariable(variable string, err error) diag.Diagnostic {
	return diag.NewErrorDiagnostic(invalidValue(variable), fmt.Sprintf("The value of the environment variable %s %s.", variable, err))
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
		MaxConcurrentRequests: int(m.MaxConcurrentRequests.ValueFloat64()),
		MaxRequestsPerSecond:  m.MaxRequestsPerSecond.ValueFloat64(),
		StatsPeriodParameter:  m.StatsPeriodParameter.ValueString(),
	}
	if !m.MaxRetries.IsNull() {
		config.MaxRetries = new(int(m.MaxRetries.ValueFloat64()))
	}
	return config
}

// tls returns the TLS settings.
func (m *providerModel) tls(diags *diag.Diagnostics) *tls.Config {
	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: m.InsecureSkipVerify.ValueBool(), //nolint:gosec // The user sets it, and is warned.
	}
	if config.InsecureSkipVerify {
		diags.AddAttributeWarning(path.Root("insecure_skip_verify"), "The service's certificate is not verified",
			"Anyone between the provider and the service can read the token and change the responses. Remove insecure_skip_verify, "+
				"and set ca_certificate_pem if a private CA signed the service's certificate.")
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
			// The error is not shown, because it can describe the key.
			diags.AddAttributeError(path.Root("client_certificate_pem"), "Invalid client certificate",
				"client_certificate_pem and client_key_pem must be a certificate and its unencrypted private key in PEM format. If a value is "+
					"the path to a file, use file(...) to read the file. If the key is encrypted, decrypt it, for example with "+
					"openssl pkey. Otherwise, check that the key belongs to the certificate.")
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config
}

// userAgent returns the user agent, which TF_APPEND_USER_AGENT extends. The client
// removes characters that a header cannot contain.
func userAgent(version, terraformVersion string) string {
	return fmt.Sprintf("terraform-provider-convo/%s terraform/%s %s", version, terraformVersion, os.Getenv("TF_APPEND_USER_AGENT"))
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

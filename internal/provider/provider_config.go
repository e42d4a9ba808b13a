// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"maps"
	"math/big"
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
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/convo"
)

// unknownArguments returns the sorted names of the arguments whose values are not
// known yet. It reads the raw values, because a single header can be unknown.
func unknownArguments(config tfsdk.Config) []string {
	var arguments map[string]tftypes.Value
	_ = config.Raw.As(&arguments) // The schema is an object.
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(arguments)) {
		if !arguments[name].IsFullyKnown() {
			unknown = append(unknown, name)
		}
	}
	return unknown
}

// readEnvironment sets the arguments that are null from the environment, and reports
// required ones that neither sets.
func (m *providerModel) readEnvironment(diags *diag.Diagnostics) {
	m.tokenSource = "the token argument in the provider block"
	if m.Token == nil {
		m.tokenSource = "the environment variable CONVO_TOKEN"
	}
	fromEnvironment(diags, "base_url", &m.BaseURL, checked(checkBaseURL))
	fromEnvironment(diags, "token", &m.Token, checked(checkToken))
	fromEnvironment(diags, "request_timeout", &m.RequestTimeout, checked(checkTimeout))
	fromEnvironment(diags, "max_retries", &m.MaxRetries, wholeNumber(minRetries, maxRetries))
	fromEnvironment(diags, "max_concurrent_requests", &m.MaxConcurrentRequests, wholeNumber(minConcurrency, maxConcurrency))
	fromEnvironment(diags, "max_requests_per_second", &m.MaxRequestsPerSecond, parseRate)
	require(diags, "base_url", m.BaseURL)
	require(diags, "token", m.Token)
}

// require reports a required argument that is null.
func require(diags *diag.Diagnostics, argument string, value *string) {
	if value == nil {
		diags.AddAttributeError(path.Root(argument), "Missing "+argument, fmt.Sprintf(
			"Set the %s argument in the provider block, or set the environment variable %s, which is unset or empty.", argument, variableOf(argument)))
	}
}

// variableOf returns the environment variable of an argument.
func variableOf(argument string) string { return "CONVO_" + strings.ToUpper(argument) }

// fromEnvironment sets an argument that is null from its environment variable, if that is
// not empty. The error of parse completes the sentence "The value ...".
func fromEnvironment[T any](diags *diag.Diagnostics, argument string, value **T, parse func(string) (T, error)) {
	variable := variableOf(argument)
	text := os.Getenv(variable)
	if *value != nil || text == "" {
		return
	}
	parsed, err := parse(text)
	if err != nil {
		diags.AddError(invalidValue(variable), fmt.Sprintf("The value of the environment variable %s %s.", variable, err))
	}
	*value = &parsed // Even if it is invalid, so that it is not also reported as missing.
}

func checked(check func(string) error) func(string) (string, error) {
	return func(text string) (string, error) { return text, check(text) }
}

func wholeNumber(least, most int) func(string) (int, error) {
	return func(text string) (int, error) {
		number, err := strconv.Atoi(text)
		if err != nil || number < least || number > most {
			err = fmt.Errorf("must be a whole number between %d and %d, not %q", least, most, text)
		}
		return number, err
	}
}

func parseRate(text string) (big.Float, error) {
	rate, err := strconv.ParseFloat(text, 64)
	if err != nil || !(rate >= minRate && rate <= maxRate) { // Also if it is not a number.
		return big.Float{}, fmt.Errorf("must be a number between %v and %v, not %q", minRate, maxRate, text)
	}
	return *big.NewFloat(rate), nil
}

// clientConfig returns the client's configuration, and reports what is invalid or insecure in
// it. Arguments without a value have the client's defaults.
func (m *providerModel) clientConfig(diags *diag.Diagnostics) convo.Config {
	warnUnencrypted(api.ValueOf(m.BaseURL), diags)
	timeout, _ := time.ParseDuration(api.ValueOf(m.RequestTimeout)) // Checked, or "" and then 0.
	number := api.ValueOf(m.MaxRequestsPerSecond)
	rate, _ := number.Float64()
	return convo.Config{
		BaseURL:               api.ValueOf(m.BaseURL),
		Token:                 api.ValueOf(m.Token),
		TokenSource:           m.tokenSource,
		Headers:               m.Headers,
		TLS:                   m.tls(diags),
		RequestTimeout:        timeout,
		MaxRetries:            m.MaxRetries,
		MaxConcurrentRequests: api.ValueOf(m.MaxConcurrentRequests),
		MaxRequestsPerSecond:  rate,
		StatsPeriodParameter:  api.ValueOf(m.StatsPeriodParameter),
	}
}

// tls returns the TLS settings.
func (m *providerModel) tls(diags *diag.Diagnostics) *tls.Config {
	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: api.ValueOf(m.InsecureSkipVerify), //nolint:gosec // The user sets it, and is warned.
	}
	if config.InsecureSkipVerify {
		diags.AddAttributeWarning(path.Root("insecure_skip_verify"), "The service's certificate is not verified",
			"Anyone between the provider and the service can read the token and change the responses. Remove insecure_skip_verify, "+
				"and set ca_certificate_pem if a private CA signed the service's certificate.")
	}
	if m.CACertificatePEM != nil {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(*m.CACertificatePEM)) {
			diags.AddAttributeError(path.Root("ca_certificate_pem"), invalidValue("ca_certificate_pem"),
				"The value contains no certificate in PEM format. If it is the path to a file, use file(...) to read the file.")
		}
	}
	if m.ClientCertificatePEM != nil {
		pair, err := tls.X509KeyPair([]byte(*m.ClientCertificatePEM), []byte(api.ValueOf(m.ClientKeyPEM)))
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

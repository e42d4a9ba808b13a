// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"golang.org/x/net/http/httpguts"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// settings turns a provider block into the client's configuration. The block
// takes precedence over the environment, and the environment over the default.
type settings struct {
	diags *diag.Diagnostics
	// unknown are the attributes whose values are not known yet. They do not fall
	// back to the environment, because the block sets them.
	unknown []string
}

// resolve returns the client's configuration. It is complete only if there are
// neither errors nor unknown attributes.
func (s *settings) resolve(c configuration) convo.Config {
	config := convo.Config{
		BaseURL:               s.text("base_url", c.BaseURL, "CONVO_BASE_URL", checkBaseURL),
		Token:                 s.text("token", c.Token, "CONVO_TOKEN", checkToken),
		RequestTimeout:        s.duration("request_timeout", c.RequestTimeout, "CONVO_REQUEST_TIMEOUT"),
		MaxRetries:            s.number("max_retries", c.MaxRetries, "CONVO_MAX_RETRIES", checkRetries, convo.DefaultMaxRetries),
		MaxConcurrentRequests: s.number("max_concurrent_requests", c.MaxConcurrentRequests, "CONVO_MAX_CONCURRENT_REQUESTS", checkConcurrency, convo.DefaultMaxConcurrentRequests),
		MaxRequestsPerSecond:  s.rate("max_requests_per_second", c.MaxRequestsPerSecond, "CONVO_MAX_REQUESTS_PER_SECOND"),
		Headers:               s.headers(c.Headers),
		TLS:                   s.tls(c),
		StatsPeriodParameter:  s.text("stats_period_parameter", c.StatsPeriodParameter, "", checkName),
		SessionAgentParameter: s.text("session_agent_parameter", c.SessionAgentParameter, "", checkName),
	}
	s.require("base_url", c.BaseURL, "CONVO_BASE_URL")
	s.require("token", c.Token, "CONVO_TOKEN")
	s.warnPlainHTTP(config.BaseURL)
	s.checkTLSHeaders(config)
	s.checkProxy(config.BaseURL)
	return config
}

// known reports whether an attribute has a value in the block, and records an
// attribute whose value is not known yet.
func (s *settings) known(attribute string, value attr.Value) bool {
	if value.IsUnknown() {
		s.unknown = append(s.unknown, attribute)
	}
	return !value.IsNull() && !value.IsUnknown()
}

// text returns a setting from the block or else from the environment. It returns
// "" if the setting is in neither, unknown or invalid.
func (s *settings) text(attribute string, value types.String, variable string, check func(string) error) string {
	if !s.known(attribute, value) {
		return s.environment(attribute, value, variable, check)
	}
	if err := check(value.ValueString()); err != nil {
		s.fail(attribute, fmt.Sprintf("The value %s.", err))
		return ""
	}
	return value.ValueString()
}

// environment returns a setting that is not in the block. An empty variable
// counts as not set.
func (s *settings) environment(attribute string, value attr.Value, variable string, check func(string) error) string {
	if value.IsUnknown() || variable == "" || os.Getenv(variable) == "" {
		return ""
	}
	if err := check(os.Getenv(variable)); err != nil {
		s.fail(attribute, fmt.Sprintf("The value of the environment variable %s %s.", variable, err))
		return ""
	}
	return os.Getenv(variable)
}

func (s *settings) duration(attribute string, value types.String, variable string) time.Duration {
	duration, _ := time.ParseDuration(s.text(attribute, value, variable, checkTimeout)) // Checked, or "" and then 0: the default.
	return duration
}

func (s *settings) number(attribute string, value types.Int64, variable string, check func(string) error, fallback int) int {
	if s.known(attribute, value) {
		return int(value.ValueInt64())
	}
	number, err := strconv.Atoi(s.environment(attribute, value, variable, check))
	if err != nil {
		return fallback // Checked, or "".
	}
	return number
}

func (s *settings) rate(attribute string, value types.Float64, variable string) float64 {
	if s.known(attribute, value) {
		return value.ValueFloat64()
	}
	rate, _ := strconv.ParseFloat(s.environment(attribute, value, variable, checkRate), 64) // Checked, or "" and then 0: no limit.
	return rate
}

func (s *settings) headers(value types.Map) map[string]string {
	if !s.known("headers", value) {
		return nil
	}
	s.diags.Append(checkHeaders(path.Root("headers"), value)...)
	headers := map[string]string{}
	for name, element := range value.Elements() {
		if element.IsUnknown() {
			s.unknown = append(s.unknown, "headers")
			return nil
		}
		text, _ := element.(types.String)
		headers[name] = text.ValueString()
	}
	return headers
}

// tls returns the TLS settings, or possibly nil after an error.
func (s *settings) tls(c configuration) *tls.Config {
	ca := s.text("ca_certificate_pem", c.CACertificatePEM, "", checkCertificates)
	certificate := s.text("client_certificate_pem", c.ClientCertificatePEM, "", checkCertificates)
	key := s.text("client_key_pem", c.ClientKeyPEM, "", checkPrivateKey)
	insecure := s.known("insecure_skip_verify", c.InsecureSkipVerify) && c.InsecureSkipVerify.ValueBool()

	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: insecure, //nolint:gosec // The user sets it, and is warned.
	}
	if insecure {
		s.diags.AddAttributeWarning(path.Root("insecure_skip_verify"), "The server certificate is not verified",
			"Anyone between the provider and the service can read the token and change the responses. Remove insecure_skip_verify, "+
				"and set ca_certificate_pem if a private CA signed the server certificate.")
	}
	if ca != "" {
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM([]byte(ca))
	}
	switch {
	case certificate != "" && c.ClientKeyPEM.IsNull():
		s.fail("client_certificate_pem", "A client certificate requires its private key. Set client_key_pem.")
	case key != "" && c.ClientCertificatePEM.IsNull():
		s.fail("client_key_pem", "A private key requires its client certificate. Set client_certificate_pem.")
	case certificate != "" && key != "":
		pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
		if err != nil {
			s.fail("client_key_pem", "The private key cannot be read, or does not belong to the certificate in client_certificate_pem.")
			return nil
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config
}

// userAgent returns the user agent with the suffix from TF_APPEND_USER_AGENT.
func (s *settings) userAgent(version, terraformVersion string) string {
	const variable = "TF_APPEND_USER_AGENT"
	agent := "terraform-provider-convo/" + version + " terraform/" + terraformVersion
	addition := strings.TrimSpace(os.Getenv(variable))
	if !httpguts.ValidHeaderFieldValue(addition) {
		s.diags.AddError("Invalid value for "+variable,
			"The value of the environment variable "+variable+" must not contain control characters.")
	}
	return strings.TrimSpace(agent + " " + addition)
}

// require reports a required attribute that is not set.
func (s *settings) require(attribute string, value attr.Value, variable string) {
	if value.IsNull() && os.Getenv(variable) == "" {
		s.diags.AddAttributeError(path.Root(attribute), "Missing "+attribute, fmt.Sprintf(
			"The provider cannot send requests without this value. Set the %s argument in the provider block, or set the environment variable %s.",
			attribute, variable))
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
func (s *settings) warnPlainHTTP(baseURL string) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Scheme != "http" {
		return
	}
	if ip := net.ParseIP(u.Hostname()); strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback() {
		return
	}
	s.diags.AddAttributeWarning(path.Root("base_url"), "The token is sent unencrypted",
		"The base URL begins with http://, so anyone between the provider and the service can read the token. Use https:// "+
			"unless you trust the network in between.")
}

// checkTLSHeaders reports headers that would not reach the service over http.
func (s *settings) checkTLSHeaders(config convo.Config) {
	for name := range config.Headers {
		if requiresTLS(name) && strings.HasPrefix(strings.ToLower(config.BaseURL), "http://") {
			s.diags.AddAttributeError(path.Root("headers").AtMapKey(name), "Invalid key in headers", fmt.Sprintf(
				"The header %s can be set only if base_url begins with https://, because over http the header is for a proxy. "+
					"Remove it from the headers argument, or use https://.", name))
		}
	}
}

// checkProxy reports an invalid proxy in the environment, without its value,
// which can contain a password.
func (s *settings) checkProxy(baseURL string) {
	scheme, _, _ := strings.Cut(baseURL, "://")
	for _, variable := range []string{strings.ToUpper(scheme) + "_PROXY", strings.ToLower(scheme) + "_proxy"} {
		if value := os.Getenv(variable); value != "" && checkProxy(value) != nil {
			s.diags.AddError("Invalid value for "+variable, fmt.Sprintf("The value of the environment variable %s %s.", variable, checkProxy(value)))
			return
		}
	}
}

func (s *settings) fail(attribute, detail string) {
	s.diags.AddAttributeError(path.Root(attribute), invalidValue(attribute), detail)
}

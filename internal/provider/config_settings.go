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
	"time"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// settings turns a provider block into the client's configuration: what the
// block says wins over the environment, and that over the default.
type settings struct {
	diags *diag.Diagnostics
	// unknown are the attributes whose values are not known yet. They never
	// fall back to the environment: the block does say something.
	unknown []string
}

// resolve returns the client's configuration. It is complete only when there
// are neither errors nor unknown attributes.
func (s *settings) resolve(c configuration) convo.Config {
	config := convo.Config{
		BaseURL:               s.text("base_url", c.BaseURL, "CONVO_BASE_URL", convo.CheckBaseURL),
		Token:                 s.text("token", c.Token, "CONVO_TOKEN", checkToken),
		RequestTimeout:        s.duration("request_timeout", c.RequestTimeout, "CONVO_REQUEST_TIMEOUT"),
		MaxRetries:            s.number("max_retries", c.MaxRetries, "CONVO_MAX_RETRIES", 0, maxMaxRetries, convo.DefaultMaxRetries),
		MaxConcurrentRequests: s.number("max_concurrent_requests", c.MaxConcurrentRequests, "CONVO_MAX_CONCURRENT_REQUESTS", 1, maxMaxConcurrentRequests, convo.DefaultMaxConcurrentRequests),
		Headers:               s.headers(c.Headers),
		TLS:                   s.tls(c),
		StatsPeriodParameter:  s.text("stats_period_parameter", c.StatsPeriodParameter, "", checkName),
		SessionAgentParameter: s.text("session_agent_parameter", c.SessionAgentParameter, "", checkName),
	}
	s.require("base_url", c.BaseURL, config.BaseURL, "CONVO_BASE_URL")
	s.require("token", c.Token, config.Token, "CONVO_TOKEN")
	s.warnPlainHTTP(config.BaseURL)
	return config
}

// known says whether an attribute has a value in the block, and notes when it
// is not known yet.
func (s *settings) known(attribute string, value attr.Value) bool {
	if value.IsUnknown() {
		s.unknown = append(s.unknown, attribute)
	}
	return !value.IsNull() && !value.IsUnknown()
}

// fromEnvironment returns what the environment says for an attribute that the
// block leaves out. An empty variable is one that is not set.
func (s *settings) fromEnvironment(attribute string, value attr.Value, variable string, check func(string) error) string {
	if variable == "" || value.IsUnknown() {
		return ""
	}
	text := os.Getenv(variable)
	if text == "" {
		return ""
	}
	if err := check(text); err != nil {
		s.fail(attribute, fmt.Sprintf("The value of the environment variable %s %s.", variable, err))
		return ""
	}
	return text
}

func (s *settings) text(attribute string, value types.String, variable string, check func(string) error) string {
	if s.known(attribute, value) {
		// Validation has seen it, unless it was not known then.
		if err := check(value.ValueString()); err != nil {
			s.fail(attribute, fmt.Sprintf("The value %s.", err))
		}
		return value.ValueString()
	}
	return s.fromEnvironment(attribute, value, variable, check)
}

func (s *settings) duration(attribute string, value types.String, variable string) time.Duration {
	text := s.text(attribute, value, variable, checkTimeout)
	duration, _ := time.ParseDuration(text) // Checked, or empty and then 0: the default.
	return duration
}

func (s *settings) number(attribute string, value types.Int64, variable string, least, most, fallback int64) int {
	check := func(text string) error {
		if n, err := strconv.ParseInt(text, 10, 64); err != nil || n < least || n > most {
			return fmt.Errorf("must be a whole number from %d to %d", least, most)
		}
		return nil
	}
	if s.known(attribute, value) {
		if err := check(strconv.FormatInt(value.ValueInt64(), 10)); err != nil {
			s.fail(attribute, fmt.Sprintf("The value %s.", err))
		}
		return int(value.ValueInt64())
	}
	if text := s.fromEnvironment(attribute, value, variable, check); text != "" {
		n, _ := strconv.Atoi(text) // Checked.
		return n
	}
	return int(fallback)
}

func (s *settings) headers(value types.Map) map[string]string {
	if !s.known("headers", value) {
		return nil
	}
	headers := map[string]string{}
	for name, element := range value.Elements() {
		text, ok := element.(types.String)
		if !ok || text.IsUnknown() {
			s.unknown = append(s.unknown, "headers")
			return nil
		}
		headers[name] = text.ValueString()
	}
	return headers
}

// tls returns the settings of TLS; after an error it may return nil.
func (s *settings) tls(c configuration) *tls.Config {
	ca := s.text("ca_certificate_pem", c.CACertificatePEM, "", checkCertificates)
	certificate := s.text("client_certificate_pem", c.ClientCertificatePEM, "", checkCertificates)
	key := s.text("client_key_pem", c.ClientKeyPEM, "", checkPrivateKey)
	insecure := s.known("insecure_skip_verify", c.InsecureSkipVerify) && c.InsecureSkipVerify.ValueBool()

	config := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: insecure, //nolint:gosec // The user asks for it, and the documentation warns of it.
	}
	if ca != "" {
		config.RootCAs = x509.NewCertPool()
		config.RootCAs.AppendCertsFromPEM([]byte(ca))
	}
	if certificate != "" && key != "" {
		pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
		if err != nil {
			s.fail("client_key_pem", "The private key cannot be read, or does not belong to the certificate in client_certificate_pem.")
			return nil
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config
}

// require reports an attribute that is set nowhere.
func (s *settings) require(attribute string, value attr.Value, resolved, variable string) {
	if resolved == "" && value.IsNull() && os.Getenv(variable) == "" {
		s.diags.AddAttributeError(path.Root(attribute), "Missing "+attribute, fmt.Sprintf(
			"The provider cannot reach the service without it. Set %s in the provider block or the environment variable %s.",
			attribute, variable))
	}
}

// warnPlainHTTP warns of a token that travels in the clear to another machine.
func (s *settings) warnPlainHTTP(address string) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return
	}
	if ip := net.ParseIP(u.Hostname()); u.Hostname() == "localhost" || ip != nil && ip.IsLoopback() {
		return
	}
	s.diags.AddAttributeWarning(path.Root("base_url"), "The token is sent unencrypted",
		"The address begins with http://, so that everyone between the provider and the service can read the token. "+
			"Use https:// unless the network in between is trusted.")
}

func (s *settings) fail(attribute, detail string) {
	s.diags.AddAttributeError(path.Root(attribute), invalidValue(attribute), detail)
}

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

// A wrong value is reported at its attribute, never with the value itself: by
// validation, and in the same words by Configure, because a value can be unknown
// to validation.
func TestWrongConfiguration(t *testing.T) {
	t.Parallel()
	const (
		whiteSpace = "must not begin or end with whitespace"
		controls   = "must not contain control characters"
		duration   = "must be a duration from 1ms to 24h with a unit, such as 30s or 1m30s"
		tooLong    = "must not be longer than 16384 bytes"
		ascii      = "must contain only ASCII characters. Remove other characters, which can be invisible, such as the byte order mark at the beginning of a file"
		noCA       = "must be one or more certificates in PEM format, beginning with -----BEGIN CERTIFICATE-----"
		noKey      = "must be a private key in PEM format, beginning with -----BEGIN PRIVATE KEY-----"
		aPath      = ". If the value is the path to a file, use file(...) to read the file"
	)
	value := func(attribute, text string) string {
		return `[AttributeName("` + attribute + `")] Invalid value for ` + attribute + "\nThe value " + text + "."
	}
	headerName := func(name, text string) string {
		return `[AttributeName("headers").ElementKeyString("` + name + `")] Invalid value for headers["` + name + `"]` + "\nThe header " + text + "."
	}
	headerValue := func(name, text string) string {
		return `[AttributeName("headers").ElementKeyString("` + name + `")] Invalid value for headers["` + name + `"]` + "\nThe value " + text + "."
	}
	single := func(name string) string {
		return headerName(name, name+" cannot be set, because it applies to a single connection and does not reach the service. Remove it from the headers argument")
	}
	own := func(name string) string {
		return headerName(name, name+" cannot be set, because the provider sets it. Remove it from the headers argument")
	}
	tests := map[string]struct {
		attribute string
		value     any
		want      string
	}{
		"token empty":            {"token", "", value("token", "must not be empty")},
		"token after space":      {"token", " hunter22", value("token", whiteSpace+", such as the line break at the end of a file. In a configuration, use trimspace(file(...)) to remove it")},
		"token with line break":  {"token", "hunter22\n", value("token", whiteSpace+", such as the line break at the end of a file. In a configuration, use trimspace(file(...)) to remove it")},
		"token with its scheme":  {"token", "beaRer hunter22", value("token", "must be the token without the word Bearer, which the provider adds")},
		"token with a null":      {"token", "hunter\x0022", value("token", controls)},
		"token with a tab":       {"token", "hunter\t22", value("token", controls)},
		"token too long":         {"token", strings.Repeat("x", 16385), value("token", tooLong)},
		"token after a mark":     {"token", "\uFEFFhunter22", value("token", ascii)},
		"token with a zero":      {"token", "hunter\u200b22", value("token", ascii)},
		"header too long":        {"headers", object{"X-A": strings.Repeat("x", 16385)}, headerValue("X-A", tooLong)},
		"timeout empty":          {"request_timeout", "", value("request_timeout", duration)},
		"timeout without unit":   {"request_timeout", "30", value("request_timeout", duration)},
		"timeout of zero":        {"request_timeout", "0s", value("request_timeout", duration)},
		"timeout below zero":     {"request_timeout", "-1ns", value("request_timeout", duration)},
		"timeout too short":      {"request_timeout", "999us", value("request_timeout", duration)},
		"timeout too long":       {"request_timeout", "24h1ns", value("request_timeout", duration)},
		"the token's header":     {"headers", object{"authorization": "hunter22"}, headerName("authorization", "authorization cannot be set, because the provider sends the token in it. Remove it from the headers argument")},
		"header Accept":          {"headers", object{"Accept": "hunter22"}, own("Accept")},
		"header User-Agent":      {"headers", object{"User-Agent": "hunter22"}, own("User-Agent")},
		"header Trailer":         {"headers", object{"Trailer": "hunter22"}, single("Trailer")},
		"header without name":    {"headers", object{"": "hunter22"}, headerName("", "must have a name of letters, digits, and hyphens")},
		"header with a colon":    {"headers", object{"X:": "hunter22"}, headerName("X:", "must have a name of letters, digits, and hyphens")},
		"header null":            {"headers", object{"X-A": nil}, "[AttributeName(\"headers\")] Null Map Value\nThis attribute contains a null value."},
		"header empty":           {"headers", object{"X-A": ""}, headerValue("X-A", "must not be empty")},
		"header after space":     {"headers", object{"X-A": " hunter22"}, headerValue("X-A", whiteSpace)},
		"header with line break": {"headers", object{"X-A": "hunter22\r\nX-B: c"}, headerValue("X-A", controls)},
		"header in two spellings": {"headers", object{"X-A": "hunter22", "x-a": "hunter23", "X-B": "hunter24"},
			"[AttributeName(\"headers\")] Duplicate header in headers\nThe header X-A is set more than once, in different spellings. Keep one of them."},
		"CA empty":            {"ca_certificate_pem", "", value("ca_certificate_pem", noCA)},
		"CA a path":           {"ca_certificate_pem", "/etc/ssl/hunter22.pem", value("ca_certificate_pem", noCA+aPath)},
		"CA other text":       {"ca_certificate_pem", "hunter22\nhunter23", value("ca_certificate_pem", noCA)},
		"CA on Windows":       {"ca_certificate_pem", "hunter22\rhunter23", value("ca_certificate_pem", noCA)},
		"CA on one line":      {"ca_certificate_pem", "-----BEGIN CERTIFICATE----- hunter22", value("ca_certificate_pem", noCA)},
		"CA broken":           {"ca_certificate_pem", "-----BEGIN CERTIFICATE-----\naGk=\n-----END CERTIFICATE-----\n", value("ca_certificate_pem", "contains a PEM block that is not a certificate")},
		"key a path":          {"client_key_pem", "hunter22.key", value("client_key_pem", noKey+aPath)},
		"certificate a path":  {"client_certificate_pem", "hunter22.crt", value("client_certificate_pem", noCA+aPath)},
		"period parameter":    {"stats_period_parameter", "", value("stats_period_parameter", "must not be empty")},
		"agent parameter":     {"session_agent_parameter", "", value("session_agent_parameter", "must not be empty")},
		"parameter and space": {"session_agent_parameter", "a ", value("session_agent_parameter", whiteSpace)},
		"parameter with tab":  {"stats_period_parameter", "a\tb", value("stats_period_parameter", controls)},
	}
	p := newTestProvider(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := object{"base_url": "https://service.example/api", "token": "hunter29"}
			config[test.attribute] = test.value
			switch test.attribute { // Each is valid only with the other.
			case "client_key_pem":
				config["client_certificate_pem"] = unknown
			case "client_certificate_pem":
				config["client_key_pem"] = unknown
			}
			requireExactly(t, p.validateProvider(config), test.want)
			requireExactly(t, newTestProvider(t).configure(config), test.want)
		})
	}
}

// Numbers are checked by validation alone, which Terraform repeats as soon as
// all values are known.
func TestNumbersOutOfRange(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	for attribute, test := range map[string]struct {
		values []number
		want   string
	}{
		"max_retries":             {[]number{"-1", "21"}, "must be between 0 and 20"},
		"max_concurrent_requests": {[]number{"0", "257"}, "must be between 1 and 256"},
		"max_requests_per_second": {[]number{"0", "-0.5", "0.0009", "10001"}, "must be between 0.001000 and 10000.000000"},
	} {
		for _, value := range test.values {
			requireError(t, p.validateProvider(object{attribute: value}), `[AttributeName("`+attribute+`")]`, test.want)
		}
	}
}

// Over http, a proxy takes the header, or replaces it with its own credentials.
func TestGatewayHeaderRequiresTLS(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "HTTP"} {
		requireExactly(t, newTestProvider(t).configure(object{
			"base_url": scheme + "://127.0.0.1/api", "token": "t", "headers": object{"proxy-Authorization": "Bearer hunter22", "X-A": "a"},
		}), `[AttributeName("headers").ElementKeyString("proxy-Authorization")] Invalid value for headers["proxy-Authorization"]`+"\n"+
			"The header proxy-Authorization can be set only if base_url begins with https://, because over http the header is for a proxy. Remove it from the headers argument, or use https://.")
	}
}

func TestWrongBaseURL(t *testing.T) {
	t.Parallel()
	p := newTestProvider(t)
	for value, want := range map[string]string{
		"":                                "must begin with https://",
		"https://service.example/api ":    "whitespace",
		"127.0.0.1:8080/api":              "is not a URL",
		"service.example/api":             "must begin with https://",
		"ftp://service.example":           "must begin with https://",
		"https:///api":                    "must name a host",
		"https://user:hunter22@a.example": "user information",
		"https://service.example/api?a=b": "query",
		"https://service.example/api#a":   "fragment",
		"https://service example/%zz":     "is not a URL",
		"https://service.example/api/v1":  "must not end in /v1, because the provider appends it. Remove /v1 from the end",
	} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			for _, diagnostics := range [][]*tfprotov6.Diagnostic{
				p.validateProvider(object{"base_url": value}), newTestProvider(t).configure(object{"base_url": value, "token": "t"}),
			} {
				d := requireError(t, diagnostics, `[AttributeName("base_url")] Invalid value for base_url`, want)
				if strings.Contains(describe(d), "hunter22") {
					t.Errorf("the error has the value:\n%s", describe(d))
				}
			}
		})
	}
}

// The edges of what is valid, and values that are not known yet.
func TestValidConfiguration(t *testing.T) {
	t.Parallel()
	pair := newAuthority(t)
	for name, config := range map[string]object{
		"nothing": {},
		"least":   {"max_retries": number("0"), "max_concurrent_requests": number("1"), "max_requests_per_second": number("0.001"), "request_timeout": "1ms"},
		"most":    {"max_retries": number("20"), "max_concurrent_requests": number("256"), "max_requests_per_second": number("10000"), "request_timeout": "24h", "token": strings.Repeat("x", 16384)},
		"headers": {"headers": object{"X-A": "a", "X-B": "a"}},
		"client":  {"client_certificate_pem": pair.certificatePEM, "client_key_pem": pair.keyPEM},
		"bundles": {
			"ca_certificate_pem": pair.keyPEM + pair.certificatePEM, "client_certificate_pem": pair.keyPEM + pair.certificatePEM,
			"client_key_pem": pair.certificatePEM + pair.keyPEM,
		},
		"unknown header": {"headers": object{"X-A": unknown}},
		"for a gateway":  {"headers": object{"Proxy-Authorization": "Bearer a"}},
		"unknown": {
			"base_url": unknown, "token": unknown, "request_timeout": unknown, "max_retries": unknown, "max_concurrent_requests": unknown,
			"max_requests_per_second": unknown, "headers": unknown, "ca_certificate_pem": unknown, "client_certificate_pem": unknown,
			"client_key_pem": unknown, "insecure_skip_verify": unknown, "stats_period_parameter": unknown, "session_agent_parameter": unknown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireExactly(t, newTestProvider(t).validateProvider(config))
			for attribute, value := range (object{"base_url": "https://service.example/api", "token": "t"}) {
				if _, ok := config[attribute]; !ok {
					config[attribute] = value
				}
			}
			requireExactly(t, newTestProvider(t).configure(config))
		})
	}
}

// Certificate and key go together, also when one of them is null only after
// validation.
func TestClientCertificateAndKey(t *testing.T) {
	t.Parallel()
	one, other := newAuthority(t), newAuthority(t)
	p := newTestProvider(t)
	requireError(t, p.validateProvider(object{"client_certificate_pem": one.certificatePEM}), `[AttributeName("client_certificate_pem")]`, "client_key_pem")
	requireError(t, p.validateProvider(object{"client_key_pem": one.keyPEM}), `[AttributeName("client_key_pem")]`, "client_certificate_pem")
	for name, test := range map[string]struct {
		certificate, key any
		want             string
	}{
		"no key": {one.certificatePEM, nil,
			"[AttributeName(\"client_certificate_pem\")] Invalid Attribute Combination\nAttribute \"client_key_pem\" must be specified when \"client_certificate_pem\" is specified"},
		"no certificate": {nil, one.keyPEM,
			"[AttributeName(\"client_key_pem\")] Invalid Attribute Combination\nAttribute \"client_certificate_pem\" must be specified when \"client_key_pem\" is specified"},
		"a broken certificate": {"-----BEGIN CERTIFICATE-----\naGk=\n-----END CERTIFICATE-----\n", one.keyPEM,
			"[AttributeName(\"client_certificate_pem\")] Invalid value for client_certificate_pem\nThe value contains a PEM block that is not a certificate."},
		"a broken key": {one.certificatePEM, "\n",
			"[AttributeName(\"client_key_pem\")] Invalid value for client_key_pem\nThe value must be a private key in PEM format, beginning with -----BEGIN PRIVATE KEY-----."},
		"another key": {one.certificatePEM, other.keyPEM,
			"[AttributeName(\"client_key_pem\")] Invalid value for client_key_pem\nThe private key cannot be read, or does not belong to the certificate in client_certificate_pem."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireExactly(t, newTestProvider(t).configure(object{
				"base_url": "https://service.example/api", "token": "t", "client_certificate_pem": test.certificate, "client_key_pem": test.key,
			}), test.want)
		})
	}
}

// What makes a token readable for others is allowed, with a warning.
func TestConfigurationWarnings(t *testing.T) {
	t.Parallel()
	const (
		plainHTTP = "[AttributeName(\"base_url\")] The token is sent unencrypted\nThe base URL begins with http://, so anyone between the " +
			"provider and the service can read the token. Use https:// unless you trust the network in between."
		unverified = "[AttributeName(\"insecure_skip_verify\")] The server certificate is not verified\nAnyone between the provider and the " +
			"service can read the token and change the responses. Remove insecure_skip_verify, and set ca_certificate_pem if a private CA " +
			"signed the server certificate."
	)
	for name, test := range map[string]struct {
		config object
		want   []string
	}{
		"a name":          {object{"base_url": "http://service.example/api"}, []string{plainHTTP}},
		"an address":      {object{"base_url": "http://10.0.0.1/api"}, []string{plainHTTP}},
		"https":           {object{"base_url": "https://service.example/api"}, nil},
		"localhost":       {object{"base_url": "http://LocalHost:8080/api"}, nil},
		"loopback":        {object{"base_url": "http://127.0.0.1:8080/api"}, nil},
		"IPv6 loopback":   {object{"base_url": "http://[::1]:8080/api"}, nil},
		"not verified":    {object{"base_url": "https://service.example/api", "insecure_skip_verify": true}, []string{unverified}},
		"verified":        {object{"base_url": "https://service.example/api", "insecure_skip_verify": false}, nil},
		"unknown and not": {object{"base_url": unknown, "insecure_skip_verify": true}, []string{unverified}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.config["token"] = "t"
			diagnostics := newTestProvider(t).configure(test.config)
			requireNoErrors(t, diagnostics)
			requireExactly(t, diagnostics, test.want...)
		})
	}
}

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/convo/terraform-provider-convo/internal/devserver"
)

// tlsService is a service whose one certificate is the server's, its CA's, and the
// client's, which it requires.
type tlsService struct {
	service
	certificatePEM, keyPEM string
}

// startTLSService starts the development server behind TLS.
func startTLSService(t testing.TB) tlsService {
	t.Helper()
	s := service{Server: devserver.New(), recorder: &recorder{}}
	listener := httptest.NewUnstartedServer(s.record(http.StripPrefix("/api", s.Server)))
	// Package convo tests how certificates are verified.
	listener.TLS = &tls.Config{MinVersion: tls.VersionTLS12, ClientAuth: tls.RequireAnyClientCert}
	listener.Config.ErrorLog = log.New(io.Discard, "", 0) // Refused handshakes are what the tests are about.
	listener.StartTLS()
	t.Cleanup(listener.Close)
	s.BaseURL = listener.URL + "/api"
	key, err := x509.MarshalPKCS8PrivateKey(listener.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return tlsService{
		service:        s,
		certificatePEM: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: listener.Certificate().Raw})),
		keyPEM:         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})),
	}
}

// A service with a certificate of a private CA, which requires a client
// certificate.
func TestTLS(t *testing.T) {
	t.Parallel()
	s := startTLSService(t)
	for name, test := range map[string]struct {
		config object
		want   []string // of the error; none means that the read succeeds
	}{
		"CA and client certificate": {
			object{"ca_certificate_pem": s.certificatePEM, "client_certificate_pem": s.certificatePEM, "client_key_pem": s.keyPEM}, nil,
		},
		"no verification": {
			object{"insecure_skip_verify": true, "client_certificate_pem": s.certificatePEM, "client_key_pem": s.keyPEM}, nil,
		},
		"no CA":                 {object{}, []string{"unknown authority", "ca_certificate_pem"}},
		"no client certificate": {object{"ca_certificate_pem": s.certificatePEM}, []string{"certificate required", "client_certificate_pem"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diagnostics := configuredProvider(t, s.service, test.config).read("convo_agents", object{})
			if test.want == nil {
				requireNoErrors(t, diagnostics)
				return
			}
			requireError(t, diagnostics, append(test.want, "Unable to read agents")...)
		})
	}
}

// What is not a certificate or a key is an error that does not quote the value.
func TestInvalidPEM(t *testing.T) {
	t.Parallel()
	const (
		noCA      = "The value contains no certificate in PEM format. If it is the path to a file, use file(...) to read the file."
		noPair    = "client_certificate_pem and client_key_pem must be a certificate and its unencrypted private key in PEM format: tls: "
		file      = ". If a value is the path to a file, use file(...) to read the file."
		broken    = "-----BEGIN CERTIFICATE-----\naGk=\n-----END CERTIFICATE-----\n"
		encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\naGk=\n-----END ENCRYPTED PRIVATE KEY-----\n"
	)
	one := startTLSService(t)
	for name, test := range map[string]struct {
		config         object
		argument, want string
	}{
		"CA empty":       {object{"ca_certificate_pem": ""}, "ca_certificate_pem", noCA},
		"CA a path":      {object{"ca_certificate_pem": "/etc/ssl/hunter22.pem"}, "ca_certificate_pem", noCA},
		"CA broken":      {object{"ca_certificate_pem": broken}, "ca_certificate_pem", noCA},
		"no key":         {object{"client_certificate_pem": one.certificatePEM}, "client_certificate_pem", `Attribute "client_key_pem" must be specified when "client_certificate_pem" is specified`},
		"no certificate": {object{"client_key_pem": one.keyPEM}, "client_key_pem", `Attribute "client_certificate_pem" must be specified when "client_key_pem" is specified`},
		"certificate a path": {object{"client_certificate_pem": "hunter22.crt", "client_key_pem": one.keyPEM}, "client_certificate_pem",
			noPair + "failed to find any PEM data in certificate input" + file},
		"key a path": {object{"client_certificate_pem": one.certificatePEM, "client_key_pem": "hunter22.key"}, "client_certificate_pem",
			noPair + "failed to find any PEM data in key input" + file},
		"key encrypted": {object{"client_certificate_pem": one.certificatePEM, "client_key_pem": encrypted}, "client_certificate_pem",
			noPair + "failed to parse private key" + file},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.config["base_url"], test.config["token"] = testBaseURL, testToken
			d := requireError(t, newTestProvider(t).configure(test.config), `[AttributeName("`+test.argument+`")]`)
			if d.Detail != test.want || strings.Contains(describe(d), "hunter22") {
				t.Errorf("got %q, want %q", d.Detail, test.want)
			}
		})
	}
}

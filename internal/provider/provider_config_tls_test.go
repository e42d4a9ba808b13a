// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// certificate is a real certificate with its key, in PEM.
type certificate struct {
	certificatePEM, keyPEM string

	parsed *x509.Certificate
	key    *ecdsa.PrivateKey
}

// newAuthority makes a CA certificate.
func newAuthority(t testing.TB) certificate {
	t.Helper()
	return newCertificate(t, &x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil)
}

// newCertificate makes a certificate from a template, valid for an hour unless that says
// otherwise, and signed by the parent, or by itself without one.
func newCertificate(t testing.TB, template *x509.Certificate, parent *certificate) certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.Subject = pkix.Name{CommonName: "test"}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), cmp.Or(template.NotAfter, time.Now().Add(time.Hour))
	signer, signerKey := template, key
	if parent != nil {
		signer, signerKey = parent.parsed, parent.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, signer, &key.PublicKey, signerKey)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return certificate{
		certificatePEM: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		keyPEM:         string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})),
		parsed:         parsed,
		key:            key,
	}
}

func (c certificate) pair(t testing.TB) tls.Certificate {
	t.Helper()
	pair, err := tls.X509KeyPair([]byte(c.certificatePEM), []byte(c.keyPEM))
	if err != nil {
		t.Fatal(err)
	}
	return pair
}

// startTLSService starts the development server behind TLS.
func startTLSService(t testing.TB, config *tls.Config) service {
	t.Helper()
	s := newService(t)
	s.TLS = config
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // Refused handshakes are what the tests are about.
	s.StartTLS()
	s.BaseURL = s.URL + "/api"
	return s
}

// A service with a certificate of a private CA, which requires a client
// certificate of the same CA.
func TestTLS(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	server := newCertificate(t, &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}, &authority)
	expired := newCertificate(t, &x509.Certificate{IPAddresses: server.parsed.IPAddresses, NotAfter: time.Now().Add(-time.Minute)}, &authority)
	client := newCertificate(t, &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, &authority)
	clients := x509.NewCertPool()
	clients.AddCert(authority.parsed)
	tests := map[string]struct {
		server certificate
		config object
		want   []string // of the error; none means that the read succeeds
	}{
		"CA and client certificate": {
			server, object{"ca_certificate_pem": authority.certificatePEM, "client_certificate_pem": client.certificatePEM, "client_key_pem": client.keyPEM}, nil,
		},
		"no verification": {
			expired, object{"insecure_skip_verify": true, "client_certificate_pem": client.certificatePEM, "client_key_pem": client.keyPEM}, nil,
		},
		"no CA":                 {server, object{}, []string{"certificate", "a private CA", "ca_certificate_pem"}},
		"another CA":            {server, object{"ca_certificate_pem": newAuthority(t).certificatePEM}, []string{"unknown authority", "ca_certificate_pem"}},
		"expired":               {expired, object{"ca_certificate_pem": authority.certificatePEM}, []string{"has expired or is not yet valid"}},
		"no client certificate": {server, object{"ca_certificate_pem": authority.certificatePEM}, []string{"certificate required", "client_certificate_pem"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTLSService(t, &tls.Config{
				Certificates: []tls.Certificate{test.server.pair(t)}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert,
			})
			_, diagnostics := configuredProvider(t, s, test.config, object{"max_retries": number("2")}).read("convo_agents", object{})
			if test.want == nil {
				requireNoErrors(t, diagnostics)
				return
			}
			// Another attempt would fail, too.
			requireError(t, diagnostics, append(test.want, "Unable to read agents", "The request for the agents failed: ")...)
			if len(s.Requests()) > 0 {
				t.Error("the request, and with it the token, reached the service")
			}
		})
	}
}

// TLS 1.1 is not secure.
func TestTLSVersion(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	server := newCertificate(t, &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}}, &authority)
	old := &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	old.Certificates = []tls.Certificate{server.pair(t)}
	s := startTLSService(t, old)
	_, diagnostics := configuredProvider(t, s, object{"ca_certificate_pem": authority.certificatePEM}).read("convo_agents", object{})
	requireError(t, diagnostics, "protocol version", "requires TLS 1.2 or later")
}

// What is not a certificate or a key is an error that quotes neither the value nor
// crypto/tls, whose words differ between versions of Go.
func TestInvalidPEM(t *testing.T) {
	t.Parallel()
	const (
		encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\naGk=\n-----END ENCRYPTED PRIVATE KEY-----\n"
	)
	one, other := newAuthority(t), newAuthority(t)
	for name, test := range map[string]struct {
		config   object
		argument string
	}{
		"CA a path":     {object{"ca_certificate_pem": "/etc/ssl/hunter22.pem"}, "ca_certificate_pem"},
		"key a path":    {object{"client_certificate_pem": one.certificatePEM, "client_key_pem": "hunter22.key"}, "client_certificate_pem"},
		"key encrypted": {object{"client_certificate_pem": one.certificatePEM, "client_key_pem": encrypted}, "client_certificate_pem"},
		"another key":   {object{"client_certificate_pem": one.certificatePEM, "client_key_pem": other.keyPEM}, "client_certificate_pem"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.config["base_url"], test.config["token"] = testBaseURL, testToken
			d := requireError(t, newTestProvider(t).configure(test.config), `[AttributeName("`+test.argument+`")]`)
			if text := strings.ToLower(d.Detail); strings.Contains(text, "hunter22") || strings.Contains(text, "asn1") {
				t.Errorf("the error quotes the value or crypto/tls: %s", d.Detail)
			}
		})
	}
}

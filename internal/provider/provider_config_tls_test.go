// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
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
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/devserver"
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

// newCertificate makes a certificate from a template, valid for an hour unless
// the template sets another time, and signed by the parent, or by itself
// without one.
func newCertificate(t testing.TB, template *x509.Certificate, parent *certificate) certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.Subject = pkix.Name{CommonName: "test"}
	if template.NotAfter.IsZero() {
		template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
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
	s := service{Server: devserver.New(), recorder: &recorder{}}
	listener := httptest.NewUnstartedServer(s.record(http.StripPrefix("/api", s.Server)))
	listener.TLS = config
	listener.Config.ErrorLog = log.New(io.Discard, "", 0) // Refused handshakes are what the tests are about.
	listener.StartTLS()
	t.Cleanup(listener.Close)
	s.BaseURL = listener.URL + "/api"
	return s
}

func TestTLS(t *testing.T) {
	t.Parallel()
	authority, stranger := newAuthority(t), newAuthority(t)
	loopback := []net.IP{net.IPv4(127, 0, 0, 1)}
	good := newCertificate(t, &x509.Certificate{IPAddresses: loopback}, &authority)
	expired := newCertificate(t, &x509.Certificate{
		IPAddresses: loopback, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour),
	}, &authority)
	elsewhere := newCertificate(t, &x509.Certificate{DNSNames: []string{"elsewhere.example"}}, &authority)
	client := newCertificate(t, &x509.Certificate{ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, &authority)

	clients := x509.NewCertPool()
	clients.AddCert(authority.parsed)
	plain := func(c certificate) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{c.pair(t)}} }
	mutual := plain(good)
	mutual.ClientCAs, mutual.ClientAuth = clients, tls.RequireAndVerifyClientCert

	ca := object{"ca_certificate_pem": authority.certificatePEM}
	tests := map[string]struct {
		server *tls.Config
		config object
		want   []string // of the error; none means that the read succeeds
	}{
		"own authority":                  {plain(good), ca, nil},
		"the system's authorities":       {plain(good), object{}, []string{"certificate", "ca_certificate_pem"}},
		"another authority":              {plain(good), object{"ca_certificate_pem": stranger.certificatePEM}, []string{"unknown authority", "ca_certificate_pem"}},
		"expired":                        {plain(expired), ca, []string{"expired"}},
		"for another host":               {plain(elsewhere), ca, []string{"127.0.0.1", "base_url"}},
		"verification off":               {plain(expired), object{"insecure_skip_verify": true}, nil},
		"client certificate":             {mutual, object{"ca_certificate_pem": authority.certificatePEM, "client_certificate_pem": client.certificatePEM, "client_key_pem": client.keyPEM}, nil},
		"no client certificate":          {mutual, ca, []string{"certificate required", "client_certificate_pem"}},
		"several authorities in one PEM": {plain(good), object{"ca_certificate_pem": stranger.certificatePEM + authority.certificatePEM}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := startTLSService(t, test.server)
			_, diagnostics := configuredProvider(t, s, test.config).read("convo_agents", object{})
			if test.want == nil {
				requireNoErrors(t, diagnostics)
				return
			}
			requireError(t, diagnostics, append(test.want, "Unable to read agents")...)
			if len(s.Requests()) > 0 {
				t.Error("the request, and with it the token, reached the service")
			}
		})
	}
}

// Keys as the usual tools write them.
func TestPrivateKeys(t *testing.T) {
	t.Parallel()
	key := newAuthority(t).keyPEM
	parameters := string(pem.EncodeToMemory(&pem.Block{Type: "EC PARAMETERS", Bytes: []byte{6, 8}}))
	encrypted := string(pem.EncodeToMemory(&pem.Block{Type: "ENCRYPTED PRIVATE KEY", Bytes: []byte{1}}))
	older := string(pem.EncodeToMemory(&pem.Block{
		Type: "RSA PRIVATE KEY", Bytes: []byte{1}, Headers: map[string]string{"Proc-Type": "4,ENCRYPTED", "DEK-Info": "AES-256-CBC,00"},
	}))
	for text, want := range map[string]string{
		key: "", parameters + key: "", "a comment\n" + key: "",
		encrypted: "must not be encrypted", older: "must not be encrypted",
		parameters: "must be a private key in PEM format", "": "must be a private key in PEM format",
	} {
		err := checkPrivateKey(text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %q", text, err, want)
		}
	}
}

// Plain HTTP on a port that is asked for TLS, and the other way round.
func TestSchemeOfAnotherKind(t *testing.T) {
	t.Parallel()
	s := startService(t)
	s.BaseURL = "https" + s.BaseURL[len("http"):]
	_, diagnostics := configuredProvider(t, s).read("convo_agents", object{})
	requireError(t, diagnostics, "Unable to read agents", "the scheme and the port of base_url")
}

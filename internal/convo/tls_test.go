// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// authority is a CA for one test.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) *authority {
	t.Helper()
	a := &authority{key: newKey(t)}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, SerialNumber: big.NewInt(1),
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.certificate = sign(t, template, template, a.key, a.key)
	return a
}

// issue makes a certificate and its key; change may spoil it.
func (a *authority) issue(t *testing.T, change func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "leaf"}, SerialNumber: big.NewInt(time.Now().UnixNano()),
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	if change != nil {
		change(template)
	}
	leaf := sign(t, template, a.certificate, key, a.key)
	return tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key, Leaf: leaf}
}

// trust returns a client's configuration that trusts the authority.
func (a *authority) trust() *tls.Config {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func sign(t *testing.T, template, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, parentKey)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return certificate
}

// startTLS serves https with the configuration.
func startTLS(t *testing.T, config *tls.Config) *service {
	t.Helper()
	server := newService(t, respond(http.StatusOK, `{"message":"success"}`))
	server.TLS = config
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	return server
}

func serverTLS(certificate tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
}

func TestServerCertificate(t *testing.T) {
	t.Parallel()
	own, foreign := newAuthority(t, "own"), newAuthority(t, "foreign")
	good := own.issue(t, nil)
	expired := own.issue(t, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
	for name, test := range map[string]struct {
		server tls.Certificate
		client *tls.Config
		works  bool
	}{
		"own authority":     {good, own.trust(), true},
		"foreign authority": {good, foreign.trust(), false},
		"system's roots":    {good, nil, false},
		"expired":           {expired, own.trust(), false},
	} {
		server := startTLS(t, serverTLS(test.server))
		err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, TLS: test.client, MaxRetries: new(4)}))
		if test.works {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		var certificate *tls.CertificateVerificationError
		if !errors.As(err, &certificate) {
			t.Errorf("%s: got %v, want a *tls.CertificateVerificationError", name, err)
		}
		expectTLSError(t, err)
		server.expectRequests(t, 0)
	}
}

// expectTLSError expects an error of TLS, which is not retried.
func expectTLSError(t *testing.T, err error) {
	t.Helper()
	var transport *convo.TransportError
	if !errors.As(err, &transport) || transport.Reason != convo.ReasonTLS || transport.Attempts != 1 || !transport.NotSent {
		t.Errorf("got %+v, want a TLS error after one attempt", err)
	}
}

// TestClientCertificate has TLS 1.2, because with TLS 1.3, the refusal follows the handshake,
// and is lost at times.
func TestClientCertificate(t *testing.T) {
	t.Parallel()
	own, foreign := newAuthority(t, "own"), newAuthority(t, "foreign")
	config := serverTLS(own.issue(t, nil))
	config.ClientAuth, config.ClientCAs, config.MaxVersion = tls.RequireAndVerifyClientCert, own.trust().RootCAs, tls.VersionTLS12
	server := startTLS(t, config)
	read := func(certificates ...tls.Certificate) error {
		trust := own.trust()
		trust.Certificates = certificates
		return readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, TLS: trust, MaxRetries: new(2)}))
	}
	expectTLSError(t, read())
	expectTLSError(t, read(foreign.issue(t, nil)))
	server.expectRequests(t, 0)
	if err := read(own.issue(t, nil)); err != nil {
		t.Error(err)
	}
}

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
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// authority is a CA for one test.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
	serial      atomic.Int64
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
	a.serial.Store(1)
	return a
}

// issue makes a certificate and its key; change may spoil it.
func (a *authority) issue(t *testing.T, change func(*x509.Certificate)) tls.Certificate {
	t.Helper()
	key := newKey(t)
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "leaf"}, SerialNumber: big.NewInt(a.serial.Add(1)),
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

func (a *authority) pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(a.certificate)
	return pool
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

// startTLS serves https with the configuration, and counts connections.
func startTLS(t *testing.T, config *tls.Config) (server *service, connections *atomic.Int32) {
	t.Helper()
	server = newService(t, respond(http.StatusOK, `{"message":"success"}`))
	connections = &atomic.Int32{}
	server.TLS = config
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.StartTLS()
	return server, connections
}

func serverTLS(certificate tls.Certificate) *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
}

// TestHTTP2IsNotOffered has the default TLS configuration, with which net/http would use
// HTTP/2 if the server supports it.
func TestHTTP2IsNotOffered(t *testing.T) {
	t.Parallel()
	offered := make(chan []string, 2)
	config := serverTLS(newAuthority(t, "foreign").issue(t, nil))
	config.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
		offered <- hello.SupportedProtos
		return nil, nil
	}
	server, _ := startTLS(t, config)
	client := newClient(t, convo.Config{BaseURL: server.URL})
	for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
		if err := send(testContext(t), client); err == nil {
			t.Errorf("%s: trusted the certificate", method)
		}
		if got := <-offered; slices.Contains(got, "h2") {
			t.Errorf("%s: offered %q", method, got)
		}
	}
}

func TestServerCertificate(t *testing.T) {
	t.Parallel()
	own, foreign := newAuthority(t, "own"), newAuthority(t, "foreign")
	good := own.issue(t, nil)
	expired := own.issue(t, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
	wrongHost := own.issue(t, func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"other.example"} })
	trust := &tls.Config{RootCAs: own.pool(), MinVersion: tls.VersionTLS12}

	tests := map[string]struct {
		server tls.Certificate
		client *tls.Config
		works  bool
	}{
		"own authority":     {good, trust, true},
		"foreign authority": {good, &tls.Config{RootCAs: foreign.pool(), MinVersion: tls.VersionTLS12}, false},
		"system's roots":    {good, nil, false},
		"expired":           {expired, trust, false},
		"wrong host":        {wrongHost, trust, false},
		"not verified":      {expired, &tls.Config{InsecureSkipVerify: true}, true},
	}
	for name, test := range tests {
		for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				server, connections := startTLS(t, serverTLS(test.server))
				client := newClient(t, convo.Config{BaseURL: server.URL, TLS: test.client, MaxRetries: new(4)})
				err := send(testContext(t), client)
				if got := connections.Load(); got != 1 {
					t.Errorf("made %d connections, want 1", got)
				}
				if test.works {
					if err != nil {
						t.Error(err)
					}
					server.expectRequests(t, 1)
					return
				}
				var certificate *tls.CertificateVerificationError
				var transport *convo.TransportError
				if !errors.As(err, &certificate) || !errors.As(err, &transport) ||
					transport.Reason != convo.ReasonTLS || transport.Attempts != 1 {
					t.Errorf("got %v, want a *tls.CertificateVerificationError after one attempt", err)
				}
				server.expectRequests(t, 0)
			})
		}
	}
}

func TestClientCertificate(t *testing.T) {
	t.Parallel()
	own, foreign := newAuthority(t, "own"), newAuthority(t, "foreign")
	server := serverTLS(own.issue(t, nil))
	server.ClientAuth, server.ClientCAs = tls.RequireAndVerifyClientCert, own.pool()

	given := map[string]struct {
		certificates []tls.Certificate
		accepted     bool
	}{
		"given":             {[]tls.Certificate{own.issue(t, nil)}, true},
		"missing":           {nil, false},
		"foreign authority": {[]tls.Certificate{foreign.issue(t, nil)}, false},
	}
	for name, test := range given {
		for version, label := range map[uint16]string{tls.VersionTLS12: " TLS 1.2", tls.VersionTLS13: " TLS 1.3"} {
			t.Run(name+label, func(t *testing.T) {
				t.Parallel()
				service, connections := startTLS(t, server.Clone())
				client := newClient(t, convo.Config{
					BaseURL: service.URL, MaxRetries: new(2),
					TLS: &tls.Config{
						RootCAs: own.pool(), Certificates: test.certificates, MinVersion: version, MaxVersion: version,
					},
				})
				err := readAgent(testContext(t), client)
				if test.accepted {
					if err != nil {
						t.Error(err)
					}
					return
				}
				service.expectRequests(t, 0)
				var transport *convo.TransportError
				if !errors.As(err, &transport) {
					t.Fatalf("got %v, want a *TransportError", err)
				}
				// With TLS 1.3 the refusal follows the handshake, and is lost at
				// times because the server closes the connection right after it.
				if version == tls.VersionTLS12 &&
					(transport.Reason != convo.ReasonTLS || transport.Attempts != 1 || connections.Load() != 1) {
					t.Errorf("got %v on %d connections, want one refused handshake", err, connections.Load())
				}
			})
		}
	}
}

func TestSchemeOfTheOtherKind(t *testing.T) {
	t.Parallel()
	for name, response := range map[string]string{
		"http":             "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n",
		"another protocol": "SSH-2.0-OpenSSH_9.2\r\n",
	} {
		t.Run("https to "+name, func(t *testing.T) {
			t.Parallel()
			address, connections := accept(t, func(c net.Conn) {
				_, _ = c.Read(make([]byte, 4096))
				_, _ = io.WriteString(c, response)
			})
			err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: "https://" + address, MaxRetries: new(4)}))
			var transport *convo.TransportError
			if !errors.As(err, &transport) || transport.Reason != convo.ReasonTLS || connections.Load() != 1 {
				t.Errorf("got %v on %d connections, want one that is not TLS", err, connections.Load())
			}
		})
	}
	t.Run("http to https", func(t *testing.T) {
		t.Parallel()
		server, _ := startTLS(t, serverTLS(newAuthority(t, "own").issue(t, nil)))
		got := failure(t, &service{Server: &httptest.Server{URL: "http://" + server.Listener.Addr().String()}})
		if got.Status != http.StatusBadRequest || got.Excerpt != "Client sent an HTTP request to an HTTPS server." {
			t.Errorf("got %+v, want the text of the server's 400", got)
		}
	})
}

// TestServerWithoutHTTP1: the error of a server that supports only HTTP/2 says what is
// needed.
func TestServerWithoutHTTP1(t *testing.T) {
	t.Parallel()
	own := newAuthority(t, "own")
	server := newService(t, respond(http.StatusOK, "{}"))
	server.TLS = serverTLS(own.issue(t, nil))
	server.EnableHTTP2 = true
	server.Config.Protocols = &http.Protocols{}
	server.Config.Protocols.SetHTTP2(true)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.StartTLS()
	settings, _ := accept(t, func(c net.Conn) {
		_, _ = c.Read(make([]byte, 4096))
		_, _ = io.WriteString(c, "\x00\x00\x00\x04\x00\x00\x00\x00\x00") // An empty SETTINGS frame.
	})
	for _, baseURL := range []string{server.URL, "http://" + settings} {
		err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: baseURL, TLS: &tls.Config{RootCAs: own.pool(), MinVersion: tls.VersionTLS12}}))
		if want := "read agent: the connection was closed before a valid HTTP/1.1 response arrived"; err == nil || err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	server.expectRequests(t, 0)
}

func TestHandshakeThatIsClosed(t *testing.T) {
	t.Parallel()
	address, _ := accept(t, func(c net.Conn) { _, _ = c.Read(make([]byte, 4096)) })
	err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: "https://" + address}))
	if err == nil || err.Error() != "read agent: the connection was closed before a valid HTTP/1.1 response arrived" {
		t.Errorf("got %v", err)
	}
}

// TestSharedTLSConfig is for the race detector: net/http adds to the
// configuration that it is given.
func TestSharedTLSConfig(t *testing.T) {
	t.Parallel()
	own := newAuthority(t, "own")
	server, _ := startTLS(t, serverTLS(own.issue(t, nil)))
	shared := &tls.Config{RootCAs: own.pool(), MinVersion: tls.VersionTLS12}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: server.URL, TLS: shared})); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if shared.NextProtos != nil {
		t.Errorf("the caller's configuration was changed: %q", shared.NextProtos)
	}
}

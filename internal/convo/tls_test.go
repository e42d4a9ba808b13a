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

func TestServerCertificate(t *testing.T) {
	t.Parallel()
	own, foreign := newAuthority(t, "own"), newAuthority(t, "foreign")
	good := own.issue(t, nil)
	expired := own.issue(t, func(c *x509.Certificate) { c.NotAfter = time.Now().Add(-time.Minute) })
	early := own.issue(t, func(c *x509.Certificate) { c.NotBefore = time.Now().Add(time.Minute) })
	wrongHost := own.issue(t, func(c *x509.Certificate) { c.IPAddresses, c.DNSNames = nil, []string{"other.example"} })
	forClients := own.issue(t, func(c *x509.Certificate) { c.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth} })
	trust := &tls.Config{RootCAs: own.pool(), MinVersion: tls.VersionTLS12}

	tests := map[string]struct {
		server tls.Certificate
		client *tls.Config
		want   convo.Reason // -1 for none
	}{
		"own authority":     {good, trust, -1},
		"foreign authority": {good, &tls.Config{RootCAs: foreign.pool(), MinVersion: tls.VersionTLS12}, convo.ReasonCertificate},
		"system's roots":    {good, nil, convo.ReasonCertificate},
		"expired":           {expired, trust, convo.ReasonCertificateExpired},
		"not valid yet":     {early, trust, convo.ReasonCertificateExpired},
		"wrong host":        {wrongHost, trust, convo.ReasonCertificateHost},
		"for clients only":  {forClients, trust, convo.ReasonCertificate},
		"not verified":      {expired, &tls.Config{InsecureSkipVerify: true}, -1}, //nolint:gosec // That is what is tested.
	}
	for name, test := range tests {
		for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			t.Run(name+" "+method, func(t *testing.T) {
				t.Parallel()
				server, connections := startTLS(t, serverTLS(test.server))
				client := newClient(t, convo.Config{BaseURL: server.URL, TLS: test.client, MaxRetries: 4})
				err := send(testContext(t), client)
				if got := connections.Load(); got != 1 {
					t.Errorf("made %d connections, want 1", got)
				}
				if test.want < 0 {
					if err != nil {
						t.Error(err)
					}
					server.expectRequests(t, 1)
					return
				}
				var certificate *tls.CertificateVerificationError
				var transport *convo.TransportError
				if !errors.As(err, &certificate) || !errors.As(err, &transport) ||
					transport.Reason != test.want || transport.Attempts != 1 {
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
					BaseURL: service.URL, MaxRetries: 2,
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
					(transport.Reason != convo.ReasonHandshake || transport.Attempts != 1 || connections.Load() != 1) {
					t.Errorf("got %v on %d connections, want one refused handshake", err, connections.Load())
				}
			})
		}
	}
}

func TestSchemeOfTheOtherKind(t *testing.T) {
	t.Parallel()
	t.Run("https to http", func(t *testing.T) {
		t.Parallel()
		address, connections := accept(t, func(c net.Conn) {
			_, _ = c.Read(make([]byte, 4096))
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
		})
		err := readAgent(testContext(t), newClient(t, convo.Config{BaseURL: "https://" + address, MaxRetries: 4}))
		var transport *convo.TransportError
		if !errors.As(err, &transport) || transport.Reason != convo.ReasonNotTLS || connections.Load() != 1 {
			t.Errorf("got %v on %d connections, want one that is not TLS", err, connections.Load())
		}
	})
	own := newAuthority(t, "own")
	refusing := &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		return nil, errors.New("refused")
	}}
	servers := map[string]func(t *testing.T) (address string){
		"with a 400": func(t *testing.T) string {
			server, _ := startTLS(t, serverTLS(own.issue(t, nil)))
			return server.Listener.Addr().String()
		},
		// Without the response that net/http's server has for this.
		"that sends an alert": func(t *testing.T) string {
			address, _ := accept(t, func(c net.Conn) { _ = tls.Server(c, refusing).HandshakeContext(t.Context()) })
			return address
		},
		"that closes the connection": func(t *testing.T) string {
			address, _ := accept(t, func(c net.Conn) {
				first := make([]byte, 1)
				if _, _ = io.ReadFull(c, first); first[0] == 'G' || first[0] == 'P' {
					return
				}
				_ = tls.Server(&prefixed{c, first}, refusing).HandshakeContext(t.Context())
			})
			return address
		},
	}
	for name, start := range servers {
		for method, send := range map[string]operation{"GET": readAgent, "POST": updateSession} {
			t.Run("http to https "+name+" "+method, func(t *testing.T) {
				t.Parallel()
				err := send(testContext(t), newClient(t, convo.Config{BaseURL: "http://" + start(t), MaxRetries: 4}))
				var transport *convo.TransportError
				if !errors.As(err, &transport) || transport.Reason != convo.ReasonNeedsTLS || transport.Attempts != 1 ||
					!transport.NotSent || transport.Err.Error() != "the server expects https on this port" {
					t.Errorf("got %+v, want words about https after one attempt", err)
				}
			})
		}
	}
}

// TestDroppedByAServerThatUsesTLS: https is right then, and the loss may pass.
func TestDroppedByAServerThatUsesTLS(t *testing.T) {
	t.Parallel()
	own := newAuthority(t, "own")
	server := newService(t, inTurn(closing(dropped), respond(http.StatusOK, "{}")))
	server.TLS = serverTLS(own.issue(t, nil))
	server.StartTLS()
	client := newClient(t, convo.Config{
		BaseURL: server.URL, MaxRetries: 1, TLS: &tls.Config{RootCAs: own.pool(), MinVersion: tls.VersionTLS12},
	})
	if err := readAgent(testContext(t), client); err != nil {
		t.Error(err)
	}
	server.expectRequests(t, 2)
}

// prefixed is a connection of which some bytes were read before.
type prefixed struct {
	net.Conn
	first []byte
}

func (c *prefixed) Read(p []byte) (int, error) {
	if n := copy(p, c.first); n > 0 {
		c.first = c.first[n:]
		return n, nil
	}
	return c.Conn.Read(p)
}

// TestNoHandshakeWithAServiceThatHasSpoken: neither a 400 nor a lost connection
// is a reason to look for TLS then, nor is a 400 of the service itself.
func TestNoHandshakeWithAServiceThatHasSpoken(t *testing.T) {
	t.Parallel()
	for name, first := range map[string]http.HandlerFunc{
		"200": respond(http.StatusOK, "{}"), "404": respond(404, ""), "400": respond(400, `{"code":"BAD_REQUEST"}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := newService(t, inTurn(closing(first), closing(respond(400, "")), dropped))
			connections := countConnections(server)
			server.Start()
			client := newClient(t, convo.Config{BaseURL: server.URL})
			for range 3 {
				_ = readAgent(testContext(t), client)
			}
			if got := connections.Load(); got != 3 {
				t.Errorf("made %d connections, want 3", got)
			}
		})
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

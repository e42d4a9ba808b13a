// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo_test

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"testing"

	"golang.org/x/net/http2"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

// TestRefusedStreams: net/http dials again and again if a server closes each
// HTTP/2 connection for new requests. An attempt ends after a few connections, and
// is retried. An update does not use HTTP/2.
func TestRefusedStreams(t *testing.T) {
	t.Parallel()
	own := newAuthority(t, "own")
	config := serverTLS(own.issue(t, nil))
	config.NextProtos = []string{"h2", "http/1.1"}
	address, connections := accept(t, func(c net.Conn) {
		connection := tls.Server(c, config)
		switch err := connection.HandshakeContext(t.Context()); {
		case err != nil:
		case connection.ConnectionState().NegotiatedProtocol == "h2":
			refuseStreams(connection)
		default:
			_, _ = connection.Read(make([]byte, 4096))
			_, _ = io.WriteString(connection, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		}
	})
	client := newClient(t, convo.Config{
		BaseURL: "https://" + address, MaxRetries: 1, TLS: &tls.Config{RootCAs: own.pool(), MinVersion: tls.VersionTLS12},
	})
	err := readAgent(testContext(t), client)
	var transport *convo.TransportError
	if !errors.As(err, &transport) || transport.Reason != convo.ReasonConnection || transport.Attempts != 2 {
		t.Errorf("got %+v, want no connection after two attempts", err)
	}
	if n := connections.Load(); n > 40 {
		t.Errorf("made %d connections", n)
	}
	if err := updateSession(testContext(t), client); err != nil {
		t.Errorf("update: %v", err)
	}
}

// refuseStreams serves HTTP/2 on a connection and refuses each stream.
func refuseStreams(connection net.Conn) {
	if _, err := io.ReadFull(connection, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	framer := http2.NewFramer(connection, connection)
	if framer.WriteSettings() != nil {
		return
	}
	for {
		frame, err := framer.ReadFrame()
		if err != nil {
			return
		}
		switch frame := frame.(type) {
		case *http2.SettingsFrame:
			if !frame.IsAck() {
				err = framer.WriteSettingsAck()
			}
		case *http2.HeadersFrame:
			err = framer.WriteGoAway(0, http2.ErrCodeNo, nil)
		}
		if err != nil {
			return
		}
	}
}

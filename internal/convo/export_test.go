// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import "net/http"

// CloseIdleConnections closes the connections that no request uses, so that a
// test can count what is left.
func (c *Client) CloseIdleConnections() {
	c.connections.forMethod(http.MethodGet).CloseIdleConnections()
}

// NewTransportOf returns a transport as the client makes them, to look at its
// limits.
func NewTransportOf(c *Client) *http.Transport { return c.connections.newTransport() }

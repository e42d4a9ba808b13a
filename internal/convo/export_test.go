// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"net/http"
	"time"
)

// CloseIdleConnections closes the connections that no request uses, so that a
// test can count what is left.
func (c *Client) CloseIdleConnections() {
	c.connections.forMethod(http.MethodGet).CloseIdleConnections()
}

// DialTimeout is how long a dial can take with a timeout of requests.
func DialTimeout(timeout time.Duration) time.Duration { return newDialer(timeout).Timeout }

// RetryWaitOf is the upper bound of the wait before a client's first retry.
func RetryWaitOf(c *Client) time.Duration { return c.retry.wait }

// NewTransportOf returns a transport as the client makes them, to look at its
// limits.
func NewTransportOf(c *Client) *http.Transport { return c.connections.newTransport() }

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"errors"
	"net"
	"net/http"
)

// CloseIdleConnections closes the connections that no request uses.
func (c *Client) CloseIdleConnections() { c.reads.CloseIdleConnections() }

// SetDial replaces the network.
func (c *Client) SetDial(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	for _, client := range []*http.Client{c.reads, c.updates} {
		client.Transport.(*http.Transport).DialContext = dial
	}
}

// ResponseWith returns a 200 with the given body.
func (c *Client) ResponseWith(body string) *Response {
	return &Response{Body: []byte(body), client: c, operation: &operation{}, status: http.StatusOK}
}

// InvalidResponse returns the error about a 200 with the given body, which lacks a
// required field.
func (c *Client) InvalidResponse(body string) *Error {
	var target struct {
		Field *string `json:"-" required:"true"`
	}
	e, _ := errors.AsType[*Error](c.ResponseWith(body).Decode(&target))
	return e
}

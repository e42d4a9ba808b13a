// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

// CloseIdleConnections closes the connections that no request uses, so that a
// test can count what is left.
func (c *Client) CloseIdleConnections() { c.reads.CloseIdleConnections() }

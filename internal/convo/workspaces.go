// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"context"
	"strconv"
)

// Workspace reads a workspace by its ID or slug (specification, "Get
// workspace"). getDefault is sent if it is not nil; the API does not document
// its effect.
func (c *Client) Workspace(ctx context.Context, workspaceID string, getDefault *bool) (*Response, error) {
	query := map[string]string{}
	if getDefault != nil {
		query["getDefault"] = strconv.FormatBool(*getDefault)
	}
	return c.get(ctx, "read workspace", query, "v1", "workspaces", workspaceID)
}

// Members lists the members of a workspace (specification, "List members of a
// workspace").
func (c *Client) Members(ctx context.Context, workspaceID string) (*Response, error) {
	return c.get(ctx, "list members", nil, "v1", "workspaces", workspaceID, "members")
}

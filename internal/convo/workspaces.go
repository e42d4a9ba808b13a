// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package convo

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/convo/terraform-provider-convo/internal/api"
)

// Workspace reads a workspace by its ID or slug (getWorkspace). getDefault is sent
// if it is not nil; the API does not document its effect.
func (c *Client) Workspace(ctx context.Context, workspaceID string, getDefault *bool) (*api.Workspace, error) {
	query := map[string]string{}
	if getDefault != nil {
		query["getDefault"] = strconv.FormatBool(*getDefault)
	}
	var body struct {
		Workspace *api.Workspace `json:"workspace" required:"true"`
	}
	_, err := c.send(
		ctx,
		get("getWorkspace", query, "workspaces", workspaceID),
		&body,
	)
	return body.Workspace, err
}

// Members lists the members of a workspace (listMembers), sorted by email address, then name,
// then role.
func (c *Client) Members(ctx context.Context, workspaceID string) (*List[api.Member], error) {
	var body struct {
		Members []api.Member   `json:"members" required:"true"`
		Rest    map[string]any `json:",embed"`
	}
	response, err := c.send(
		ctx,
		get("listMembers", nil, "workspaces", workspaceID, "members"),
		&body,
	)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(body.Members, func(a, b api.Member) int {
		return cmp.Or(
			cmp.Compare(a.Email(), b.Email()),
			cmp.Compare(a.Name(), b.Name()),
			cmp.Compare(api.ValueOf(a.Role), api.ValueOf(b.Role)),
		)
	})
	return &List[api.Member]{body.Members, response.doubt(len(body.Members), body.Rest)}, nil
}

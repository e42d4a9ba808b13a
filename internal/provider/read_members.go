// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// membersQuery stands for "List members of a workspace" of the interface.
func membersQuery() query {
	return query{
		name:        "members",
		noun:        "members",
		description: "Lists the members of a workspace with their roles.",
		arguments: map[string]schema.Attribute{
			"workspace_id": idArgument("Id or slug of the workspace."),
		},
		idArgument: "workspace_id",
		target:     "workspace",
		answer: map[string]schema.Attribute{
			"members": computedObjects("The members, sorted by e-mail address, then name, then role, because the interface "+
				"promises no order.", memberAttributes()),
		},
		options: jsonvalue.Options{
			Required: []string{"members"},
			SortBy:   map[string][]string{"members": {"user.email", "user.name", "role"}},
		},
		request: func(ctx context.Context, client *convo.Client, a arguments) (*convo.Response, error) {
			return client.Members(ctx, a.text("workspace_id"))
		},
	}
}

// memberAttributes are the fields of "Member" in the interface.
func memberAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"workspace_id": computedString("Identifier of the workspace."),
		"user": computedObject("The person.", map[string]schema.Attribute{
			"name":  computedString("Name of the person."),
			"email": computedString("E-mail address of the person."),
			"image": computedString("Address of the person's picture."),
		}),
		"role": computedString("Role of the member. The interface names `ADMIN` and leaves other values open: they arrive as they are."),
	}
}

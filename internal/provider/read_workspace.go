// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// workspaceOperation describes "Get workspace" of the API.
func workspaceOperation() operation {
	return operation{
		name:        "workspace",
		description: "Retrieves a workspace with its plan, status, billing and usage.",
		arguments: attributes{
			"workspace_id": idArgument(workspaceIDDescription),
			"get_default": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Value of the query parameter `getDefault`, whose effect the API does not document. Not sent " +
					"by default.",
			},
		},
		idArgument:   "workspace_id",
		object:       "workspace",
		objectFields: workspaceAttributes(),
		options:      jsonvalue.Options{Required: workspaceRequired()},
		request: func(ctx context.Context, client *convo.Client, arguments values) (*convo.Response, error) {
			return client.Workspace(ctx, arguments.text("workspace_id"), arguments.flag("get_default"))
		},
	}
}

// workspaceRequired lists the fields that the API documents as never null.
// Without this check, an audit could pass because of a missing value.
func workspaceRequired() []string {
	return []string{
		"workspace",
		"workspace.id", "workspace.createdAt", "workspace.updatedAt", "workspace.lastActivityAt",
		"workspace.name", "workspace.plan",
		"workspace.isQuarantined", "workspace.isSuspended", "workspace.isPastDue",
		"workspace.chatUsage", "workspace.extras", "workspace.addons",
	}
}

// workspaceIDDescription is the description of every argument that names a
// workspace.
const workspaceIDDescription = "ID or slug of the workspace."

// workspaceAttributes are the fields of "Workspace" in the API.
func workspaceAttributes() attributes {
	return attributes{
		"id":                  computedString("ID of the workspace."),
		"created_at":          computedString("Time at which the workspace was created. " + timestampNote),
		"updated_at":          computedString("Time at which the workspace was last changed. " + timestampNote),
		"last_activity_at":    computedString("Time of the last activity in the workspace. " + timestampNote),
		"name":                computedString("Name of the workspace."),
		"icon":                computedString("Icon of the workspace. Null if it has none."),
		"slug":                computedString("Slug of the workspace, which can be used instead of its ID. Null if it has none."),
		"plan":                computedString("Name of the workspace's plan. The API does not document the values."),
		"payments_id":         computedString("ID of the workspace at the payment provider. Null if it has none."),
		"is_quarantined":      computedBool("Whether the workspace is quarantined."),
		"is_suspended":        computedBool("Whether the workspace is suspended."),
		"is_past_due":         computedBool("Whether a payment of the workspace is past due."),
		"is_verified":         computedBool("Whether the workspace is verified. Can be null."),
		"billing_cycle_start": computedNumber("Start of the billing cycle. The API does not document the unit. Can be null."),
		"payment_failed_at":   computedString("Time at which a payment last failed, or null. " + timestampNote),
		"payments_connect_id": computedString("ID of the connected account at the payment provider. Null if there is none."),
		"chat_usage":          computedNumber("Chat usage. The API does not document the unit."),
		"redeemed_coupons":    computedString("Redeemed coupons, returned unchanged. Null if there are none."),
		"extras":              computedStrings("Extras of the workspace. The API does not document the values."),
		"addons":              computedStrings("Add-ons of the workspace. The API does not document the values."),
	}
}

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
		description: "Retrieves a workspace, including its plan, status, billing, and usage.",
		arguments: attributes{
			"workspace_id": idArgument(workspaceIDDescription),
			"get_default": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Value to send in the `getDefault` query parameter. The API does not document the effect. If " +
					"omitted, the parameter is not sent.",
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
		"created_at":          computedString("Time when the workspace was created."),
		"updated_at":          computedString("Time when the workspace was last changed."),
		"last_activity_at":    computedString("Time of the last activity in the workspace."),
		"name":                computedString("Name of the workspace."),
		"icon":                computedString("Icon of the workspace. Can be null."),
		"slug":                computedString("Slug of the workspace, which you can use instead of its ID. Can be null."),
		"plan":                computedString("Name of the workspace's plan."),
		"payments_id":         computedString("ID that the payment provider uses for the workspace. Can be null."),
		"is_quarantined":      computedBool("Whether the workspace is quarantined."),
		"is_suspended":        computedBool("Whether the workspace is suspended."),
		"is_past_due":         computedBool("Whether the workspace has a past-due payment."),
		"is_verified":         computedBool("Whether the workspace is verified. Can be null."),
		"billing_cycle_start": computedNumber("Start of the billing cycle. Can be null."),
		"payment_failed_at":   computedString("Time when a payment last failed. Can be null."),
		"payments_connect_id": computedString("ID that the payment provider uses for the workspace's connected account. Can be null."),
		"chat_usage":          computedNumber("Chat usage of the workspace."),
		"redeemed_coupons":    computedString("Redeemed coupons, in a single string. Can be null."),
		"extras":              computedStrings("Extras of the workspace."),
		"addons":              computedStrings("Add-ons of the workspace."),
	}
}

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

// workspaceQuery stands for "Get workspace" of the interface.
func workspaceQuery() query {
	return query{
		name: "workspace",
		noun: "workspace",
		description: "Reads a workspace: its plan, its billing and status flags and its usage. A workspace that does not " +
			"exist is an error.",
		arguments: map[string]schema.Attribute{
			"workspace_id": idArgument("Id or slug of the workspace."),
			"get_default": schema.BoolAttribute{
				Optional: true,
				MarkdownDescription: "Sent to the service as the query parameter `getDefault` when it is set. The interface " +
					"leaves its effect open.",
			},
		},
		idArgument: "workspace_id",
		target:     "workspace",
		envelope:   "workspace",
		enveloped:  workspaceAttributes(),
		options:    jsonvalue.Options{Required: workspaceRequired()},
		request: func(ctx context.Context, client *convo.Client, a arguments) (*convo.Response, error) {
			return client.Workspace(ctx, a.text("workspace_id"), a.optionalFlag("get_default"))
		},
	}
}

// workspaceRequired are the fields that the interface promises never to be
// null, without which an audit would pass on a value that was never sent.
func workspaceRequired() []string {
	return []string{
		"workspace",
		"workspace.id", "workspace.createdAt", "workspace.updatedAt", "workspace.lastActivityAt",
		"workspace.name", "workspace.plan",
		"workspace.isQuarantined", "workspace.isSuspended", "workspace.isPastDue",
		"workspace.chatUsage", "workspace.extras", "workspace.addons",
	}
}

// workspaceAttributes are the fields of "Workspace" in the interface.
func workspaceAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                  computedString("Identifier of the workspace."),
		"created_at":          computedString("When the workspace was created: a timestamp, as the service writes it."),
		"updated_at":          computedString("When the workspace was last changed: a timestamp, as the service writes it."),
		"last_activity_at":    computedString("When something last happened in the workspace: a timestamp, as the service writes it."),
		"name":                computedString("Name of the workspace."),
		"icon":                computedString("Icon of the workspace. Null when it has none."),
		"slug":                computedString("Slug of the workspace, which can be used in place of its id. Null when it has none."),
		"plan":                computedString("Name of the plan that the workspace is on. The interface leaves the values open."),
		"payments_id":         computedString("Identifier of the workspace at the payment provider. Null when it has none."),
		"is_quarantined":      computedBool("Whether the workspace is quarantined."),
		"is_suspended":        computedBool("Whether the workspace is suspended."),
		"is_past_due":         computedBool("Whether a payment of the workspace is past due."),
		"is_verified":         computedBool("Whether the workspace is verified. Null when the service does not say."),
		"billing_cycle_start": computedNumber("Start of the billing cycle, as the service writes it; the interface leaves the unit open. Null when there is none."),
		"payment_failed_at":   computedString("When a payment last failed: a timestamp, as the service writes it. Null when none did."),
		"payments_connect_id": computedString("Identifier of the connected account at the payment provider. Null when there is none."),
		"chat_usage":          computedNumber("Usage of chats; the interface leaves the unit open."),
		"redeemed_coupons":    computedString("Coupons that were redeemed, as the service writes them. Null when there are none."),
		"extras":              computedStrings("Extras of the workspace, in the order of the service. The interface leaves the values open."),
		"addons":              computedStrings("Add-ons of the workspace, in the order of the service. The interface leaves the values open."),
	}
}

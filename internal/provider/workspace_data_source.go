// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/convo/terraform-provider-convo/internal/api"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

var _ datasource.DataSourceWithConfigure = (*workspaceDataSource)(nil)

// NewWorkspaceDataSource returns the data source convo_workspace.
func NewWorkspaceDataSource() datasource.DataSource {
	return &workspaceDataSource{apiDataSource{name: "workspace"}}
}

// workspaceDataSource reads a workspace (getWorkspace).
type workspaceDataSource struct{ apiDataSource }

// workspaceModel has the attributes of convo_workspace.
type workspaceModel struct {
	WorkspaceID string `tfsdk:"workspace_id"`
	GetDefault  *bool  `tfsdk:"get_default"`
	api.Workspace
}

func (d *workspaceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	all := workspaceAttributes()
	all["workspace_id"] = workspaceIDAttribute()
	all["get_default"] = schema.BoolAttribute{
		Optional:            true,
		MarkdownDescription: "Value of the query parameter `getDefault`, whose effect the API does not document.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Retrieves a workspace, including its subscription plan, billing, and usage.",
		Attributes:          all,
	}
}

func (d *workspaceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	readInto(ctx, req, resp, func(model *workspaceModel) diag.Diagnostics {
		messages := workspaceMessages("workspace", model.WorkspaceID)
		result, err := d.client.Workspace(ctx, model.WorkspaceID, model.GetDefault)
		if err != nil {
			return messages.readError(err)
		}
		model.Workspace = *result
		return messages.missingValues(jsonvalue.Missing(result))
	})
}

func workspaceAttributes() attributes {
	return attributes{
		"id":                  stringAttribute("ID of the workspace."),
		"created_at":          stringAttribute("Time when the workspace was created, such as `2023-04-11T08:15:27.412Z`."),
		"updated_at":          stringAttribute("Time when the workspace was last changed."),
		"last_activity_at":    stringAttribute("Time of the last activity in the workspace."),
		"name":                stringAttribute("Name of the workspace."),
		"icon":                stringAttribute("Icon of the workspace."),
		"slug":                stringAttribute("Slug of the workspace."),
		"plan":                stringAttribute("Name of the workspace's subscription plan, such as `PRO`."),
		"payments_id":         stringAttribute("ID of the workspace at the payment provider."),
		"is_quarantined":      boolAttribute("Whether the workspace is quarantined."),
		"is_suspended":        boolAttribute("Whether the workspace is suspended."),
		"is_past_due":         boolAttribute("Whether the workspace has a past-due payment."),
		"is_verified":         boolAttribute("Whether the workspace is verified."),
		"billing_cycle_start": numberAttribute("Start of the billing cycle, such as `11`."),
		"payment_failed_at":   stringAttribute("Time when a payment last failed."),
		"payments_connect_id": stringAttribute("ID of the connected account at the payment provider."),
		"chat_usage":          numberAttribute("Chat usage, such as `1843.5`."),
		"redeemed_coupons":    stringAttribute("Redeemed coupons, such as `WELCOME-2023, SPRING-2024`."),
		"extras":              stringsAttribute("Extras of the workspace, such as `custom-domain`."),
		"addons":              stringsAttribute("Add-ons of the workspace, such as `extra-seats-5`."),
	}
}

// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

var _ datasource.DataSourceWithConfigure = (*workspaceDataSource)(nil)

// NewWorkspaceDataSource returns the data source convo_workspace.
func NewWorkspaceDataSource() datasource.DataSource { return &workspaceDataSource{} }

// workspaceDataSource reads a workspace (specification, "Get workspace").
type workspaceDataSource struct{ apiDataSource }

func (d *workspaceDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_workspace"
}

func (d *workspaceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := workspaceAttributes()
	attributes["workspace_id"] = schema.StringAttribute{
		Required:            true,
		MarkdownDescription: workspaceIDDescription,
		Validators:          []validator.String{validID()},
	}
	attributes["get_default"] = schema.BoolAttribute{
		Optional: true,
		MarkdownDescription: "Value of the `getDefault` query parameter, whose effect the API does not document. By default, the " +
			"parameter is not sent.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Retrieves a workspace, including its plan, status, billing, and usage.",
		Attributes:          attributes,
	}
}

func (d *workspaceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var workspaceID string
	var getDefault types.Bool
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("workspace_id"), &workspaceID)...)
	resp.Diagnostics.Append(req.Config.GetAttribute(ctx, path.Root("get_default"), &getDefault)...)
	if resp.Diagnostics.HasError() || !d.data.ready("Unable to read workspace", &resp.Diagnostics) {
		return
	}
	t := workspaceTarget("workspace", workspaceID)
	workspace, err := readWorkspace(ctx, d.data.client, workspaceID, getDefault.ValueBoolPointer())
	if err != nil {
		resp.Diagnostics.Append(t.readError(err))
		return
	}
	resp.Diagnostics.Append(workspace.warnings(t)...)
	resp.Diagnostics.Append(setState(&resp.State, workspace.values)...)
}

// readWorkspace reads a workspace and returns a value for each of
// workspaceAttributes.
func readWorkspace(ctx context.Context, client *convo.Client, workspaceID string, getDefault *bool) (*result, error) {
	response, err := client.Workspace(ctx, workspaceID, getDefault)
	if err != nil {
		return nil, err
	}
	workspace, err := decodeObject(ctx, client, response, "workspace", workspaceAttributes())
	if err != nil {
		return nil, err
	}
	// The API documents all other fields as nullable.
	missing := missingValues(workspace,
		"id", "created_at", "updated_at", "last_activity_at", "name", "plan", "is_quarantined", "is_suspended", "is_past_due",
		"chat_usage", "extras", "addons")
	return &result{values: workspace, missing: missing}, nil
}

// workspaceIDDescription is the description of every argument that names a
// workspace.
const workspaceIDDescription = "ID or slug of the workspace."

// workspaceAttributes are the fields of "Workspace" in the API.
func workspaceAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                  schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the workspace."},
		"created_at":          schema.StringAttribute{Computed: true, MarkdownDescription: "Time when the workspace was created."},
		"updated_at":          schema.StringAttribute{Computed: true, MarkdownDescription: "Time when the workspace was last changed."},
		"last_activity_at":    schema.StringAttribute{Computed: true, MarkdownDescription: "Time of the last activity in the workspace."},
		"name":                schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the workspace."},
		"icon":                schema.StringAttribute{Computed: true, MarkdownDescription: "Icon of the workspace. Can be null."},
		"slug":                schema.StringAttribute{Computed: true, MarkdownDescription: "Slug of the workspace, which you can use instead of its ID. Can be null."},
		"plan":                schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the workspace's plan."},
		"payments_id":         schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the workspace at the payment provider. Can be null."},
		"is_quarantined":      schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the workspace is quarantined."},
		"is_suspended":        schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the workspace is suspended."},
		"is_past_due":         schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the workspace has a past-due payment."},
		"is_verified":         schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the workspace is verified. Can be null."},
		"billing_cycle_start": schema.NumberAttribute{Computed: true, MarkdownDescription: "Start of the billing cycle. Can be null."},
		"payment_failed_at":   schema.StringAttribute{Computed: true, MarkdownDescription: "Time when a payment last failed. Can be null."},
		"payments_connect_id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the workspace's connected account at the payment provider. Can be null."},
		"chat_usage":          schema.NumberAttribute{Computed: true, MarkdownDescription: "Chat usage of the workspace."},
		"redeemed_coupons":    schema.StringAttribute{Computed: true, MarkdownDescription: "Redeemed coupons, in a single string. Can be null."},
		"extras":              schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Extras of the workspace."},
		"addons":              schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Add-ons of the workspace."},
	}
}

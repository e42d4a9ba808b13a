// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"math/big"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
	"github.com/convo/terraform-provider-convo/internal/jsonvalue"
)

var _ datasource.DataSourceWithConfigure = (*workspaceDataSource)(nil)

// NewWorkspaceDataSource returns the data source convo_workspace.
func NewWorkspaceDataSource() datasource.DataSource { return &workspaceDataSource{} }

// workspaceDataSource reads a workspace (specification, "Get workspace").
type workspaceDataSource struct{ apiDataSource }

// workspaceModel has the attributes of convo_workspace.
type workspaceModel struct {
	WorkspaceID string `tfsdk:"workspace_id"`
	GetDefault  *bool  `tfsdk:"get_default"`
	workspace
}

// workspace is "Workspace" in the API. Fields without the tag required are
// documented as nullable.
type workspace struct {
	ID                *string    `json:"id" tfsdk:"id" required:"true"`
	CreatedAt         *string    `json:"createdAt" tfsdk:"created_at" required:"true"`
	UpdatedAt         *string    `json:"updatedAt" tfsdk:"updated_at" required:"true"`
	LastActivityAt    *string    `json:"lastActivityAt" tfsdk:"last_activity_at" required:"true"`
	Name              *string    `json:"name" tfsdk:"name" required:"true"`
	Icon              *string    `json:"icon" tfsdk:"icon"`
	Slug              *string    `json:"slug" tfsdk:"slug"`
	Plan              *string    `json:"plan" tfsdk:"plan" required:"true"`
	PaymentsID        *string    `json:"paymentsId" tfsdk:"payments_id"`
	IsQuarantined     *bool      `json:"isQuarantined" tfsdk:"is_quarantined" required:"true"`
	IsSuspended       *bool      `json:"isSuspended" tfsdk:"is_suspended" required:"true"`
	IsPastDue         *bool      `json:"isPastDue" tfsdk:"is_past_due" required:"true"`
	IsVerified        *bool      `json:"isVerified" tfsdk:"is_verified"`
	BillingCycleStart *big.Float `json:"billingCycleStart" tfsdk:"billing_cycle_start"`
	PaymentFailedAt   *string    `json:"paymentFailedAt" tfsdk:"payment_failed_at"`
	PaymentsConnectID *string    `json:"paymentsConnectId" tfsdk:"payments_connect_id"`
	ChatUsage         *big.Float `json:"chatUsage" tfsdk:"chat_usage" required:"true"`
	RedeemedCoupons   *string    `json:"redeemedCoupons" tfsdk:"redeemed_coupons"`
	Extras            []*string  `json:"extras" tfsdk:"extras" required:"true"`
	Addons            []*string  `json:"addons" tfsdk:"addons" required:"true"`
}

func (d *workspaceDataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_workspace"
}

func (d *workspaceDataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	attributes := workspaceAttributes()
	attributes["workspace_id"] = workspaceIDAttribute()
	attributes["get_default"] = schema.BoolAttribute{
		Optional:            true,
		MarkdownDescription: "Value of the query parameter `getDefault`. The API does not document its effect.",
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Retrieves a workspace, including its plan, status, billing, and usage.",
		Attributes:          attributes,
	}
}

func (d *workspaceDataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	var model workspaceModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	result, caveats, err := readWorkspace(ctx, d.client, model.WorkspaceID, model.GetDefault)
	resp.Diagnostics.Append(d.workspaceMessages("workspace", model.WorkspaceID).ofRead(caveats, err)...)
	if resp.Diagnostics.HasError() {
		return
	}
	model.workspace = *result
	d.setState(ctx, resp, &model)
}

// readWorkspace reads a workspace.
func readWorkspace(ctx context.Context, client *convo.Client, workspaceID string, getDefault *bool) (*workspace, caveats, error) {
	response, err := client.Workspace(ctx, workspaceID, getDefault)
	if err != nil {
		return nil, caveats{}, err
	}
	defer response.Close()
	var body struct {
		Workspace *workspace `json:"workspace" required:"true"`
	}
	if err := response.Decode(&body); err != nil {
		return nil, caveats{}, err
	}
	return body.Workspace, caveats{missing: jsonvalue.Missing(body.Workspace, "tfsdk")}, nil
}

func workspaceAttributes() map[string]schema.Attribute {
	return map[string]schema.Attribute{
		"id":                  schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the workspace."},
		"created_at":          schema.StringAttribute{Computed: true, MarkdownDescription: "Time when the workspace was created."},
		"updated_at":          schema.StringAttribute{Computed: true, MarkdownDescription: "Time when the workspace was last changed."},
		"last_activity_at":    schema.StringAttribute{Computed: true, MarkdownDescription: "Time of the last activity in the workspace."},
		"name":                schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the workspace."},
		"icon":                schema.StringAttribute{Computed: true, MarkdownDescription: "Icon of the workspace, in an undocumented format. Can be null."},
		"slug":                schema.StringAttribute{Computed: true, MarkdownDescription: "Slug of the workspace, which you can use instead of its ID. Can be null."},
		"plan":                schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the workspace's plan."},
		"payments_id":         schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the workspace at the payment provider. Can be null."},
		"is_quarantined":      schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the workspace is quarantined."},
		"is_suspended":        schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the workspace is suspended."},
		"is_past_due":         schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the workspace has a past-due payment."},
		"is_verified":         schema.BoolAttribute{Computed: true, MarkdownDescription: "Whether the workspace is verified. Can be null."},
		"billing_cycle_start": schema.NumberAttribute{Computed: true, MarkdownDescription: "Start of the billing cycle, in an undocumented unit. Can be null."},
		"payment_failed_at":   schema.StringAttribute{Computed: true, MarkdownDescription: "Time when a payment last failed. Can be null."},
		"payments_connect_id": schema.StringAttribute{Computed: true, MarkdownDescription: "ID of the connected account at the payment provider. Can be null."},
		"chat_usage":          schema.NumberAttribute{Computed: true, MarkdownDescription: "Chat usage, in an undocumented unit."},
		"redeemed_coupons":    schema.StringAttribute{Computed: true, MarkdownDescription: "Redeemed coupons, in a single string. Can be null."},
		"extras":              schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Extras of the workspace. The values are undocumented."},
		"addons":              schema.ListAttribute{Computed: true, ElementType: types.StringType, MarkdownDescription: "Add-ons of the workspace. The values are undocumented."},
	}
}

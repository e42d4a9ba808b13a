// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/numbervalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

var (
	_ resource.ResourceWithConfigure   = (*sessionAgentResource)(nil)
	_ resource.ResourceWithImportState = (*sessionAgentResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*sessionAgentResource)(nil)
)

// sessionAgentResource sends the API's "Update the agent of a session", which
// can neither be read nor reverted.
type sessionAgentResource struct {
	data *providerData
}

// NewSessionAgentResource returns the resource convo_session_agent.
func NewSessionAgentResource() resource.Resource { return &sessionAgentResource{} }

// sessionAgentModel is the resource's state. The payload is a plain string,
// because it can be sensitive: the framework prints and logs values of custom
// types such as jsontypes.Normalized.
type sessionAgentModel struct {
	SessionID types.String `tfsdk:"session_id"`
	AgentID   types.String `tfsdk:"agent_id"`
	Payload   types.String `tfsdk:"payload"`
	PayloadWO types.String `tfsdk:"payload_wo"` // Only in the configuration.
	Version   types.Number `tfsdk:"payload_wo_version"`
	Triggers  types.Map    `tfsdk:"triggers"`
	Message   types.String `tfsdk:"message"`
}

func (r *sessionAgentResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_session_agent"
}

func (r *sessionAgentResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Updates an active chat session to the newest revision of its agent, or switches it to another agent. The provider " +
			"sends the update when you create the resource, or change an argument other than `payload_wo`.",
		Attributes: map[string]schema.Attribute{
			"session_id": schema.StringAttribute{
				Required: true,
				MarkdownDescription: "ID of the chat session, which must be active. Warnings and errors contain the ID, even if it is " +
					"sensitive. Changing this value forces a new resource.",
				Validators:    validID(),
				PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"agent_id": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "ID of the agent to switch the session to. By default, the session is updated to the newest revision of its " +
					"agent. Conflicts with `payload` and `payload_wo`.",
				Validators: append(validID(), stringvalidator.ConflictsWith(path.MatchRoot("payload"), path.MatchRoot("payload_wo"))),
			},
			"payload": schema.StringAttribute{
				Optional: true,
				MarkdownDescription: "Request body to send instead of the default body. The state contains it. Must be a JSON object, such as the result of " +
					"`jsonencode`. Conflicts with `agent_id` and `payload_wo`.",
				Validators: []validator.String{unquoted(checkObject)},
			},
			"payload_wo": schema.StringAttribute{
				Optional:  true,
				WriteOnly: true,
				MarkdownDescription: "Same as `payload`, but not stored. Requires Terraform 1.11 or OpenTofu 1.11, and `payload_wo_version`. Conflicts with " +
					"`agent_id` and `payload`.",
				Validators: []validator.String{
					unquoted(checkObject), stringvalidator.ConflictsWith(path.MatchRoot("payload")), stringvalidator.AlsoRequires(path.MatchRoot("payload_wo_version")),
				},
			},
			"payload_wo_version": schema.NumberAttribute{
				Optional:            true,
				MarkdownDescription: "Version of `payload_wo`. If you change it, the update is sent again. Requires `payload_wo`.",
				Validators:          []validator.Number{numbervalidator.AlsoRequires(path.MatchRoot("payload_wo"))},
			},
			"triggers": schema.MapAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Map of arbitrary values. If any of them changes, the update is sent again.",
			},
			"message": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "Message that the service returned for the last update. `success` means only that the service accepted the " +
					"request. Truncated to 1,000 characters.",
			},
		},
	}
}

func (r *sessionAgentResource) Configure(_ context.Context, req resource.ConfigureRequest, _ *resource.ConfigureResponse) {
	r.data, _ = req.ProviderData.(*providerData)
}

// ModifyPlan warns before the resource is destroyed.
func (r *sessionAgentResource) ModifyPlan(_ context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.AddWarning("The session keeps its agent", "The API cannot revert an update. If the resource is destroyed, the session keeps its current agent.")
	}
}

func (r *sessionAgentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(r.sendUpdate(ctx, req.Config, req.Plan, &resp.State)...)
}

// Read keeps the state, because the API cannot read a session.
func (r *sessionAgentResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update keeps the prior state if it fails, so that the next plan contains the
// update again.
func (r *sessionAgentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.Diagnostics.Append(r.sendUpdate(ctx, req.Config, req.Plan, &resp.State)...)
}

// Delete sends nothing, because the API cannot revert an update. The framework
// removes the state, and the plan contained the warning.
func (r *sessionAgentResource) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {
}

// ImportState sets the session's ID. The next plan sends the configured agent, if there is
// one.
func (r *sessionAgentResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	resource.ImportStatePassthroughID(ctx, path.Root("session_id"), req, resp)
}

// sendUpdate sends the planned update, and sets the state. A plan has no write-only payload.
func (r *sessionAgentResource) sendUpdate(ctx context.Context, config tfsdk.Config, planned tfsdk.Plan, state *tfsdk.State) diag.Diagnostics {
	var plan sessionAgentModel
	diags := planned.Get(ctx, &plan)
	payload := plan.Payload
	if payload.IsNull() {
		diags.Append(config.GetAttribute(ctx, path.Root("payload_wo"), &payload)...)
	}
	if diags.HasError() {
		return diags
	}
	message, diags := updateSession(ctx, r.data, plan.SessionID.ValueString(), plan.AgentID, payload)
	if diags.HasError() {
		return diags
	}
	plan.Message = types.StringValue(message)
	diags.Append(state.Set(ctx, &plan)...)
	return diags
}

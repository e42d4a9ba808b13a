// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"

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

// sessionAgentResource sends updateSessionAgent, which can neither be read nor reverted.
type sessionAgentResource struct {
	data *providerData
}

// NewSessionAgentResource returns the resource convo_session_agent.
func NewSessionAgentResource() resource.Resource { return &sessionAgentResource{} }

// sessionAgentModel is the resource's state.
type sessionAgentModel struct {
	sessionUpdate
	Triggers types.Map    `tfsdk:"triggers"`
	Message  types.String `tfsdk:"message"`
}

// sendsSame reports whether another model has the same arguments but for on_rejection, which
// is not sent.
func (m sessionAgentModel) sendsSame(other sessionAgentModel) bool {
	return m.SessionID.Equal(other.SessionID) && m.AgentID.Equal(other.AgentID) && m.Payload.Equal(other.Payload) &&
		m.Triggers.Equal(other.Triggers)
}

func (r *sessionAgentResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_session_agent"
}

func (r *sessionAgentResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Moves an active chat session to another agent, or to the newest revision of its agent.",
		Attributes: map[string]schema.Attribute{
			"session_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "ID of the chat session, which must be active. Changing this value forces a new resource.",
				Validators:          []validator.String{checkFunc(checkID)},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"agent_id": agentIDAttribute(),
			"payload": schema.StringAttribute{
				Optional:  true,
				Sensitive: true,
				MarkdownDescription: "Request body to send instead of the default body. Must be a JSON object, such as the result of " +
					"`jsonencode`. Conflicts with `agent_id`.",
				Validators: []validator.String{checkFunc(checkObject)},
			},
			"triggers": schema.MapAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Map of arbitrary values. If any of them changes, the update is sent again.",
			},
			"on_rejection": onRejectionAttribute(),
			"message": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "Message that the service returned for the last update. `success` means only that the service accepted the " +
					"request. Null after a rejection, or if an imported resource has sent no update. Truncated to 1,000 characters.",
			},
		},
	}
}

func (r *sessionAgentResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.data = configuredData(req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan warns before the resource is destroyed. It keeps the message if the plan changes
// nothing that is sent, because a plan with a known message sends no update.
func (r *sessionAgentResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.Plan.Raw.IsNull() {
		resp.Diagnostics.AddWarning("The session keeps its agent", "The API cannot revert an update. If the resource is destroyed, the session keeps its current agent.")
		return
	}
	if req.State.Raw.IsNull() {
		return
	}
	var plan, state sessionAgentModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	if plan.sendsSame(state) {
		resp.Diagnostics.Append(resp.Plan.SetAttribute(ctx, path.Root("message"), state.Message)...)
	}
}

func (r *sessionAgentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	r.sendUpdate(ctx, req.Plan, &resp.State, &resp.Diagnostics)
}

// Read keeps the state, because the API cannot read a session.
func (r *sessionAgentResource) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

// Update keeps the prior state if it fails, so that the next plan contains the
// update again.
func (r *sessionAgentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	r.sendUpdate(ctx, req.Plan, &resp.State, &resp.Diagnostics)
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

// sendUpdate sends the planned update, and sets the state.
func (r *sessionAgentResource) sendUpdate(ctx context.Context, planned tfsdk.Plan, state *tfsdk.State, diags *diag.Diagnostics) {
	var plan sessionAgentModel
	diags.Append(planned.Get(ctx, &plan)...)
	if diags.HasError() {
		return
	}
	if plan.Message.IsUnknown() {
		plan.Message = types.StringPointerValue(plan.send(ctx, r.data, diags))
	}
	if !diags.HasError() {
		diags.Append(state.Set(ctx, &plan)...)
	}
}

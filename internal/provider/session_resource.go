// Copyright (c) Convo contributors
// SPDX-License-Identifier: MPL-2.0

package provider

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-jsontypes/jsontypes"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/convo/terraform-provider-convo/internal/convo"
)

var (
	_ resource.ResourceWithConfigure   = (*sessionAgentResource)(nil)
	_ resource.ResourceWithIdentity    = (*sessionAgentResource)(nil)
	_ resource.ResourceWithImportState = (*sessionAgentResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*sessionAgentResource)(nil)
)

// sessionAgentResource stands for "Update the agent of a session" of the
// interface, which can neither read nor undo what it did.
type sessionAgentResource struct {
	connection *connection
}

func newSessionAgentResource() resource.Resource { return &sessionAgentResource{} }

// sessionAgentModel is the resource's state.
type sessionAgentModel struct {
	SessionID types.String         `tfsdk:"session_id"`
	AgentID   types.String         `tfsdk:"agent_id"`
	Payload   jsontypes.Normalized `tfsdk:"payload"`
	Triggers  types.Map            `tfsdk:"triggers"`
	Message   types.String         `tfsdk:"message"`
}

// sessionAgentIdentity is what the resource is known by.
type sessionAgentIdentity struct {
	SessionID types.String `tfsdk:"session_id"`
}

func (r *sessionAgentResource) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = typeName("session_agent")
}

func (r *sessionAgentResource) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Updates the agent of an active chat session. The update is sent when the resource is created and " +
			"whenever one of its arguments changes. The interface can neither read the agent of a session nor take the update " +
			"back: changes made elsewhere are not seen, and destroying the resource leaves the session as it is.",
		Attributes: map[string]schema.Attribute{
			"session_id": schema.StringAttribute{
				Required:            true,
				MarkdownDescription: "Identifier of the chat session, which must be active. A change replaces the resource.",
				Validators:          []validator.String{pathSegment()},
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
			},
			"agent_id": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: agentIDDescription,
				Validators:          agentIDValidators(),
			},
			"payload": schema.StringAttribute{
				Optional:            true,
				CustomType:          jsontypes.NormalizedType{},
				MarkdownDescription: payloadDescription,
				Validators:          payloadValidators(),
			},
			"triggers": schema.MapAttribute{
				Optional:            true,
				ElementType:         types.StringType,
				MarkdownDescription: "Any values: when one of them changes, the update is sent again.",
			},
			"message": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "What the service answered to the last update: `success` when it took effect.",
			},
		},
	}
}

func (r *sessionAgentResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"session_id": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Identifier of the chat session.",
			},
		},
	}
}

func (r *sessionAgentResource) Configure(_ context.Context, req resource.ConfigureRequest, resp *resource.ConfigureResponse) {
	r.connection = connectionOf(req.ProviderData, &resp.Diagnostics)
}

// ModifyPlan keeps the prior payload where only its form changed, such as white
// space or the order of keys: nothing is to be sent then.
func (r *sessionAgentResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if req.State.Raw.IsNull() || req.Plan.Raw.IsNull() {
		return
	}
	var state, plan sessionAgentModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	if resp.Diagnostics.HasError() || !sameJSON(ctx, plan.Payload, state.Payload) {
		return
	}
	plan.Payload = state.Payload
	if plan.SessionID.Equal(state.SessionID) && plan.AgentID.Equal(state.AgentID) && plan.Triggers.Equal(state.Triggers) {
		plan.Message = state.Message
	}
	resp.Diagnostics.Append(resp.Plan.Set(ctx, plan)...)
}

// sameJSON says whether two payloads are there and have the same content.
func sameJSON(ctx context.Context, a, b jsontypes.Normalized) bool {
	if a.IsNull() || a.IsUnknown() || b.IsNull() || b.IsUnknown() {
		return false
	}
	same, diags := a.StringSemanticEquals(ctx, b)
	return same && !diags.HasError()
}

func (r *sessionAgentResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.Diagnostics.Append(r.send(ctx, req.Plan, &resp.State, resp.Identity)...)
}

// Read keeps the state: the interface has no read for it. It sets the identity,
// which an import by id has not done.
func (r *sessionAgentResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var sessionID types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("session_id"), &sessionID)...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, sessionAgentIdentity{SessionID: sessionID})...)
}

func (r *sessionAgentResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.Diagnostics.Append(r.send(ctx, req.Plan, &resp.State, resp.Identity)...)
}

func (r *sessionAgentResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var sessionID types.String
	resp.Diagnostics.Append(req.State.GetAttribute(ctx, path.Root("session_id"), &sessionID)...)
	resp.Diagnostics.AddWarning("The session keeps its agent", fmt.Sprintf(
		"Session %q is no longer managed here, but the interface has no way to take an update back: the session goes on with "+
			"the agent that it has.", sessionID.ValueString()))
}

func (r *sessionAgentResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	if req.ID != "" {
		if err := convo.CheckID(req.ID); err != nil {
			resp.Diagnostics.AddError("Unable to import session agent", "The import id is the id of a session. It "+err.Error()+".")
			return
		}
	}
	resource.ImportStatePassthroughWithIdentity(ctx, path.Root("session_id"), path.Root("session_id"), req, resp)
}

// send sends the update that the plan asks for. State and identity are set
// only when it succeeded: a failed create leaves nothing behind, and a failed
// update leaves the prior state, so that the next plan tries again.
func (r *sessionAgentResource) send(ctx context.Context, plan tfsdk.Plan, state *tfsdk.State, identity *tfsdk.ResourceIdentity) diag.Diagnostics {
	var diags diag.Diagnostics
	var model sessionAgentModel
	diags.Append(plan.Get(ctx, &model)...)
	if diags.HasError() {
		return diags
	}
	client := r.connection.open("update session agent", &diags)
	if client == nil {
		return diags
	}
	update := sessionUpdate{SessionID: model.SessionID, AgentID: model.AgentID, Payload: model.Payload}
	message, more := update.send(ctx, r.connection)
	diags.Append(more...)
	if diags.HasError() {
		return diags
	}
	model.Message = types.StringValue(message)
	diags.Append(state.Set(ctx, model)...)
	diags.Append(identity.Set(ctx, sessionAgentIdentity{SessionID: model.SessionID})...)
	return diags
}
